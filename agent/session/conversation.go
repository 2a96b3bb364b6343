package session

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"docent/agent"
	"docent/agent/chat"
	"docent/agent/peer"
	"docent/agent/session/journal"
	"docent/internal/errlog"
	"docent/internal/fault"
	"docent/internal/quota"
	"docent/internal/trace"
	"docent/payload"
	"docent/rag/corpus"
)

// conversation is a session in memory. One goroutine, the owner, runs from loading the session
// until it leaves memory. The owner takes calls and work from the mailbox, one at a time, and is
// the only writer to the store. The steps of a turn run in their own goroutine, so that the owner
// can store messages meanwhile. The owner ends the turn with one write.
type conversation struct {
	rt  *Runtime
	key journal.SessionKey
	env agent.Env
	// links connect the session to other agents.
	links *peer.Links

	// loaded is closed when the session is loaded or loading has failed.
	loaded chan struct{}
	// left is closed when the session has left memory.
	left chan struct{}

	// Only the owner uses the following fields. Everybody may read store.Session after loaded is
	// closed.
	store   journal.Writer
	record  facts
	place   agent.Place
	event   *chat.Event // the last consumed event; nil if there is none or the agent never asks for it
	carried int         // moves without an event in the turn that has just failed
	created bool        // this load has created the session
	unused  bool        // and it leaves memory without an event

	mu       sync.Mutex // guards the following fields, and the turn's record
	mail     mailbox
	clients  clients
	sched    schedule
	greeting greeting
	queue    queue
	current  *openTurn     // the running turn, or nil
	ending   []int64       // finished turns whose end clients have not received
	latest   int64         // the newest known turn
	payer    quota.Client  // the client that opened it or whose event came last, or the owner
	parent   trace.Parent  // the span of that event
	reader   corpus.Reader // the owner; limited unless the client whose event came last was not
}

// facts are the parts of a journal.SessionRecord that a session in memory keeps.
type facts struct {
	Name, Username, Owner, Platform, Channel string
	Variables                                map[string]json.RawMessage
}

func newConversation(rt *Runtime, key journal.SessionKey, req OpenRequest) *conversation {
	cfg := &rt.cfg
	c := &conversation{rt: rt, key: key, loaded: make(chan struct{}), left: make(chan struct{})}
	c.record = facts{Name: req.Name, Username: req.Username, Owner: req.Owner, Platform: platform, Channel: req.Channel}
	c.store = journal.Writer{
		Reader: journal.Reader{Store: cfg.Store, Name: key.ID, Timeout: storeTimeout},
		Load:   uuid.NewString(), Closing: rt.closing, Observe: rt.meters.commits.Observe,
	}
	c.mail = newMailbox(c)
	c.clients = clients{c: c}
	c.sched = schedule{rt: rt, session: key.ID}
	c.queue = queue{slots: make(chan struct{}, cfg.QueueSize)}
	c.links = rt.peers.Links(key.Agent+"/"+key.ID, peerMailbox{c})
	c.env = agent.Env{
		Choices: cfg.Choices, Speaker: cfg.Speaker, Peers: c.links, Logger: cfg.Logger, Now: cfg.Now,
		LookUp: storeTimeout, Go: rt.goes,
	}
	return c
}

// platform is the name of BAF's WebSocket platform in the table session.
const platform = "WebSocketPlatform"

// run is the owner's goroutine.
func (c *conversation) run(ctx context.Context) {
	defer c.rt.running.Done()
	c.open(ctx)
	var timer *time.Timer
	closing := c.rt.closing
	for {
		do, wait, ok := c.next(ctx)
		if !ok {
			c.discard(ctx)
			return
		}
		if do != nil {
			do()
			continue
		}
		var up <-chan time.Time // blocks forever without a timer
		if wait != forever && closing != nil {
			if timer == nil {
				timer = time.NewTimer(wait)
				defer timer.Stop()
			}
			timer.Reset(wait)
			up = timer.C
		}
		select {
		case <-c.mail.wakeup:
		case <-up:
			c.mu.Lock()
			if c.current == nil {
				c.sched.timeUpLocked()
			}
			c.mu.Unlock()
		case <-closing:
			closing = nil // only the end of the running turn is left to wait for
		}
	}
}

