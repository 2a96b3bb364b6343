package session

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"docent/agent/session/journal"
	"docent/internal/fault"
)

// OpenRequest says which session a client wants.
type OpenRequest struct {
	// ID of the session; "" asks for a new session.
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
	// Latest, without an ID, asks for the session of Owner that Username used
	// last, if there is a Username and such a session.
	Latest bool
	// After, if not nil, is the Seq of the last stored frame that the client
	// has. It is then told nothing but Opened until Subscription.CatchUp.
	After *int64
}

// Validate refuses ids and names that no store can keep, as fault.Invalid.
func (r OpenRequest) Validate() error {
	check := journal.CheckName
	return errors.Join(check("session_id", r.ID), check("session_name", r.Name), check("user_id", r.Username))
}

// Listener is one client of a session. Its methods are called one at a time,
// in order, and must neither block nor call the Subscription.
type Listener interface {
	// Opened comes first.
	Opened(Opened)
	// Deliver hands over what is said.
	Deliver(Delivery)
}

// Leaver is a Listener that learns of the end of its session.
type Leaver interface {
	// Gone comes once, when the session leaves memory although it has clients:
	// with fault.NotFound it was deleted, else the client can come back. See
	// Listener for what it may do.
	Gone(err error)
}

// Opened describes the session as it was when a client joined.
type Opened struct {
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
	owner    string
	anyOwner bool

	// What follows is guarded by the conversation's mu.
	since   int64 // the session's seq when the client joined
	opened  bool
	refused bool // the session is another's
	closed  bool
	// muted tells that the client hears nothing until it has what is stored
	// after at, and of resets that reset.
	muted     bool
	at, reset int64
}

// errStranger refuses a session of another owner.
var errStranger = fault.New(fault.Forbidden, "session_of_another_user", "this conversation belongs to another user")

// Open joins a session and creates it if there is none of that id. A new one
// greets. Several clients may be in one session; each hears all that is said.
// One that streams hears after Opened a payload.Synced, before that a
// payload.TurnSnapshot if a turn runs, and then of each stored entry, in the
// order of their seqs without a gap; with OpenRequest.After, see CatchUp. Errors
// are fault.Forbidden, of a session of another owner, fault.Invalid, fault.Busy
// and those of the store.
func (r *Runtime) Open(ctx context.Context, req OpenRequest, listener Listener) (*Subscription, error) {
	if err := req.Validate(); err != nil {
		return nil, err
	}
	key, err := r.key(ctx, req)
	if err != nil {
		return nil, err
	}
	s := &Subscription{listener: listener, owner: req.Owner, anyOwner: req.AnyOwner}
	if req.After != nil {
		s.muted, s.at = true, max(*req.After, 0)
	}
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
	if err := s.failure(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// key returns the key of the requested session.
func (r *Runtime) key(ctx context.Context, req OpenRequest) (journal.SessionKey, error) {
	key := journal.SessionKey{Agent: r.cfg.Agent.Name(), ID: req.ID}
	if key.ID == "" && req.Latest && req.Username != "" {
		ctx, cancel := context.WithTimeout(ctx, storeTimeout)
		defer cancel()
		all, err := r.cfg.Store.Sessions(ctx, journal.SessionFilter{Agent: key.Agent, Username: req.Username, Owner: req.Owner, Latest: true})
		if err != nil {
			return key, fmt.Errorf("look for the latest session: %w", err)
		}
		if i := slices.IndexFunc(all, func(s journal.SessionRecord) bool { return s.Owner == req.Owner }); i >= 0 {
			key.ID = all[i].Key.ID
		}
	}
	if key.ID == "" {
		key.ID = uuid.NewString()
	}
	return key, nil
}

// failure returns the reason why the session cannot be used, or nil.
func (s *Subscription) failure() error {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	if s.refused {
		return errStranger
	}
	return s.c.mail.err
}

// join adds the client, unless the session is another's; false if the
// conversation is gone.
func (s *Subscription) join() bool {
	c := s.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mail.gone {
		return false
	}
	if c.store.Session != 0 { // loaded; else load opens it
		if s.stranger() {
			s.refused = true
			return true
		}
		s.openedLocked()
	}
	c.clients.list = append(c.clients.list, s)
	c.sched.backoff = 0
	return true
}

// stranger reports whether the loaded session has another owner.
func (s *Subscription) stranger() bool { return !s.anyOwner && s.c.record.Owner != s.owner }

// openedLocked describes the session to the client.
func (s *Subscription) openedLocked() {
	c := s.c
	s.opened, s.since, s.reset = true, c.clients.seq, c.clients.resetSeq
	s.listener.Opened(Opened{SessionID: c.key.ID, Seq: c.clients.seq, ResetSeq: c.clients.resetSeq, Resumed: c.clients.resumed})
	if s.at > c.clients.seq { // of another database
		s.at = 0
	}
	if !s.muted {
		s.syncLocked()
	}
}

// Close leaves the session and stops nothing in it. It may be called more than
// once.
func (s *Subscription) Close() {
	c := s.c
	c.mu.Lock()
	defer c.mu.Unlock()
	s.closed = true
	c.clients.list = slices.DeleteFunc(c.clients.list, func(l *Subscription) bool { return l == s })
	c.mail.signal()
}

// SessionID is the session's public id.
func (s *Subscription) SessionID() string { return s.c.key.ID }

// tellLocked hands a frame to one client. It does nothing for nil, for a closed
// client, and for a client that catches up: payload.Synced tells that client.
func (s *Subscription) tellLocked(d Delivery) {
	if s != nil && !s.closed && !s.muted {
		s.listener.Deliver(d)
	}
}
