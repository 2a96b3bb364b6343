package agent

import (
	"context"
	"time"

	"docent/payload"
)

// Flush stores what the turn has said and reasoned so far, and sends it. Without
// it, that happens at the end of the turn, or RuntimeConfig.FlushAfter after a
// reply.
func (s *Session) Flush(ctx context.Context) error {
	return s.conversation.flush(ctx, s.turn)
}

// flush writes a part of a turn that goes on.
func (c *conversation) flush(ctx context.Context, t *turn) error {
	t.flushing.Lock()
	defer t.flushing.Unlock()
	t.mu.Lock()
	t.record.armed = false
	nothing := t.over || t.record.stored == len(t.record.entries)
	t.mu.Unlock()
	if nothing {
		return nil
	}
	written, err := c.commitOnce(context.WithoutCancel(ctx), t, TurnRecord{Session: c.record.RowID, Turn: t.number, Partial: true})
	if err != nil {
		return err
	}
	if !written.Repeated { // else the turn's end shows what was said elsewhere
		c.present(t, Written{})
	}
	return nil
}

// flushLater makes sure that a reply does not wait for its turn's end; t.mu is
// held.
func (c *conversation) flushLater(ctx context.Context, t *turn) {
	if t.record.armed || c.rt.cfg.FlushAfter < 0 {
		return
	}
	t.record.armed = true
	ctx = context.WithoutCancel(ctx)
	t.record.timer = time.AfterFunc(c.rt.cfg.FlushAfter, func() {
		if !c.rt.begin() {
			return
		}
		defer c.rt.running.Done()
		if err := c.flush(ctx, t); err != nil { // the commit tries again
			c.logError(ctx, "store replies early", err, "turn", t.number)
		}
	})
}

// present sends what is stored of a turn's record and not sent yet. written is
// the turn's commit; what another process has stored instead is sent, too.
func (c *conversation) present(t *turn, written Written) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	var last int64
	if t.record.sent > 0 {
		last = t.record.entries[t.record.sent-1].seq()
	}
	for ; t.record.sent < t.record.stored; t.record.sent++ {
		c.presentLocked(t, t.record.entries[t.record.sent])
	}
	if !written.Repeated {
		return
	}
	own := map[int64]bool{}
	for _, e := range t.record.entries[:t.record.stored] {
		own[e.seq()] = true
	}
	for _, w := range written.Entries {
		if w.seq() > last && !own[w.seq()] {
			c.presentLocked(t, &entry{message: w.Message, step: w.Step})
		}
	}
}

// presentLocked sends a stored entry: clients that stream get each with its
// seq, the others what they have not had. Apologies are sent as failures.
func (c *conversation) presentLocked(t *turn, e *entry) {
	c.seq = max(c.seq, e.seq())
	if e.message != nil {
		if e.message.ClientID == FailedID {
			return
		}
		frame, ok := stored(*e.message)
		if !ok {
			return
		}
		t.answering(&frame)
		audience := Everyone
		if e.silent {
			audience = Streaming
		}
		c.deliverLocked(Delivery{Frame: frame, Audience: audience, Text: t.text(frame)})
		return
	}
	frame, ok := storedStep(*e.step)
	if !ok {
		return
	}
	c.deliverLocked(Delivery{Frame: frame, Audience: Streaming})
	if !e.shown && !e.silent {
		e.shown = true
		c.deliverLocked(Delivery{Frame: frame, Audience: Plain})
	}
}

func (e *entry) seq() int64 {
	if e.message != nil {
		return e.message.Seq
	}
	return e.step.Seq
}

// provisional hands a frame that is not stored, or not yet, to the clients that
// stream; t.mu is held.
func (c *conversation) provisional(t *turn, action payload.Action, message any) {
	t.record.shown++
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.listeners) == 0 {
		return
	}
	d := c.streamed(t.number, action, message)
	d.Frame.N = t.record.shown
	c.deliverLocked(d)
}
