package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"docent/internal/fault"
	"docent/payload"
	"docent/rag"
)

// MaxTextBytes bounds what a user says, as text; see Event.Text.
const MaxTextBytes = rag.MaxQuestionBytes

// ErrTooLong is the cause of refusing a message that is longer.
var ErrTooLong = errors.New("message too long")

// Message is what a user says.
type Message struct {
	// ID makes it idempotent: a message of the same id in the session is
	// stored and answered once, until a reset. "" does not.
	ID string
	// Content is JSON: a string, or anything else.
	Content json.RawMessage
	// Wait tells to wait for room in the mailbox instead of failing with
	// fault.Busy.
	Wait bool
}

// Send stores a message and queues its turn; it returns when the message is
// stored and acknowledged. One whose id is there already is not stored again; its
// turn runs again if it failed. Errors are for the sender: fault.Invalid if its text
// is too long, fault.Busy if too many messages wait, fault.NotFound if the session was deleted.
func (s *Subscription) Send(ctx context.Context, m Message) error {
	c := s.c
	event := messageEvent(m.Content)
	if len(event.Text) > MaxTextBytes {
		return fault.Wrap(fault.Invalid, ErrTooLong, "a message may have at most %d bytes of text, this has %d", MaxTextBytes, len(event.Text))
	}
	leave, err := c.admit(ctx, m.Wait)
	if err != nil {
		return err
	}
	defer leave()
	now := c.rt.cfg.Now()
	fresh := c.idle()
	// A client that goes away while its message is being stored must not leave
	// it stored and not answered.
	sctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.rt.cfg.StoreTimeout)
	defer cancel()
	receipt, err := c.rt.cfg.Store.Receive(sctx, Incoming{
		Session: c.record.RowID, ClientID: m.ID, Type: event.chatType(), Content: m.Content,
		Event: EventRecord{Name: event.Name, Info: event.Text, Time: now}, History: c.rt.cfg.History,
	})
	if err != nil {
		<-c.slots
		if fault.KindOf(err) == fault.NotFound {
			c.lose(err, s)
		}
		return fmt.Errorf("store message of session %s: %w", c.key.ID, err)
	}
	c.acknowledge(ctx, s, receipt, event, fresh)
	return nil
}

// acknowledge tells the sender that the message is stored and the others what
// it says, and queues its turn.
func (c *conversation) acknowledge(ctx context.Context, s *Subscription, r Receipt, event Event, fresh bool) {
	ack := c.streamed(r.Message.Turn, payload.AckAction,
		payload.Ack{ID: r.Message.ClientID, Seq: r.Message.Seq, Duplicate: r.Duplicate})
	ack.Frame.ID = r.Message.ClientID
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seq = max(c.seq, r.Message.Seq)
	s.listener.Deliver(ack)
	q := question{message: r.Message, event: event, history: r.History, fresh: fresh && !r.Duplicate}
	do := func(ctx context.Context) { c.answer(ctx, q) }
	if r.Duplicate {
		if c.waitsLocked(r.Message.Turn) {
			<-c.slots
			return
		}
		q.event = messageEvent(r.Message.Content) // of the one stored first
		do = func(ctx context.Context) { c.repeat(ctx, s, q) }
	} else if frame, ok := stored(r.Message); ok {
		frame.ID = r.Message.ClientID
		for _, other := range c.listeners {
			if other != s {
				other.listener.Deliver(Delivery{Audience: Streaming, Frame: frame})
			}
		}
	}
	c.queue = append(c.queue, work{turn: r.Message.Turn, slot: true, do: do})
	c.startLocked(ctx)
}

// waitsLocked reports whether a turn runs or is about to.
func (c *conversation) waitsLocked(turn int64) bool {
	return c.turn == turn || slices.ContainsFunc(c.queue, func(w work) bool { return w.turn == turn })
}

// repeat deals with a message that was sent again after its turn: one that
// failed runs again, of one that is done the clients are told so once more.
func (c *conversation) repeat(ctx context.Context, s *Subscription, q question) {
	done, err := c.answered(ctx, q.message)
	c.mu.Lock()
	if !done && err == nil {
		delete(c.failed, q.message.Turn)
		c.mu.Unlock()
		c.answer(ctx, q)
		return
	}
	defer c.mu.Unlock()
	c.turn = 0
	finished := payload.TurnFinished{Outcome: payload.Done}
	if err != nil {
		finished.Outcome = payload.Failed
		for _, d := range Failure(err, q.message.ClientID) {
			d.Frame.Time, d.Frame.Turn = c.rt.cfg.Now(), &q.message.Turn
			s.listener.Deliver(d)
		}
	}
	c.deliverLocked(c.streamed(q.message.Turn, payload.TurnFinishedAction, finished))
}

// answered reports whether the turn of a message is done and did not fail.
func (c *conversation) answered(ctx context.Context, m ChatMessage) (bool, error) {
	c.mu.Lock()
	_, uncommitted := c.failed[m.Turn]
	c.mu.Unlock()
	if uncommitted || m.Turn > c.done {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, c.rt.cfg.StoreTimeout)
	defer cancel()
	of, err := c.rt.cfg.Store.Messages(ctx, c.record.RowID, MessageQuery{Turn: m.Turn, Last: 1})
	if err != nil {
		c.logError(ctx, "read turn", err, "turn", m.Turn)
		return false, fmt.Errorf("turn %d of session %s: %w", m.Turn, c.key.ID, err)
	}
	// A turn that said nothing is done as well.
	return len(of) == 0 || of[0].IsUser || of[0].ClientID != FailedID, nil
}

// admit takes a slot of the mailbox and the intake lock. Whoever got no error
// owns both, and gives the lock back by calling leave.
func (c *conversation) admit(ctx context.Context, wait bool) (leave func(), err error) {
	select {
	case c.slots <- struct{}{}:
	default:
		if !wait {
			return nil, fault.New(fault.Busy, "%d messages of this conversation wait already; try again in a moment", cap(c.slots))
		}
		select {
		case c.slots <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.rt.closing:
			return nil, errClosing
		}
	}
	if err := c.lock(ctx); err != nil {
		<-c.slots
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		<-c.slots
		<-c.intake
		return nil, c.err
	}
	c.users++
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.users--
		<-c.intake
		c.dropLocked()
	}, nil
}

// lock takes the intake lock.
func (c *conversation) lock(ctx context.Context) error {
	select { // a runtime that closes takes nothing, even if the lock is free
	case <-c.rt.closing:
		return errClosing
	default:
	}
	select {
	case c.intake <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-c.rt.closing:
		return errClosing
	}
}

// idle reports whether nothing is being said or about to be.
func (c *conversation) idle() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.running && len(c.queue) == 0
}