// forever is the wait of an owner without a scheduled check.
const forever time.Duration = -1

// next returns the next work of the owner, or the time to wait for it. It returns false if the
// session has left memory.
func (c *conversation) next(ctx context.Context) (do func(), wait time.Duration, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.current
	switch {
	case t != nil && t.returned:
		return func() { t.finish(ctx) }, 0, true
	case c.mail.gone != nil:
		c.mail.failLocked(c.mail.gone, nil)
		return nil, forever, t != nil
	case t == nil && c.mail.reset == emptied:
		return func() { c.act(ctx, true) }, 0, true
	case t == nil && c.mail.reset == resetDue:
		return func() { c.reset(ctx) }, 0, true
	}
	if q := c.mail.takeLocked(c.current); q != nil {
		return func() { q.run(ctx) }, 0, true
	}
	if t != nil {
		do, wait = t.besideLocked(ctx)
		return do, wait, true
	}
	if c.rt.isClosing() {
		c.endLocked(errClosing)
		c.mail.failLocked(errClosing, nil)
		return nil, 0, false
	}
	if c.queue.arrive() {
		c.sched.eventLocked()
	}
	if c.sched.check {
		return func() { c.act(ctx, false) }, 0, true
	}
	if w, ok := c.queue.next(); ok {
		if w.greet {
			return func() { c.act(ctx, true) }, 0, true
		}
		return func() { c.work(ctx, w) }, 0, true
	}
	wait = c.sched.armLocked(c.place)
	c.restLocked()
	return nil, wait, c.mail.gone == nil
}

// besideLocked returns the work of the owner while a turn runs.
func (t *openTurn) besideLocked(ctx context.Context) (do func(), wait time.Duration) {
	c := t.c
	if t.record.FlushAt.IsZero() {
		return nil, forever
	}
	if wait := time.Until(t.record.FlushAt); wait > 0 {
		return nil, wait
	}
	return func() {
		if err := t.flush(ctx); err != nil {
			c.logError(ctx, "store replies early", err, "turn", t.number)
		}
	}, 0
}

// work runs work that is not a turn.
func (c *conversation) work(ctx context.Context, w work) {
	ctx, cancel := context.WithTimeout(ctx, c.rt.cfg.TurnTimeout)
	defer cancel()
	w.do(ctx)
	if w.slot {
		<-c.queue.slots
	}
}

// restLocked unloads a session without users. It also releases unused memory of an idle session.
func (c *conversation) restLocked() {
	c.queue.shrink()
	if len(c.clients.list) > 0 || !c.links.None() || !c.mail.emptyLocked() {
		return
	}
	if c.unused = c.rt.cfg.Unused != nil && c.created && c.latest == 0; c.unused {
		c.mail.goneLocked(errDropped) // the owner discards it
		return
	}
	c.sched.leaveLocked()
	c.endLocked(errDropped)
}

// errDropped is internal. A caller that receives it opens the session again.
var errDropped = fault.New(fault.Unavailable, "session_unloaded", "docent unloaded the session")

// endLocked makes the conversation unusable. Opening the session again creates another
// conversation.
func (c *conversation) endLocked(err error) {
	if c.mail.gone != nil {
		return
	}
	c.mail.goneLocked(err)
	c.forgetLocked()
}

// forgetLocked drops the conversation from memory.
func (c *conversation) forgetLocked() {
	c.greeting.end()
	c.rt.forget(c)
	close(c.left)
}

