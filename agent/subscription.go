package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"docent/internal/fault"
	"docent/payload"
)

// OpenRequest says which session a client wants.
type OpenRequest struct {
	// ID is the session's; "" asks for a new one.
	ID string
	// Name, Username and Owner are kept if the session is new.
	Name string
	// Username is the user named at the handshake.
	Username string
	// Owner is the principal that asks; "" while authentication is off.
	Owner string
}

// Validate refuses ids and names that no store can keep, as fault.Invalid.
func (r OpenRequest) Validate() error {
	return errors.Join(checkName("session_id", r.ID), checkName("session_name", r.Name), checkName("user_id", r.Username))
}

// Listener is one client of a session. Its methods are called one at a time,
// in order, and must neither block nor call the Subscription.
type Listener interface {
	// Opened comes first.
	Opened(Opened)
	// Deliver hands over what is said.
	Deliver(Delivery)
}

// Opened describes the session as it was when a client joined.
type Opened struct {
	// SessionID is its public id.
	SessionID string
	// Seq is the number given last.
	Seq int64
	// Resumed tells a session that was there from a new one.
	Resumed bool
}

// Subscription is a client's part in a session.
type Subscription struct {
	c        *conversation
	listener Listener
	since    int64 // the session's seq when the client joined
	opened   bool
}

// Open joins a session and creates it if there is none of that id. A new one
// greets. Several clients may be in one session; each hears all that is said.
func (r *Runtime) Open(ctx context.Context, req OpenRequest, listener Listener) (*Subscription, error) {
	if err := req.Validate(); err != nil {
		return nil, err
	}
	key := SessionKey{Agent: r.cfg.Agent.name, ID: req.ID}
	if key.ID == "" {
		key.ID = r.cfg.NewID()
	}
	s := &Subscription{listener: listener}
	for joined := false; !joined; {
		var err error
		if joined, err = r.join(ctx, key, req, s); err != nil {
			return nil, err
		}
	}
	select {
	case <-s.c.loaded:
	case <-ctx.Done():
		s.Close()
		return nil, ctx.Err()
	}
	if err := s.c.failure(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// failure is why the conversation cannot be used; nil if it can.
func (c *conversation) failure() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// join adds the client; false if the conversation is gone.
func (s *Subscription) join() bool {
	c := s.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		return false
	}
	c.listeners = append(c.listeners, s)
	if c.record.RowID != 0 { // loaded; else load opens it
		s.openedLocked()
	}
	return true
}

func (s *Subscription) openedLocked() {
	if s.opened {
		return
	}
	s.opened = true
	s.since = s.c.seq
	s.listener.Opened(Opened{SessionID: s.c.key.ID, Seq: s.c.seq, Resumed: s.c.resumed})
}

// Close leaves the session, which goes on with what it does. It may be called
// more than once.
func (s *Subscription) Close() {
	c := s.c
	c.mu.Lock()
	defer c.mu.Unlock()
	c.listeners = slices.DeleteFunc(c.listeners, func(l *Subscription) bool { return l == s })
	c.dropLocked()
}

// SessionID is the session's public id.
func (s *Subscription) SessionID() string { return s.c.key.ID }

// Message is what a user says.
type Message struct {
	// ID makes it idempotent: a message of the same id in the session is
	// stored and answered once. "" does not.
	ID string
	// Content is JSON: a string, or anything else.
	Content json.RawMessage
	// Wait tells to wait for room in the mailbox instead of failing with
	// fault.Busy.
	Wait bool
}

// Send stores a message and queues its turn; it returns when the message is
// stored and acknowledged. Errors are for the sender: fault.Busy if too many
// messages wait, fault.NotFound if the session was deleted.
func (s *Subscription) Send(ctx context.Context, m Message) error {
	c := s.c
	leave, err := c.admit(ctx, m.Wait)
	if err != nil {
		return err
	}
	defer leave()
	event := messageEvent(m.Content)
	now := c.rt.cfg.Now()
	fresh := c.idle()
	// A client that goes away while its message is being stored must not leave
	// it stored and not answered.
	sctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.rt.cfg.StoreTimeout)
	defer cancel()
	receipt, err := c.rt.cfg.Store.Receive(sctx, Incoming{
		Session: c.record.RowID, ClientID: m.ID, Type: event.chatType(), Content: m.Content,
		Event: EventRecord{Name: event.Name, Info: event.Text, Time: now}, History: c.rt.cfg.History,
	})
	if err != nil {
		<-c.slots
		if fault.KindOf(err) == fault.NotFound {
			c.lose(err)
		}
		return fmt.Errorf("store message of session %s: %w", c.key.ID, err)
	}
	c.acknowledge(ctx, s, receipt, fresh)
	return nil
}

// acknowledge tells the sender that the message is stored, and queues its turn
// unless it was there before.
func (c *conversation) acknowledge(ctx context.Context, s *Subscription, r Receipt, fresh bool) {
	ack := c.streamed(r.Message.Turn, payload.AckAction,
		payload.Ack{ID: r.Message.ClientID, Seq: r.Message.Seq, Duplicate: r.Duplicate})
	ack.Frame.ID = r.Message.ClientID
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seq = max(c.seq, r.Message.Seq)
	s.listener.Deliver(ack)
	m, history := r.Message, r.History
	if r.Duplicate {
		if _, failed := c.failed[m.Turn]; !failed {
			<-c.slots
			return
		}
		delete(c.failed, m.Turn)
	}
	c.queue = append(c.queue, work{turn: m.Turn, slot: true, do: func(ctx context.Context) {
		c.answer(ctx, m, history, fresh && !r.Duplicate)
	}})
	c.startLocked(ctx)
}

