package agent

import (
	"cmp"
	"context"
	"errors"
	"runtime/debug"

	"docent/internal/fault"
)

// MaxMoves bounds the moves of one turn that take no event: with more, the
// states go round in circles.
const MaxMoves = 100

// errCircles is why a turn fails whose states lead to each other without end.
var errCircles = fault.New(fault.Internal, "the agent goes round in circles")

// decision is what a step does. The zero decision does nothing: the session is
// idle.
type decision struct {
	edge     *Transition // to move along; nil otherwise
	event    *pending    // that it takes; nil if none
	fallback bool        // the state's fallback takes the event
	stopped  bool        // the event's turn was stopped before it began
}

func (d decision) idle() bool { return d == decision{} }

// act runs one turn: it takes steps until the next one would begin another turn
// or there is none.
func (c *conversation) act(ctx context.Context) {
	t := c.begin()
	t.moves, c.carried = c.carried, 0
	idle := c.steps(ctx, t)
	c.finish(ctx, t)
	if idle {
		c.hold(ctx)
	}
}

// steps takes steps for a turn, until the next one would begin another or a body
// failed: what comes next then is not part of what failed. It reports whether
// there is none, for which nothing is to be done before something happens.
func (c *conversation) steps(ctx context.Context, t *turn) (idle bool) {
	for {
		if len(t.failures) > 0 && !t.circling() {
			c.carried = t.moves // or states that fail would go round in circles unseen
			return false
		}
		var d decision
		if ctx.Err() == nil {
			d = c.decide(ctx, t)
		}
		switch {
		case ctx.Err() != nil:
			// What was decided counts for nothing. A state that takes too long
			// to decide owes a user an answer, or waits for something to happen.
			idle = !t.started && errors.Is(context.Cause(ctx), context.DeadlineExceeded) && !c.overdue(ctx, t)
		case d.idle():
			idle = true
		case d.event != nil && t.started:
		case c.take(ctx, t, d):
			continue
		default:
			idle = t.circling()
		}
		if idle {
			c.mu.Lock()
			c.check, c.circled = false, t.circling()
			c.mu.Unlock()
		}
		return idle
	}
}

// overdue fails the turn of the oldest message of a user, about which nothing
// was decided in time; false if there is none.
func (c *conversation) overdue(ctx context.Context, t *turn) bool {
	for _, p := range c.waiting() {
		if !p.event.Human || p.message.Type == "" || p.held {
			continue
		}
		if taken, err := c.capture(t, p); taken || err != nil {
			t.fail(cmp.Or(err, context.Cause(ctx)))
			return true
		}
	}
	return false
}

// decide looks at the transitions of the state in their order, and for each at
// the events in theirs.
func (c *conversation) decide(ctx context.Context, t *turn) decision {
	queue := c.waiting()
	for _, p := range queue {
		if c.isStopped(p) {
			return decision{event: p, stopped: true}
		}
	}
	c.process(ctx, t, queue)
	for _, edge := range t.at.edges {
		if edge.takes == takesNone {
			if c.holds(ctx, t, edge, nil) {
				return decision{edge: edge}
			}
			continue
		}
		for _, p := range queue {
			if edge.matches(&p.event) && c.holds(ctx, t, edge, p) {
				return decision{edge: edge, event: p}
			}
		}
	}
	if t.at.hears {
		for _, p := range queue {
			if p.event.Human && p.event.spoken {
				c.about(t, p)
				c.predict(ctx, t)
				c.about(t, nil)
				return decision{event: p, fallback: true}
			}
		}
	}
	return decision{}
}

// holds reports whether all conditions of a transition hold for an event.
func (c *conversation) holds(ctx context.Context, t *turn, edge *Transition, p *pending) bool {
	c.about(t, p)
	defer c.about(t, nil)
	for _, condition := range edge.conditions {
		ok, err := c.ask(ctx, t, condition.holds)
		if err != nil && ctx.Err() == nil && !t.logged[edge] {
			if t.logged == nil {
				t.logged = map[*Transition]bool{}
			}
			t.logged[edge] = true
			c.logError(ctx, "condition failed", err, "state", t.at.name, "to", edge.dest.name)
		}
		if !ok || err != nil {
			return false
		}
	}
	return true
}

// about sets the event that conditions and processors are asked about.
func (c *conversation) about(t *turn, p *pending) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.candidate = p
}

// ask asks a condition and contains its panics.
func (c *conversation) ask(ctx context.Context, t *turn, condition Condition) (ok bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			ok, err = false, Recovered(p, debug.Stack())
		}
	}()
	s := t.session.as(aCondition)
	return condition(withSession(ctx, s), s)
}

// take does what was decided; false if the turn is at its end.
func (c *conversation) take(ctx context.Context, t *turn, d decision) bool {
	if d.event == nil {
		if err := t.moved(); err != nil {
			c.rt.cfg.Logger.ErrorContext(ctx, "states lead to each other without end", "session", c.key.ID, "turn", t.number, "states", t.path())
			t.fail(err)
			return false
		}
	}
	ok, err := c.perform(ctx, t, d)
	t.fail(err)
	return ok
}

// perform does what was decided and returns the error of the body that ran;
// false if none did.
func (c *conversation) perform(ctx context.Context, t *turn, d decision) (bool, error) {
	if d.event != nil {
		if taken, err := c.capture(t, d.event); !taken {
			return false, err
		}
	}
	switch {
	case d.stopped:
		t.stopped = true
		return false, nil
	case d.fallback:
		t.predicted(d.event, c.rt.cfg.Now())
		return true, c.enter(ctx, t, t.at.fallback)
	}
	if d.edge.takes == takesText && (d.edge.intents || d.edge.fallback) {
		t.predicted(d.event, c.rt.cfg.Now())
	}
	return true, c.move(ctx, t, d.edge)
}

// capture makes a pending event part of the turn; false if a reset dropped it,
// or the turn is over.
func (c *conversation) capture(t *turn, p *pending) (bool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return false, errOver
	}
	if !c.claim(p) {
		return false, nil
	}
	t.consumeLocked(p)
	return true, nil
}

// move goes along a transition and runs the body of the state it leads to.
func (c *conversation) move(ctx context.Context, t *turn, edge *Transition) error {
	now := c.rt.cfg.Now()
	dest := c.rt.machine.nodes[edge.dest.name]
	t.mu.Lock()
	source := t.at
	t.transitions = append(t.transitions, TransitionRecord{
		Source: source.name, Dest: dest.name, Event: edge.event(), Condition: edge.condition(), Time: now,
	})
	var err error
	if dest.global && !source.component {
		err = t.vars.put(previousState, marshaled(source.name))
	}
	t.at, t.entered, t.returning = dest, now, edge.back
	t.mu.Unlock()
	c.rt.cfg.Logger.DebugContext(ctx, "move", "session", c.key.ID, "turn", t.number, "from", source.name, "to", dest.name)
	failed := c.enter(ctx, t, dest.body)
	if err == nil {
		return failed
	}
	return errors.Join(err, failed)
}

// enter runs a body and contains its panics. What failed is logged here.
func (c *conversation) enter(ctx context.Context, t *turn, body Body) (err error) {
	if body == nil {
		return nil
	}
	defer func() {
		if p := recover(); p != nil {
			err = Recovered(p, debug.Stack())
		}
	}()
	return body(withSession(ctx, t.session), t.session)
}
