package api

import (
	"context"
	"net/http"
	"strings"

	"docent/agent"

	"github.com/danielgtaylor/huma/v2"

	"docent/agent/session/journal"
	"docent/auth"
	"docent/internal/fault"
)

// Notifier speaks to the clients of a session.
type Notifier interface {
	// Notify sends a notification to the clients of a session that are connected
	// here, and returns how many there are; fault.NotFound if there is none.
	Notify(session, message string) (int, error)
}

// nobody is connected.
type nobody struct{}

// Notify implements Notifier.
func (nobody) Notify(string, string) (int, error) {
	return 0, fault.New(fault.NotFound, "no_client_connected", "no client of this session is connected")
}

// notifyBytes bounds the body of a notification: its message as JSON may write
// it, and the session's id.
const notifyBytes = 6*agent.MaxTextBytes + 4<<10

type notifyInput struct {
	bodyRead
	Body struct {
		SessionID string `json:"sessionId" minLength:"1" maxLength:"255" doc:"The session of the clients."`
		Message   string `json:"message" minLength:"1" doc:"The text of the notification."`
	} `nameHint:"Notification"`
}

type notifyOutput struct {
	Body struct {
		Delivered int `json:"delivered" doc:"The number of clients that received it."`
	} `nameHint:"Notified"`
}

func (s *server) notifyRoutes() {
	register(s, huma.Operation{
		Method: http.MethodPost, Path: "/notify_websocket", OperationID: "notify", Tags: []string{"sessions"},
		Summary:      "Notify the clients of a session",
		Description:  "Sends a notification to the clients that are connected to a session at /agent_websocket of this process. Nothing is stored.",
		MaxBodyBytes: notifyBytes, BodyReadTimeout: s.cfg.bodyTimeout, Errors: []int{http.StatusNotFound},
	}, func(ctx context.Context, in *notifyInput) (*notifyOutput, error) {
		if err := plain("sessionId", in.Body.SessionID); err != nil {
			return nil, err
		}
		switch message := in.Body.Message; {
		case strings.TrimSpace(message) == "":
			return nil, fault.New(fault.Invalid, "message_empty", "the message is empty")
		case len(message) > agent.MaxTextBytes:
			return nil, fault.New(fault.Invalid, "notification_too_long", "a notification may have at most %d bytes", agent.MaxTextBytes)
		}
		if err := s.mayNotify(ctx, in.Body.SessionID); err != nil {
			return nil, err
		}
		n, err := s.cfg.Notifier.Notify(in.Body.SessionID, in.Body.Message)
		if fault.KindOf(err) == fault.NotFound { // in the words for sessions of others
			_, err = nobody{}.Notify("", "")
		}
		if err != nil {
			return nil, err
		}
		out := &notifyOutput{}
		out.Body.Delivered = n
		return out, nil
	})
}

// mayNotify refuses sessions of others as Notify does those that are not there.
func (s *server) mayNotify(ctx context.Context, sessionID string) error {
	if p, _ := auth.FromContext(ctx); p.May(auth.Admin) {
		return nil // also of a session that is not stored yet
	}
	_, err := s.own(ctx, journal.SessionKey{Agent: s.cfg.Agent, ID: sessionID})
	if fault.KindOf(err) == fault.NotFound {
		_, err = nobody{}.Notify("", "")
	}
	return err
}