// admit takes a slot of the mailbox and the intake lock. Whoever got no error
// owns both, and gives the lock back by calling leave.
func (c *conversation) admit(ctx context.Context, wait bool) (leave func(), err error) {
	select {
	case c.slots <- struct{}{}:
	default:
		if !wait {
			return nil, fault.New(fault.Busy, "%d messages of this conversation wait already; try again in a moment", cap(c.slots))
		}
		select {
		case c.slots <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.rt.closing:
			return nil, errClosing
		}
	}
	if err := c.lock(ctx); err != nil {
		<-c.slots
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		<-c.slots
		<-c.intake
		return nil, c.err
	}
	c.users++
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.users--
		<-c.intake
		c.dropLocked()
	}, nil
}

// lock takes the intake lock.
func (c *conversation) lock(ctx context.Context) error {
	select { // a runtime that closes takes nothing, even if the lock is free
	case <-c.rt.closing:
		return errClosing
	default:
	}
	select {
	case c.intake <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-c.rt.closing:
		return errClosing
	}
}

// idle reports whether nothing is being said or about to be.
func (c *conversation) idle() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.running && len(c.queue) == 0
}

// SetVariables sets session variables, in order with the messages sent. What
// cannot be set is told to the listener.
func (s *Subscription) SetVariables(ctx context.Context, values map[string]json.RawMessage) error {
	c := s.c
	leave, err := c.admit(ctx, true)
	if err != nil {
		return err
	}
	defer leave()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queue = append(c.queue, work{slot: true, do: func(ctx context.Context) {
		if err := c.setVariables(ctx, values); err != nil {
			c.rt.cfg.Logger.ErrorContext(ctx, "set variables", "session", c.key.ID, "error", err)
			c.mu.Lock()
			defer c.mu.Unlock()
			for _, d := range Failure(err, "") {
				d.Frame.Time = c.rt.cfg.Now()
				s.listener.Deliver(d)
			}
		}
	}})
	c.startLocked(ctx)
	return nil
}

func (c *conversation) setVariables(ctx context.Context, values map[string]json.RawMessage) error {
	vars := variables{stored: c.record.Variables}
	for key, value := range values {
		if err := vars.put(key, value); err != nil {
			return err
		}
	}
	_, err := c.commit(ctx, TurnRecord{Session: c.record.RowID, Turn: c.done, State: c.state.name, Set: vars.set})
	if err != nil {
		return err
	}
	c.record.Variables = vars.merged()
	return nil
}

// Reset stops the turn that runs, removes what the session holds but its
// names, and greets again. It returns at once; what is sent after it is for the
// session as it is afterwards.
func (s *Subscription) Reset(ctx context.Context) error {
	c := s.c
	if err := c.lock(ctx); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		<-c.intake
		return c.err
	}
	dropped := c.queue
	c.queue, c.failed = []work{{do: c.reset, intake: true}}, nil
	for _, w := range dropped {
		c.release(w)
		if w.turn != 0 {
			c.deliverLocked(c.streamed(w.turn, payload.TurnFinishedAction, payload.TurnFinished{Outcome: payload.Failed}))
		}
	}
	c.interrupt(errReset)
	c.startLocked(ctx)
	return nil
}

// reset empties the session and greets.
func (c *conversation) reset(ctx context.Context) {
	if err := c.empty(ctx); err != nil {
		c.rt.cfg.Logger.ErrorContext(ctx, "reset", "session", c.key.ID, "error", err)
		for _, d := range Failure(err, "") {
			d.Frame.Time = c.rt.cfg.Now()
			c.deliver(d)
		}
		return
	}
	c.greet(ctx)
}

func (c *conversation) empty(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, c.rt.cfg.StoreTimeout)
	defer cancel()
	if err := c.rt.cfg.Store.ResetSession(ctx, c.record.RowID); err != nil {
		if fault.KindOf(err) == fault.NotFound {
			c.lose(err)
		}
		return fmt.Errorf("reset session %s: %w", c.key.ID, err)
	}
	c.record.Variables = nil
	c.state = c.rt.cfg.Agent.initial()
	return nil
}

// History returns the messages stored before the client joined, oldest first.
func (s *Subscription) History(ctx context.Context) ([]ChatMessage, error) {
	if err := s.c.lock(ctx); err != nil { // waits for a reset
		return nil, err
	}
	<-s.c.intake
	ctx, cancel := context.WithTimeout(ctx, s.c.rt.cfg.StoreTimeout)
	defer cancel()
	messages, err := s.c.rt.cfg.Store.Messages(ctx, s.c.record.RowID, MessageQuery{Last: s.c.rt.cfg.ReplayLimit})
	if err != nil {
		return nil, fmt.Errorf("history of session %s: %w", s.c.key.ID, err)
	}
	s.c.mu.Lock()
	since := s.since
	s.c.mu.Unlock()
	return slices.DeleteFunc(messages, func(m ChatMessage) bool { return m.Seq > since }), nil
}
