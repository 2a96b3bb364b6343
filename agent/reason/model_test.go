package reason_test

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
	"testing"
	"testing/synctest"

	"docent/agent"
	"docent/agent/reason"
	"docent/agent/session"
	"docent/agent/tool"
	"docent/llm"
	"docent/llm/llmtest"
	"docent/payload"
)

// oddModel answers with the result of its function.
type oddModel func() (llm.Delta, error)

func (oddModel) Name() string { return "odd" }

func (m oddModel) Chat(context.Context, llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) { yield(m()) }
}

// A model that panics fails the turn after the run is closed.
//
// BAF W14
func TestReasoningModelPanics(t *testing.T) {
	t.Parallel()
	r := inProcess(t, reason.Options{}, oddModel(func() (llm.Delta, error) { panic("secret") }))
	heard := r.ask("Do it")
	wantSteps(t, heard, "reasoning_started 0", "reasoning_finished 0", reply)
	for _, d := range heard {
		if strings.Contains(string(d.Frame.Message), "secret") {
			t.Errorf("the panic's words reach clients: %s", d.Frame.Message)
		}
	}
	r.golden("model_panic", heard)
}

// An empty answer of a model is treated as no answer.
func TestReasoningNilChoice(t *testing.T) {
	t.Parallel()
	r := inProcess(t, reason.Options{}, oddModel(func() (llm.Delta, error) {
		return llm.Delta{}, nil
	}))
	heard := r.ask("Do it")
	wantSteps(t, heard, "reasoning_started 0", reply, "reasoning_finished 1")
	r.golden("nil_choice", heard)
}

// The model gets an answer for each call above the limit. Users see all of them
// in one step.
func TestReasoningTooManyCalls(t *testing.T) {
	t.Parallel()
	var many []string
	for range 20 {
		many = append(many, "count", `{}`)
	}
	n := make(chan int, 1)
	n <- 0
	r := reasonWith(t, reason.Options{Parallel: 1, Tools: []tool.Tool{{Name: "count", Call: func(context.Context, json.RawMessage) (any, error) {
		i := <-n
		n <- i + 1
		return "counted", nil
	}}}}, calls("", many...), llmtest.Say("Done."))
	heard := r.ask("Count")
	if i := <-n; i != 16 {
		t.Errorf("%d calls were made", i)
	}
	var answered []string
	for _, m := range r.server.Requests()[1].Messages {
		if m.Role == "tool" {
			answered = append(answered, m.Content)
		}
	}
	if len(answered) != 20 || answered[15] != "counted" || !strings.Contains(answered[16], "At most 16") {
		t.Errorf("the model was told %q", answered)
	}
	r.golden("too_many_calls", heard)
}

// However many calls a model makes, its run is closed.
func TestReasoningIsClosedWhateverIsCalled(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var many []string
		for range 1000 {
			many = append(many, "nope", `{}`)
		}
		r := bubbled(t, reason.Options{}, calls("", many...))
		heard := r.ask("Do it")
		got := steps(t, heard)
		if len(got) != 2+8*18+2 || got[len(got)-1] != "reasoning_finished 7" {
			t.Errorf("%d frames, the last %q", len(got), got[len(got)-1])
		}
	})
}

// A turn that reaches its step limit can still close its run.
func TestStepsKeepRoomForTheEnd(t *testing.T) { bubble(t, testStepsKeepRoomForTheEnd) }

func testStepsKeepRoomForTheEnd(t *testing.T) {
	refused := 0
	r := converse(t, func(ctx context.Context, s *agent.Session) error {
		if s.Begins() {
			return nil
		}
		say := func(kind payload.StepKind) {
			if s.ReplyReasoningStep(ctx, payload.ReasoningStep{Kind: kind}) != nil {
				refused++
			}
		}
		for range 2 {
			say(payload.StepStarted)
		}
		for range session.MaxSteps {
			say(payload.StepToolResult)
		}
		for range 3 { // one more than has begun
			say(payload.StepFinished)
		}
		say(payload.StepStarted)
		return nil
	})
	synctest.Wait()
	r.sub.Close() // the subscription cannot hold so many deliveries
	if err := r.rt.Dispatch(t.Context(), "s", agent.Event{Name: agent.EventText, Text: "x", Human: true}); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	steps, finished := 0, 0
	for _, e := range r.store.Record("s") {
		if e.Step == nil {
			continue
		}
		steps++
		if e.Step.StepKind == string(payload.StepFinished) {
			finished++
		}
	}
	if steps != session.MaxSteps || finished != 2 || refused != 6 {
		t.Errorf("%d steps, %d of them ends, %d refused", steps, finished, refused)
	}
}
