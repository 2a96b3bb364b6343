package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

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

// Bounds of one turn.
const (
	// MaxReplies bounds the messages of one turn.
	MaxReplies = journal.MaxReplies
	// MaxSteps bounds the steps of reasoning and task lists of one turn.
	MaxSteps = journal.MaxSteps
)

// openTurn is a turn until it is committed. It implements agent.Backend for bodies, which may use it
// from several goroutines.
type openTurn struct {
	c       *conversation
	steps   *agent.Turn
	number  int64        // 0 without an event
	began   *queuedEvent // the event that began the turn, or nil
	since   time.Time
	commits int64 // the writes of the conversation when the turn began

	// Only the owner uses the following fields.
	greeting bool         // it runs the body of the initial state
	program  *program     // that the turn runs
	result   agent.Result // of the steps, once they have returned
	failed   error        // the failure that clients receive
	told     bool         // streaming clients have the failure with the seq of the apology

	// The conversation's mu guards the following fields.
	ctx       context.Context //nolint:containedctx // of the steps
	interrupt context.CancelCauseFunc
	returned  bool // the steps have returned
	idle      bool // and no further step is possible now
	over      bool // bodies cannot use the turn any more
	handled   []*queuedEvent
	turns     []int64 // the turns of all events that bodies took
	taken     int     // bytes of their content
	record    journal.Draft
}

// limited reports whether the turn reads without the rights of an administrator.
func (t *openTurn) limited() bool {
	reader, _ := corpus.ReaderOf(t.ctx)
	return reader.Limited
}

// begin returns a turn that starts from the current state.
func (c *conversation) begin(ctx context.Context) *openTurn {
	t := &openTurn{c: c, since: time.Now(), commits: c.store.Writes, interrupt: func(error) {}, ctx: ctx}
	t.program = c.rt.programs.enter()
	env := c.env
	env.RAG, env.Models, env.Location = t.program.RAG, t.program.Models, t.program.Location
	if c.rt.cfg.Memories != nil {
		env.Memory = memory{c.rt.cfg.Memories, c.reader.Principal, c.key.Agent, c.rt.cfg.Now}
	}
	t.steps = t.program.machine.Begin(t, &env, agent.Start{
		ID: c.key.ID, Name: c.record.Name, Username: c.record.Username, Platform: c.record.Platform,
		Place: c.place, Event: c.event, Variables: c.record.Variables, Moves: c.carried,
	})
	c.carried = 0
	return t
}

// act begins a turn and runs its steps in a goroutine. The steps end when the next one would begin
// another turn, or when none is possible.
func (c *conversation) act(ctx context.Context, greet bool) {
	c.mu.Lock()
	reader := c.reader
	if slices.ContainsFunc(c.clients.list, func(s *Subscription) bool { return s.limited }) {
		reader.Limited = true // each client sees the answer
	}
	ctx = trace.WithParent(corpus.WithReader(quota.WithClient(ctx, c.payer), reader), c.parent)
	timeout := c.queue.turnTimeout(c.rt.cfg.TurnTimeout)
	c.mu.Unlock()
	c.sched.looked = c.rt.cfg.Now()
	t := c.begin(ctx)
	t.greeting = greet
	steps, cancel := context.WithTimeout(ctx, timeout)
	steps, interrupt := context.WithCancelCause(steps)
	c.mu.Lock()
	t.ctx, t.interrupt = steps, func(cause error) {
		interrupt(cause)
		cancel()
	}
	c.current, c.sched.check, c.sched.again, c.sched.wakeAt = t, false, false, time.Time{}
	c.mu.Unlock()
	go func() { // the owner waits for it
		run := t.steps.Steps
		if greet {
			run = t.steps.Greet
		}
		idle := run(steps)
		c.mu.Lock()
		defer c.mu.Unlock()
		t.returned, t.idle = true, idle
		c.mail.signal()
	}()
}

// asked returns the message that began the turn, or nil.
func (t *openTurn) asked() *chat.Message {
	if t.began == nil {
		return nil
	}
	return &t.began.message
}

// numbers returns the turns that end with this turn, at least its own.
func (t *openTurn) numbers() []int64 {
	out := []int64{t.number}
	for _, p := range t.handled {
		if p != t.began {
			out = append(out, p.Event.Turn)
		}
	}
	return out
}

// changed reports whether the turn has something to commit.
func (t *openTurn) changed() bool {
	r := t.result
	return r.Started || len(r.Set) > 0 || len(r.Delete) > 0 || len(r.Documents) > 0 || r.Forget || !t.record.Empty()
}

