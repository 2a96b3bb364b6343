package session

import (
	"context"
	"fmt"
	"slices"
	"time"

	"docent/agent"
	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/payload"
)

// Say implements agent.Backend.
func (t *turn) Say(_ context.Context, m agent.ChatMessage, silent bool) error {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	if t.over {
		return agent.ErrOver
	}
	m.Turn = t.number
	err := t.record.say(m, silent)
	if err == nil && !silent {
		t.flushLaterLocked()
	}
	return err
}

// Show implements agent.Backend.
func (t *turn) Show(action payload.Action, message any) error {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	if t.over {
		return agent.ErrOver
	}
	t.provisionalLocked(action, message)
	if d, ok := message.(payload.Delta); ok {
		t.record.stream(d.Text)
	}
	return nil
}

// Draft implements agent.Backend.
func (t *turn) Draft(text string, answer *payload.RAGMessage) {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	if answer == nil {
		t.record.draft, t.record.fresh, t.record.begun = nil, 0, nil
		return
	}
	t.record.begun = &begun{text, *answer}
}

// Reason implements agent.Backend.
func (t *turn) Reason(_ context.Context, r agent.ReasoningRecord, silent bool) error {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	if t.over {
		return agent.ErrOver
	}
	if !t.record.room(payload.StepKind(r.StepKind)) {
		return fault.New(fault.Invalid, "turn_steps_full", "a turn may have at most %d steps", MaxSteps)
	}
	r.Turn = t.number
	e := &entry{step: &r, silent: silent}
	if !silent {
		t.provisionalStepLocked(e)
	}
	t.record.entries = append(t.record.entries, e)
	return nil
}

// provisionalStepLocked shows a step before it is stored: BAF's clients see it for
// the only time, unless a reply that is not stored yet has to come first.
func (t *turn) provisionalStepLocked(e *entry) {
	c := t.c
	frame, ok := journal.StepFrame(*e.step)
	if !ok {
		return
	}
	t.record.shown++
	frame.N = t.record.shown
	c.clients.deliverLocked(Delivery{Audience: Streaming, Frame: frame})
	for _, before := range t.record.entries[t.record.sent:] {
		if before.message != nil && !before.silent {
			return
		}
	}
	e.shown = true
	frame.N = 0
	c.clients.deliverLocked(Delivery{Audience: Plain, Frame: frame})
}

// Link implements agent.Backend.
func (t *turn) Link() error {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	if t.over {
		return agent.ErrOver
	}
	t.record.link(t.began)
	return nil
}

// Reasoned implements agent.Backend.
func (t *turn) Reasoned(ctx context.Context, until time.Time) ([]agent.ReasoningRecord, error) {
	c := t.c
	var out []agent.ReasoningRecord
	// The owner reads, or what is being stored would be there twice or not at all.
	err := c.mail.ask(ctx, t, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, c.rt.cfg.StoreTimeout)
		defer cancel()
		var err error
		out, err = c.rt.cfg.Store.Steps(ctx, c.store.Session, journal.MessageQuery{Until: until, Last: c.rt.cfg.ReplayLimit})
		if err != nil {
			return fmt.Errorf("steps of session %s: %w", c.key.ID, err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, e := range t.record.entries[t.record.stored:] {
			if e.step != nil && (until.IsZero() || !e.step.Time.After(until)) {
				out = append(out, *e.step)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out[max(0, len(out)-c.rt.cfg.ReplayLimit):], nil
}

// History implements agent.Backend.
func (t *turn) History(ctx context.Context, q agent.HistoryQuery) ([]agent.ChatMessage, error) {
	t.c.mu.Lock()
	own := make([]agent.ChatMessage, len(t.record.talk))
	for i, m := range t.record.talk {
		own[i] = *m
	}
	t.c.mu.Unlock()
	cfg := &t.c.rt.cfg
	if q.Before {
		n := q.Last
		if n == 0 {
			n = cfg.History
		}
		return t.before(ctx, n, own, q.Until)
	}
	limit := cfg.ReplayLimit
	if q.Last > 0 {
		limit = min(limit, q.Last)
	}
	var out []agent.ChatMessage
	missing := limit - len(own)
	if !q.Until.IsZero() { // own ones may be left out
		missing = limit
	}
	if missing > 0 {
		var err error
		if out, err = t.before(ctx, missing, own, q.Until); err != nil {
			return nil, fmt.Errorf("history of session %s: %w", t.c.key.ID, err)
		}
	}
	for _, m := range own {
		if q.Until.IsZero() || !m.Time.After(q.Until) {
			out = append(out, m)
		}
	}
	return out[max(0, len(out)-limit):], nil
}

// before returns the last n messages before the turn. own are the turn's.
func (t *turn) before(ctx context.Context, n int, own []agent.ChatMessage, until time.Time) ([]agent.ChatMessage, error) {
	c := t.c
	skip := map[int64]bool{} // turns of messages that wait
	c.mu.Lock()
	for _, p := range c.queue.Waiting() {
		skip[p.Event.Turn] = true
	}
	latest := c.latest // what is stored from now on comes after this turn
	c.mu.Unlock()
	if known := t.known(); known != nil && len(skip) == 0 && until.IsZero() && (n <= len(known) || len(known) < c.rt.cfg.History) {
		return slices.Clone(known[max(0, len(known)-n):]), nil
	}
	ctx, cancel := context.WithTimeout(ctx, c.rt.cfg.StoreTimeout)
	defer cancel()
	ids := map[int64]bool{}
	for _, m := range own {
		ids[m.ID] = true
	}
	arriving := cap(c.queue.Slots)
	all, err := c.rt.cfg.Store.Messages(ctx, c.store.Session, journal.MessageQuery{
		Last: n + len(skip) + len(own) + arriving, Until: until, MaxContent: agent.MaxHistoryContent,
	})
	if err != nil {
		return nil, err
	}
	out := all[:0]
	for _, m := range all {
		if !skip[m.Turn] && !ids[m.ID] && m.Turn <= latest {
			out = append(out, m)
		}
	}
	return out[max(0, len(out)-n):], nil
}

// known are the messages before the turn if they were read along with its own,
// and nothing was written between; nil otherwise.
func (t *turn) known() []agent.ChatMessage {
	if t.began == nil || t.began.Mark != t.commits {
		return nil
	}
	if t.began.History == nil {
		return []agent.ChatMessage{}
	}
	return t.began.History
}