// open reads or creates the session. It queues the greeting of a new session and the stored events.
func (c *conversation) open(ctx context.Context) {
	defer close(c.loaded)
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	record, created, err := journal.SessionRecord{}, false, errClosing
	if !c.rt.isClosing() {
		f, now := &c.record, c.rt.cfg.Now()
		record, created, err = c.rt.cfg.Store.OpenSession(ctx, journal.SessionRecord{
			Key: c.key, Name: f.Name, Username: f.Username, Owner: f.Owner, Address: c.payer.Address, Platform: f.Platform, Channel: f.Channel,
			CreatedAt: now, UpdatedAt: now, Replica: c.rt.replicaID(),
		})
	}
	var briefs map[int64]bool
	if err == nil {
		briefs, err = startedBriefs(ctx, c.rt.cfg.Store, record)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.endLocked(fmt.Errorf("open session %s: %w", c.key.ID, err))
		if journal.HeldBy(err) == nil { // otherwise the other replica has an alarm
			c.sched.giveBack(err)
		}
		return
	}
	c.adopt(record)
	c.created, c.clients.hidden = created, record.Hidden
	c.clients.seq, c.clients.resetSeq, c.clients.resumed, c.latest = record.Seq, record.ResetSeq, !created, record.Turn
	if c.refuseOthersLocked() {
		return
	}
	if record.State == "" { // the session is new, or its greeting was never stored
		c.greeting.expect()
		c.queue.add(work{greet: true})
	} else {
		c.sched.check = c.rt.programs.machine().Moves(c.place.State) // conditions may hold now
	}
	for _, r := range record.Pending {
		p := newQueuedEvent(r.Event(), r.Message)
		p.old = true
		if p.begun = r.Begun; r.Begun && !briefs[r.Turn] {
			c.queue.add(work{do: func(ctx context.Context) { c.apologize(ctx, p) }, turn: p.Event.Turn})
			continue
		}
		c.queue.add(work{arrived: p})
	}
	for _, s := range c.clients.list {
		s.openedLocked()
	}
	c.clients.resumed = true // for later clients
}

// adopt takes over the stored state of the session.
func (c *conversation) adopt(record journal.SessionRecord) {
	c.event = nil
	if record.Last.ID != 0 && c.rt.programs.machine().Remembers() {
		last := record.Last.Event()
		c.event = &last
	}
	c.store.Session, c.store.Fence = record.RowID, record.Fence
	c.record = facts{
		Name: record.Name, Username: record.Username, Owner: record.Owner, Platform: record.Platform, Variables: record.Variables,
	}
	c.reader = corpus.Reader{Principal: record.Owner, Limited: true}
	c.payer = cmp.Or(c.payer, quota.Client{Principal: record.Owner, Address: record.Address})
	c.place = agent.Place{State: c.rt.programs.machine().Find(record.State), Entered: record.EnteredAt}
	c.place.Deadline = agent.Deadline(record.Variables, c.place.State)
	c.place.Zone = agent.Zone(record.Variables, c.rt.programs.location())
	if c.place.Entered.IsZero() {
		c.place.Entered = c.rt.cfg.Now()
	}
}

// refuseOthersLocked removes clients that must not use the session. If the session has no other
// clients, it leaves memory before anything runs.
func (c *conversation) refuseOthersLocked() (all bool) {
	before := len(c.clients.list)
	c.clients.list = slices.DeleteFunc(c.clients.list, func(s *Subscription) bool {
		s.refused = s.excluded()
		return s.refused
	})
	if len(c.clients.list) == before || len(c.clients.list) > 0 || c.mail.users > 0 {
		return false
	}
	c.endLocked(errDropped)
	c.sched.giveBack(errDropped)
	return true
}

// openLocked returns the unfinished turns.
func (c *conversation) openLocked() []payload.OpenTurn {
	running := slices.Clone(c.ending)
	if c.current != nil {
		running = append(running, c.current.turns...)
	}
	open := make([]payload.OpenTurn, 0, len(running))
	for _, turn := range running {
		open = append(open, payload.OpenTurn{Turn: turn, State: payload.Running})
	}
	for _, turn := range c.queue.turns() {
		open = append(open, payload.OpenTurn{Turn: turn, State: payload.Waiting})
	}
	slices.SortStableFunc(open, func(a, b payload.OpenTurn) int { return cmp.Compare(a.Turn, b.Turn) })
	return slices.CompactFunc(open, func(a, b payload.OpenTurn) bool { return a.Turn == b.Turn })
}

// logError logs a failure in the session.
func (c *conversation) logError(ctx context.Context, what string, err error, attrs ...any) {
	errlog.Failure(ctx, c.rt.cfg.Logger, c.key.ID, what, err, attrs...)
}
