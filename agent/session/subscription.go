package session

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/rag/corpus"
)

// OpenRequest selects or describes the session that a client opens.
type OpenRequest struct {
	// Agent is the name of the agent. "" means the agent of the stored session. A new session then gets the default one.
	Agent string
	// ID is the id of the session. "" means a new session.
	ID string
	// Name is the display name of a new session.
	Name string
	// Username is the name from the handshake. A new session keeps it.
	Username string
	// Owner is the principal of the client, or "" while authentication is off. It becomes the owner
	// of a new session. A session of another owner fails with fault.Forbidden.
	Owner string
	// Channel has the same meaning as in journal.SessionRecord. A new session keeps it.
	Channel string
	// AnyOwner opens sessions of any owner. Clients set it only while authentication is off.
	AnyOwner bool
	// Latest, without an ID, selects the session of Owner that Username used last. Without a
	// Username or such a session, it means a new session.
	Latest bool
	// After, if not nil, is the Seq of the last stored frame that the client has. The client then
	// receives only Opened until it calls Subscription.CatchUp.
	After *int64
	// Row, for OpenHere, is the session's row id that the other replica has read. OpenHere fails with
	// journal.ErrStale for another session with the same ID. 0 accepts both.
	Row int64
}

// Validate fails with fault.Invalid for ids and names that cannot be stored.
func (r OpenRequest) Validate() error {
	check := journal.CheckName
	return errors.Join(check("agent", r.Agent), check("session_id", r.ID), check("session_name", r.Name), check("user_id", r.Username))
}

// Listener is one client of a session. The session calls its methods one at a time, in order. They
// must not block and must not call the Subscription.
type Listener interface {
	// Opened is the first call.
	Opened(Opened)
	// Deliver passes a frame to the client.
	Deliver(Delivery)
}

// Leaver is a Listener that also receives the end of its session.
type Leaver interface {
	// Gone is called once, if the session leaves memory while it has clients. With fault.NotFound
	// the session was deleted. With any other error the client can open it again. The rules of
	// Listener apply.
	Gone(err error)
}

// Opened describes a session at the moment when a client joins it.
type Opened struct {
	SessionID string
	// Agent is the name of the session's agent.
	Agent string
	// Seq is the newest sequence number.
	Seq int64
	// ResetSeq is the Seq of the last reset, or 0.
	ResetSeq int64
	// Resumed reports that the session existed before.
	Resumed bool
}

// Subscription is the part of one client in a session. Its methods may be called concurrently,
// except CatchUp.
type Subscription struct {
	c        *conversation
	remote   Remote          // not nil if another replica runs the session; c then only reads the store
	progress func() Progress // of remote
	listener Listener
	owner    string
	anyOwner bool

	// The conversation's mu guards the following fields.
	since   int64 // the session's seq when the client joined
	opened  bool
	refused bool // the session belongs to another owner
	limited bool // the client has not the rights of an administrator
	outside bool // a turn runs with rights that the client has not
	closed  bool
	// muted is true while the client catches up. It then receives no frames except resets after
	// reset. It has the entries up to at.
	muted     bool
	at, reset int64
}

// errOtherOwner refuses a session of another owner.
var errOtherOwner = fault.New(fault.Forbidden, "session_of_another_user", "this conversation belongs to another user")

// Open joins a session, or creates it if it does not exist. A new session greets. A session may
// have several clients, and each receives all frames. When the last one leaves a session that has
// never received an event, the session is deleted, unless its state waits for a time; see
// RuntimeConfig.Unused.
//
// After Opened, a streaming client receives payload.TurnSnapshot if a turn runs, and
// payload.Synced. Then it receives each stored entry, in the order of sequence numbers and without
// a gap. With OpenRequest.After, the client must call CatchUp first.
//
// Open fails with fault.Forbidden for a session of another owner, with fault.Invalid for an invalid
// request, with fault.Busy, and with the errors of the store. It may be called concurrently.
func (r *Runtime) Open(ctx context.Context, req OpenRequest, listener Listener) (*Subscription, error) {
	return r.open(ctx, req, listener, true)
}

// OpenHere is Open for a client of another replica. It fails with journal.ErrStale if this replica
// does not run the session.
func (r *Runtime) OpenHere(ctx context.Context, req OpenRequest, listener Listener) (*Subscription, error) {
	return r.open(ctx, req, listener, false)
}

