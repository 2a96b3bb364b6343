package session

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"docent/agent/peer"

	"github.com/google/uuid"

	"docent/agent"
	"docent/agent/session/journal"
	"docent/internal/fault"
)

// conversation is a session in memory. One goroutine, the owner, belongs to it
// from loading to leaving memory. The owner takes calls and work from the
// mailbox, one after the other, and alone writes to the store. The steps of a
// turn run in a goroutine of their own, so that the owner can store messages
// meanwhile; the owner ends the turn by one write.
type conversation struct {
	rt  *Runtime
	key journal.SessionKey
	env agent.Env
	// links connect the session to other agents.
	links *peer.Links

	// loaded is closed once the session is loaded or failed to be.
	loaded chan struct{}
	// wakeup holds a value if the owner has something to look at.
	wakeup chan struct{}

	// What follows belongs to the owner; record.RowID may be read by all once
	// loaded is closed.
	record  facts
	place   agent.Place
	event   *agent.Event // taken last; nil if none was, or nothing can ask for it
	carried int          // moves without an event of the turn that failed just now
	load    string       // begins the keys of commits
	writes  int          // ends them
	alarm   *sleeper     // that loading the session took from the runtime's

	mu         sync.Mutex // guards what follows, and the turn's record
	calls      []*call
	queue      queue
	check      bool    // a step is to be taken
	checkAgain bool    // and another one, as something else happened
	circled    bool    // states led to each other without end, and nothing happened since
	resetting  bool    // the session is to be emptied, and to greet
	emptied    bool    // it is emptied, and is to greet
	current    *turn   // the one that runs; nil if none does
	ending     []int64 // turns that are over, before clients get their end
	listeners  []*Subscription
	ended      string // the thread of which clients were told that it is at its end
	users      int    // those in the middle of something that needs the session
	seq        int64  // of the last delivered entry; all entries before it are delivered
	resetSeq   int64  // as in journal.SessionRecord
	latest     int64  // the turn given last, as far as is known
	commits    int64  // counts what was written
	resumed    bool
	greeting   chan struct{} // closed when the greeting that load queued is over; nil if none is to come
	greetBy    time.Time     // when nobody waits for it any more
	gone       bool          // not in the runtime's map any more
	err        error         // why it is gone
	wakeAt     time.Time     // when timed conditions are looked at next, by RuntimeConfig.Now; zero if never
	wakeDue    time.Time     // the same by the system's clock
	backoff    time.Duration // how long the session slept before it was woken in vain
}

// facts are the parts of a journal.SessionRecord that a session in memory keeps.
type facts struct {
	RowID                           int64
	Name, Username, Owner, Platform string
	Variables                       map[string]json.RawMessage
}

// asRecord is the session as it is stored if it is new.
func (c *conversation) asRecord() journal.SessionRecord {
	f, now := &c.record, c.rt.cfg.Now()
	return journal.SessionRecord{
		Key: c.key, RowID: f.RowID, Name: f.Name, Username: f.Username, Owner: f.Owner, Platform: f.Platform, Variables: f.Variables,
		CreatedAt: now, UpdatedAt: now,
	}
}

func newConversation(rt *Runtime, key journal.SessionKey, req OpenRequest) *conversation {
	c := &conversation{
		rt:     rt,
		key:    key,
		load:   uuid.NewString(),
		loaded: make(chan struct{}),
		wakeup: make(chan struct{}, 1),
		queue:  queue{slots: make(chan struct{}, rt.cfg.MailboxSize)},
	}
	c.links = rt.peers.Links(key.Agent+"/"+key.ID, peerMailbox{c})
	cfg := &rt.cfg
	c.env = agent.Env{
		RAG: cfg.RAG, Choices: cfg.Choices, Speaker: cfg.Speaker, Peers: c.links, Logger: cfg.Logger, Now: cfg.Now,
		Location: cfg.Location, LookUp: cfg.StoreTimeout, Go: rt.goes,
	}
	c.record = facts{Name: req.Name, Username: req.Username, Owner: req.Owner, Platform: platform}
	return c
}

// platform is what BAF calls its WebSocket platform in the table session.
const platform = "WebSocketPlatform"

// signal has the owner look for something to do.
func (c *conversation) signal() {
	select {
	case c.wakeup <- struct{}{}:
	default:
	}
}

// run is the owner's goroutine.
func (c *conversation) run(ctx context.Context) {
	defer c.rt.running.Done()
	c.open(ctx)
	var timer *time.Timer
	for {
		do, wait, ok := c.next(ctx)
		if !ok {
			return
		}
		if do != nil {
			do()
			continue
		}
		var up <-chan time.Time // never, without a timer
		if wait != forever {
			if timer == nil {
				timer = time.NewTimer(wait)
				defer timer.Stop()
			}
			timer.Reset(wait)
			up = timer.C
		}
		select {
		case <-c.wakeup:
		case <-up:
			c.timeUp()
		case <-c.rt.closing:
			if !c.closing(ctx) {
				return
			}
		}
	}
}

// closing is what an owner does that learns that the runtime shuts down: it
// waits for its turn. It reports false once there is none.
func (c *conversation) closing(ctx context.Context) bool {
	for {
		do, _, ok := c.next(ctx)
		if !ok {
			return false
		}
		if do != nil {
			do()
			continue
		}
		<-c.wakeup
	}
}

