package agent

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"docent/agent/intent"
	"docent/internal/fault"
	"docent/payload"
	"docent/rag"
)

// turn is what is made of one event, until it is committed. Bodies may use it
// from several goroutines at once.
type turn struct {
	session *Session
	number  int64    // 0 if no event began it
	began   *pending // the event that did; nil if none
	since   time.Time
	commits int64 // the conversation's when it began

	// What follows belongs to the conversation's goroutine.
	candidate *pending // that a condition is asked about; also guarded by mu
	started   bool     // something was done
	greeting  bool     // it greets
	stopped   bool     // it was stopped before it began
	moves     int      // that took no event
	logged    map[*Transition]bool
	failures  []error
	failed    error // what clients are told of; also guarded by mu
	told      bool  // those that stream were told with the seq of the apology; also guarded by mu

	flushing chan struct{} // a lock: holds a value while entries are written; taken before mu

	mu          sync.Mutex // guards what follows
	over        bool
	at          *node
	entered     time.Time
	returning   bool
	event       Event // taken last
	prediction  Prediction
	handled     []*pending
	vars        variables
	record      record
	transitions []TransitionRecord
	predictions []PredictionRecord
	usage       *payload.Usage
	resetting   bool // the body asked for a reset
}

// begin makes a turn of the session as it is.
func (c *conversation) begin() *turn {
	t := &turn{since: time.Now(), flushing: make(chan struct{}, 1), at: c.at, entered: c.entered, vars: variables{stored: c.record.Variables}}
	if c.event != nil {
		t.event = *c.event
	}
	t.session = &Session{conversation: c, turn: t}
	t.prediction = intent.Unmatched(noClassifier, t.event.Text)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.acting, c.current = true, t
	t.record.after, t.commits = c.seq, c.commits
	return t
}

// consume makes an event part of the turn.
func (t *turn) consume(p *pending) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.consumeLocked(p)
}

func (t *turn) consumeLocked(p *pending) {
	if !t.started {
		t.number, t.began, t.moves = p.event.Turn, p, 0
	}
	t.started = true
	t.event = p.event
	t.handled = append(t.handled, p)
	if p.message.Type != "" {
		t.record.talk = append(t.record.talk, &p.message)
	}
}

// moved counts a move that takes no event.
func (t *turn) moved() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return errOver
	}
	t.started = true
	if t.moves++; t.circling() {
		return errCircles
	}
	return nil
}

func (t *turn) circling() bool { return t.moves > MaxMoves }

// path are the states that the last moves led to.
func (t *turn) path() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []string
	for _, r := range t.transitions[max(0, len(t.transitions)-5):] {
		out = append(out, r.Dest)
	}
	return out
}

// fail remembers what went wrong, if anything did.
func (t *turn) fail(err error) {
	if err != nil {
		t.failures = append(t.failures, err)
	}
}

// predicted keeps what an event was understood as in the state at hand.
func (t *turn) predicted(p *pending, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	made, ok := p.predictions[t.at.name]
	if !ok {
		return
	}
	t.prediction = made
	r := PredictionRecord{
		Message: p.event.Text, Classifier: made.Classifier, Intent: made.Intent, Score: made.Score, Time: now,
	}
	for _, m := range made.Parameters {
		r.Parameters = append(r.Parameters, ParameterRecord{Name: m.Name, Value: m.Value, Info: m.Info})
	}
	t.predictions = append(t.predictions, r)
}

// count adds tokens of a model.
func (t *turn) count(u *rag.Usage) {
	if u == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.usage == nil {
		t.usage = &payload.Usage{}
	}
	t.usage.PromptTokens += u.Prompt
	t.usage.CompletionTokens += u.Completion
}

// turns are the numbers of the turns it ends, at least its own.
func (t *turn) turns() []int64 {
	out := []int64{t.number}
	for _, p := range t.handled {
		if p != t.began {
			out = append(out, p.event.Turn)
		}
	}
	return out
}

// changed reports whether there is anything to commit.
func (t *turn) changed() bool {
	return t.started || len(t.vars.set) > 0 || len(t.vars.gone) > 0 || len(t.record.entries) > 0
}

// close ends what goes on beside the body.
func (t *turn) close() {
	t.flushing <- struct{}{}
	defer func() { <-t.flushing }()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	if t.record.timer != nil {
		t.record.timer.Stop()
	}
}

