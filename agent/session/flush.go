package session

import (
	"cmp"
	"context"
	"slices"
	"time"

	"docent/agent"
	"docent/payload"
)

// Flush implements Backend.
func (t *turn) Flush(ctx context.Context) error { return t.c.flush(ctx, t) }

// flush writes a part of a turn that goes on.
func (c *conversation) flush(ctx context.Context, t *turn) error {
	t.flushing <- struct{}{}
	defer func() { <-t.flushing }()
	t.mu.Lock()
	t.record.armed = false
	nothing := t.over || t.record.stored == len(t.record.entries)
	t.mu.Unlock()
	if nothing {
		return nil
	}
	part := TurnRecord{Session: c.record.RowID, Turn: t.number, Partial: true}
	return c.commitOnce(context.WithoutCancel(ctx), t, part, func(written Written) error {
		if !written.Repeated { // else the turn's end shows what was said elsewhere
			c.present(ctx, t, Written{})
		}
		return nil
	})
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
// the turn's commit; what another process has stored instead is sent, too. It is
// called in order.
func (c *conversation) present(ctx context.Context, t *turn, written Written) {
	c.show(ctx, t, t.unsent(written))
}

// show sends stored entries of a turn.
func (c *conversation) show(ctx context.Context, t *turn, fresh []*entry) {
	if len(fresh) == 0 {
		return
	}
	c.fill(ctx, fresh[0].seq()-1)
	t.mu.Lock()
	c.mu.Lock()
	t.record.sent = t.record.stored
	for _, e := range fresh {
		c.presentLocked(t, e)
	}
	c.mu.Unlock()
	t.mu.Unlock()
	c.fill(ctx, fresh[len(fresh)-1].seq())
}

// unsent are the stored entries that are not sent.
func (t *turn) unsent(written Written) []*entry {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := &t.record
	fresh := slices.Clone(r.entries[r.sent:r.stored])
	if !written.Repeated {
		return fresh
	}
	var last int64
	if r.sent > 0 {
		last = r.entries[r.sent-1].seq()
	}
	own := map[int64]bool{}
	for _, e := range r.entries[:r.stored] {
		own[e.seq()] = true
	}
	for _, w := range written.Entries {
		if w.seq() > last && !own[w.seq()] {
			fresh = append(fresh, &entry{message: w.Message, step: w.Step})
		}
	}
	slices.SortStableFunc(fresh, func(a, b *entry) int { return cmp.Compare(a.seq(), b.seq()) })
	return fresh
}

// presentLocked sends a stored entry: clients that stream get it with its seq,
// unless they have it or miss what was before it, the others what they have not
// had. Of apologies those are told at the end of the turn.
func (c *conversation) presentLocked(t *turn, e *entry) {
	next := e.seq() == c.seq+1
	if next {
		c.seq++
	}
	d := Delivery{Frame: Entry{Message: e.message, Step: e.step}.Frame()}
	shown := false
	switch {
	case e.message == nil:
		shown = !e.shown && !e.silent
		e.shown = e.shown || shown
	case e.message.ClientID == agent.FailedID && !e.message.IsUser:
		if next && t.failed != nil {
			d = t.failure(t.failed, e.message.Time)[0]
			d.Frame.Seq = e.message.Seq
		}
		t.told = t.told || next
	default:
		_, known := stored(*e.message)
		shown = known && !e.silent
		t.answering(&d.Frame)
		d.Text = t.text(d.Frame)
		if !e.message.IsUser {
			t.record.replaced()
		}
	}
	switch {
	case next && shown:
		d.Audience = Everyone
	case next:
		d.Audience = Streaming
	case shown:
		d.Audience = Plain
	default:
		return
	}
	c.deliverLocked(d)
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
