package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"docent/agent"
	"docent/internal/fault"
	"docent/payload"
	"docent/rag"
)

// MaxTextBytes bounds what a message says, as text; see Event.Text.
const MaxTextBytes = rag.MaxQuestionBytes

// ErrTooLong is the cause of refusing a message that is longer.
var ErrTooLong = errors.New("message too long")

// ErrContent is the cause of refusing JSON that no store takes; see CheckJSON.
var ErrContent = errors.New("content that cannot be stored")

// MaxIntakeWait is how long a client waits until its session can take what it
// sends: longer than any trip to the store, but a body that ignores the end of
// its context may hold a reset, and with it the session, for ever.
const MaxIntakeWait = 20 * time.Second

// arrival is an event on its way into the store.
type arrival struct {
	event agent.Event
	// id and content are its message's; content is nil if it has none.
	id      string
	content json.RawMessage
	// wait tells to wait for room in the mailbox.
	wait bool
	// caller is the client that sent it; nil if none did.
	caller *Subscription
	// replaces is as in ChatMessage.
	replaces int64
	// heard is Message.Heard.
	heard bool
}

// sender is which other agent says it, as ChatMessage has it.
func (in arrival) sender() string {
	if in.event.From == "" && in.caller != nil && !in.event.Human {
		return agent.SenderAgent
	}
	return in.event.From
}

// store stores an event and queues it; it returns when it is stored and
// acknowledged. An event whose id is there already is not stored again.
func (c *conversation) store(ctx context.Context, in arrival) error {
	if len(in.event.Text) > MaxTextBytes {
		return fault.Wrap(fault.Invalid, ErrTooLong, "a message may have at most %d bytes of text, this has %d", MaxTextBytes, len(in.event.Text))
	}
	for _, raw := range []json.RawMessage{in.content, in.event.Data} {
		if len(raw) == 0 || in.event.File != nil { // what a file is as text is written by docent
			continue
		}
		if err := agent.CheckJSON(raw); err != nil {
			return fault.Wrap(fault.Invalid, ErrContent, "%s", fault.Message(err))
		}
	}
	client := ctx
	if in.caller != nil { // it has arrived, and not all protocols can tell that it was not stored
		ctx = context.WithoutCancel(ctx)
	}
	if in.content != nil && in.event.From == "" { // the greeting may ask a peer, and listen for what it answers
		if err := c.awaitGreeting(ctx); err != nil {
			return err
		}
	}
	leave, err := c.admit(ctx, client, in.wait)
	if err != nil {
		return err
	}
	defer leave()
	if ctx.Err() != nil { // such as of a peer, while the lock was a reset's
		<-c.slots
		return context.Cause(ctx)
	}
	in.event.Time = c.rt.cfg.Now()
	mark, room := c.written(len(in.content) + len(in.event.Data))
	if !room {
		<-c.slots
		return fault.New(fault.Busy, "more than %d MiB of this conversation wait already; try again in a moment", MaxQueueBytes>>20)
	}
	within, cancel := context.WithTimeoutCause(ctx, MaxIntakeWait, errSlow)
	defer cancel()
	stored := false
	err = c.inOrder(within, func() error {
		receipt, err := c.receiveOnce(ctx, in)
		if err == nil {
			stored = true
			c.acknowledge(ctx, in, receipt, mark)
		}
		return err
	})
	if !stored {
		<-c.slots
	}
	return err
}

// errSlow is what clients are told whose session is being stored for too long.
var errSlow = fault.New(fault.Busy, "this conversation is busy; try again in a moment")

