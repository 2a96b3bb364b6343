package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"docent/agent"
	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/internal/quota"
	"docent/internal/trace"
	"docent/payload"
	"docent/rag/corpus"
)

// Causes of refused messages.
var (
	// ErrTooLong is the cause of an error about a text that is too long.
	ErrTooLong = journal.ErrTooLong
	// ErrContent is the cause of an error about JSON that cannot be stored.
	ErrContent = journal.ErrContent
	// ErrNoChoice is the cause of a fault.NotFound about a collection or a model that a message
	// names. Other fault.NotFound errors are about the session.
	ErrNoChoice = journal.ErrNoChoice
)

// arrival is a received event before it is stored.
type arrival struct {
	event chat.Event
	// id and content belong to the event's message. content is nil without a message.
	id      string
	content json.RawMessage
	// wait makes the event wait for room in the queue.
	wait bool
	// caller is the client that sent the event, or nil.
	caller *Subscription
	// replaces is ChatMessage.Replaces, answers is Message.Answers, and heard is Message.Heard.
	replaces, answers int64
	heard             bool
}

// sender returns ChatMessage.Sender for the event.
func (in arrival) sender() string {
	if in.event.From == "" && in.caller != nil && !in.event.Human {
		return chat.SenderAgent
	}
	return in.event.From
}

// store stores an event and queues it. It returns after the acknowledgment. It skips events whose id
// is already stored.
func (in arrival) store(ctx context.Context, c *conversation) error {
	if err := in.check(ctx, c); err != nil {
		return err
	}
	if len(in.event.Options.Brief) > 0 {
		release, err := c.rt.takeBrief(c, in.id)
		if err != nil {
			return err
		}
		defer release()
	}
	if err := in.charge(ctx, c); err != nil {
		return err
	}
	client := ctx
	if in.caller != nil { // the client has sent it, and not every protocol can report that it was not stored
		ctx = context.WithoutCancel(ctx)
	}
	s, _ := agent.SessionFrom(ctx) // of the body that sends the message
	// The greeting may ask another agent and wait for its answer.
	if in.content != nil && in.event.From == "" && (s == nil || s.ID() != c.key.ID) {
		c.mu.Lock()
		greeting := c.greeting
		c.mu.Unlock()
		if err := greeting.await(ctx, c.rt.closing); err != nil {
			return err
		}
	}
	leave, err := c.admit(ctx, client, in.wait)
	if err != nil {
		return err
	}
	defer leave()
	c.mu.Lock()
	room := c.queue.room(len(in.content) + len(in.event.Data))
	c.mu.Unlock()
	if !room {
		<-c.queue.slots
		return fault.New(fault.Busy,
			"session_queue_bytes", "more than %d MiB of this conversation are already waiting; try again in a moment", MaxQueueBytes>>20)
	}
	within, cancel := withIntakeWait(ctx)
	defer cancel()
	stored := false
	err = c.mail.ask(within, nil, func(context.Context) error {
		if ctx.Err() != nil { // for example, a reset has ended the context of a peer's message
			return context.Cause(ctx)
		}
		in.event.Time = c.rt.cfg.Now()
		mark := c.store.Writes
		receipt, err := in.receive(ctx, c)
		if err == nil {
			stored = true
			in.acknowledge(ctx, c, receipt, mark)
		}
		return err
	})
	if !stored {
		<-c.queue.slots
	}
	return err
}

// check fails for an event that cannot be stored, or that has invalid options.
func (in arrival) check(ctx context.Context, c *conversation) error {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	err := journal.CheckOptions(ctx, &in.event, in.content, c.rt.cfg.Choices)
	if err == nil {
		err = journal.CheckContent(&in.event, in.content)
	}
	return err //nolint:wrapcheck // the error is complete
}

// charge counts an event of a client against its quotas.
func (in arrival) charge(ctx context.Context, c *conversation) error {
	if in.caller == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	err := c.rt.cfg.Quotas.Receive(ctx, in.content != nil || in.event.Name == chat.EventUI, len(in.content)+in.event.Size())
	if more := len(in.event.Options.Brief) - 1; err == nil && more > 0 { // each section is an answer
		err = c.rt.cfg.Quotas.Take(ctx, quota.Questions, int64(more))
	}
	return err //nolint:wrapcheck // the error is complete
}

// errBriefRuns is the error for a second brief of an owner.
var errBriefRuns = fault.New(fault.Busy, "brief_running", "another brief of yours is being written; wait for it, or stop it")

// takeBrief fails if a brief of the session's owner runs, waits, or arrives in this process. Otherwise it keeps other briefs of the
// owner away until release. id is that of the message, which may be sent again.
func (r *Runtime) takeBrief(c *conversation, id string) (release func(), err error) {
	c.mu.Lock()
	owner := c.reader.Principal
	c.mu.Unlock()
	r.mu.Lock()
	other, taken := r.briefs[owner]
	if !taken {
		r.briefs[owner] = id
	}
	sessions := slices.Collect(maps.Values(r.sessions))
	r.mu.Unlock()
	switch {
	case taken && id != "" && id == other:
		return func() {}, nil
	case taken:
		return nil, errBriefRuns
	}
	release = func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.briefs, owner)
	}
	if writesBrief(sessions, c, owner, id) {
		release()
		return nil, errBriefRuns
	}
	return release, nil
}

