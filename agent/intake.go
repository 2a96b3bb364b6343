package agent

import (
	"context"
	"encoding/json"
	"fmt"

	"docent/internal/fault"
	"docent/payload"
)

// Message is what a user says.
type Message struct {
	// ID makes it idempotent: a message of the same id in the session is
	// stored and answered once. "" does not.
	ID string
	// Content is JSON: a string, or anything else.
	Content json.RawMessage
	// Wait tells to wait for room in the mailbox instead of failing with
	// fault.Busy.
	Wait bool
}

// Send stores a message and queues its turn; it returns when the message is
// stored and acknowledged. Errors are for the sender: fault.Busy if too many
// messages wait, fault.NotFound if the session was deleted.
func (s *Subscription) Send(ctx context.Context, m Message) error {
	c := s.c
	leave, err := c.admit(ctx, m.Wait)
	if err != nil {
		return err
	}
	defer leave()
	event := messageEvent(m.Content)
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
			c.lose(err)
		}
		return fmt.Errorf("store message of session %s: %w", c.key.ID, err)
	}
	c.acknowledge(ctx, s, receipt, event, fresh)
	return nil
}

// acknowledge tells the sender that the message is stored, and queues its turn
// unless it was there before.
func (c *conversation) acknowledge(ctx context.Context, s *Subscription, r Receipt, event Event, fresh bool) {
	ack := c.streamed(r.Message.Turn, payload.AckAction,
		payload.Ack{ID: r.Message.ClientID, Seq: r.Message.Seq, Duplicate: r.Duplicate})
	ack.Frame.ID = r.Message.ClientID
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seq = max(c.seq, r.Message.Seq)
	s.listener.Deliver(ack)
	q := question{message: r.Message, event: event, history: r.History, fresh: fresh && !r.Duplicate}
	if r.Duplicate {
		if _, failed := c.failed[r.Message.Turn]; !failed {
			<-c.slots
			return
		}
		delete(c.failed, r.Message.Turn)
		q.event = messageEvent(r.Message.Content) // of the one stored first
	}
	c.queue = append(c.queue, work{turn: r.Message.Turn, slot: true, do: func(ctx context.Context) { c.answer(ctx, q) }})
	c.startLocked(ctx)
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
