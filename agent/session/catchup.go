package session

import (
	"context"

	"docent/agent/session/journal"
	"docent/agent/session/replica"
	"docent/internal/fault"
	"docent/payload"
)

// errLeft ends CatchUp for a closed client.
var errLeft = fault.New(fault.Canceled, "client_left", "the client has left the session")

// CatchUp yields the entries that were stored after OpenRequest.After, including replaced ones, in
// the order of their sequence numbers. Meanwhile the client receives only payload.SessionReset and
// the end of the session. Afterwards it receives payload.TurnSnapshot if a turn runs,
// payload.Synced, and all later frames.
//
// CatchUp reads pages of journal.ReplayBytes. If yield returns false, CatchUp returns nil, and
// another call continues. It fails with fault.Canceled if the Subscription is closed. Only one call
// may run at a time.
func (s *Subscription) CatchUp(ctx context.Context, yield func(journal.Entry) bool) error {
	c := s.c
	for {
		last, err := s.Remaining(ctx, s.at)
		if last == 0 || err != nil {
			return err
		}
		for e, err := range c.store.After(ctx, s.at, last) {
			if err != nil {
				return err
			}
			s.at = e.Seq()
			if !yield(e) {
				return nil
			}
		}
		s.at = last // a reset leaves gaps
	}
}

// Remaining ends CatchUp for a client that has all entries up to a sequence number, and returns 0.
// If there are more entries, it returns the last one that the client needs. CatchUp calls it.
func (s *Subscription) Remaining(ctx context.Context, at int64) (last int64, err error) {
	if s.remote == nil {
		s.at = at
		return s.caughtUp()
	}
	err = s.remote.Call(ctx, replica.OpCatchUp, at, &last)
	return last, err //nolint:wrapcheck // the error is complete
}

// caughtUp ends catching up if the client has all stored entries. Otherwise it returns the last
// sequence number that the client needs.
func (s *Subscription) caughtUp() (last int64, err error) {
	c := s.c
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case s.closed:
		return 0, errLeft
	case c.mail.gone != nil:
		return 0, c.mail.gone
	case !s.muted:
		return 0, nil
	}
	if s.reset < c.clients.resetSeq {
		s.reset = c.clients.resetSeq
		s.listener.Deliver(c.rt.sessionFrame(payload.SessionResetAction, payload.SessionReset{Seq: c.clients.resetSeq}))
	}
	if s.at = max(s.at, c.clients.resetSeq); s.at < c.clients.seq {
		return c.clients.seq, nil
	}
	s.muted = false
	s.syncLocked()
	return 0, nil
}

// syncLocked sends a client the open turns and the unstored part of the running turn.
func (s *Subscription) syncLocked() {
	c := s.c
	t := c.current
	if t != nil && (t.number != 0 || t.record.Counted()) {
		s.listener.Deliver(c.rt.turnFrame(t.number, payload.TurnSnapshotAction, t.record.Snapshot(t.number)))
	}
	synced := payload.Synced{Seq: c.clients.seq, Turns: c.openLocked(), Hidden: c.clients.hidden}
	s.listener.Deliver(c.rt.sessionFrame(payload.SyncedAction, synced))
}
