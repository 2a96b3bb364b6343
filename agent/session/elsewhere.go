package session

import (
	"context"
	"errors"
	"maps"
	"slices"

	"docent/agent/session/journal"
	"docent/agent/session/replica"
)

// Replicas are the processes that use the same database. Package relay implements it.
type Replicas interface {
	// ID returns the current id of this process.
	ID() string
	// Await waits until this process surely has its lease. Sessions in memory may be out of date
	// before.
	Await(ctx context.Context) error
	// Deleted tells the other processes that a session was deleted.
	Deleted(key journal.SessionKey)
	// Open joins a client to the session req.ID of another replica. It fails with journal.ErrStale
	// if that replica does not run the session, or is gone.
	Open(ctx context.Context, replica string, req OpenRequest, listener Listener) (Remote, error)
}

// Remote is a client's use of a session that another replica runs. It is safe for concurrent use.
type Remote interface {
	// Call runs an operation. out receives its result, unless it is nil.
	Call(ctx context.Context, op replica.Op, in, out any) error
	// Close leaves the session.
	Close()
}

// maxRelays bounds the attempts to find the replica that runs a session. An attempt ends when that
// replica is gone, or when it does not run the session any more.
const maxRelays = 10

// relay joins a client to a session that another replica runs. It returns false if the session may
// be free now.
func (r *Runtime) relay(
	ctx context.Context, key journal.SessionKey, req OpenRequest, s *Subscription, held *journal.HeldError,
) (over bool, err error) {
	c := newConversation(r, key, req) // it only reads the store
	c.store.Session = held.Session
	close(c.loaded)
	req.Agent, req.ID, req.Row = key.Agent, key.ID, held.Session
	remote, err := r.cfg.Replicas.Open(ctx, held.Replica, req, s.listener)
	if err == nil {
		s.c, s.remote = c, remote
		ctx = context.WithoutCancel(ctx)
		s.progress = func() (p Progress) {
			_ = remote.Call(ctx, replica.OpProgress, nil, &p) // a broken link ends the client
			return p
		}
	}
	return !errors.Is(err, journal.ErrStale), err //nolint:wrapcheck // the error is complete
}

// elsewhere runs an operation of a session that another replica runs. The session may have become
// free, and here runs the operation then.
func (r *Runtime) elsewhere(ctx context.Context, id string, op replica.Op, in any, here func(*conversation) error) error {
	s, err := r.Open(ctx, OpenRequest{ID: id, AnyOwner: true}, silent{})
	if err != nil {
		return err
	}
	defer s.Close()
	if s.remote == nil {
		return here(s.c)
	}
	return s.remote.Call(ctx, op, in, nil) //nolint:wrapcheck // the error is complete
}

// silent is a Listener that ignores all frames.
type silent struct{}

func (silent) Opened(Opened)    {}
func (silent) Deliver(Delivery) {}

// Holds reports whether a session is in memory.
func (r *Runtime) Holds(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sessions[journal.SessionKey{Agent: r.cfg.Agent.Name(), ID: id}] != nil
}

// Abandon unloads all sessions, because other replicas may run them now. It tells the clients to
// come back.
func (r *Runtime) Abandon(ctx context.Context) {
	r.mu.Lock()
	all := slices.Collect(maps.Values(r.sessions))
	r.mu.Unlock()
	for _, c := range all {
		c.abandon(ctx, journal.Stale())
	}
}

// await waits until the sessions in memory are surely those of this process.
func (r *Runtime) await(ctx context.Context) error {
	if r.cfg.Replicas == nil {
		return nil
	}
	return r.cfg.Replicas.Await(ctx) //nolint:wrapcheck // the error is complete
}

// replicaID returns the id of this process, or "" without others.
func (r *Runtime) replicaID() string {
	if r.cfg.Replicas == nil {
		return ""
	}
	return r.cfg.Replicas.ID()
}
