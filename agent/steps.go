package agent

import (
	"context"
	"fmt"
	"time"

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
	r.Payload, r.Time = content, s.turn.env.Now()
	return s.turn.backend.Reason(ctx, r, !show)
}

// LinkPendingReasoningEvents tells that the turn's newest message closes its
// reasoning: the steps that belong to no message yet belong to it. If the turn
// has said nothing, they belong to the message that began it.
func (s *Session) LinkPendingReasoningEvents(_ context.Context) error { return s.turn.backend.Link() }

// ReasoningEvents returns the steps and task lists of the session, those of
// this turn among them, oldest first, at most session.ReplayLimit and the
// newest. until, if not zero, leaves out what came after.
func (s *Session) ReasoningEvents(ctx context.Context, until time.Time) ([]ReasoningRecord, error) {
	out, err := s.turn.backend.Reasoned(ctx, until)
	return out, Withhold(err)
}
