package api

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/api/route"
	"docent/auth"
	"docent/internal/fault"
	"docent/internal/quota"
)

// Events sends events of programs to sessions.
type Events interface {
	// Takes reports whether some state of an agent takes events with a name. "" asks all agents.
	Takes(agent, event string) bool
	// DispatchOnce sends an event to a session. Unless id is "", the session handles
	// only one event with it.
	DispatchOnce(ctx context.Context, key journal.SessionKey, id string, event chat.Event) error
	// DispatchAll sends an event to the open sessions whose owner it accepts, and
	// returns their number.
	DispatchAll(ctx context.Context, id string, event chat.Event, accept func(owner string) bool) (int, error)
}

// closed is the Events of a server without sessions.
type closed struct{}

// Takes implements Events.
func (closed) Takes(string, string) bool { return false }

// DispatchOnce implements Events.
func (closed) DispatchOnce(context.Context, journal.SessionKey, string, chat.Event) error { return nil }

// DispatchAll implements Events.
func (closed) DispatchAll(context.Context, string, chat.Event, func(string) bool) (int, error) {
	return 0, nil
}

// eventBytes bounds the body of an event.
const eventBytes = 256 << 10

// notificationEvent is the name of the event of a notification.
const notificationEvent = "notification"

// Event is an event of a program.
type Event struct {
	// Name is the name of the event.
	Name string `json:"name" minLength:"1" maxLength:"100" doc:"The name of the event, as in the agent."`
	// ID makes the event idempotent.
	ID string `json:"id,omitempty" maxLength:"100" doc:"An id that you choose. A session handles only one event with the same id."`
	// Text is the text of the event.
	Text string `json:"text,omitempty" maxLength:"16384" doc:"The text of the event. For the name receive_message_text, the text of a message."`
	// Data is any JSON.
	Data json.RawMessage `json:"data,omitempty" doc:"Any JSON. The agent reads it as the data of the event."`
}

func (b Event) event() chat.Event {
	e := chat.Event{Name: b.Name, Text: b.Text, Data: b.Data}
	if b.Name == chat.EventMessage {
		e.JSON, e.Data = b.Data, nil
	}
	return e
}

type sessionEventInput struct {
	route.JSONBody
	SessionID string `path:"session_id" maxLength:"255"`
	Body      Event
}

type eventInput struct {
	route.JSONBody
	Owner    string `query:"owner" maxLength:"1000" doc:"Sends the event to the open conversations of this principal. The default is you. Other principals need the scope admin, and a name that is not one of a message, a file, or an action of the user."`
	Everyone bool   `query:"everyone" doc:"Sends the event to all open conversations. Needs the same as owner."`
	Body     Event
}

type eventsOutput struct {
	Body struct {
		Sessions int `json:"sessions" doc:"The number of conversations that got the event."`
	} `nameHint:"EventSent"`
}

// events handles the routes for events of programs.
type events struct {
	ownedSessions
	sessions Events
	quotas   *quota.Quotas
}

func (e events) addRoutes(r *route.Router) {
	codes := []int{http.StatusNotFound, http.StatusConflict, http.StatusTooManyRequests}
	route.Add(r, huma.Operation{
		Method: http.MethodPost, Path: "/api/sessions/{session_id}/events", OperationID: "send-session-event", Tags: []string{"sessions"},
		Summary: "Send an event to a conversation", DefaultStatus: http.StatusOK,
		Description: "The agent handles the event as its next step, also if no client is connected. " +
			"The event is stored before the response. If no state of the agent takes events with this name, the response is 409. " +
			"Programs with the scope admin can send events to conversations of others, but no messages, files, and actions of the user.",
		MaxBodyBytes: eventBytes, Errors: codes,
	}, e.toSession)
	route.Add(r, huma.Operation{
		Method: http.MethodPost, Path: "/api/events", OperationID: "send-event", Tags: []string{"sessions"},
		Summary: "Send an event to the open conversations of a user, or to all", DefaultStatus: http.StatusOK,
		Description: "A conversation is open while a client is connected or the agent works on it. " +
			"Otherwise this is as for one conversation.",
		MaxBodyBytes: eventBytes, Errors: codes,
	}, e.toOpen)
}

func (e events) toSession(ctx context.Context, in *sessionEventInput) (*eventsOutput, error) {
	key, err := e.key(ctx, in.SessionID, "")
	if err != nil {
		return nil, err
	}
	find := e.find
	if p, _ := auth.FromContext(ctx); p.May(auth.Admin) && !ofUser(in.Body.Name) {
		find = e.directory.Session
	}
	if _, err := find(ctx, key); err != nil {
		return nil, err
	}
	if err := e.check(ctx, key.Agent, in.Body); err != nil {
		return nil, err
	}
	out := &eventsOutput{}
	out.Body.Sessions = 1
	return out, e.sessions.DispatchOnce(ctx, key, in.Body.ID, in.Body.event())
}

func (e events) toOpen(ctx context.Context, in *eventInput) (*eventsOutput, error) {
	p, _ := auth.FromContext(ctx)
	owner := in.Owner
	if owner == "" {
		owner = p.ID
	}
	switch others := in.Everyone || owner != p.ID; {
	case others && !p.May(auth.Admin):
		return nil, fault.New(fault.Forbidden, "events_of_others", "only administrators may send events to conversations of others")
	case others && !p.OwnsAll() && ofUser(in.Body.Name):
		return nil, fault.New(fault.Forbidden, "events_as_others",
			"only the owner of a conversation may send messages, files, and actions of the user; use another event name")
	}
	if err := route.CheckText("owner", in.Owner); err != nil {
		return nil, err
	}
	if err := e.check(ctx, "", in.Body); err != nil {
		return nil, err
	}
	accept := func(of string) bool { return in.Everyone || of == owner }
	sent, err := e.sessions.DispatchAll(ctx, in.Body.ID, in.Body.event(), accept)
	out := &eventsOutput{}
	out.Body.Sessions = sent
	return out, err
}

// ofUser reports whether an event of this name stands for an act of the user: a message,
// a file, or an action in a user interface.
func ofUser(event string) bool {
	return slices.Contains([]string{chat.EventText, chat.EventMessage, chat.EventFile, chat.EventUI}, event)
}

// check refuses events that the agent does not take, or that no agent takes if its name is "". It counts the others
// for the quota of the client.
func (e events) check(ctx context.Context, agent string, b Event) error {
	if err := route.CheckText("name", b.Name, "id", b.ID, "text", b.Text); err != nil {
		return err
	}
	event := b.event()
	if err := journal.CheckEvent(&event); err != nil {
		return err
	}
	if !e.sessions.Takes(agent, b.Name) {
		return fault.New(fault.Conflict, "event_not_taken", "no state of the agent takes the event %q", b.Name)
	}
	return e.quotas.Receive(ctx, ofUser(b.Name), len(b.Name)+len(b.Text)+len(b.Data))
}