// receiveOnce stores an event.
func (c *conversation) receiveOnce(ctx context.Context, in arrival) (Receipt, error) {
	// A client that goes away while its message is being stored must not leave
	// it stored and not answered.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.rt.cfg.StoreTimeout)
	defer cancel()
	incoming := Incoming{Session: c.record.RowID, ClientID: in.id, Replaces: in.replaces, Event: recordOf(&in.event)}
	if in.content != nil {
		incoming.Type, incoming.Content, incoming.History = chatType(&in.event), in.content, c.rt.cfg.History
		incoming.Sender = in.sender()
	}
	receipt, err := c.rt.cfg.Store.Receive(ctx, incoming)
	if err == nil && receipt.Duplicate && !in.heard && !sameMessage(incoming, receipt.Event.Message) {
		return receipt, fault.New(fault.Conflict, "this id was used for another message")
	}
	if err == nil {
		return receipt, nil
	}
	switch kind := fault.KindOf(err); {
	case errors.Is(err, ErrNoTurn):
	case kind == fault.NotFound:
		c.lose(err, in.caller)
	case kind == fault.Invalid, kind == fault.Conflict: // it is not stored
	default:
		c.doubt(in.id)
	}
	return receipt, fmt.Errorf("store message of session %s: %w", c.key.ID, err)
}

// written counts the commits so far, and reports whether there is room for an
// event of that size.
func (c *conversation) written(size int) (commits int64, room bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.commits, c.roomLocked(size)
}

// doubt remembers that a message may be stored although its sender was told
// that it is not: sent again, it is answered.
func (c *conversation) doubt(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if id == "" || len(c.uncertain) >= c.rt.cfg.HeldEvents {
		return
	}
	if c.uncertain == nil {
		c.uncertain = map[string]bool{}
	}
	c.uncertain[id] = true
}

// acknowledge tells the sender that the event is stored and the others what it
// says, and queues it. It is called in order.
func (c *conversation) acknowledge(ctx context.Context, in arrival, r Receipt, mark int64) {
	m := r.Event.Message
	in.event.ID, in.event.Turn = r.Event.ID, r.Event.Turn
	p := newPending(in.event, m)
	p.history, p.mark, p.slot = r.History, mark, true
	c.fill(ctx, m.Seq-1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.latest = max(c.latest, p.Event.Turn)
	if in.caller != nil && in.content != nil && !in.caller.muted { // else it comes with what the client missed
		ack := c.streamed(p.Event.Turn, payload.AckAction, payload.Ack{ID: m.ClientID, Seq: m.Seq, Duplicate: r.Duplicate})
		ack.Frame.ID, ack.Frame.Replaces = m.ClientID, m.Replaces
		in.caller.listener.Deliver(ack)
	}
	if m.Seq == c.seq+1 { // also of one stored before of which nobody knew
		c.seq++
		frame := Entry{Message: &m}.Frame()
		for _, other := range c.listeners {
			if other != in.caller && !other.muted {
				other.listener.Deliver(Delivery{Audience: Streaming, Frame: frame})
			}
		}
	}
	if r.Duplicate {
		c.repeatedLocked(ctx, in.caller, r)
		return
	}
	c.rt.meters.received(p.Event.Name)
	if m.Replaces > 0 {
		c.stopFromLocked(m.Replaces)
	}
	c.inbox = append(c.inbox, work{arrived: p})
	c.startLocked(ctx)
}

// repeatedLocked queues what is to be done with a message that was sent again;
// it gives back the slot if that is nothing.
func (c *conversation) repeatedLocked(ctx context.Context, s *Subscription, r Receipt) {
	turn := r.Event.Turn
	if waits, held := c.waitsLocked(turn); waits {
		<-c.slots
		if held {
			s.tellLocked(c.streamed(turn, payload.TurnFinishedAction, payload.TurnFinished{Outcome: payload.Held}))
		}
		return
	}
	p := newPending(storedEvent(r.Event), r.Event.Message) // of the one stored first
	c.inbox = append(c.inbox, work{slot: true, turn: turn, do: func(ctx context.Context) { c.repeat(ctx, s, p) }})
	c.startLocked(ctx)
}

// repeat deals with a message that was sent again after its turn: one that
// failed runs again, of one that is done its sender is told so.
func (c *conversation) repeat(ctx context.Context, s *Subscription, p *pending) {
	done, err := c.answered(ctx, p.message)
	if done && p.Event.Request() != "" {
		c.answerAgain(ctx, s, p)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	turn := p.Event.Turn
	if !done && err == nil {
		delete(c.failed, turn)
		delete(c.uncertain, p.message.ClientID)
		c.debts.forget(turn)
		c.inbox = append([]work{{arrived: p}}, c.inbox...)
		return
	}
	finished := payload.TurnFinished{Outcome: payload.Done}
	if err != nil {
		finished.Outcome = payload.Failed
		for _, d := range Failure(err, p.message.ClientID) {
			d.Frame.Time, d.Frame.Turn = c.rt.cfg.Now(), &turn
			s.tellLocked(d)
		}
	}
	s.tellLocked(c.streamed(turn, payload.TurnFinishedAction, finished))
}

// tellLocked hands a frame to one client, which may be none, or have left; one
// that does not hear yet learns from payload.Synced what it needs to know.
func (s *Subscription) tellLocked(d Delivery) {
	if s != nil && !s.closed && !s.muted {
		s.listener.Deliver(d)
	}
}

// answered reports whether the turn of a message is done and did not fail, or
// was replaced: what it would say now nobody would see.
func (c *conversation) answered(ctx context.Context, m agent.ChatMessage) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, c.rt.cfg.StoreTimeout)
	defer cancel()
	read := func(q MessageQuery) ([]agent.ChatMessage, error) {
		q.Last, q.MaxContent = 1, NoContent
		of, err := c.rt.cfg.Store.Messages(ctx, c.record.RowID, q)
		if err != nil {
			c.logError(ctx, "read turn", err, "turn", m.Turn)
			return nil, fmt.Errorf("turn %d of session %s: %w", m.Turn, c.key.ID, err)
		}
		return of, nil
	}
	if of, err := read(MessageQuery{After: m.Seq - 1, Before: m.Seq + 1}); err != nil || len(of) == 0 {
		return err == nil, err
	}
	c.mu.Lock()
	_, uncommitted := c.failed[m.Turn]
	uncertain := c.uncertain[m.ClientID]
	unknown := m.Turn > c.done
	c.mu.Unlock()
	if uncommitted || uncertain || unknown {
		return false, nil
	}
	of, err := read(MessageQuery{Turn: m.Turn})
	if err != nil {
		return false, err
	}
	// A turn that said nothing is done as well.
	return len(of) == 0 || of[0].IsUser || of[0].ClientID != agent.FailedID, nil
}