var (
	// errReset is why a turn's context ended when its session was reset.
	errReset = fault.New(fault.Canceled, "session_reset", "the conversation was reset")
	// errDeleted is why a conversation ends whose session has been deleted.
	errDeleted = fault.New(fault.NotFound, "session_deleted", "the conversation was deleted")
	// errOver is what a session says whose body has returned.
	errOver = fault.New(fault.Internal, "turn_over", "the turn is over")
	// errCutShort is why a turn failed that said something and was not committed.
	errCutShort = fault.New(fault.Unavailable, "answer_interrupted", "docent was stopped in the middle of this answer; ask again")
)

// greet runs the initial state's body, and what follows it.
func (c *conversation) greet(ctx context.Context) {
	t := c.begin()
	t.started, t.greeting = true, true
	t.entered = c.rt.cfg.Now()
	t.fail(c.enter(ctx, t, t.at.body))
	c.mu.Lock()
	c.check = true
	c.mu.Unlock()
	idle := c.steps(ctx, t)
	c.finish(ctx, t)
	if idle {
		c.hold(ctx)
	}
}

// apologize ends the turn of an event that was cut short after it had said
// something: it must not be answered twice.
func (c *conversation) apologize(ctx context.Context, p *pending) {
	t := c.begin()
	t.consume(p)
	t.record.resumed = true
	t.fail(errCutShort)
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
	case t.resetting:
		c.settle()
		c.end(t, payload.TurnFinished{Outcome: payload.Done})
		c.resetSoon()
		return
	case !t.changed():
		return
	}
	outcome, failed := c.conclude(ctx, t, cause)
	err := c.commit(ctx, t, c.outcome(t), func(written Written) error {
		c.at, c.entered, c.record.Variables = t.at, t.entered, t.vars.merged()
		if last := t.event; last.Name != "" && c.rt.machine.remembers {
			c.event = &last
		}
		if t.started {
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
	c.end(t, payload.TurnFinished{Outcome: outcome, Usage: t.usage})
}

// conclude says how a turn ended, also in what it leaves behind.
func (c *conversation) conclude(ctx context.Context, t *turn, cause error) (payload.Outcome, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := c.rt.cfg.Now()
	if t.stopped || errors.Is(cause, ErrStopped) {
		t.record.stopped(t, now)
		return payload.Stopped, nil
	}
	if len(t.failures) == 0 {
		return payload.Done, nil
	}
	for _, err := range t.failures {
		c.logError(ctx, "state body failed", err, append([]any{"turn", t.number, "state", t.at.name}, ownText(err)...)...)
	}
	t.failed = t.failures[0]
	t.record.apologize(t, t.failed, now)
	return payload.Failed, t.failures[0]
}

// outcome is the turn as it is to be stored.
func (c *conversation) outcome(t *turn) TurnRecord {
	r := TurnRecord{
		Session: c.record.RowID, Turn: t.number,
		State: t.at.name, EnteredAt: t.entered, WakeAt: c.wakeAt(t.at, t.entered),
		Set: t.vars.set, Delete: t.vars.removed(), Transitions: t.transitions, Predictions: t.predictions,
	}
	for _, p := range t.handled {
		r.Handled, r.Last = append(r.Handled, p.event.ID), p.event.ID
	}
	return r
}

// failure reports whether a turn's last message says that it failed; nothing
// said at all is a failure of what no event began, unless that is what was
// stored before.
func failure(written Written) bool {
	for i := len(written.Entries) - 1; i >= 0; i-- {
		if m := written.Entries[i].Message; m != nil {
			return m.ClientID == FailedID || !written.Repeated && m.Turn == 0
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
	c.end(t, payload.TurnFinished{Outcome: payload.Failed, Usage: t.usage})
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
	return errors.Is(failed, ErrTooManyHops) && t.began != nil && t.began.message.Sender == SenderAgent && t.began.event.request() == ""
}

// answering marks a frame as an answer to the request of an agent that the turn
// is about, if it is.
func (t *turn) answering(f *payload.Frame) {
	if t.began == nil {
		return
	}
	e := &t.began.event
	if f.Correlation = e.request(); f.Correlation != "" || e.Hops > 0 {
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
		c.failed[p.event.Turn] = p
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

// marshaled is a string as JSON.
func marshaled(text string) json.RawMessage {
	content, err := payload.Marshal(text)
	if err != nil { // strings always encode
		return json.RawMessage(`""`)
	}
	return content
}
