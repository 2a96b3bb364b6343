package api

import (
	"context"
	"net/http"
	"strings"

	"docent/agent/session/journal"

	"github.com/danielgtaylor/huma/v2"

	"docent/agent"
	"docent/agent/chat"
	"docent/api/route"
	"docent/auth"
	"docent/internal/fault"
)

// Notifier sends notifications to the clients of a session.
type Notifier interface {
	// Notify sends a notification to the clients of a session that are connected to
	// this process, and returns their number. Without such a client it fails with
	// fault.NotFound.
	Notify(session, message string) (int, error)
}

// nobody is the Notifier of a server without clients.
type nobody struct{}

// Notify implements Notifier.
func (nobody) Notify(string, string) (int, error) {
	return 0, fault.New(fault.NotFound, "no_client_connected", "no client of this session is connected")
}

// notifyBytes bounds the body of a notification: a message with each byte escaped
// in JSON, and the id of the session.
const notifyBytes = 6*agent.MaxTextBytes + 4<<10

type notifyInput struct {
	route.JSONBody
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

// notifications handles the route for notifications.
type notifications struct {
	ownedSessions
	notifier Notifier
	events   Events
}

func (n notifications) addRoutes(r *route.Router) {
	route.Add(r, huma.Operation{
		Method: http.MethodPost, Path: "/notify_websocket", OperationID: "notify", Tags: []string{"sessions"},
		Summary: "Notify the clients of a session",
		Description: "Sends a notification to the clients that are connected to a session at /agent_websocket of this process. " +
			"If a state of the agent takes the event notification, the agent handles the notification as well. Otherwise nothing is stored.",
		MaxBodyBytes: notifyBytes, Errors: []int{http.StatusNotFound},
	}, n.notify)
}

func (n notifications) notify(ctx context.Context, in *notifyInput) (*notifyOutput, error) {
	if err := route.CheckText("sessionId", in.Body.SessionID); err != nil {
		return nil, err
	}
	switch message := in.Body.Message; {
	case strings.TrimSpace(message) == "":
		return nil, fault.New(fault.Invalid, "message_empty", "the message is empty")
	case len(message) > agent.MaxTextBytes:
		return nil, fault.New(fault.Invalid, "notification_too_long", "a notification may have at most %d bytes", agent.MaxTextBytes)
	}
	key, err := n.key(ctx, in.Body.SessionID, "")
	if err != nil {
		return nil, err
	}
	if err := n.mayNotify(ctx, key); err != nil {
		return nil, err
	}
	out := &notifyOutput{}
	out.Body.Delivered, err = n.notifier.Notify(in.Body.SessionID, in.Body.Message)
	if n.events.Takes(key.Agent, notificationEvent) {
		event := chat.Event{Name: notificationEvent, Text: in.Body.Message}
		if failed := n.events.DispatchOnce(ctx, key, "", event); failed == nil || fault.KindOf(failed) != fault.NotFound {
			return out, failed
		}
	}
	if fault.KindOf(err) == fault.NotFound { // the same message as for sessions of others
		_, err = nobody{}.Notify("", "")
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// mayNotify refuses sessions of others like sessions without clients.
func (n notifications) mayNotify(ctx context.Context, key journal.SessionKey) error {
	if p, _ := auth.FromContext(ctx); p.May(auth.Admin) {
		return nil // the session need not be stored yet
	}
	_, err := n.find(ctx, key)
	if fault.KindOf(err) == fault.NotFound {
		_, err = nobody{}.Notify("", "")
	}
	return err
}