// admit takes a slot of the mailbox and the intake lock. Whoever got no error
// owns both, and gives the lock back by calling leave. A client that leaves, as
// client tells, waits no longer for room.
func (c *conversation) admit(ctx, client context.Context, wait bool) (leave func(), err error) {
	select {
	case c.slots <- struct{}{}:
	default:
		c.rt.meters.full.Inc()
		if !wait {
			return nil, fault.New(fault.Busy, "%d messages of this conversation wait already; try again in a moment", cap(c.slots))
		}
		select {
		case c.slots <- struct{}{}:
		case <-client.Done():
			return nil, client.Err()
		case <-c.rt.closing:
			return nil, errClosing
		}
	}
	if err := c.lockSoon(ctx); err != nil {
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
	if c.debts.resets() { // what is stored now would be removed
		<-c.slots
		<-c.intake
		c.debts.tried = false
		c.startLocked(ctx)
		return nil, errOwesReset
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

// errStuck is what clients are told whose session takes nothing.
var errStuck = fault.New(fault.Busy, "this conversation is being reset, but what it was doing does not end; try again later")

// lockSoon takes the intake lock for a client, which waits no longer than
// MaxIntakeWait.
func (c *conversation) lockSoon(ctx context.Context) error {
	within, cancel := context.WithTimeoutCause(ctx, MaxIntakeWait, errStuck)
	defer cancel()
	err := c.lock(within)
	if err != nil && ctx.Err() == nil && within.Err() != nil {
		return errStuck
	}
	return err
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
