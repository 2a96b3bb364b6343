package session

import (
	"context"
	"fmt"
	"slices"
	"time"

	"docent/agent"
	"docent/internal/fault"
	"docent/payload"
)

// Bounds of what a session owes its store.
const (
	// MaxDebts bounds the events of one session whose end is to be stored yet.
	// What is beyond is left to the next load, which runs it again.
	MaxDebts = 256
	// MaxOwing is how long a session that nobody uses stays in memory for what it
	// owes; that is left to the next load then.
	MaxOwing = 10 * time.Minute

	debtPause    = time.Second // before it is tried again; it doubles
	maxDebtPause = time.Minute
)

// debt is what the store is to know of work whose outcome could not be stored,
// so that the work is not done again unasked. One of event, reset and look is
// set.
type debt struct {
	// event is of a turn that failed.
	event   *pending // without its contents
	apology agent.ChatMessage
	err     error // that it says
	after   int64 // seq of what clients know of the turn
	// reset tells that the session is to be emptied.
	reset bool
	// look tells that a state is to be looked at again whose timed move was not
	// stored.
	look bool
}

// debts are those of a conversation, whose mu guards them.
type debts struct {
	list   []debt
	tried  bool // since other work was done
	looked bool // a state was looked at again, and nothing was committed since
	timer  *time.Timer
	pause  time.Duration
	waited time.Duration // all pauses without clients
}

// due reports whether something is owed and worth another try.
func (d *debts) due() bool { return len(d.list) > 0 && !d.tried }

// resets reports whether a reset is owed.
func (d *debts) resets() bool {
	return slices.ContainsFunc(d.list, func(x debt) bool { return x.reset })
}

// forget drops what is owed for a turn that runs again: it owes its own end.
func (d *debts) forget(turn int64) {
	d.list = slices.DeleteFunc(d.list, func(x debt) bool { return x.event != nil && x.event.Event.Turn == turn })
}

func (d *debts) stop() {
	if d.timer != nil {
		d.timer.Stop()
	}
}

// owe remembers that a turn could not be committed because of err. If that will
// not change, it is settled at once.
func (c *conversation) owe(ctx context.Context, t *turn, err error) {
	c.oweTurn(ctx, t, err)
	switch {
	case fault.KindOf(err).Retryable():
	case len(t.handled) > 0:
		told := c.settleDebts(ctx, t.number)
		t.mu.Lock()
		defer t.mu.Unlock()
		t.told = told
	case !c.moveOn(ctx, t):
		c.owePlace(t)
	}
}

func (c *conversation) oweTurn(ctx context.Context, t *turn, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		return
	}
	for _, p := range t.handled {
		if len(c.debts.list) >= MaxDebts {
			c.rt.cfg.Logger.WarnContext(ctx, "the end of too many turns is not stored: the next load runs it again",
				"session", c.key.ID, "turn", p.Event.Turn)
			continue
		}
		p := newPending(p.Event, agent.ChatMessage{})
		p.Event.Text, p.Event.JSON, p.Event.File, p.Event.Data = "", nil, nil, nil
		c.debts.list = append(c.debts.list, debt{event: p, after: t.record.after, err: err, apology: agent.ChatMessage{
			Turn: p.Event.Turn, ClientID: agent.FailedID, Type: payload.TypeStr, Content: agent.JSONString(apology(err)), Time: c.rt.cfg.Now(),
		}})
	}
	if fault.KindOf(err).Retryable() {
		c.owePlaceLocked(t)
	}
}

func (c *conversation) owePlace(t *turn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.owePlaceLocked(t)
}

// owePlaceLocked remembers that the state is to be looked at again, after a
// pause, if a timed move is what could not be stored.
func (c *conversation) owePlaceLocked(t *turn) {
	if t.number == 0 && !t.greeting && len(t.handled) == 0 && len(t.result.Transitions) > 0 && len(c.debts.list) == 0 && !c.gone {
		c.debts.list, c.debts.tried = []debt{{look: true}}, true
	}
}

// oweReset remembers that the session is to be emptied: all else that is owed
// ends with that.
func (c *conversation) oweReset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.gone {
		c.debts.list, c.debts.tried = []debt{{reset: true}}, true
	}
}

// errOwesReset is what clients are told meanwhile.
var errOwesReset = fault.New(fault.Unavailable, "this conversation could not be reset yet; try again in a moment")

// moveOn stores the state that a turn led to which no event began and that can
// never be stored as it is: it would be taken again at each load. It reports
// whether that is done.
func (c *conversation) moveOn(ctx context.Context, t *turn) bool {
	if err := c.commit(ctx, nil, TurnRecord{
		Session: c.record.RowID, State: t.result.Place.State, EnteredAt: t.result.Place.Entered, WakeAt: c.wakeAt(t.result.Place),
	}, nil); err != nil {
		c.logError(ctx, "store the state alone", err)
		return false
	}
	c.place = t.result.Place
	return true
}

// repay tries to store what is owed.
func (c *conversation) repay(ctx context.Context) { c.settleDebts(ctx, 0) }

// settleDebts stores what is owed, oldest first, until something cannot be. It
// reports whether clients were told by it that a turn failed.
func (c *conversation) settleDebts(ctx context.Context, turn int64) (told bool) {
	for {
		c.mu.Lock()
		c.debts.tried = true
		if len(c.debts.list) == 0 {
			if !c.debts.looked {
				c.debts.pause, c.debts.waited = 0, 0
			}
			c.mu.Unlock()
			return told
		}
		d := c.debts.list[0]
		c.mu.Unlock()
		failed, err := c.settleDebt(ctx, d)
		if err != nil {
			c.logError(ctx, "store what is owed", err)
			return told
		}
		told = told || failed && d.event.Event.Turn == turn
	}
}