func (r *Runtime) open(ctx context.Context, req OpenRequest, listener Listener, relay bool) (*Subscription, error) {
	if err := req.Validate(); err != nil {
		return nil, err
	}
	if _, err := (&Agents{[]*Runtime{r}}).Named(req.Agent); err != nil {
		return nil, err
	}
	key, err := r.key(ctx, req)
	if err != nil {
		return nil, err
	}
	by, _ := corpus.ReaderOf(ctx)
	s := &Subscription{listener: listener, owner: req.Owner, anyOwner: req.AnyOwner, limited: by.Limited}
	if req.After != nil {
		s.muted, s.at = true, max(*req.After, 0)
	}
	for tries := 1; ; tries++ {
		err := r.join(ctx, key, req, s, relay)
		held := journal.HeldBy(err)
		over := held == nil || !relay || r.cfg.Replicas == nil
		if !over {
			over, err = r.relay(ctx, key, req, s, held)
		}
		switch {
		case err == nil:
			return s, nil
		case over || tries == maxRelays || r.isClosing():
			return nil, err
		}
	}
}

// join joins a client to a session of this replica. Without load, the session must be in memory.
func (r *Runtime) join(ctx context.Context, key journal.SessionKey, req OpenRequest, s *Subscription, load bool) error {
	if err := r.await(ctx); err != nil {
		return err
	}
	for joined := false; !joined; {
		if !load && !r.Holds(key.ID) {
			return journal.Stale()
		}
		c, fresh, err := r.conversation(ctx, key, req, s)
		if err != nil {
			return err
		}
		if joined = fresh; !fresh { // a new conversation has the client already
			s.c = c
			if joined = s.join(); !joined {
				if err := c.awaitLeft(ctx); err != nil {
					return err
				}
			}
		}
	}
	select {
	case <-s.c.loaded:
	case <-ctx.Done():
		s.Close()
		return ctx.Err()
	}
	err := s.failure()
	if err == nil && req.Row != 0 && req.Row != s.c.store.Session {
		err = journal.Stale()
	}
	if err != nil {
		s.Close()
		s.c.mu.Lock()
		s.closed = false // it may join the session elsewhere
		s.c.mu.Unlock()
	}
	return err
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
	switch {
	case s.refused:
		return errOtherOwner
	case s.outside:
		return errSlow
	default:
		return s.c.mail.gone
	}
}

// join adds the client to its session. A client that must not use the session becomes refused. A
// client with fewer rights than the running turn must wait for its end, because it would see what
// that turn reads. join returns false if the session has left memory.
func (s *Subscription) join() bool {
	c := s.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mail.gone != nil {
		return false
	}
	if c.store.Session != 0 { // loaded; otherwise open calls openedLocked
		if s.excluded() {
			s.refused = true
			return true
		}
		if s.outside = s.limited && c.current != nil && !c.current.limited(); s.outside {
			return true
		}
		s.openedLocked()
	}
	c.clients.list = append(c.clients.list, s)
	c.sched.backoff = 0
	return true
}

// excluded reports whether the loaded session belongs to another owner.
func (s *Subscription) excluded() bool { return !s.anyOwner && s.c.record.Owner != s.owner }

// openedLocked describes the session to the client.
func (s *Subscription) openedLocked() {
	c := s.c
	s.opened, s.since, s.reset = true, c.clients.seq, c.clients.resetSeq
	s.listener.Opened(Opened{
		SessionID: c.key.ID, Agent: c.key.Agent, Seq: c.clients.seq, ResetSeq: c.clients.resetSeq, Resumed: c.clients.resumed,
	})
	if s.at > c.clients.seq { // the number belongs to another database
		s.at = 0
	}
	if !s.muted {
		s.syncLocked()
	}
}

// Close leaves the session. Running turns continue. Close may be called more than once.
func (s *Subscription) Close() {
	if s.remote != nil {
		s.remote.Close()
		return
	}
	c := s.c
	c.mu.Lock()
	defer c.mu.Unlock()
	s.closed = true
	c.clients.list = slices.DeleteFunc(c.clients.list, func(l *Subscription) bool { return l == s })
	c.mail.signal()
}

// SessionID returns the session's public id.
func (s *Subscription) SessionID() string { return s.c.key.ID }

// tellLocked delivers a frame to one client. It does nothing if the client is nil, closed, or still
// catching up. The latter receives the frame's content with payload.Synced.
func (s *Subscription) tellLocked(d Delivery) {
	if s != nil && !s.closed && !s.muted {
		s.listener.Deliver(d)
	}
}
