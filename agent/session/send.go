package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"docent/agent"
	"docent/agent/session/journal"
	"docent/payload"
)

// Message is what a user or another agent says.
type Message struct {
	// ID makes it idempotent: a message of the same id in the session is
	// stored and answered once, until a reset. "" does not.
	ID string
	// Content is JSON: a string, or anything else.
	Content json.RawMessage
	// Wait tells to wait for room in the mailbox instead of failing with
	// fault.Busy.
	Wait bool
	// Human tells what the user says from what an agent does.
	Human bool
	// From is the URL of the agent that this one has asked; "" of all others.
	From string
	// Correlation is the id that an agent gave its request; what answers it
	// carries it.
	Correlation string
	// Hops counts the agents that it came through.
	Hops int
	// Heard tells that Content is what a recording was understood as, which may
	// differ from time to time: one of an ID that is there counts as the same.
	Heard bool

	// Options tells that an object of message and the keys of payload.AskOptions,
	// and no other, is text with options: it is refused if they do not fit, as
	// fault.Invalid, or name what is not there, as fault.NotFound (ErrNoChoice).
	// Of other messages those options count that fit.
	Options bool
}

// arrival is the message on its way into the store.
func (m Message) arrival() arrival {
	event := agent.MessageEvent(m.Content)
	if !m.Human {
		event.Options = payload.AskOptions{}
	}
	if m.Options && m.Human && event.Spoken() && payload.IsAsk(m.Content) {
		event.Name = agent.EventText
	}
	event.Human, event.From, event.Correlation, event.Hops = m.Human, m.From, m.Correlation, m.Hops
	return arrival{event: event, id: m.ID, content: m.Content, wait: m.Wait, heard: m.Heard}
}

// Send stores a message, queues its turn, and acknowledges the message. If the end of
// ctx comes after the message has its place in the mailbox, the message is stored
// nevertheless. A message whose id is stored already is not stored again; its turn
// runs again if it failed. Send fails with
//
//   - fault.Invalid if the text is too long;
//   - fault.Conflict if another message has the id, and, with peer.ErrTooManyHops, if
//     the message came through too many agents or is one of too many between agents;
//   - fault.Busy if too many messages wait, or the session is busy for MaxIntakeWait;
//   - fault.NotFound if the session was deleted.
func (s *Subscription) Send(ctx context.Context, m Message) error {
	if !m.Human {
		if err := s.c.links.Check(ctx, m.Correlation, m.Hops); err != nil {
			return err
		}
	}
	in := m.arrival()
	in.caller = s
	return in.store(ctx, s.c)
}

// File is a file that a user sends.
type File struct {
	// ID and Wait are as in Message.
	ID   string
	File payload.File
	// Wait is as in Message.
	Wait bool
}

// SendFile stores a file and queues its turn, as Send does.
func (s *Subscription) SendFile(ctx context.Context, f File) error {
	event := agent.Event{Name: agent.EventFile, Text: f.File.Name, File: &f.File, Human: true}
	return arrival{event: event, id: f.ID, content: agent.JSONString(f.File.Text()), wait: f.Wait, caller: s}.store(ctx, s.c)
}

// SendEvent stores what a user did that is no message, such as EventUI, and
// queues its turn; data is JSON, or nil. wait is as in Message.
func (s *Subscription) SendEvent(ctx context.Context, name string, data json.RawMessage, wait bool) error {
	event := agent.Event{Name: name, Data: data, Human: true}
	if err := journal.CheckEvent(&event); err != nil {
		return err //nolint:wrapcheck // its sentence is the whole
	}
	return arrival{event: event, wait: wait, caller: s}.store(ctx, s.c)
}

// Dispatch sends an event of a program to a session, also one that is not in
// memory, or with "" to all that are. What counts of the event is Name, Human,
// Data and, for an EventText, Text; for an EventMessage, JSON; for an EventFile,
// File. Errors are as of Subscription.Send; those of several sessions come
// together.
func (r *Runtime) Dispatch(ctx context.Context, sessionID string, event agent.Event) error {
	event, content, err := journal.Dispatched(event)
	if err != nil {
		return err //nolint:wrapcheck // its sentence is the whole
	}
	in := arrival{event: event, content: content}
	if sessionID != "" {
		return r.with(ctx, sessionID, func(c *conversation) error { return in.store(ctx, c) })
	}
	var errs []error
	for id := range r.inMemory() {
		err := r.with(ctx, id, func(c *conversation) error { return in.store(ctx, c) })
		if err != nil {
			errs = append(errs, fmt.Errorf("session %s: %w", id, err))
		}
	}
	return errors.Join(errs...)
}

// Check looks whether a session is to move on, as its conditions may hold by
// now.
func (r *Runtime) Check(ctx context.Context, sessionID string) error {
	return r.with(ctx, sessionID, func(c *conversation) error {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.sched.stepLocked()
		c.mail.signal()
		return nil
	})
}
