package session

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"docent/agent"
	"docent/internal/fault"
)

// conversation is a session in memory.
//
// Clients' goroutines store what users say, one at a time (the intake lock),
// and put it into the inbox. One goroutine, which exists only while there is
// work, takes it from there and alone changes the session's state. Events that
// it has taken from the inbox are pending until a step takes them.
type conversation struct {
	rt  *Runtime
	key SessionKey
	env agent.Env

	// intake is a lock that can be waited for with a context: it holds a value
	// while it is taken. It orders storing events among each other and against a
	// reset.
	intake chan struct{}
	// order is a lock as well, see inOrder. It is taken after intake.
	order chan struct{}
	// slots bounds the events that nothing has looked at: each takes one until
	// its turn is done or it is held.
	slots chan struct{}
	// loaded is closed once the session is loaded or failed to be.
	loaded chan struct{}

	// What follows belongs to the goroutine; record.RowID may be read by all
	// once loaded is closed.
	record  facts
	place   agent.Place  // the current state, as committed
	event   *agent.Event // taken last; nil if none was, or nothing can ask for it (machine.remembers)
	carried int          // moves without an event of the turn that failed just now

	mu        sync.Mutex // guards what follows
	inbox     []work
	pending   []*pending // oldest first
	check     bool       // a step is to be taken
	circled   bool       // states led to each other without end, and nothing happened since
	running   bool       // the goroutine exists
	acting    bool       // it runs a turn
	current   *turn      // the one; nil once it is known to be over
	turns     []int64    // that it runs: more than one if a body took events itself
	ending    []int64    // those of them that are over, before clients hear of it
	taken     int        // bytes of their content
	interrupt context.CancelCauseFunc
	listeners []*Subscription
	peers     map[string]*link
	ended     string // the thread of which clients were told that it is at its end
	users     int    // those in the middle of something that needs the session
	seq       int64  // of what was delivered last: without a gap, all up to it was
	resetSeq  int64  // as in SessionRecord
	done      int64  // the latest turn that is known to be stored
	latest    int64  // the turn given last, as far as is known
	commits   int64  // counts what was written
	failed    map[int64]*pending
	uncertain map[string]bool // ids of messages that may or may not be stored
	resumed   bool
	greeting  chan struct{} // closed when the greeting that load queued is over; nil if none is to come
	greetBy   time.Time     // when nobody waits for it any more
	gone      bool          // not in the runtime's map any more
	err       error         // why it is gone
	wake      alarmClock
	debts     debts
	alarm     *sleeper // that loading the session took from the runtime's
}

// facts are what a session in memory keeps of its SessionRecord.
type facts struct {
	RowID                           int64
	Name, Username, Owner, Platform string
	Variables                       map[string]json.RawMessage
}

// asRecord is the session as it is stored if it is new.
func (c *conversation) asRecord() SessionRecord {
	f, now := &c.record, c.rt.cfg.Now()
	return SessionRecord{
		Key: c.key, RowID: f.RowID, Name: f.Name, Username: f.Username, Owner: f.Owner, Platform: f.Platform, Variables: f.Variables,
		CreatedAt: now, UpdatedAt: now,
	}
}

// work is one thing in a conversation's inbox.
type work struct {
	// arrived is an event; all else is nil or false then.
	arrived *pending
	// do does something else; its context ends when it takes too long or is
	// interrupted.
	do func(ctx context.Context)
	// slot tells that it holds a slot of the mailbox, intake that it holds the
	// intake lock; both are given back when it is done.
	slot, intake bool
	// turn is that which do is about; 0 if about none.
	turn int64
}

func newConversation(rt *Runtime, key SessionKey, req OpenRequest) *conversation {
	c := &conversation{
		rt:        rt,
		key:       key,
		intake:    make(chan struct{}, 1),
		order:     make(chan struct{}, 1),
		slots:     make(chan struct{}, rt.cfg.MailboxSize),
		loaded:    make(chan struct{}),
		interrupt: func(error) {},
	}
	cfg := &rt.cfg
	c.env = agent.Env{
		RAG: cfg.RAG, Choices: cfg.Choices, Speaker: cfg.Speaker, Peers: peers{c}, Logger: cfg.Logger, Now: cfg.Now,
		Location: cfg.Location, LookUp: cfg.StoreTimeout, Go: rt.goes,
	}
	c.record = facts{Name: req.Name, Username: req.Username, Owner: req.Owner, Platform: platform}
	c.inbox = []work{{do: c.load}}
	return c
}