// close ends work that runs beside the steps and takes their result. It returns the cause if the
// turn was interrupted.
func (t *openTurn) close() (cause error) {
	c := t.c
	c.mu.Lock()
	defer c.mu.Unlock()
	cause = context.Cause(t.ctx)
	t.interrupt(nil) // releases the context
	t.over = true
	t.steps.Close()
	t.result = t.steps.Result()
	t.record.FlushAt = time.Time{}
	if t.idle {
		c.sched.circled = t.result.Circling
	}
	c.sched.check, c.sched.again = !t.idle || c.sched.again, false
	// Otherwise states that fail could form an endless loop unnoticed.
	if r := &t.result; !t.idle && len(r.Failures) > 0 && !r.Circling {
		c.carried = r.Moves
	}
	return cause
}

var (
	// errReset ends the context of a turn whose session is reset.
	errReset = fault.New(fault.Canceled, "session_reset", "the conversation was reset")
	// errDeleted ends a conversation whose session was deleted.
	errDeleted = fault.New(fault.NotFound, "session_deleted", "the conversation was deleted")
	// errCutShort fails a turn that has replied but was not committed.
	errCutShort = fault.New(fault.Unavailable, "answer_interrupted", "docent was stopped in the middle of this answer; ask again")
)

// apologize ends an interrupted turn that has already replied. The runtime must not answer its
// event twice.
func (c *conversation) apologize(ctx context.Context, p *queuedEvent) {
	t := c.begin(ctx)
	c.mu.Lock()
	c.current, t.idle, t.turns = t, !c.sched.check, []int64{p.Event.Turn}
	t.takeLocked(p, true)
	c.sched.again = c.sched.check
	c.mu.Unlock()
	t.steps.Fail(p.Pending, c.cutShort(ctx, p.Event.Turn))
	t.finish(ctx)
}

// startedBriefs returns the interrupted turns of a stored session that go on from their stored steps: those that have begun to
// write a brief, and that advance. Other interrupted turns end with an apology, also if their event asks for a brief.
func startedBriefs(ctx context.Context, store journal.Store, record journal.SessionRecord) (map[int64]bool, error) {
	asked := func(e journal.EventRecord) bool { return e.Begun && len(e.Event().Options.Brief) > 0 }
	if !slices.ContainsFunc(record.Pending, asked) {
		return map[int64]bool{}, nil
	}
	stored, err := store.Steps(ctx, record.RowID, journal.MessageQuery{Last: maxCutSteps})
	if err != nil {
		return nil, fmt.Errorf("steps of an interrupted brief: %w", err)
	}
	steps := map[int64][]chat.Reasoning{}
	for _, r := range stored {
		steps[r.Turn] = append(steps[r.Turn], r)
	}
	out := map[int64]bool{}
	for _, e := range record.Pending {
		out[e.Turn] = asked(e) && agent.BriefGoesOn(steps[e.Turn])
	}
	return out, nil
}

// cutShort returns the error of an interrupted turn. Calls that the user has allowed are not repeated, so the user learns
// about them.
func (c *conversation) cutShort(ctx context.Context, turn int64) error {
	stored, err := c.rt.cfg.Store.Steps(ctx, c.store.Session, journal.MessageQuery{Last: maxCutSteps})
	if err != nil {
		c.logError(ctx, "read the steps of an interrupted turn", err, "turn", turn)
		return errCutShort
	}
	open := map[string]string{} // names of approved calls without a result, by their arguments
	made := ""
	for _, r := range stored {
		var step struct {
			Details struct {
				payload.ToolCallsDetails
				payload.ToolResultDetails
			} `json:"details"`
		}
		if r.Turn != turn || json.Unmarshal(r.Payload, &step) != nil {
			continue
		}
		d := step.Details
		for _, call := range d.ToolCalls {
			if slices.Contains(d.Approved, call.ID) {
				open[call.Name+string(call.Arguments)] = call.Name
			}
		}
		key := d.Name + string(d.Arguments)
		if name := open[key]; name != "" && payload.StepKind(r.StepKind) == payload.StepToolResult {
			made = name
			delete(open, key)
		}
	}
	for _, name := range open {
		return fault.New(fault.Unavailable, "approved_call_interrupted",
			"docent was stopped while it called %s; check whether the call took effect before you ask again", name)
	}
	if made != "" {
		return fault.New(fault.Unavailable, "approved_call_made",
			"docent was stopped after it had called %s; do not ask for this call again", made)
	}
	return errCutShort
}

// maxCutSteps limits the steps that cutShort reads.
const maxCutSteps = 200

