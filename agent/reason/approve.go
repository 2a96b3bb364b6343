package reason

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"docent/agent"
	"docent/agent/tool"
	"docent/internal/fault"
	"docent/llm"
	"docent/payload"
	words "docent/rag/text"
)

// maxWork limits the stored part of a run that waits for the user, in bytes.
const maxWork = 512 << 10

// errWaiting ends a run that waits for the user. It is no failure.
var errWaiting = errors.New("the run waits for the user")

// work is the stored part of a run that waits until the user allows a call.
type work struct {
	Question  string            `json:"question"`
	Step      int               `json:"step"`
	Before    []llm.Message     `json:"before"`
	Messages  []llm.Message     `json:"messages"`
	Tasks     []payload.Task    `json:"tasks"`
	Notes     []json.RawMessage `json:"notes"`
	Findings  *tool.Findings    `json:"findings"`
	Scope     tool.Scope        `json:"scope"`
	Pushbacks int               `json:"pushbacks"`
	Nudged    bool              `json:"nudged"`
	// Waiting are the calls without a result. The user is asked about the first one.
	Waiting []waitingCall `json:"waiting"`
}

type waitingCall struct{ ID, Name, Arguments string }

// answered is an answer of the user that a run goes on with.
type answered struct {
	verdict agent.Verdict
	waiting []waitingCall
}

// asksFirst reports whether the user must allow a call.
func (u *run) asksFirst(name string) bool {
	return slices.Contains(u.o.Approve, name) && !agent.ApprovalsOf(u.s).Always(name)
}

// askAbout asks the user about the first of the waiting calls, and ends the run. A call that cannot be shown gets an error.
func (u *run) askAbout(ctx context.Context, calls []*call) error {
	for len(calls) > 0 {
		c := calls[0]
		out, refused := u.tools.Check(c.name, json.RawMessage(c.raw))
		if !refused {
			err := u.ask(ctx, calls)
			if fault.KindOf(err) != fault.Invalid {
				return err
			}
			out = tool.Outcome{IsError: true, Content: "ERROR: ToolError: " + fault.Message(err)}
		}
		c.outcome = out
		u.report(ctx, c)
		u.messages = append(u.messages, u.resultMessage(c, 1))
		calls = calls[1:]
	}
	return nil
}

// ask stores the run with its waiting calls and asks about the first one.
func (u *run) ask(ctx context.Context, calls []*call) error {
	w := work{
		Question: u.question, Step: u.step, Before: u.before, Messages: u.messages, Tasks: u.tasks.all(), Notes: u.notes.notes,
		Findings: u.findings, Scope: u.scope, Pushbacks: u.pushbacks, Nudged: u.nudged,
	}
	for _, c := range calls {
		w.Waiting = append(w.Waiting, waitingCall{c.id, c.name, c.raw})
	}
	data, err := json.Marshal(w)
	for err == nil && len(data) > maxWork && u.shorten() {
		w.Before, w.Messages = u.before, u.messages
		data, err = json.Marshal(w)
	}
	if err == nil && len(data) > maxWork { // the answer then has no citations from before
		w.Findings = &tool.Findings{}
		data, err = json.Marshal(w)
	}
	if err != nil {
		return fmt.Errorf("store the run: %w", err)
	}
	ask := agent.Approval{Tool: calls[0].name, Arguments: calls[0].shown, Work: data}
	if u.o.ApproveWithin > 0 {
		ask.Expires = u.s.Now().Add(u.o.ApproveWithin)
	}
	if err := agent.ApprovalsOf(u.s).Ask(ctx, ask); err != nil {
		return err //nolint:wrapcheck // the error is complete
	}
	return errWaiting
}

// resume goes on with a run after the answer of the user.
func (r *reasoner) resume(ctx context.Context, s *agent.Session, asked *agent.Approval, v agent.Verdict) error {
	var w work
	switch {
	case v.Expired:
		return s.Say(ctx, fault.NewText("approval_expired", "I did not call %s: the time to allow it is over.", asked.Tool))
	case json.Unmarshal(asked.Work, &w) != nil || len(w.Waiting) == 0 || !r.capable():
		return s.Say(ctx, fault.NewText("approval_lost", "I could not go on, and did not call %s. Please ask again.", asked.Tool))
	}
	u := newRun(r, s, w.Question)
	u.step, u.before, u.messages, u.pushbacks, u.nudged, u.scope = w.Step, w.Before, w.Messages, w.Pushbacks, w.Nudged, w.Scope
	u.tasks.tasks = w.Tasks
	for _, n := range w.Notes {
		u.notes.add(n)
	}
	if w.Findings != nil {
		u.findings = w.Findings
	}
	u.answered = &answered{v, w.Waiting}
	return u.do(tool.WithScope(ctx, w.Scope))
}

