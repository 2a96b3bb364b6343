package session

import (
	"cmp"
	"context"
	"slices"
	"time"

	"docent/agent"
	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/payload"
)

// Flush implements agent.Backend.
func (t *turn) Flush(ctx context.Context) error {
	return t.c.mail.ask(ctx, t, func(ctx context.Context) error { return t.flush(ctx) })
}

// flush writes a part of a turn that goes on.
func (t *turn) flush(ctx context.Context) error {
	c := t.c
	c.mu.Lock()
	t.record.flushAt = time.Time{}
	nothing := t.over || t.record.stored == len(t.record.entries)
	c.mu.Unlock()
	if nothing {
		return nil
	}
	written, err := c.commit(ctx, t, journal.TurnRecord{Session: c.store.Session, Turn: t.number, Partial: true})
	switch {
	case err != nil && fault.KindOf(err).Retryable():
		c.abandon(ctx, err)
		return err
	case err != nil:
		return err
	case !written.Repeated: // else the turn's end shows what was said elsewhere
		t.present(ctx, journal.Written{})
	}
	return nil
}

// flushLaterLocked makes sure that a reply does not wait for its turn's end.
func (t *turn) flushLaterLocked() {
	c := t.c
	if t.record.flushAt.IsZero() && c.rt.cfg.FlushAfter >= 0 {
		t.record.flushAt = time.Now().Add(c.rt.cfg.FlushAfter)
		c.mail.signal()
	}
}

// present sends what is stored of a turn's record and not sent yet. written is
// the turn's commit; what another process has stored instead is sent, too.
func (t *turn) present(ctx context.Context, written journal.Written) {
	c := t.c
	fresh := t.unsent(written)
	if len(fresh) == 0 {
		return
	}
	c.clients.fill(ctx, fresh[0].Seq()-1)
	c.mu.Lock()
	t.record.sent = t.record.stored
	for _, e := range fresh {
		t.presentLocked(e)
	}
	c.mu.Unlock()
	c.clients.fill(ctx, fresh[len(fresh)-1].Seq())
}

// unsent are the stored entries that are not sent.
func (t *turn) unsent(written journal.Written) []*entry {
	c := t.c
	c.mu.Lock()
	defer c.mu.Unlock()
	r := &t.record
	fresh := slices.Clone(r.entries[r.sent:r.stored])
	if !written.Repeated {
		return fresh
	}
	var last int64
	if r.sent > 0 {
		last = r.entries[r.sent-1].Seq()
	}
	own := map[int64]bool{}
	for _, e := range r.entries[:r.stored] {
		own[e.Seq()] = true
	}
	for _, w := range written.Entries {
		if w.Seq() > last && !own[w.Seq()] {
			fresh = append(fresh, &entry{message: w.Message, step: w.Step})
		}
	}
	slices.SortStableFunc(fresh, func(a, b *entry) int { return cmp.Compare(a.Seq(), b.Seq()) })
	return fresh
}

// presentLocked sends a stored entry: clients that stream get it with its seq,
// unless they have it or miss what was before it, the others what they have not
// had. Of apologies those are told at the end of the turn.
func (t *turn) presentLocked(e *entry) {
	c := t.c
	next := c.clients.nextLocked(e.Seq())
	d := Delivery{Frame: journal.Entry{Message: e.message, Step: e.step}.Frame()}
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
		_, known := journal.MessageFrame(*e.message)
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
	c.clients.deliverLocked(d)
}

func (e *entry) Seq() int64 {
	if e.message != nil {
		return e.message.Seq
	}
	return e.step.Seq
}

// provisionalLocked hands a frame that is not stored, or not yet, to the clients
// that stream.
func (t *turn) provisionalLocked(action payload.Action, message any) {
	c := t.c
	t.record.shown++
	if len(c.clients.list) == 0 {
		return
	}
	d := c.rt.streamed(t.number, action, message)
	d.Frame.N = t.record.shown
	c.clients.deliverLocked(d)
}