// platform is what BAF calls its WebSocket platform in the table session.
const platform = "WebSocketPlatform"

// startLocked starts the goroutine if there is work and none exists.
func (c *conversation) startLocked(ctx context.Context) {
	if c.running || len(c.inbox) == 0 && !c.check && !c.debts.due() {
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

// next takes the next piece of work, or ends the goroutine. What is owed comes
// first, then steps, then what else was asked after the events they are about.
func (c *conversation) next(ctx context.Context) (work, context.Context, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.interrupt(nil) // releases the context of the work before
	c.interrupt, c.acting, c.current, c.turns, c.taken = func(error) {}, false, nil, nil, 0
	select {
	case <-c.rt.closing:
		if !c.debts.due() {
			c.running = false
			c.wake.stop()
			c.refuseLocked()
			c.dropLocked()
			return work{}, nil, false
		}
	default:
	}
	c.arriveLocked()
	var w work
	switch {
	case c.debts.due():
		w.do = c.repay
	case c.check && !c.debts.resets():
		w.do = c.act
	case len(c.inbox) > 0:
		w = c.inbox[0]
		c.inbox[0] = work{}
		c.inbox = c.inbox[1:]
	default:
		c.running = false
		if c.inbox = nil; len(c.pending) == 0 {
			c.pending = nil // an idle session keeps nothing that it can do without
		}
		c.armLocked(ctx)
		c.owingLocked(ctx)
		c.debts.tried = false
		c.dropLocked()
		return work{}, nil, false
	}
	c.debts.tried = false
	ctx, cancel := context.WithTimeout(ctx, c.rt.cfg.TurnTimeout)
	workCtx, interrupt := context.WithCancelCause(ctx)
	c.interrupt = func(cause error) {
		interrupt(cause)
		cancel()
	}
	return w, workCtx, true
}

// dropLocked takes a session that nobody uses, and that owes nothing, out of
// memory.
func (c *conversation) dropLocked() {
	select {
	case <-c.rt.closing:
	default:
		if len(c.debts.list) > 0 {
			return
		}
	}
	if !c.running && len(c.inbox) == 0 && !c.check && len(c.listeners) == 0 && len(c.peers) == 0 && c.users == 0 && !c.gone {
		c.leaveAlarmLocked()
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
	c.greetedLocked()
	c.wake.stop()
	c.debts.stop()
	c.rt.forget(c)
}

// load is the first piece of work: it reads or creates the session, and queues
// the greeting of a new one and the events that wait.
func (c *conversation) load(ctx context.Context) {
	defer close(c.loaded)
	ctx, cancel := context.WithTimeout(ctx, c.rt.cfg.StoreTimeout)
	defer cancel()
	record, created, err := c.rt.cfg.Store.OpenSession(ctx, c.asRecord())
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.endLocked(fmt.Errorf("open session %s: %w", c.key.ID, err))
		c.returnAlarmLocked(err)
		return
	}
	waiting := record.Pending
	c.adopt(record)
	c.seq, c.resetSeq, c.resumed, c.done, c.latest = record.Seq, record.ResetSeq, !created, record.Turn, record.Turn
	if c.refuseStrangersLocked() {
		return
	}
	if record.State == "" { // new, or its greeting was never stored
		c.greeting, c.greetBy = make(chan struct{}), time.Now().Add(MaxGreetingWait)
		c.inbox = append(c.inbox, work{do: c.greetFirst})
	} else {
		c.check = c.rt.machine.Moves(c.place.State) // its conditions may hold by now
	}
	for _, r := range waiting {
		p := newPending(storedEvent(r), r.Message)
		p.old = true
		if r.Begun {
			c.inbox = append(c.inbox, work{do: func(ctx context.Context) { c.apologize(ctx, p) }, turn: p.Event.Turn})
			continue
		}
		c.inbox = append(c.inbox, work{arrived: p})
	}
	for _, s := range c.listeners {
		s.openedLocked(nil)
	}
	c.resumed = true // for those who come later
}
