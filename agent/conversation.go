package agent

import (
	"context"
	"fmt"
	"sync"

	"docent/internal/fault"
	"docent/payload"
)

// conversation is a session in memory.
//
// Clients' goroutines store what users say, one at a time (the intake lock),
// and queue it. One goroutine, which exists only while the queue holds
// something, works the queue off and alone changes the session's state.
type conversation struct {
	rt  *Runtime
	key SessionKey

	// intake is a lock that can be waited for with a context: it holds a value
	// while it is taken. It orders storing messages among each other and
	// against a reset.
	intake chan struct{}
	// slots bounds the messages waiting: each takes one until it is done.
	slots chan struct{}
	// loaded is closed once the session is loaded or failed to be.
	loaded chan struct{}

	// record and state belong to the goroutine; record.RowID may be read by
	// all once loaded is closed.
	record SessionRecord
	state  *State
	// done is the last turn committed.
	done int64

	mu        sync.Mutex // guards what follows
	queue     []work
	running   bool                    // the goroutine exists
	turn      int64                   // that runs; 0 if none
	interrupt context.CancelCauseFunc // ends the context of the work at hand
	listeners []*Subscription
	users     int                   // clients in the middle of storing something
	seq       int64                 // given last
	failed    map[int64]ChatMessage // messages whose turn could not be committed
	resumed   bool
	gone      bool  // not in the runtime's map any more
	err       error // why it is gone
}

// work is one thing for a conversation's goroutine to do.
type work struct {
	// do does it; its context ends when the turn takes too long or is
	// interrupted.
	do func(ctx context.Context)
	// turn is the turn it runs; 0 for other work.
	turn int64
	// slot tells that it holds a slot of the mailbox, intake that it holds the
	// intake lock; both are given back when it is done.
	slot, intake bool
}

func newConversation(rt *Runtime, key SessionKey, req OpenRequest) *conversation {
	c := &conversation{
		rt:        rt,
		key:       key,
		intake:    make(chan struct{}, 1),
		slots:     make(chan struct{}, rt.cfg.MailboxSize),
		loaded:    make(chan struct{}),
		interrupt: func(error) {},
	}
	now := rt.cfg.Now()
	c.record = SessionRecord{
		Key: key, Name: req.Name, Username: req.Username, Owner: req.Owner,
		Platform: platform, CreatedAt: now, UpdatedAt: now,
	}
	c.queue = []work{{do: c.load}}
	return c
}

// platform is what BAF calls its WebSocket platform in the table session.
const platform = "WebSocketPlatform"

// startLocked starts the goroutine if there is work and none exists.
func (c *conversation) startLocked(ctx context.Context) {
	if c.running || len(c.queue) == 0 {
		return
	}
	if !c.rt.begin() {
		c.refuseLocked()
		return
	}
	c.running = true
	// Work outlives the client that asked for it: a disconnect stops nothing.
	go c.run(context.WithoutCancel(ctx))
}

// refuseLocked tells those who wait for a session that will not be loaded.
func (c *conversation) refuseLocked() {
	select {
	case <-c.loaded:
	default:
		c.endLocked(errClosing)
		close(c.loaded)
	}
}

func (c *conversation) run(ctx context.Context) {
	defer c.rt.running.Done()
	for {
		w, workCtx, ok := c.next(ctx)
		if !ok {
			return
		}
		w.do(workCtx)
		c.release(w)
	}
}

// release gives back what a piece of work holds.
func (c *conversation) release(w work) {
	if w.slot {
		<-c.slots
	}
	if w.intake {
		<-c.intake
	}
}

// stop ends the context of the work at hand.
func (c *conversation) stop(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.interrupt(cause)
}

// next takes the next piece of work, or ends the goroutine.
func (c *conversation) next(ctx context.Context) (work, context.Context, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.interrupt(nil) // releases the context of the work before
	c.interrupt, c.turn = func(error) {}, 0
	select {
	case <-c.rt.closing:
		c.running = false
		c.refuseLocked()
		c.dropLocked()
		return work{}, nil, false
	default:
	}
	if len(c.queue) == 0 {
		c.running = false
		c.queue = nil
		c.dropLocked()
		return work{}, nil, false
	}
	w := c.queue[0]
	c.turn = w.turn
	c.queue[0] = work{}
	c.queue = c.queue[1:]
	ctx, cancel := context.WithTimeout(ctx, c.rt.cfg.TurnTimeout)
	workCtx, interrupt := context.WithCancelCause(ctx)
	c.interrupt = func(cause error) {
		interrupt(cause)
		cancel()
	}
	return w, workCtx, true
}

// dropLocked takes a session that nobody uses out of memory.
func (c *conversation) dropLocked() {
	if !c.running && len(c.queue) == 0 && len(c.listeners) == 0 && c.users == 0 {
		c.endLocked(errDropped)
	}
}

// errDropped is never shown: whoever meets it opens the session again.
var errDropped = fault.New(fault.Unavailable, "the session was dropped from memory")

// endLocked makes the conversation unusable; opening the session again makes
// another.
func (c *conversation) endLocked(err error) {
	if c.gone {
		return
	}
	c.gone, c.err = true, err
	c.rt.forget(c)
}

// load is the first piece of work: it reads or creates the session, and queues
// the greeting of a new one and the turns that a killed process left over.
func (c *conversation) load(ctx context.Context) {
	defer close(c.loaded)
	ctx, cancel := context.WithTimeout(ctx, c.rt.cfg.StoreTimeout)
	defer cancel()
	record, created, err := c.rt.cfg.Store.OpenSession(ctx, c.record)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.endLocked(fmt.Errorf("open session %s: %w", c.key.ID, err))
		return
	}
	pending := record.Pending
	record.Pending = nil
	c.record, c.seq, c.resumed, c.done = record, record.Seq, !created, record.Turn
	if c.state = c.rt.cfg.Agent.state(record.State); c.state == nil {
		c.state = c.rt.cfg.Agent.initial()
	}
	if record.State == "" { // new, or its greeting was never stored
		c.queue = append(c.queue, work{do: c.greet})
	}
	for i, m := range pending {
		if i == 0 {
			c.done = m.Turn - 1
		}
		c.queue = append(c.queue, work{turn: m.Turn, do: func(ctx context.Context) {
			c.answer(ctx, question{message: m, event: messageEvent(m.Content)})
		}})
	}
	for _, s := range c.listeners {
		s.openedLocked()
	}
	c.resumed = true // for those who come later
}

// deliver hands a frame to every client.
func (c *conversation) deliver(d Delivery) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deliverLocked(d)
}

func (c *conversation) deliverLocked(d Delivery) {
	for _, s := range c.listeners {
		s.listener.Deliver(d)
	}
}

// stream hands a frame that is not stored to the clients that stream.
func (c *conversation) stream(turn int64, action payload.Action, message any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.listeners) > 0 {
		c.deliverLocked(c.streamed(turn, action, message))
	}
}

func (c *conversation) streamed(turn int64, action payload.Action, message any) Delivery {
	content, err := payload.Marshal(message)
	if err != nil { // our own structs always encode
		c.rt.cfg.Logger.Error("encode", "session", c.key.ID, "action", action, "error", err)
	}
	return Delivery{Audience: Streaming, Frame: payload.Frame{
		Action: action, Message: content, Time: c.rt.cfg.Now(), Turn: &turn,
	}}
}
