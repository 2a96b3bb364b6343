package session

import (
	"context"
	"slices"

	"docent/payload"
)

// clients are the clients of a session in memory. They receive the stored
// entries in the order of their sequence numbers.
type clients struct {
	c *conversation

	// The conversation's mu guards the following fields.
	list     []*Subscription
	seq      int64               // of the newest delivered entry; clients have all entries up to it
	resetSeq int64               // see journal.SessionRecord
	hidden   []payload.TurnRange // the turns of the branches that are not shown
	resumed  bool                // the session existed before the next client opens it
	ended    string              // the last thread whose end clients have heard of
}

// fill delivers the stored entries up to seq that streaming clients have not received. Such entries
// come from a write with an unknown outcome, or from another process. If the store cannot be read,
// the next delivery tries again.
func (l *clients) fill(ctx context.Context, seq int64) {
	l.c.mu.Lock()
	from := l.seq
	if !slices.ContainsFunc(l.list, func(s *Subscription) bool { return !s.muted }) { // nobody listens
		l.seq = max(l.seq, seq)
	}
	known := l.seq >= seq
	l.c.mu.Unlock()
	if known {
		return
	}
	for e, err := range l.c.store.After(context.WithoutCancel(ctx), from, seq) {
		if err != nil {
			l.c.logError(ctx, "read what clients missed", err)
			return
		}
		l.c.mu.Lock()
		if e.Seq() > l.seq {
			l.seq = e.Seq()
			l.deliverLocked(Delivery{Audience: Streaming, Frame: e.Frame()})
		}
		l.c.mu.Unlock()
	}
	l.c.mu.Lock()
	defer l.c.mu.Unlock()
	l.seq = max(l.seq, seq) // another process may have removed entries
}

// deliver hands a frame to every client.
func (l *clients) deliver(d Delivery) {
	l.c.mu.Lock()
	defer l.c.mu.Unlock()
	l.deliverLocked(d)
}

func (l *clients) deliverLocked(d Delivery) {
	for _, s := range l.list {
		if !s.muted {
			s.listener.Deliver(d)
		}
	}
}

// nextLocked reports whether an entry is the next one to deliver. If so, it counts the entry as
// delivered.
func (l *clients) nextLocked(seq int64) bool {
	next := seq == l.seq+1
	if next {
		l.seq++
	}
	return next
}

// goneLocked tells all clients except one that the session has left memory.
func (l *clients) goneLocked(err error, except *Subscription) {
	for _, s := range l.list {
		if leaver, ok := s.listener.(Leaver); ok && s != except {
			leaver.Gone(err)
		}
	}
}

// turnFrame returns a frame of a turn that is not stored.
func (r *Runtime) turnFrame(turn int64, action payload.Action, message any) Delivery {
	d := r.sessionFrame(action, message)
	d.Frame.Turn = &turn
	return d
}

// sessionFrame returns a frame that is not stored and belongs to no turn.
func (r *Runtime) sessionFrame(action payload.Action, message any) Delivery {
	content, err := payload.Marshal(message)
	if err != nil { // the structs of package payload always encode
		r.cfg.Logger.Error("encode", "action", action, "error", err)
	}
	return Delivery{Audience: Streaming, Frame: payload.Frame{Action: action, Message: content, Time: r.cfg.Now()}}
}
