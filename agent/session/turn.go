package session

import (
	"context"
	"errors"
	"sync"
	"time"

	"docent/agent"
	"docent/internal/fault"
	"docent/payload"
)

// turn is what is made of one event, until it is committed. Bodies may use it
// from several goroutines at once. It implements Backend.
type turn struct {
	c       *conversation
	steps   *agent.Turn
	number  int64    // 0 if no event began it
	began   *pending // the event that did; nil if none
	since   time.Time
	commits int64 // the conversation's when it began

	// What follows belongs to the conversation's goroutine.
	greeting bool         // it greets
	result   agent.Result // what the steps came to, once they are over
	failed   error        // what clients are told of; also guarded by mu
	told     bool         // those that stream were told with the seq of the apology; also guarded by mu

	flushing chan struct{} // a lock: holds a value while entries are written; taken before mu

	mu      sync.Mutex // guards what follows
	over    bool
	handled []*pending
	record  record
}

// begin makes a turn of the session as it is.
func (c *conversation) begin() *turn {
	t := &turn{c: c, since: time.Now(), flushing: make(chan struct{}, 1)}
	t.steps = c.rt.machine.Begin(t, &c.env, agent.Start{
		ID: c.key.ID, Name: c.record.Name, Username: c.record.Username, Platform: c.record.Platform,
		Place: c.place, Event: c.event, Variables: c.record.Variables, Moves: c.carried,
	})
	c.carried = 0
	c.mu.Lock()
	defer c.mu.Unlock()
	c.acting, c.current = true, t
	t.record.after, t.commits = c.seq, c.commits
	return t
}

// Waiting implements Backend.
func (t *turn) Waiting() []*agent.Pending { return t.c.waiting() }

// Claim implements Backend.
func (t *turn) Claim(event *agent.Pending, begins bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return false
	}
	p, ok := t.c.claim(event)
	if ok {
		t.takeLocked(p, begins)
	}
	return ok
}

// takeLocked makes an event part of the turn.
func (t *turn) takeLocked(p *pending, begins bool) {
	if begins {
		t.number, t.began = p.Event.Turn, p
	}
	t.handled = append(t.handled, p)
	if p.message.Type != "" {
		t.record.talk = append(t.record.talk, &p.message)
	}
}

// act runs one turn: it takes steps until the next one would begin another turn
// or there is none.
func (c *conversation) act(ctx context.Context) {
	t := c.begin()
	idle := t.steps.Steps(ctx)
	c.acted(ctx, t, idle)
}

// acted ends a turn whose steps are over.
func (c *conversation) acted(ctx context.Context, t *turn, idle bool) {
	if idle {
		c.mu.Lock()
		c.check, c.circled = false, t.steps.Result().Circling
		c.mu.Unlock()
	}
	c.finish(ctx, t)
	if r := &t.result; !idle && len(r.Failures) > 0 && !r.Circling { // or states that fail would go round in circles unseen
		c.carried = r.Moves
	}
	if idle {
		c.hold(ctx)
	}
}

// turns are the numbers of the turns it ends, at least its own.
func (t *turn) turns() []int64 {
	out := []int64{t.number}
	for _, p := range t.handled {
		if p != t.began {
			out = append(out, p.Event.Turn)
		}
	}
	return out
}

// changed reports whether there is anything to commit.
func (t *turn) changed() bool {
	r := &t.result
	return r.Started || len(r.Set) > 0 || len(r.Delete) > 0 || len(t.record.entries) > 0
}

// close ends what goes on beside the body.
func (t *turn) close() {
	t.flushing <- struct{}{}
	defer func() { <-t.flushing }()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	t.steps.Close()
	t.result = t.steps.Result()
	if t.record.timer != nil {
		t.record.timer.Stop()
	}
}

var (
	// errReset is why a turn's context ended when its session was reset.
	errReset = fault.New(fault.Canceled, "the conversation was reset")
	// errDeleted is why a conversation ends whose session has been deleted.
	errDeleted = fault.New(fault.NotFound, "the conversation was deleted")
	// errCutShort is why a turn failed that said something and was not committed.
	errCutShort = fault.New(fault.Unavailable, "docent was stopped in the middle of this answer; ask again")
)

