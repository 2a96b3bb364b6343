package agent

import (
	"context"
	"slices"

	"docent/internal/fault"
	"docent/payload"
)

// ErrStopped is why a body's context ended when a client stopped its turn; see
// context.Cause.
var ErrStopped = fault.New(fault.Canceled, "the turn was stopped")

// StoppedID is the ClientID of the message that says that a turn was stopped
// before it had said anything; it holds what the turn had streamed, of an answer
// from documents with its evidence. Of a turn that failed it holds that alone,
// and the apology comes behind it.
const StoppedID = "stopped"

// Stop ends a turn before its time; 0 is the one that runs. What it has said is
// kept. A turn that waits is not run. Of one that is over, or was never there,
// nothing happens.
func (s *Subscription) Stop(ctx context.Context, turn int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c := s.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		return c.err
	}
	if turn == 0 || slices.Contains(c.turns, turn) {
		if c.acting && (turn != 0 || len(c.turns) > 0) {
			c.interrupt(ErrStopped)
		}
		return nil
	}
	for _, p := range c.waitingLocked() {
		if p.event.Turn != turn {
			continue
		}
		p.stopped, c.check = true, true
		if c.acting && len(c.turns) == 0 { // it may be the one that is decided about
			c.interrupt(ErrStopped)
		}
	}
	c.startLocked(ctx)
	return nil
}

// DropDraft discards the streamed text. A stopped turn does not keep it.
func (s *Session) DropDraft() {
	s.turn.mu.Lock()
	defer s.turn.mu.Unlock()
	s.turn.record.draft, s.turn.record.fresh, s.turn.record.begun = nil, 0, nil
}

// KeepDraft records the answer from documents that the streamed text belongs to.
// A turn that is stopped or fails before its reply stores this answer.
func (s *Session) KeepDraft(text string, answer payload.RAGMessage) {
	answer.Stopped = true
	s.turn.mu.Lock()
	defer s.turn.mu.Unlock()
	s.turn.record.begun = &begun{text, answer}
}

// waitingLocked are the events that no step has taken.
func (c *conversation) waitingLocked() []*pending {
	all := slices.Clone(c.pending)
	for _, w := range c.inbox {
		if w.arrived != nil {
			all = append(all, w.arrived)
		}
	}
	return all
}

func (c *conversation) isStopped(p *pending) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return p.stopped
}
