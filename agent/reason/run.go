package reason

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"docent/agent"
	"docent/agent/tool"
	"docent/internal/errlog"
	"docent/llm"
	"docent/payload"
	"docent/rag"
	words "docent/rag/text"
)

// maxPushbacks is the maximum number of answers in a row that are refused because of open tasks. The count restarts when a
// tool runs. A model that insists has nothing more to do, and its answer is better than none.
const maxPushbacks = 2

// run is the reasoning about one event.
type run struct {
	*reasoner
	s        *agent.Session
	question string
	// step counts the model calls from 0.
	step int
	// before is the conversation up to and including the question. messages belong to the run.
	before, messages []llm.Message
	tasks            *taskList
	findings         *tool.Findings
	notes            scratchpad
	// skills are the fitting skills in the prompt.
	skills string
	// context is the context of the agent and the session for models.
	context string
	// wishes are those of the user.
	wishes rag.Wishes
	// pushbacks counts the refused answers since the last tool call. nudged reports that the model was asked to write
	// something.
	pushbacks int
	nudged    bool
	begun     bool // reasoning_started was said
	// scope limits the knowledge tools. answered is the answer of the user that the run goes on with, or nil.
	scope    tool.Scope
	answered *answered
}

func newRun(r *reasoner, s *agent.Session, question string) *run {
	return &run{reasoner: r, s: s, question: question, tasks: &taskList{}, findings: &tool.Findings{}}
}

// do runs the loop between its first and last step.
func (u *run) do(ctx context.Context) error {
	u.begun = u.tell(ctx, payload.StepStarted, "reasoning started", payload.StartedDetails{
		UserMessage: words.Shorten(u.question, maxStepText), TaskPlanning: !u.o.NoPlanning, MaxSteps: u.o.MaxSteps,
	})
	err := u.contained(ctx)
	var failed *modelError
	switch {
	case errors.Is(err, errWaiting):
		err = nil
	case u.refuses(err):
		err = u.plain(ctx, u.s, u.question)
	case errors.As(err, &failed) && u.o.Knowledge != nil && ctx.Err() == nil:
		err = u.quotes(ctx, failed.error)
	}
	// The steps are shown and stored even if ctx has ended. A stopped turn is committed with its steps.
	u.finish(context.WithoutCancel(ctx), err)
	return err
}

// modelError is the failure of a model before its first word.
type modelError struct{ error }

// Unwrap returns the failure.
func (e *modelError) Unwrap() error { return e.error }

// quotes answers with quotes after a failure of the model, unless failures are errors.
func (u *run) quotes(ctx context.Context, failed error) error {
	req := u.o.RAG
	req.Model, req.Failed = "", failed
	if req.Question == "" {
		req.Question = u.question
	}
	message, err := u.s.RunRAG(ctx, req)
	if err != nil {
		return err
	}
	return u.s.ReplyRAG(ctx, message)
}

// finish closes the run. failed is its error, or nil.
func (u *run) finish(ctx context.Context, failed error) {
	final := u.tasks.all()
	if u.begun {
		u.tell(ctx, payload.StepFinished, "reasoning finished", payload.FinishedDetails{FinalTaskList: final})
	}
	u.notes.add(notedTasks{final})
	if err := u.s.Set(ScratchpadVariable, u.notes.entries()); err != nil {
		u.log(ctx, "scratchpad not kept", err)
	}
	if u.o.HideSteps || failed != nil { // the later message about the failure or the stop closes it
		return
	}
	if err := u.s.LinkPendingReasoningEvents(ctx); err != nil {
		u.log(ctx, "reasoning steps not linked", err)
	}
}

// contained runs the loop and turns a panic, for example of the model, into an error, so that the run is closed.
func (u *run) contained(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errlog.Withhold(errlog.Recovered(p, debug.Stack()))
		}
	}()
	return u.loop(ctx)
}

