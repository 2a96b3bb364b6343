package agent

import (
	"context"
	"fmt"
	"time"

	"docent/internal/fault"
	"docent/payload"
)

// ReplyReasoningStep shows a step of reasoning at once, and stores it with the
// turn, in order with its replies.
func (s *Session) ReplyReasoningStep(ctx context.Context, step payload.ReasoningStep) error {
	return s.step(ctx, stepRecord(step), step, true)
}

// ReplyTaskList shows the tasks of a run of reasoning at once, and stores them
// with the turn, in order with its replies.
func (s *Session) ReplyTaskList(ctx context.Context, tasks []payload.Task) error {
	return s.step(ctx, ReasoningRecord{Kind: payload.StoredTaskList}, payload.TaskList(tasks), true)
}

// SaveReasoningEvent stores a step of reasoning with the turn, without showing
// it to BAF's clients.
func (s *Session) SaveReasoningEvent(ctx context.Context, step payload.ReasoningStep) error {
	return s.step(ctx, stepRecord(step), step, false)
}

func stepRecord(step payload.ReasoningStep) ReasoningRecord {
	return ReasoningRecord{Kind: payload.StoredStep, StepKind: string(step.Kind), Step: step.Step, Summary: step.Summary}
}

func (s *Session) step(ctx context.Context, r ReasoningRecord, message any, show bool) error {
	content, err := payload.Marshal(message)
	if err != nil {
		return fmt.Errorf("step %s: %w", r.StepKind, err)
	}
	if err := CheckWithin(content, MaxJSONDepth, MaxExponents); err != nil { // what Marshal writes is valid
		return fmt.Errorf("step %s: %w", r.StepKind, err)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	c, t := s.conversation, s.turn
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return errOver
	}
	if !t.record.room(payload.StepKind(r.StepKind)) {
		return fault.New(fault.Invalid, "a turn may have at most %d steps", MaxSteps)
	}
	r.Turn, r.Payload, r.Time = t.number, content, c.rt.cfg.Now()
	e := &entry{step: &r, silent: !show}
	if show {
		c.provisionalStep(t, e)
	}
	t.record.entries = append(t.record.entries, e)
	return nil
}

// provisionalStep shows a step before it is stored: BAF's clients see it for
// the only time, unless a reply that is not stored yet has to come first.
func (c *conversation) provisionalStep(t *turn, e *entry) {
	frame, ok := storedStep(*e.step)
	if !ok {
		return
	}
	t.record.shown++
	frame.N = t.record.shown
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deliverLocked(Delivery{Audience: Streaming, Frame: frame})
	for _, before := range t.record.entries[t.record.sent:] {
		if before.message != nil && !before.silent {
			return
		}
	}
	e.shown = true
	frame.N = 0
	c.deliverLocked(Delivery{Audience: Plain, Frame: frame})
}

// LinkPendingReasoningEvents tells that the turn's newest message closes its
// reasoning: the steps that belong to no message yet belong to it. If the turn
// has said nothing, they belong to the message that began it.
func (s *Session) LinkPendingReasoningEvents(_ context.Context) error {
	s.turn.mu.Lock()
	defer s.turn.mu.Unlock()
	if s.turn.over {
		return errOver
	}
	s.turn.record.link(s.turn.began)
	return nil
}

// ReasoningEvents returns the steps and task lists of the session, those of
// this turn among them, oldest first, at most RuntimeConfig.ReplayLimit and the
// newest. until, if not zero, leaves out what came after.
func (s *Session) ReasoningEvents(ctx context.Context, until time.Time) ([]ReasoningRecord, error) {
	c, t := s.conversation, s.turn
	ctx, cancel := context.WithTimeout(ctx, c.rt.cfg.StoreTimeout)
	defer cancel()
	t.flushing <- struct{}{} // or what is being stored would be there twice or not at all
	defer func() { <-t.flushing }()
	out, err := c.rt.cfg.Store.Steps(ctx, c.record.RowID, MessageQuery{Until: until, Last: c.rt.cfg.ReplayLimit})
	if err != nil {
		return nil, Withhold(fmt.Errorf("steps of session %s: %w", c.key.ID, err))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, e := range t.record.entries[t.record.stored:] {
		if e.step != nil && (until.IsZero() || !e.step.Time.After(until)) {
			out = append(out, *e.step)
		}
	}
	return out[max(0, len(out)-c.rt.cfg.ReplayLimit):], nil
}
