package definition

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"docent/agent"
	"docent/agent/tool"
	"docent/internal/fault"
	"docent/payload"
	words "docent/rag/text"
)

// maxStored limits the stored result of an approved call, in characters. The variable of the call gets all of it.
const maxStored = 4000

var (
	// errAsked ends an action that waits for the user. It is no failure.
	errAsked = errors.New("the call waits for the user")
	// errNotAllowed is the error of a call that the user did not allow.
	errNotAllowed = errors.New("the user did not allow the call")
)

// consent makes calls of a tool that the user must allow.
type consent struct {
	tools    *toolset
	name     string
	within   time.Duration // 0 is agent.ApprovalTime
	question template      // empty is that of agent.Approval
}

// call asks the user about a call, and makes it after the answer. The user allows the arguments that the question shows, so they
// are not computed again.
func (c *consent) call(ctx context.Context, s *agent.Session, arguments json.RawMessage) (any, error) {
	approvals := agent.ApprovalsOf(s)
	asked, verdict := approvals.Answer()
	switch {
	case asked == nil && approvals.Always(c.name):
	case asked == nil:
		if out, refused := c.tools.calls.Check(c.name, arguments); refused {
			return nil, failedCall(c.name, out)
		}
		ask := agent.Approval{Tool: c.name, Arguments: arguments, Question: c.question.fill(s)}
		if c.within > 0 {
			ask.Expires = s.Now().Add(c.within)
		}
		if err := approvals.Ask(ctx, ask); err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		return nil, errAsked
	case asked.Tool != c.name: // another version of the file asked
		return nil, errors.Join(errNotAllowed, s.Say(ctx, fault.NewText("approval_lost",
			"I could not go on, and did not call %s. Please ask again.", asked.Tool)))
	case verdict.Expired:
		return nil, errors.Join(errNotAllowed, s.Say(ctx, fault.NewText("approval_expired",
			"I did not call %s: the time to allow it is over.", asked.Tool)))
	case !verdict.Allowed:
		return nil, errNotAllowed
	case verdict.Arguments != nil:
		arguments = verdict.Arguments
	default:
		arguments = asked.Arguments
	}
	return c.perform(ctx, s, arguments)
}

// perform makes an allowed call. It stores the call before and the result after it: a turn with a stored entry never runs again,
// so a crash cannot repeat the call, and the user learns about it.
func (c *consent) perform(ctx context.Context, s *agent.Session, arguments json.RawMessage) (any, error) {
	if out, refused := c.tools.calls.Check(c.name, arguments); refused { // arguments of the user
		return nil, failedCall(c.name, out)
	}
	const id = "call"
	if err := c.store(ctx, s, payload.ReasoningStep{
		Kind: payload.StepToolCalls, Summary: "calling 1 tool(s): " + c.name,
		Details: payload.ToolCallsDetails{ToolCalls: []payload.ToolCall{{ID: id, Name: c.name, Arguments: arguments}}, Approved: []string{id}},
	}); err != nil {
		return nil, err
	}
	out := c.tools.calls.Invoke(ctx, c.name, arguments)
	err := c.store(ctx, s, payload.ReasoningStep{
		Kind: payload.StepToolResult, Summary: fmt.Sprintf("%s returned (%d chars)", c.name, utf8.RuneCountInString(out.Content)),
		Details: payload.ToolResultDetails{
			Name: c.name, Arguments: arguments, Content: words.Shorten(out.Content, maxStored), IsError: out.IsError,
		},
	})
	if err != nil {
		return nil, err
	}
	return valueOf(c.name, out)
}

// store stores a step at once. If ctx has ended, the end of the turn stores it.
func (c *consent) store(ctx context.Context, s *agent.Session, step payload.ReasoningStep) error {
	if err := s.SaveReasoningEvent(context.WithoutCancel(ctx), step); err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	if err := s.Flush(ctx); err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	return nil
}

// failedCall returns the error of a failed call.
func failedCall(name string, out tool.Outcome) error {
	if out.Cause == nil {
		out.Cause = errCall
	}
	return fmt.Errorf("%s: %w", name, out.Cause)
}