// settleDebt stores a debt; told reports that clients were told by it that its
// turn failed.
func (c *conversation) settleDebt(ctx context.Context, d debt) (told bool, err error) {
	if d.reset {
		return false, c.resetOwed(ctx)
	}
	ctx = context.WithoutCancel(ctx)
	if d.look {
		if err := c.inOrder(ctx, func() error { return c.reload(ctx) }); err != nil {
			return false, err
		}
		c.paid()
		c.lookAgain()
		return false, nil
	}
	record := c.standing()
	record.Turn, record.Handled = d.event.Event.Turn, []int64{d.event.Event.ID}
	record.Entries, record.Links = []Entry{{Message: &d.apology}}, []Link{{Answer: 1}}
	failed := false
	err = c.commitOnce(ctx, nil, record, func(written Written) error {
		failed = failure(written)
		if written.Repeated && !failed { // it was committed all the same
			if err := c.reload(ctx); err != nil {
				return err
			}
		}
		c.paid()
		t := &turn{number: record.Turn, began: d.event, failed: d.err}
		var fresh []*entry
		for _, e := range written.Entries {
			if e.seq() > d.after { // clients have seen the steps
				fresh = append(fresh, &entry{message: e.Message, step: e.Step, shown: true})
			}
		}
		c.show(ctx, t, fresh)
		told = t.told
		return nil
	})
	if err != nil {
		if fault.KindOf(err) == fault.NotFound {
			c.lose(err, nil)
		}
		return false, fmt.Errorf("the failure of turn %d of session %s: %w", record.Turn, c.key.ID, err)
	}
	if failed {
		return told, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.failed, record.Turn)
	c.deliverLocked(c.streamed(record.Turn, payload.TurnFinishedAction, payload.TurnFinished{Outcome: payload.Done}))
	return false, nil
}

// paid drops the oldest debt.
func (c *conversation) paid() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.debts.list) > 0 { // else the session has been deleted
		c.debts.list = slices.Delete(c.debts.list, 0, 1)
	}
}

// lookAgain has the state looked at as if something had happened.
func (c *conversation) lookAgain() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.check, c.debts.looked = true, true
}

// resetOwed empties the session, which takes nothing before, and greets. It
// gives way to a client's reset, which has the lock and waits for this to end,
// and is done also while the runtime closes.
func (c *conversation) resetOwed(ctx context.Context) error {
	select {
	case c.intake <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-c.intake }()
	if err := c.empty(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	c.greet(ctx)
	return nil
}

// reload reads what the session is, which may not be as it was left. It is called
// in order.
func (c *conversation) reload(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, c.rt.cfg.StoreTimeout)
	defer cancel()
	record, _, err := c.rt.cfg.Store.OpenSession(ctx, c.asRecord())
	if err != nil {
		return fmt.Errorf("read session %s again: %w", c.key.ID, err)
	}
	if record.RowID != c.record.RowID {
		c.lose(errDeleted, nil)
		return errDeleted
	}
	c.adopt(record)
	c.fill(ctx, record.Seq)
	return nil
}

// adopt takes over what is stored of the session's state.
func (c *conversation) adopt(record SessionRecord) {
	c.event = nil
	if record.Last.ID != 0 && c.rt.machine.Remembers() {
		last := storedEvent(record.Last)
		c.event = &last
	}
	if c.record.RowID == 0 {
		c.record = facts{
			RowID: record.RowID, Name: record.Name, Username: record.Username, Owner: record.Owner, Platform: record.Platform, Variables: record.Variables,
		}
	} else { // others read RowID
		c.record.Name, c.record.Variables = record.Name, record.Variables
	}
	c.place = agent.Place{State: c.rt.machine.Find(record.State), Entered: record.EnteredAt}
	if c.place.Entered.IsZero() {
		c.place.Entered = c.rt.cfg.Now()
	}
}

// owingLocked has what is owed tried again later, or gives it up.
func (c *conversation) owingLocked(ctx context.Context) {
	d := &c.debts
	if len(d.list) == 0 {
		d.stop()
		return
	}
	if d.waited >= MaxOwing && len(c.listeners) == 0 {
		c.rt.cfg.Logger.ErrorContext(ctx, "what the session owes the store is left to its next load", "session", c.key.ID, "debts", len(d.list))
		d.list, c.check = nil, false // the next load looks
		if c.timed() && c.wake.at.IsZero() {
			c.wake.at = c.rt.cfg.Now().Add(maxBackoff)
		}
		return
	}
	d.pause = min(max(2*d.pause, debtPause), maxDebtPause)
	if d.waited += d.pause; len(c.listeners) > 0 {
		d.waited = 0
	}
	if d.timer != nil {
		d.timer.Reset(d.pause)
		return
	}
	d.timer = time.AfterFunc(d.pause, func() { c.retry(ctx) })
}

// retry tries to store what is owed, now.
func (c *conversation) retry(ctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.gone {
		c.debts.tried = false
		c.startLocked(ctx)
	}
}

// lastTry tries to store what an idle session owes, although the runtime closes;
// who calls it waits for running afterwards.
func (c *conversation) lastTry(ctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.debts.stop()
	if c.gone || c.running || len(c.debts.list) == 0 {
		return
	}
	c.debts.tried, c.running = false, true
	c.rt.running.Add(1)
	go c.run(context.WithoutCancel(ctx))
}