// writesBrief reports whether a brief of an owner runs or waits in one of the sessions, other than the message with an id in
// session c. So the message itself may be sent again.
func writesBrief(sessions []*conversation, c *conversation, owner, id string) bool {
	return slices.ContainsFunc(sessions, func(o *conversation) bool {
		another := func(p *queuedEvent) bool { return p.brief() && (o != c || id == "" || p.message.ClientID != id) }
		o.mu.Lock()
		defer o.mu.Unlock()
		return o.reader.Principal == owner &&
			(slices.ContainsFunc(o.queue.waiting(), another) || o.current != nil && slices.ContainsFunc(o.current.handled, another))
	})
}

// receive stores an event. After an error the event may be stored all the same. A client that sends
// it again with the same id gets an answer.
func (in arrival) receive(ctx context.Context, c *conversation) (journal.Receipt, error) {
	// If the client disconnects now, its message must still be stored and answered.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	if err := c.store.CheckAnswers(ctx, in.answers); err != nil {
		return journal.Receipt{}, err //nolint:wrapcheck // the error is complete
	}
	record := journal.Incoming{
		Session: c.store.Session, Fence: c.store.Fence, ClientID: in.id, Replaces: in.replaces, Event: journal.NewEvent(&in.event),
	}
	if in.content != nil {
		record.Type, record.Content, record.History = journal.ChatType(&in.event), in.content, c.rt.cfg.History
		record.Sender = in.sender()
	}
	receipt, err := c.rt.cfg.Store.Receive(ctx, record)
	switch {
	case err == nil && receipt.Duplicate && in.content == nil && receipt.Event.Name != in.event.Name:
		return receipt, fault.New(fault.Conflict, "event_id_reused", "this id was used for another event")
	case err == nil && receipt.Duplicate && in.content != nil && !in.heard && !record.Same(receipt.Event.Message):
		return receipt, fault.New(fault.Conflict, "message_id_reused", "this id was used for another message")
	case err == nil:
		return receipt, nil
	case fault.KindOf(err) == fault.NotFound && !errors.Is(err, journal.ErrNoTurn):
		c.lose(err, in.caller)
	case errors.Is(err, journal.ErrStale):
		c.abandon(ctx, err)
	case in.replaces > 0 && fault.KindOf(err).Retryable(): // it is unknown which turns are hidden
		c.abandon(ctx, err)
	}
	return receipt, fmt.Errorf("store message of session %s: %w", c.key.ID, err)
}