// loop calls the model until it answers or the limit is reached.
func (u *run) loop(ctx context.Context) error {
	if err := u.prepare(ctx); err != nil {
		return err
	}
	if u.answered != nil {
		if err := u.goOn(ctx); err != nil {
			return err
		}
		if u.last() {
			return u.exhausted(ctx)
		}
		u.step++
	}
	for ; ; u.step++ {
		choice, err := u.think(ctx)
		if err != nil {
			return err
		}
		agent.DropDraft(u.s) // or it becomes the answer
		switch text := words.Clean(choice.Text); {
		case len(choice.Calls) > 0:
			if err := u.act(ctx, text, choice.Calls); err != nil {
				return err
			}
		case text == "" && (choice.StopReason == "length" || strings.TrimSpace(choice.Reasoning) != "" && (u.nudged || u.last())):
			return &modelError{llm.EmptyError(u.name, *choice)}
		case text == "" && (u.nudged || u.last()):
			return u.giveUp(ctx)
		case text == "":
			u.nudged = true
			if err := u.object("nudge", nil); err != nil {
				return err
			}
		case u.premature():
			if err := u.pushBack(ctx, text); err != nil {
				return err
			}
		default:
			return u.answer(ctx, text, choice.StopReason)
		}
		if u.last() {
			return u.exhausted(ctx)
		}
	}
}

// exhausted ends a run without a model call left.
func (u *run) exhausted(ctx context.Context) error {
	u.tell(ctx, payload.StepMaxSteps, fmt.Sprintf("step budget exhausted (%d steps)", u.o.MaxSteps),
		payload.MaxStepsDetails{MaxSteps: u.o.MaxSteps, Pending: u.tasks.pending()})
	return u.giveUp(ctx)
}

// last reports that no model call is left.
func (u *run) last() bool { return u.step == u.o.MaxSteps-1 }

// premature reports that an answer must be refused, because tasks are open and steps are left.
func (u *run) premature() bool {
	return len(u.tasks.pending()) > 0 && u.pushbacks < maxPushbacks && !u.last()
}

// pushBack refuses an answer.
func (u *run) pushBack(ctx context.Context, text string) error {
	u.pushbacks++
	pending := u.tasks.pending()
	u.tell(ctx, payload.StepText, "(intermediate) LLM proposed a final answer", payload.TextDetails{Text: shortened(text)})
	u.tell(ctx, payload.StepPushback, fmt.Sprintf("rejected: %d task(s) still pending", len(pending)),
		payload.PushbackDetails{Pending: pending})
	u.notes.reject(u.step, text, pending)
	u.messages = append(u.messages, llm.Text(llm.Assistant, text))
	return u.objectToPending(pending)
}

// objectToPending tells the model that tasks are open.
func (u *run) objectToPending(pending []payload.PendingTask) error {
	return u.object("pushback", struct {
		Count int
		Tasks []payload.PendingTask
	}{len(pending), pending})
}

// object adds an objection for the model to the dialog. It has the role of the user, because many servers accept a system
// message only at the start.
func (u *run) object(name string, data any) error {
	text, err := fill(name, data)
	if err != nil {
		return err
	}
	u.messages = append(u.messages, llm.Text(llm.User, text))
	return nil
}

// tell shows a step and reports whether this succeeded. A failure does not stop
// the run.
func (u *run) tell(ctx context.Context, kind payload.StepKind, summary string, details any) bool {
	if u.o.HideSteps {
		return false
	}
	err := u.s.ReplyReasoningStep(ctx, payload.ReasoningStep{
		Kind: kind, Step: u.step, Summary: words.Shorten(summary, maxSummary), Details: details,
	})
	if err != nil && ctx.Err() == nil {
		u.log(ctx, "reasoning step not said", err)
	}
	return err == nil
}

func (u *run) log(ctx context.Context, what string, err error) {
	u.s.Log(ctx, what, err, "step", u.step)
}
