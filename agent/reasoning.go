package agent

import (
	"context"
	"fmt"
	"time"

	"docent/agent/chat"
	"docent/internal/errlog"
	"docent/payload"
)

// ReplyReasoningStep shows a reasoning step at once. The turn stores it in order with its replies.
func (s *Session) ReplyReasoningStep(ctx context.Context, step payload.ReasoningStep) error {
	return s.step(ctx, stepRecord(step), step, true)
}

// ReplyTaskList shows the tasks of a reasoning run at once. The turn stores them in order with its replies.
func (s *Session) ReplyTaskList(ctx context.Context, tasks []payload.Task) error {
	return s.step(ctx, chat.Reasoning{Kind: payload.StoredTaskList}, payload.TaskList(tasks), true)
}

// SaveReasoningEvent stores a reasoning step with the turn. BAF clients do not see it.
func (s *Session) SaveReasoningEvent(ctx context.Context, step payload.ReasoningStep) error {
	return s.step(ctx, stepRecord(step), step, false)
}

func stepRecord(step payload.ReasoningStep) chat.Reasoning {
	return chat.Reasoning{Kind: payload.StoredStep, StepKind: string(step.Kind), Step: step.Step, Summary: step.Summary}
}

func (s *Session) step(ctx context.Context, r chat.Reasoning, message any, show bool) error {
	content, err := payload.Marshal(message)
	if err != nil {
		return fmt.Errorf("step %s: %w", r.StepKind, err)
	}
	if err := chat.CheckWithin(content, chat.MaxJSONDepth, chat.MaxExponents); err != nil { // what Marshal writes is valid
		return fmt.Errorf("step %s: %w", r.StepKind, err)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	r.Payload, r.Time = content, s.turn.env.Now()
	return s.turn.backend.Reason(ctx, r, !show)
}

// LinkPendingReasoningEvents assigns all steps without a message to the newest message of the turn. If the turn has no
// reply, it assigns them to the message that began the turn.
func (s *Session) LinkPendingReasoningEvents(_ context.Context) error {
	s.turn.mu.Lock()
	s.turn.linked = true
	s.turn.mu.Unlock()
	return s.turn.backend.Link()
}

// ReasoningEvents returns the newest steps and task lists of the session, oldest first, including those of this turn. It
// returns at most session.ReplayLimit. A nonzero until excludes later ones. After LinkPendingReasoningEvents it stores the
// turn so far, as Flush does, because a message has no id before it is stored.
func (s *Session) ReasoningEvents(ctx context.Context, until time.Time) ([]chat.Reasoning, error) {
	s.turn.mu.Lock()
	linked := s.turn.linked
	s.turn.linked = false
	s.turn.mu.Unlock()
	if linked {
		if err := s.Flush(ctx); err != nil {
			return nil, err
		}
	}
	out, err := s.turn.backend.Reasoned(ctx, until)
	return out, errlog.Withhold(err)
}