// acknowledge tells the sender that the event is stored, sends the event to the other clients, and
// queues it.
func (in arrival) acknowledge(ctx context.Context, c *conversation, r journal.Receipt, mark int64) {
	m := r.Event.Message
	in.event.ID, in.event.Turn = r.Event.ID, r.Event.Turn
	p := newQueuedEvent(in.event, m)
	p.history, p.mark, p.slot = r.History, mark, true
	c.clients.fill(ctx, m.Seq-1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.latest = max(c.latest, p.Event.Turn)
	if in.caller != nil {
		by, _ := corpus.ReaderOf(ctx)
		c.payer, c.parent, c.reader.Limited = quota.ClientOf(ctx), trace.ParentOf(ctx), by.Limited && by.Principal == c.reader.Principal
	}
	// Otherwise the caller receives it with the entries that it missed.
	if in.caller != nil && in.content != nil && !in.caller.muted {
		ack := c.rt.turnFrame(p.Event.Turn, payload.AckAction, payload.Ack{ID: m.ClientID, Seq: m.Seq, Duplicate: r.Duplicate})
		ack.Frame.ID, ack.Frame.Replaces = m.ClientID, m.Replaces
		in.caller.listener.Deliver(ack)
	}
	if c.clients.nextLocked(m.Seq) { // true as well for a repeated message whose first write had an unknown outcome
		said := Delivery{Audience: Streaming, Frame: journal.Entry{Message: &m}.Frame()}
		for _, s := range c.clients.list {
			if s != in.caller {
				s.tellLocked(said)
			}
		}
	}
	if r.Duplicate {
		in.repeatedLocked(c, r)
		return
	}
	c.rt.meters.received(p.Event.Name)
	if m.Replaces > 0 {
		c.clients.hidden = append(slices.Clip(c.clients.hidden), payload.TurnRange{First: m.Replaces, Until: m.Turn})
		c.stopTurnsLocked(func(turn int64) bool { return turn >= m.Replaces })
	}
	if in.event.Name == chat.EventUI {
		if inputs := payload.ReadGUIEvent(in.event.Data).Inputs(); len(inputs) > 0 {
			c.queue.add(work{do: func(ctx context.Context) { c.set(ctx, inputs, in.caller) }})
		}
	}
	c.queue.add(work{arrived: p})
}

// repeatedLocked queues a message that was sent again. If its turn waits or runs already,
// repeatedLocked frees the slot instead.
func (in arrival) repeatedLocked(c *conversation, r journal.Receipt) {
	turn := r.Event.Turn
	if in.content == nil { // of a program, which does not wait for the turn
		<-c.queue.slots
		return
	}
	if waits, held := c.waitsLocked(turn); waits {
		<-c.queue.slots
		if held {
			in.caller.tellLocked(c.rt.turnFrame(turn, payload.TurnFinishedAction, payload.TurnFinished{Outcome: payload.Held}))
		}
		return
	}
	c.queue.add(work{slot: true, turn: turn, do: func(ctx context.Context) { in.repeat(ctx, c, r) }})
}

// repeat handles a message that was sent again after its turn. A failed or unfinished turn runs
// again. After a successful turn, the sender receives the end of the turn, and the request of another
// agent is answered again.
func (in arrival) repeat(ctx context.Context, c *conversation, r journal.Receipt) {
	done, err := in.answered(ctx, c, r)
	p := newQueuedEvent(r.Event.Event(), r.Event.Message) // of the first message with this id
	if done && p.Event.Request() != "" {
		c.answerAgain(ctx, in.caller, p)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	turn := p.Event.Turn
	if waits, _ := c.waitsLocked(turn); waits {
		return
	}
	if !done && err == nil {
		c.queue.addFirst(work{arrived: p})
		return
	}
	finished := payload.TurnFinished{Outcome: payload.Done}
	if err != nil {
		finished.Outcome = payload.Failed
		for _, d := range Failure(err, p.message.ClientID) {
			d.Frame.Time, d.Frame.Turn = c.rt.cfg.Now(), &turn
			in.caller.tellLocked(d)
		}
	}
	in.caller.tellLocked(c.rt.turnFrame(turn, payload.TurnFinishedAction, finished))
}

// answered reports whether the turn of a repeated message has succeeded or was replaced. Nobody
// would see a new reply of a replaced turn.
func (in arrival) answered(ctx context.Context, c *conversation, r journal.Receipt) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	m := r.Event.Message
	read := func(q journal.MessageQuery) ([]chat.Message, error) {
		q.Last, q.MaxContent = 1, journal.NoContent
		of, err := c.store.Messages(ctx, q)
		if err != nil {
			c.logError(ctx, "read turn", err, "turn", m.Turn)
		}
		return of, err //nolint:wrapcheck // it names the session
	}
	if of, err := read(journal.MessageQuery{After: m.Seq - 1, Before: m.Seq + 1}); err != nil || len(of) == 0 {
		return err == nil, err
	}
	if now, err := in.receive(ctx, c); err != nil || !now.Event.Handled {
		return false, err
	}
	of, err := read(journal.MessageQuery{Turn: m.Turn})
	if err != nil {
		return false, err
	}
	// A turn without a reply counts as answered.
	return len(of) == 0 || of[0].IsUser || of[0].ClientID != chat.FailedID, nil
}

// admit takes a slot of the queue and keeps the session in memory until leave is called. The caller
// must free the slot. If wait is true, admit waits for a slot until the context of the client ends.
func (c *conversation) admit(ctx, client context.Context, wait bool) (leave func(), err error) {
	select {
	case c.queue.slots <- struct{}{}:
	default:
		c.rt.meters.full.Inc()
		if !wait {
			return nil, fault.New(fault.Busy,
				"session_queue_full", "%d messages of this conversation are already waiting; try again in a moment", cap(c.queue.slots))
		}
		select {
		case c.queue.slots <- struct{}{}:
		case <-client.Done():
			return nil, client.Err()
		case <-c.rt.closing:
			return nil, errClosing
		}
	}
	switch {
	case c.rt.isClosing():
		err = errClosing
	case ctx.Err() != nil:
		err = ctx.Err()
	case !c.mail.use():
		err = c.mail.failure()
	}
	if err != nil {
		<-c.queue.slots
		return nil, err
	}
	return c.mail.leave, nil
}

// answerAgain sends an agent the stored replies to a request that it repeated. The agent repeats a
// request if its connection broke before it received them. It already has all replies since it
// connected again.
func (c *conversation) answerAgain(ctx context.Context, s *Subscription, p *queuedEvent) {
	messages, err := c.store.Messages(ctx, journal.MessageQuery{Turn: p.Event.Turn})
	if err != nil {
		c.logError(ctx, "answer again", err, "turn", p.Event.Turn)
		return
	}
	if s == nil {
		return
	}
	c.mu.Lock()
	since := s.since
	c.mu.Unlock()
	t := &openTurn{began: p}
	for _, m := range messages {
		frame, ok := journal.MessageFrame(m)
		if m.IsUser || !ok || m.Seq > since {
			continue
		}
		t.answering(&frame)
		s.listener.Deliver(Delivery{Audience: Plain, Frame: frame, Text: t.text(frame)})
	}
}
