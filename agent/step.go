package agent

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"
	"time"

	"docent/agent/chat"
	"docent/internal/errlog"
	"docent/internal/fault"
	"docent/internal/trace"
	"docent/payload"
)

// MaxMoves limits the moves of a turn that take no event. More moves mean an endless loop of states.
const MaxMoves = 100

// errCircles is the error of a turn whose states form an endless loop.
var errCircles = fault.New(fault.Internal, "agent_loop", "the agent moves between states without end")

// Turn is the machine's part of a turn. It takes steps and runs bodies. One goroutine runs it, and bodies may use its
// Session from several.
type Turn struct {
	machine *Machine
	backend Backend
	env     *Env
	start   Start
	session *Session

	// The following fields belong to the goroutine that runs the turn.
	moves    int // that took no event
	logged   map[*Transition]bool
	failures []error

	mu          sync.Mutex    // guards the following fields; not held while the backend is called
	candidate   *chat.Pending // a condition or a processor considers it
	over        bool
	started     bool // the turn took a step
	greeting    bool
	stopped     bool // the event was stopped before it began
	returning   bool
	resetting   bool // a body asked for a reset
	again       bool // a body asked for another step
	linked      bool // a body linked steps since the last Flush by ReasoningEvents
	at          *node
	entered     time.Time
	event       Event // the last consumed event
	prediction  Prediction
	vars        variables
	documents   []SessionDocument // new ones of the session
	forget      bool              // the stored documents of the session are to be removed
	inFallback  bool              // the fallback of the state runs, and not its body
	answered    *Approval         // the question that the event answers, until the body takes it
	verdict     Verdict           // the answer
	transitions []chat.Transition
	predictions []chat.Prediction
	usage       *payload.Usage
	nesting     nesting
}

// ErrOver is the error of a session whose body has returned.
var ErrOver = fault.New(fault.Internal, "turn_over", "the turn is over")

// decision is the next step. The zero decision does nothing, because the session is idle.
type decision struct {
	edge     *Transition   // to move along; nil otherwise
	event    *chat.Pending // that it takes; nil if none
	fallback bool          // the state's fallback takes the event
	stopped  bool          // the event's turn was stopped before it began
	refused  *refusal      // a guard refuses the event
	answer   bool          // the event answers the open question about a call; without an event, its time is over
}

func (d decision) idle() bool { return d == decision{} }

// Greet enters the initial state and takes the following steps.
func (t *Turn) Greet(ctx context.Context) (idle bool) {
	ctx, span := t.trace(ctx)
	defer func() { t.traced(span) }()
	t.mu.Lock()
	t.started, t.greeting, t.entered = true, true, t.env.Now()
	body := t.at.body
	t.mu.Unlock()
	t.fail(t.enter(ctx, body))
	return t.steps(ctx)
}

// Steps takes steps until the next one would begin another turn or a body fails. After a failure, later steps are not part
// of the failed turn. Steps reports whether the session has nothing more to do for now.
func (t *Turn) Steps(ctx context.Context) (idle bool) {
	ctx, span := t.trace(ctx)
	defer func() { t.traced(span) }()
	return t.steps(ctx)
}

// trace begins the span of the turn.
func (t *Turn) trace(ctx context.Context) (context.Context, *trace.Span) {
	return trace.Begin(ctx, trace.Internal, "invoke_agent "+t.machine.agent.name, "gen_ai.operation.name", "invoke_agent",
		"gen_ai.agent.name", t.machine.agent.name, "gen_ai.conversation.id", t.start.ID)
}

// traced ends the span of the turn.
func (t *Turn) traced(span *trace.Span) {
	if span == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	span.End(errors.Join(t.failures...))
}

// steps takes the steps of Steps.
func (t *Turn) steps(ctx context.Context) (idle bool) {
	for {
		if len(t.failures) > 0 && !t.circling() {
			return false
		}
		var d decision
		if ctx.Err() == nil {
			d = t.decide(ctx)
		}
		switch {
		case ctx.Err() != nil:
			// The decision came too late and is dropped. If a user waits for an answer, the turn fails. Otherwise the session
			// waits for the next event.
			return !t.hasStarted() && errors.Is(context.Cause(ctx), context.DeadlineExceeded) && !t.overdue(ctx)
		case d.idle() && t.asked():
			continue
		case d.idle():
			return true
		case d.event != nil && t.hasStarted():
			return false
		}
		ran, err := t.perform(ctx, d)
		if !ran && errors.Is(err, errCircles) {
			t.env.Logger.ErrorContext(ctx, "states lead to each other without end", "session", t.start.ID, "states", t.path())
		}
		t.fail(err)
		if !ran {
			return t.circling()
		}
	}
}

// asked reports, once, whether a body requested another step.
func (t *Turn) asked() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	asked := t.again
	t.again = false
	return asked
}

func (t *Turn) hasStarted() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.started
}

// overdue fails the turn of the user's oldest message if its decision came too
// late. It returns false if there is no such message.
func (t *Turn) overdue(ctx context.Context) bool {
	for _, p := range t.backend.Waiting() {
		if !p.Event.Human || !p.Message || p.Held() {
			continue
		}
		if t.backend.Claim(p, true) {
			t.consume(p)
			t.fail(context.Cause(ctx))
			return true
		}
	}
	return false
}