// commit writes a record, with the entries of turn t unless t is nil.
func (c *conversation) commit(ctx context.Context, t *openTurn, record journal.TurnRecord) (journal.Written, error) {
	if t != nil {
		c.mu.Lock()
		t.record.Fill(&record)
		c.mu.Unlock()
		ctx = trace.WithParent(ctx, trace.ParentOf(t.ctx))
	}
	written, err := c.store.Commit(ctx, record)
	if fault.KindOf(err) == fault.NotFound {
		c.lose(err, nil)
	}
	if err == nil && t != nil && !written.Repeated {
		c.mu.Lock()
		defer c.mu.Unlock()
		t.record.Wrote(written.Entries)
	}
	return written, err //nolint:wrapcheck // it names the session
}

// finish ends a turn whose steps have returned. It commits the turn, even if bodies failed, and
// then sends the unsent entries.
func (t *openTurn) finish(ctx context.Context) {
	c := t.c
	cause := t.close()
	defer t.release(ctx)
	switch {
	case errors.Is(cause, errReset): // the reset removes the changes of the turn
		c.endTurn()
		t.end(payload.TurnFinished{Outcome: payload.Failed})
		return
	// The turn runs again after the next load, unless the session was deleted.
	case c.mail.failure() != nil, errors.Is(cause, errInterrupted):
		return
	case t.result.Resetting:
		c.endTurn()
		t.end(payload.TurnFinished{Outcome: payload.Done})
		c.resetSoon()
		return
	case !t.changed():
		return
	}
	outcome, failed := t.outcome(ctx, cause)
	documents, err := stored(t.result.Documents)
	if err != nil {
		t.refused(ctx, err)
		return
	}
	record := journal.TurnRecord{
		Session: c.store.Session, Turn: t.number,
		State: t.result.Place.State, EnteredAt: t.result.Place.Entered, WakeAt: c.sched.next(t.result.Place),
		Set: t.result.Set, Delete: t.result.Delete, Forget: t.result.Forget, Transitions: t.result.Transitions, Predictions: t.result.Predictions,
	}
	record.Documents = documents
	for _, p := range t.handled {
		record.Handled, record.Last = append(record.Handled, p.Event.ID), p.Event.ID
	}
	written, err := c.commit(ctx, t, record)
	if err != nil {
		t.refused(ctx, err)
		return
	}
	c.place, c.record.Variables = t.result.Place, t.result.Variables
	if last := t.result.Event; last.Name != "" && c.rt.programs.machine().Remembers() {
		c.event = &last
	}
	c.mu.Lock()
	if t.result.Started {
		c.sched.backoff = 0 // the session has more to do than to check conditions
	}
	c.endTurnLocked()
	c.mu.Unlock()
	t.present(ctx, written)
	if failed != nil && !written.Failed() { // another process has answered it
		failed, outcome = nil, payload.Done
	}
	if failed != nil {
		t.fail(failed)
		return
	}
	t.end(payload.TurnFinished{Outcome: outcome, Usage: t.result.Usage})
}

// release makes the conversation ready for the next turn.
func (t *openTurn) release(ctx context.Context) {
	c := t.c
	c.rt.programs.leave(t.program)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.endTurnLocked()
	if t.greeting {
		c.greeting.end()
		c.mail.greetedLocked()
	}
	for _, p := range t.handled {
		c.queue.free(p)
	}
	if t.idle && c.mail.gone == nil && c.mail.reset == noReset {
		c.holdLocked(ctx)
	}
}

// refused ends a turn that the store did not write. After a permanent error, the turn's events end
// with an apology. A turn without an event ends with its state alone, because it would otherwise
// run again at each load. After any other error, the outcome is unknown, and the session leaves
// memory. The next load completes or repeats the turn from the stored data.
func (t *openTurn) refused(ctx context.Context, err error) {
	c := t.c
	c.logError(ctx, "commit turn", err, "turn", t.number)
	if fault.KindOf(err).Retryable() {
		c.abandon(ctx, err)
		return
	}
	if len(t.handled) > 0 {
		c.endTurn()
		c.drop(ctx, t.handled, err)
		return
	}
	c.place = t.result.Place
	if _, err := c.commit(ctx, nil, c.standing()); err != nil {
		c.abandon(ctx, err)
		return
	}
	c.endTurn()
	t.fail(err)
}

