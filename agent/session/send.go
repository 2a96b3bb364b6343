package session

import (
	"context"
	"encoding/json"
	"errors"

	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/agent/session/replica"
	"docent/internal/fault"
	"docent/payload"
)

// Message is a message of a user or of another agent.
type Message struct {
	// ID makes the message idempotent. The session stores and answers only one message with the same id
	// until a reset. "" turns this off.
	ID string
	// Content is any JSON. A string is text.
	Content json.RawMessage
	// Wait makes the message wait for room in the queue. Otherwise a full queue fails with fault.Busy.
	Wait bool
	// Human reports that a user sent the message, and not an agent.
	Human bool
	// From is the URL of the agent that answers a request of this session. It is "" for other messages.
	From string
	// Correlation is the id of an agent's request. The answer carries the same id.
	Correlation string
	// Hops counts the agents that the message has passed.
	Hops int
	// Heard reports that Content is the text of a recording. Each transcription may differ, so a repeated
	// ID with another text counts as the same message.
	Heard bool
	// Answers is the Seq of the options that the message answers. If they are not the open question
	// of the session, Send fails with fault.Conflict and stores nothing. 0 turns this off.
	Answers int64
	// Options makes an object with message and no keys other than those of payload.AskOptions a
	// text with options. Malformed options fail with fault.Invalid. Unknown names fail with
	// fault.NotFound (ErrNoChoice). In other messages, malformed options are ignored.
	Options bool
}

// arrival returns the event of the message before it is stored.
func (m Message) arrival() arrival {
	event := chat.MessageEvent(m.Content)
	if !m.Human {
		event.Options = payload.AskOptions{}
	}
	if m.Options && m.Human && event.Spoken() && payload.IsAsk(m.Content) {
		event.Name = chat.EventText
	}
	event.Human, event.From, event.Correlation, event.Hops = m.Human, m.From, m.Correlation, m.Hops
	return arrival{event: event, id: m.ID, content: m.Content, wait: m.Wait, heard: m.Heard, answers: m.Answers}
}

// Send stores a message, queues its turn, and acknowledges the message. Once the message has a
// place in the queue, the end of ctx no longer stops Send. Send does not store a message again
// whose id is stored already; if its turn failed, the turn runs again. Send fails with
//
//   - fault.Invalid if the text is too long;
//   - fault.Conflict if another message has the id, or if Answers are not the open question;
//   - fault.Conflict (peer.ErrTooManyHops) if the message has passed too many agents, or is one of
//     too many between agents;
//   - fault.Busy if too many messages wait, or if the session is busy for MaxIntakeWait;
//   - fault.NotFound if the session was deleted.
func (s *Subscription) Send(ctx context.Context, m Message) error {
	if s.remote != nil {
		return s.remote.Call(ctx, replica.OpSend, m, nil) //nolint:wrapcheck // the error is complete
	}
	if !m.Human {
		if err := s.c.links.Check(ctx, m.Correlation, m.Hops); err != nil {
			return err
		}
	}
	in := m.arrival()
	in.caller = s
	return in.store(ctx, s.c)
}

// File is a file from a user.
type File struct {
	// ID and Wait have the same meaning as in Message.
	ID   string
	File payload.File
	Wait bool
}

// SendFile stores a file and queues its turn. It fails like Send. It fails with fault.Conflict, and
// stores nothing, if no state of the agent takes files.
func (s *Subscription) SendFile(ctx context.Context, f File) error {
	if s.remote != nil {
		return s.remote.Call(ctx, replica.OpFile, f, nil) //nolint:wrapcheck // the error is complete
	}
	if !s.c.rt.Takes(chat.EventFile) {
		return fault.New(fault.Conflict, "file_not_read", "I do not read files that are sent here. To have me answer from %s, "+
			"add it to the documents: upload it on the page, or run: docent ingest FILE", f.File.Name)
	}
	event := chat.Event{Name: chat.EventFile, Text: f.File.Name, File: &f.File, Human: true}
	return arrival{event: event, id: f.ID, content: chat.JSONString(f.File.Text()), wait: f.Wait, caller: s}.store(ctx, s.c)
}