// decide tries the transitions of the state in order, and for each the events in order.
func (t *Turn) decide(ctx context.Context) decision {
	queue := t.backend.Waiting()
	for _, p := range queue {
		if p.Stopped() {
			return decision{event: p, stopped: true}
		}
	}
	t.process(ctx, queue)
	if p, r := t.guardMessages(ctx, queue); r != nil {
		return decision{event: p, refused: r}
	}
	answer, waits, ok := t.answers(queue)
	if ok {
		return answer
	}
	for _, edge := range t.at.edges {
		if edge.takes == takesNone {
			if waits && !edge.timed {
				continue
			}
			if t.holds(ctx, edge, nil) {
				return decision{edge: edge}
			}
			continue
		}
		for _, p := range queue {
			if edge.matches(&p.Event) && t.holds(ctx, edge, p) {
				return decision{edge: edge, event: p}
			}
		}
	}
	if t.at.hears {
		for _, p := range queue {
			if p.Event.Human && p.Event.Spoken() {
				t.about(p)
				t.predict(ctx)
				t.about(nil)
				return decision{event: p, fallback: true}
			}
		}
	}
	return decision{}
}

// holds reports whether all conditions of a transition hold for an event.
func (t *Turn) holds(ctx context.Context, edge *Transition, p *chat.Pending) bool {
	t.about(p)
	defer t.about(nil)
	for _, condition := range edge.conditions {
		ok, err := t.ask(ctx, condition.holds)
		if err != nil && ctx.Err() == nil && !t.logged[edge] {
			if t.logged == nil {
				t.logged = map[*Transition]bool{}
			}
			t.logged[edge] = true
			t.log(ctx, "condition failed", err, "state", t.at.name, "to", edge.dest.name)
		}
		if !ok || err != nil {
			return false
		}
	}
	return true
}

// about sets the event for conditions and processors.
func (t *Turn) about(p *chat.Pending) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.candidate = p
}

// ask calls a condition and recovers from its panics.
func (t *Turn) ask(ctx context.Context, condition Condition) (ok bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			ok, err = false, errlog.Recovered(p, debug.Stack())
		}
	}()
	s := t.session.as(aCondition)
	return condition(withSession(ctx, s), s)
}

// perform carries out a decision and returns the error of the body. It returns false if no body ran: the states form an
// endless loop, the queue no longer has the event, or the event was stopped.
func (t *Turn) perform(ctx context.Context, d decision) (ran bool, err error) {
	if d.event == nil {
		if err := t.moved(); err != nil {
			return false, err
		}
	} else {
		if !t.backend.Claim(d.event, !t.hasStarted()) {
			return false, nil
		}
		t.consume(d.event)
	}
	switch {
	case d.stopped:
		t.mu.Lock()
		defer t.mu.Unlock()
		t.stopped = true
		return false, nil
	case d.refused != nil:
		return true, d.refused.say(ctx, t.session, ofUser)
	case d.answer:
		defer t.within(false)
		return true, t.enter(ctx, t.answer(d.event))
	case d.fallback:
		t.predicted(d.event)
		t.within(true)
		defer t.within(false)
		return true, t.enter(ctx, t.at.fallback)
	}
	if d.edge.takes == takesText && (d.edge.intents || d.edge.fallback) {
		t.predicted(d.event)
	}
	return true, t.move(ctx, d.edge)
}

// within records whether the fallback of the state runs.
func (t *Turn) within(fallback bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.inFallback = fallback
}

// consume makes an event the current event of the turn.
func (t *Turn) consume(p *chat.Pending) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.started {
		t.moves = 0
	}
	t.started, t.event = true, p.View()
}

// moved counts a move without an event.
func (t *Turn) moved() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return ErrOver
	}
	t.started = true
	if t.moves++; t.circling() {
		return errCircles
	}
	return nil
}

func (t *Turn) circling() bool { return t.moves > MaxMoves }

// path returns the states that the last moves entered.
func (t *Turn) path() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []string
	for _, r := range t.transitions[max(0, len(t.transitions)-5):] {
		out = append(out, r.Dest)
	}
	return out
}

// fail records an error, unless it is nil.
func (t *Turn) fail(err error) {
	if err != nil {
		t.failures = append(t.failures, err)
	}
}

// move takes a transition and runs the body of its destination.
func (t *Turn) move(ctx context.Context, edge *Transition) error {
	now := t.env.Now()
	dest := t.machine.nodes[edge.dest.name]
	t.mu.Lock()
	source := t.at
	t.transitions = append(t.transitions, chat.Transition{
		Source: source.name, Dest: dest.name, Event: edge.event(), Condition: edge.condition(), Time: now,
	})
	var err error
	if dest.global && !source.component {
		err = t.vars.put(previousState, chat.JSONString(source.name))
	}
	t.at, t.entered, t.returning, t.inFallback = dest, now, edge.back, false
	t.vars.remove(openApproval) // a call that the user has not allowed by now is refused
	t.mu.Unlock()
	t.env.Logger.DebugContext(ctx, "move", "session", t.start.ID, "from", source.name, "to", dest.name)
	failed := t.enter(ctx, dest.body)
	if err == nil {
		return failed
	}
	return errors.Join(err, failed)
}

// enter runs a body and recovers from its panics.
func (t *Turn) enter(ctx context.Context, body Body) (err error) {
	if body == nil {
		return nil
	}
	defer func() {
		if p := recover(); p != nil {
			err = errlog.Recovered(p, debug.Stack())
		}
	}()
	return body(withSession(ctx, t.session), t.session)
}