// outcome returns how a turn ended, and completes its record.
func (t *openTurn) outcome(ctx context.Context, cause error) (payload.Outcome, error) {
	c := t.c
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.rt.cfg.Now()
	if t.result.Stopped || errors.Is(cause, agent.ErrStopped) {
		if t.number != 0 && (!t.result.Stopped || t.began.message.Type != "") { // only messages have a record
			t.record.Stop(t.number, t.asked(), now)
		} else {
			t.record.Link(t.asked())
		}
		return payload.Stopped, nil
	}
	if len(t.result.Failures) == 0 {
		return payload.Done, nil
	}
	for _, err := range t.result.Failures {
		c.logError(ctx, "state body failed", err, append([]any{"turn", t.number, "state", t.result.Place.State}, errlog.OwnText(err)...)...)
	}
	t.failed = t.result.Failures[0]
	if t.number != 0 || t.greeting {
		t.record.Apologize(t.number, t.asked(), t.failed, now)
	} else { // nobody waits for another turn without an event
		t.record.Link(t.asked())
	}
	return payload.Failed, t.result.Failures[0]
}

// endTurn ends the current turn before clients receive its end. If a client then sends the message
// again, it comes after its turn.
func (c *conversation) endTurn() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.endTurnLocked()
}

func (c *conversation) endTurnLocked() {
	if c.current != nil {
		c.ending = c.current.turns // a client that joins now receives their end
		c.current = nil
	}
}

// fail sends the failure of the turn to the clients that do not have it.
func (t *openTurn) fail(err error) {
	c := t.c
	for _, d := range t.failure(err, c.rt.cfg.Now()) {
		if d.Audience == Streaming && !t.told || d.Audience == Plain && !t.unspoken(err) {
			c.clients.deliver(d)
		}
	}
	t.end(payload.TurnFinished{Outcome: payload.Failed, Usage: t.result.Usage})
}

// failure returns the frames that report the failed turn.
func (t *openTurn) failure(err error, now time.Time) []Delivery {
	id := ""
	if t.began != nil {
		id = t.began.message.ClientID
	}
	all := Failure(err, id)
	for i := range all {
		all[i].Frame.Time, all[i].Frame.Turn = now, &t.number
		t.answering(&all[i].Frame)
		if errors.Is(err, peer.ErrTooManyHops) && all[i].Frame.Correlation != "" {
			all[i].Frame.Hops = payload.MaxHops // the asking agent passes it to its user, and no agent answers it
		}
	}
	return all
}

// end tells streaming clients that turns are over. Nobody waits for a turn without an event.
func (t *openTurn) end(f payload.TurnFinished) {
	c := t.c
	turns := t.numbers()
	c.rt.meters.ended(f.Outcome, turns, t.since)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, turn := range turns {
		if turn != 0 && len(c.clients.list) > 0 {
			c.clients.deliverLocked(c.rt.turnFrame(turn, payload.TurnFinishedAction, f))
		}
		f.Usage = nil
	}
	c.ending = nil
}

// unspoken reports whether plain clients must not receive a failure as a reply. An agent that was
// stopped because it answers would answer the failure as well.
func (t *openTurn) unspoken(failed error) bool {
	return errors.Is(failed, peer.ErrTooManyHops) && t.began != nil &&
		t.began.message.Sender == chat.SenderAgent && t.began.Event.Request() == ""
}

// answering marks a frame as the answer to the agent request that began the turn.
func (t *openTurn) answering(f *payload.Frame) {
	if t.began == nil {
		return
	}
	e := &t.began.Event
	if f.Correlation = e.Request(); f.Correlation != "" || e.Hops > 0 {
		f.Hops = min(e.Hops+1, payload.MaxHops)
	}
}

// lose ends the conversation of a deleted session. It tells the clients, except caller, whose own
// call returns err.
func (c *conversation) lose(err error, caller *Subscription) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.leaveLocked(err, errDeleted, caller)
}

// abandon unloads a session after a write with an unknown outcome. It tells the clients to come
// back. The runtime soon loads the session again.
func (c *conversation) abandon(ctx context.Context, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mail.gone != nil {
		return
	}
	c.rt.cfg.Logger.WarnContext(ctx, "the session leaves memory, as the store does not take its writes", "session", c.key.ID)
	c.rt.meters.abandoned.Inc()
	why := &fault.Fault{Kind: fault.Unavailable, Text: fault.TextOf(err), Err: err}
	c.leaveLocked(why, errReset, nil)
	c.sched.retryLocked()
}

// leaveLocked ends a conversation and tells its clients. cause ends the context of the running
// turn.
func (c *conversation) leaveLocked(err, cause error, caller *Subscription) {
	if c.mail.gone == nil {
		c.clients.goneLocked(err, caller)
	}
	c.endLocked(err)
	c.queue.clear()
	c.sched.check = false
	if c.current != nil {
		c.current.interrupt(cause)
	}
	c.links.Close(cause)
	c.mail.signal()
}
