package agent

import (
	"context"
	"errors"
	"slices"
)

// OpenRequest says which session a client wants.
type OpenRequest struct {
	// ID is the session's; "" asks for a new one.
	ID string
	// Name, Username and Owner are kept if the session is new.
	Name string
	// Username is the user named at the handshake.
	Username string
	// Owner is the principal that asks; "" while authentication is off. It
	// becomes the owner of a new session; one of another owner is refused as
	// fault.Forbidden.
	Owner string
	// AnyOwner opens sessions of any owner: of administrators, and of everybody
	// while authentication is off.
	AnyOwner bool
	// Latest, without an ID, asks for the session that Username and Owner used
	// last, if there is one.
	Latest bool
	// After, if not nil, is the Seq of the last stored frame that the client
	// has. It is then told nothing but Opened until Subscription.CatchUp.
	After *int64
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

// Leaver is a Listener that wants to know of the end of its session.
type Leaver interface {
	// Gone comes once, when the session has been deleted; see Listener for what
	// it may do.
	Gone()
}

// Opened describes the session as it was when a client joined.
type Opened struct {
	// SessionID is its public id.
	SessionID string
	// Seq is the number given last.
	Seq int64
	// ResetSeq is Seq as it was when the session was reset; 0 if it never was.
	ResetSeq int64
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
		c, fresh, err := r.conversation(ctx, key, req, s)
		if err != nil {
			return nil, err
		}
		if joined = fresh; !fresh { // a fresh one has it, and uses it already
			s.c = c
			joined = s.join()
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
	c.wake.backoff = 0
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
	if d := &c.debts; len(c.listeners) == 0 && len(d.list) > 0 && d.timer != nil && !c.running {
		d.timer.Reset(0)
	}
	c.dropLocked()
}

// SessionID is the session's public id.
func (s *Subscription) SessionID() string { return s.c.key.ID }