// SendEvent stores an action of a user that is no message, such as EventUI, and queues its turn.
// data is JSON or nil. wait has the same meaning as in Message. SendEvent fails like Send.
func (s *Subscription) SendEvent(ctx context.Context, name string, data json.RawMessage, wait bool) error {
	event := chat.Event{Name: name, Data: data, Human: true}
	if err := journal.CheckEvent(&event); err != nil {
		return err //nolint:wrapcheck // the error is complete
	}
	if s.remote != nil {
		e := replica.UserEvent{Name: name, Data: data, Wait: wait}
		return s.remote.Call(ctx, replica.OpEvent, e, nil) //nolint:wrapcheck // the error is complete
	}
	return arrival{event: event, wait: wait, caller: s}.store(ctx, s.c)
}

// Dispatch sends an event of a program to a session, which need not be in memory. With "", it sends
// the event to all sessions in memory. The event needs a Name. Human and Data are optional. An
// EventText needs Text, an EventMessage needs JSON, and an EventFile needs File. All other fields
// are ignored. Dispatch fails like Subscription.Send, and joins the errors of several sessions.
func (r *Runtime) Dispatch(ctx context.Context, sessionID string, event chat.Event) error {
	if sessionID != "" {
		return r.DispatchOnce(ctx, sessionID, "", event)
	}
	_, err := r.DispatchAll(ctx, "", event, func(string) bool { return true })
	return err
}

// DispatchOnce is Dispatch for one session. Unless id is "", the session handles only one event
// with it.
func (r *Runtime) DispatchOnce(ctx context.Context, sessionID, id string, event chat.Event) error {
	err := r.with(ctx, sessionID, func(c *conversation) error { return c.dispatch(ctx, id, event) })
	if journal.HeldBy(err) == nil {
		return err
	}
	return r.elsewhere(ctx, sessionID, replica.OpDispatch, replica.Dispatched{ID: id, Event: event}, func(c *conversation) error {
		return c.dispatch(ctx, id, event)
	})
}

// DispatchAll dispatches an event to the sessions in memory whose owner it accepts, and returns
// their number. id has the same meaning as in DispatchOnce.
func (r *Runtime) DispatchAll(ctx context.Context, id string, event chat.Event, accept func(owner string) bool) (int, error) {
	var errs []error
	var sent int
	for session := range r.inMemory() {
		errs = append(errs, r.with(ctx, session, func(c *conversation) error {
			if !accept(c.record.Owner) {
				return nil
			}
			sent++
			return c.dispatch(ctx, id, event)
		}))
	}
	return sent, errors.Join(errs...)
}

func (c *conversation) dispatch(ctx context.Context, id string, event chat.Event) error {
	event, content, err := journal.Dispatched(event)
	if err != nil {
		return err //nolint:wrapcheck // the error is complete
	}
	return arrival{event: event, id: id, content: content}.store(ctx, c)
}

// Takes reports whether some state of the agent takes events with a name.
func (r *Runtime) Takes(event string) bool { return r.programs.machine().Takes(event) }

// Check makes a session check its conditions, because they may hold now. The session need not be in
// memory. Check fails with fault.NotFound if the session does not exist.
func (r *Runtime) Check(ctx context.Context, sessionID string) error {
	err := r.with(ctx, sessionID, (*conversation).step)
	if journal.HeldBy(err) == nil {
		return err
	}
	return r.elsewhere(ctx, sessionID, replica.OpCheck, nil, (*conversation).step)
}

// AwaitIdle waits until a session has handled everything that it received before, as far as its state takes it. Tests use it.
// Messages of other agents may still be on their way.
func (r *Runtime) AwaitIdle(ctx context.Context, sessionID string) error {
	idle := make(chan struct{})
	err := r.with(ctx, sessionID, func(c *conversation) error {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.queue.add(work{do: func(context.Context) { close(idle) }})
		c.mail.signal()
		return nil
	})
	if err != nil {
		return err
	}
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// step requests a step.
func (c *conversation) step() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sched.stepLocked()
	c.mail.signal()
	return nil
}