// greet runs the initial state's body, and what follows it.
func (c *conversation) greet(ctx context.Context) {
	t := c.begin()
	t.greeting = true
	c.mu.Lock()
	c.check = true
	c.mu.Unlock()
	idle := t.steps.Greet(ctx)
	c.acted(ctx, t, idle)
}

// apologize ends the turn of an event that was cut short after it had said
// something: it must not be answered twice.
func (c *conversation) apologize(ctx context.Context, p *pending) {
	t := c.begin()
	t.mu.Lock()
	t.takeLocked(p, true)
	t.record.resumed = true
	t.mu.Unlock()
	t.steps.Fail(p.Pending, errCutShort)
	c.finish(ctx, t)
}

// finish commits a turn, whether its bodies failed or not, and then sends what
// it said and is not sent yet.
func (c *conversation) finish(ctx context.Context, t *turn) {
	t.close()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, p := range t.handled {
			c.free(p)
		}
	}()
	cause := context.Cause(ctx)
	switch {
	case errors.Is(cause, errReset): // what it did is about to be removed
		c.settle()
		c.end(t, payload.TurnFinished{Outcome: payload.Failed})
		return
	case errors.Is(cause, errInterrupted), errors.Is(cause, errDeleted): // it runs again after the restart, or never
		return
	case t.result.Resetting:
		c.settle()
		c.end(t, payload.TurnFinished{Outcome: payload.Done})
		c.resetSoon()
		return
	case !t.changed():
		return
	}
	outcome, failed := c.conclude(ctx, t, cause)
	err := c.commit(ctx, t, c.outcome(t), func(written Written) error {
		c.place, c.record.Variables = t.result.Place, t.result.Variables
		if last := t.result.Event; last.Name != "" && c.rt.machine.Remembers() {
			c.event = &last
		}
		if t.result.Started {
			c.awake()
		}
		c.settle()
		c.present(ctx, t, written)
		if failed != nil && !failure(written) { // it was answered elsewhere
			failed, outcome = nil, payload.Done
		}
		return nil
	})
	if err != nil {
		c.logError(ctx, "commit turn", err, "turn", t.number)
		c.keep(t)
		c.settle()
		c.owe(ctx, t, err)
		failed = err
	}
	if failed != nil {
		c.fail(t, failed)
		return
	}
	c.end(t, payload.TurnFinished{Outcome: outcome, Usage: t.result.Usage})
}

// conclude says how a turn ended, also in what it leaves behind.
func (c *conversation) conclude(ctx context.Context, t *turn, cause error) (payload.Outcome, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := c.rt.cfg.Now()
	if t.result.Stopped || errors.Is(cause, agent.ErrStopped) {
		t.record.stopped(t, now)
		return payload.Stopped, nil
	}
	if len(t.result.Failures) == 0 {
		return payload.Done, nil
	}
	for _, err := range t.result.Failures {
		c.logError(ctx, "state body failed", err, append([]any{"turn", t.number, "state", t.result.Place.State}, agent.OwnText(err)...)...)
	}
	t.failed = t.result.Failures[0]
	t.record.apologize(t, t.failed, now)
	return payload.Failed, t.result.Failures[0]
}

// outcome is the turn as it is to be stored.
func (c *conversation) outcome(t *turn) TurnRecord {
	r := TurnRecord{
		Session: c.record.RowID, Turn: t.number,
		State: t.result.Place.State, EnteredAt: t.result.Place.Entered, WakeAt: c.wakeAt(t.result.Place),
		Set: t.result.Set, Delete: t.result.Delete, Transitions: t.result.Transitions, Predictions: t.result.Predictions,
	}
	for _, p := range t.handled {
		r.Handled, r.Last = append(r.Handled, p.Event.ID), p.Event.ID
	}
	return r
}