// goOn handles the calls that waited for the user. The first one has its answer.
func (u *run) goOn(ctx context.Context) error {
	var calls []*call
	for i, w := range u.answered.waiting {
		calls = append(calls, u.newCall(i, llm.Call(w)))
	}
	first, v := calls[0], u.answered.verdict
	if v.Arguments != nil {
		changed := u.newCall(0, llm.Call{ID: first.id, Name: first.name, Arguments: string(v.Arguments)})
		first.raw, first.shown = changed.raw, changed.shown
	}
	if err := u.perform(ctx, first, v); err != nil {
		return err
	}
	for i, c := range calls[1:] {
		if u.asksFirst(c.name) {
			return u.askAbout(ctx, calls[1+i:])
		}
		if err := u.perform(ctx, c, agent.Verdict{Allowed: true}); err != nil {
			return err
		}
	}
	return nil
}

// perform makes a call if the user has allowed it, and gives the result to the model.
func (u *run) perform(ctx context.Context, c *call, v agent.Verdict) error {
	switch {
	case v.Allowed:
		if err := u.announce(ctx, payload.ToolCallsDetails{
			ToolCalls: []payload.ToolCall{{ID: c.id, Name: c.name, Arguments: c.shown}}, Approved: []string{c.id},
		}); err != nil {
			return err
		}
		work := tool.WithRoom(tool.WithFindings(withTasks(ctx, u.tasks), u.findings),
			func(result string) bool { return u.cut(result, outputLimit(1)) == result })
		c.outcome = u.invoke(work, c)
		u.awaitStray(ctx)
	case v.Text != "":
		c.outcome = tool.Outcome{IsError: true, Content: "ERROR: ToolError: The user did not allow this call and wrote: " + v.Text}
	default:
		c.outcome = tool.Outcome{IsError: true, Content: "ERROR: ToolError: The user refused this call. Do not repeat it."}
	}
	if v.Arguments != nil {
		c.outcome.Content = fmt.Sprintf("(The user changed the arguments to %s.)\n%s", c.shown, c.outcome.Content)
	}
	u.report(context.WithoutCancel(ctx), c)
	u.notes.add(notedCalls{
		Step: u.step, ToolCalls: []notedCall{{c.name, notedArguments(c.shown)}},
		ToolResults: []string{words.Shorten(c.outcome.Content, maxNoted)},
	})
	u.messages = append(u.messages, u.resultMessage(c, 1))
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if v.Allowed { // after a crash, the user learns that the call was made
		return u.s.Flush(ctx)
	}
	return nil
}

// announce shows the calls of a step. If the user has allowed some of them, it also stores them: a turn with a stored entry
// never runs again, so a crash cannot repeat these calls.
func (u *run) announce(ctx context.Context, details payload.ToolCallsDetails) error {
	var names []string
	for _, c := range details.ToolCalls {
		names = append(names, c.Name)
	}
	list := strings.Join(names, ", ")
	summary := fmt.Sprintf("calling %d tool(s): %s", len(names), list)
	if len(details.Approved) == 0 {
		u.tell(ctx, payload.StepToolCalls, summary, details)
		if !u.o.HideSteps {
			u.show(ctx, words.Shorten(list, maxSummary))
		}
		return nil
	}
	show := u.s.ReplyReasoningStep
	if u.o.HideSteps {
		show = u.s.SaveReasoningEvent
	}
	step := payload.ReasoningStep{Kind: payload.StepToolCalls, Step: u.step, Summary: words.Shorten(summary, maxSummary), Details: details}
	if err := show(ctx, step); err != nil {
		return err //nolint:wrapcheck // the error is complete
	}
	return u.s.Flush(ctx)
}
