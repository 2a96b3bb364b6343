package session

import (
	"context"
	"time"

	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/internal/fault"
)

// Flush implements agent.Backend.
func (t *openTurn) Flush(ctx context.Context) error {
	return t.c.mail.ask(ctx, t, func(ctx context.Context) error { return t.flush(ctx) })
}

// flush writes the unstored entries of a running turn.
func (t *openTurn) flush(ctx context.Context) error {
	c := t.c
	c.mu.Lock()
	t.record.FlushAt = time.Time{}
	nothing := t.over || t.record.Stored()
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
	case !written.Repeated: // otherwise the end of the turn presents the entries of the other process
		t.present(ctx, journal.Written{})
	}
	return nil
}

// present sends the stored entries that clients do not have. written is the result of the turn's
// commit. If another process has stored other entries for the turn, present sends those.
func (t *openTurn) present(ctx context.Context, written journal.Written) {
	c := t.c
	c.mu.Lock()
	fresh := t.record.Unsent(written)
	c.mu.Unlock()
	if len(fresh) == 0 {
		return
	}
	c.clients.fill(ctx, fresh[0].Seq()-1)
	c.mu.Lock()
	t.record.Sent()
	for _, e := range fresh {
		t.presentLocked(e)
	}
	c.mu.Unlock()
	c.clients.fill(ctx, fresh[len(fresh)-1].Seq())
}

// presentLocked sends a stored entry. Streaming clients receive it with its sequence number, unless
// they have it or still lack an earlier entry. Plain clients receive it unless they have it. They
// receive apologies only at the end of the turn.
func (t *openTurn) presentLocked(e *journal.Drafted) {
	c := t.c
	next := c.clients.nextLocked(e.Seq())
	d := Delivery{Frame: e.Frame()}
	shown := false
	switch {
	case e.Message == nil:
		shown = !e.Shown && !e.Silent
		e.Shown = e.Shown || shown
	case e.Message.ClientID == chat.FailedID && !e.Message.IsUser:
		if next && t.failed != nil {
			d = t.failure(t.failed, e.Message.Time)[0]
			d.Frame.Seq = e.Message.Seq
		}
		t.told = t.told || next
	default:
		_, known := journal.MessageFrame(*e.Message)
		shown = known && !e.Silent
		t.answering(&d.Frame)
		d.Text = t.text(d.Frame)
		if !e.Message.IsUser {
			t.record.Replaced()
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