// failure reports whether a turn's last message says that it failed; nothing
// said at all is a failure of what no event began, unless that is what was
// stored before.
func failure(written Written) bool {
	for i := len(written.Entries) - 1; i >= 0; i-- {
		if m := written.Entries[i].Message; m != nil {
			return m.ClientID == agent.FailedID || !written.Repeated && m.Turn == 0
		}
	}
	return !written.Repeated
}

// settle tells that the turn at hand is over, before the clients hear of it: a
// message that is sent again from then on is sent after its turn.
func (c *conversation) settle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.acting, c.current = false, nil
	for _, turn := range c.turns {
		c.done = max(c.done, turn)
	}
	c.turns, c.ending = nil, c.turns // a client that comes now hears that they end
}

// fail tells the clients that a turn failed which have not been told.
func (c *conversation) fail(t *turn, err error) {
	t.mu.Lock()
	told := t.told
	t.mu.Unlock()
	for _, d := range t.failure(err, c.rt.cfg.Now()) {
		if d.Audience == Streaming && !told || d.Audience == Plain && !t.unspoken(err) {
			c.deliver(d)
		}
	}
	c.end(t, payload.TurnFinished{Outcome: payload.Failed, Usage: t.result.Usage})
}

// failure is how clients are told that the turn failed.
func (t *turn) failure(err error, now time.Time) []Delivery {
	id := ""
	if t.began != nil {
		id = t.began.message.ClientID
	}
	all := Failure(err, id)
	for i := range all {
		all[i].Frame.Time, all[i].Frame.Turn = now, &t.number
		t.answering(&all[i].Frame)
		if errors.Is(err, ErrTooManyHops) && all[i].Frame.Correlation != "" {
			all[i].Frame.Hops = payload.MaxHops // it goes on to who began, and no agent answers it
		}
	}
	return all
}

// end tells the clients that stream that turns are over. For what no event
// began nobody waits.
func (c *conversation) end(t *turn, f payload.TurnFinished) {
	turns := t.turns()
	c.rt.meters.ended(f.Outcome, turns, t.since)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, turn := range turns {
		if turn != 0 && len(c.listeners) > 0 {
			c.deliverLocked(c.streamed(turn, payload.TurnFinishedAction, f))
		}
		f.Usage = nil
	}
	c.ending = nil
}

// unspoken reports whether a failure is not to be told in words: an agent that
// is no docent and is stopped because it answers would answer that as well.
func (t *turn) unspoken(failed error) bool {
	return errors.Is(failed, ErrTooManyHops) && t.began != nil && t.began.message.Sender == agent.SenderAgent && t.began.Event.Request() == ""
}

// answering marks a frame as an answer to the request of an agent that the turn
// is about, if it is.
func (t *turn) answering(f *payload.Frame) {
	if t.began == nil {
		return
	}
	e := &t.began.Event
	if f.Correlation = e.Request(); f.Correlation != "" || e.Hops > 0 {
		f.Hops = min(e.Hops+1, payload.MaxHops)
	}
}

// keep remembers the events of a turn that could not be committed: sent again
// with their ids, they are answered.
func (c *conversation) keep(t *turn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range t.handled {
		if p.message.ClientID == "" || len(c.failed) >= c.rt.cfg.HeldEvents {
			continue
		}
		if c.failed == nil {
			c.failed = map[int64]*pending{}
		}
		c.failed[p.Event.Turn] = p
	}
	if t.began == nil { // it would be tried again at once
		c.check = false
	}
}

// lose ends a conversation whose session has been deleted, and tells its clients
// but the one that gets err from its own call, if any.
func (c *conversation) lose(err error, caller *Subscription) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.gone {
		for _, s := range c.listeners {
			if l, ok := s.listener.(Leaver); ok && s != caller {
				l.Gone()
			}
		}
	}
	c.endLocked(err)
	for _, w := range c.inbox {
		if w.arrived != nil {
			c.free(w.arrived)
		} else {
			c.release(w)
		}
	}
	for _, p := range c.pending {
		c.free(p)
	}
	c.inbox, c.pending, c.check, c.debts.list = nil, nil, false, nil
	c.interrupt(errDeleted)
	c.closePeersLocked(errDeleted)
}