// forever is how long an owner waits that waits for no time.
const forever time.Duration = -1

// next chooses what the owner does: something, or to wait; it reports false if
// the session has left memory.
func (c *conversation) next(ctx context.Context) (do func(), wait time.Duration, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.current
	switch {
	case t != nil && t.returned:
		return func() { t.finish(ctx) }, 0, true
	case c.gone:
		c.failCallsLocked(c.err, nil)
		return nil, forever, t != nil
	case t == nil && c.resetting && c.emptied:
		return func() { c.act(ctx, true) }, 0, true
	case t == nil && c.resetting:
		return func() { c.reset(ctx) }, 0, true
	}
	if q := c.callLocked(); q != nil {
		return func() { q.done <- q.do(ctx) }, 0, true
	}
	if t != nil {
		do, wait = t.besideLocked(ctx)
		return do, wait, true
	}
	if c.rt.isClosing() {
		c.endLocked(errClosing)
		c.failCallsLocked(errClosing, nil)
		return nil, 0, false
	}
	c.arriveLocked()
	switch {
	case c.check:
		return func() { c.act(ctx, false) }, 0, true
	case len(c.queue.work) > 0:
		w := c.queue.next()
		if w.greet {
			return func() { c.act(ctx, true) }, 0, true
		}
		return func() { c.work(ctx, w) }, 0, true
	}
	wait = c.armLocked()
	c.restLocked()
	return nil, wait, !c.gone
}

// besideLocked chooses what the owner does while a turn runs.
func (t *turn) besideLocked(ctx context.Context) (do func(), wait time.Duration) {
	c := t.c
	if t.record.flushAt.IsZero() {
		return nil, forever
	}
	if wait := time.Until(t.record.flushAt); wait > 0 {
		return nil, wait
	}
	return func() {
		if err := t.flush(ctx); err != nil {
			c.logError(ctx, "store replies early", err, "turn", t.number)
		}
	}, 0
}

// work does something that is no turn.
func (c *conversation) work(ctx context.Context, w work) {
	ctx, cancel := context.WithTimeout(ctx, c.rt.cfg.TurnTimeout)
	defer cancel()
	w.do(ctx)
	if w.slot {
		<-c.queue.slots
	}
}

// restLocked takes a session that nobody uses out of memory; an idle one keeps
// nothing that it can do without.
func (c *conversation) restLocked() {
	c.queue.work = nil
	if len(c.queue.pending) == 0 {
		c.queue.pending = nil
	}
	if len(c.listeners) == 0 && c.links.None() && len(c.calls) == 0 && c.users == 0 {
		c.leaveAlarmLocked()
		c.endLocked(errDropped)
	}
}

// errDropped is never shown: whoever meets it opens the session again.
var errDropped = fault.New(fault.Unavailable, "session_unloaded", "the session was dropped from memory")

// endLocked makes the conversation unusable; opening the session again makes
// another.
func (c *conversation) endLocked(err error) {
	if c.gone {
		return
	}
	c.gone, c.err = true, err
	c.greetedLocked()
	c.rt.forget(c)
}

// open reads or creates the session, and queues the greeting of a new one and
// the events that wait.
func (c *conversation) open(ctx context.Context) {
	defer close(c.loaded)
	ctx, cancel := context.WithTimeout(ctx, c.rt.cfg.StoreTimeout)
	defer cancel()
	var record journal.SessionRecord
	var created bool
	err := errClosing
	if !c.rt.isClosing() {
		record, created, err = c.rt.cfg.Store.OpenSession(ctx, c.asRecord())
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.endLocked(fmt.Errorf("open session %s: %w", c.key.ID, err))
		c.returnAlarmLocked(err)
		return
	}
	c.adopt(record)
	c.seq, c.resetSeq, c.resumed, c.latest = record.Seq, record.ResetSeq, !created, record.Turn
	if c.refuseStrangersLocked() {
		return
	}
	if record.State == "" { // new, or its greeting was never stored
		c.greeting, c.greetBy = make(chan struct{}), time.Now().Add(MaxGreetingWait)
		c.queue.add(work{greet: true})
	} else {
		c.check = c.rt.machine.Moves(c.place.State) // its conditions may hold by now
	}
	for _, r := range record.Pending {
		p := newPending(r.Event(), r.Message)
		p.old = true
		if r.Begun {
			c.queue.add(work{do: func(ctx context.Context) { c.apologize(ctx, p) }, turn: p.Event.Turn})
			continue
		}
		c.queue.add(work{arrived: p})
	}
	for _, s := range c.listeners {
		s.openedLocked()
	}
	c.resumed = true // for those who come later
}

// adopt takes over the stored state of the session.
func (c *conversation) adopt(record journal.SessionRecord) {
	c.event = nil
	if record.Last.ID != 0 && c.rt.machine.Remembers() {
		last := record.Last.Event()
		c.event = &last
	}
	c.record = facts{
		RowID: record.RowID, Name: record.Name, Username: record.Username, Owner: record.Owner,
		Platform: record.Platform, Variables: record.Variables,
	}
	c.place = agent.Place{State: c.rt.machine.Find(record.State), Entered: record.EnteredAt}
	if c.place.Entered.IsZero() {
		c.place.Entered = c.rt.cfg.Now()
	}
}
