package reason_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/reason"
	"docent/agent/session"
	"docent/agent/tool"
	"docent/llm"
	"docent/llm/llmtest"
	"docent/payload"
)

// BAF W13
func TestReasoningStop(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{})
	r := reasonWith(t, reason.Options{Tools: []tool.Tool{{Name: "wait", Call: func(ctx context.Context, _ json.RawMessage) (any, error) {
		close(begun)
		<-ctx.Done()
		return nil, ctx.Err()
	}}}}, calls("", "add_tasks", `{"descriptions":["Wait"]}`), calls("Wait a little.", "wait", `{}`))
	send(t, r.sub, "", "Do it")
	<-begun
	if err := r.sub.Stop(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	heard := r.heard()
	wantSteps(t, heard, "reasoning_started 0", "llm_tool_calls 0", "task_added 0", taskList, "llm_text 1", "llm_tool_calls 1", "reasoning_finished 1", reply)
	r.golden("stopped", heard)
}

// bubbled begins a conversation with a body for every message. It uses no network, for tests in a bubble.
func bubbled(t *testing.T, o reason.Options, replies ...llmtest.Reply) *reasoning {
	t.Helper()
	return inProcess(t, o, llmtest.NewModel(llmtest.Script(replies...)))
}

func inProcess(t *testing.T, o reason.Options, model llm.Model) *reasoning {
	t.Helper()
	body, err := reason.New(model, o)
	if err != nil {
		t.Fatal(err)
	}
	return converse(t, body)
}

func TestReasoningLeavesADeafToolBehind(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release := make(chan struct{})
		r := bubbled(t, reason.Options{Tools: []tool.Tool{{Name: "deaf", Call: func(context.Context, json.RawMessage) (any, error) {
			<-release
			return nil, nil
		}}}}, calls("", "deaf", `{}`))
		send(t, r.sub, "", "Do it")
		synctest.Wait()
		began := time.Now()
		if err := r.sub.Stop(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		wantSteps(t, r.heard(), "reasoning_started 0", "llm_tool_calls 0", "reasoning_finished 0", reply)
		if took := time.Since(began); took > time.Second {
			t.Errorf("stopping took %v", took)
		}
		// Shutdown waits for the tool as long as it can.
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := r.rt.Shutdown(ctx); err == nil {
			t.Error("Shutdown did not wait for the tool")
		}
		close(release)
	})
}

func TestReasoningStopsAModelThatWrites(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := bubbled(t, reason.Options{}, llmtest.Reply{Text: []string{"one ", "two"}, Wait: func(ctx context.Context, piece int) error {
			if piece == 0 {
				return nil
			}
			<-ctx.Done()
			return ctx.Err()
		}})
		send(t, r.sub, "", "Do it")
		r.client.Until(payload.DeltaAction)
		if err := r.sub.Stop(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		wantSteps(t, r.heard(), "reasoning_finished 0", string(payload.ReplyMarkdown))
	})
}

// BAF W13
func TestReasoningModelTimeout(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := bubbled(t, reason.Options{ModelTimeout: 5 * time.Second}, llmtest.Reply{Text: []string{"x"}, Wait: func(ctx context.Context, _ int) error {
			<-ctx.Done()
			return ctx.Err()
		}})
		heard := r.ask("Do it")
		wantSteps(t, heard, "reasoning_started 0", "reasoning_finished 0", reply)
		found := slices.ContainsFunc(heard, func(d session.Delivery) bool {
			return strings.Contains(string(d.Frame.Message), "did not answer within 5s")
		})
		if !found {
			t.Error("the user is not told why")
		}
	})
}

func TestReasoningBoundsWhatIsWritten(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := bubbled(t, reason.Options{}, llmtest.Say(slices.Repeat([]string{strings.Repeat("word ", 2000)}, 100)...))
		heard := r.ask("Write without end")
		wantSteps(t, heard, "reasoning_started 0", reply, "reasoning_finished 0")
		_, messages, _ := r.store.Stored("s")
		last := messages[len(messages)-1]
		if len(last.Content) > 300<<10 || !strings.Contains(string(last.Content), "cut off") {
			t.Errorf("the answer has %d bytes", len(last.Content))
		}
	})
}

// FuzzReasoning lets a model write anything. A run ends with an answer between
// its first and last steps, and contains only valid JSON and UTF-8.
func FuzzReasoning(f *testing.F) {
	f.Add("", "read_file", `{"relative_path":"x"}`, "call_1", "stop", "Done [1].")
	f.Add("text", "add_tasks", `{"descriptions":["a"]}`, "", "tool_calls", "")
	f.Add("", "complete_task", `{"task_id":"1e999","result":null}`, "\x00", "length", "\xff")
	f.Add("", "", `{"a":`, "x", "content_filter", "[7]")
	f.Add("\u202e", "no such tool\n", `[[[[[[[[`, "x", "", "![x](http://evil)")
	f.Add("", "search_knowledge", `{"query":"work_mem","k":"9"}`, "x", "", "It is 4MB [1][2] [1-9999].")
	f.Fuzz(func(t *testing.T, text, name, arguments, id, finish, answer string) {
		model := llmtest.NewModel(llmtest.Script(
			llmtest.Reply{Text: []string{text}, ToolCalls: []llmtest.ToolCall{{ID: id, Name: name, Arguments: arguments}, {ID: id, Name: name, Arguments: "{}"}}, Finish: finish},
			llmtest.Reply{Text: []string{answer}, Finish: finish},
		))
		body, err := reason.New(model, reason.Options{Knowledge: knowledge(), MaxSteps: 4})
		if err != nil {
			t.Fatal(err)
		}
		r := converse(t, body)
		heard := r.ask("Do it")
		got := steps(t, heard)
		if len(got) < 3 || got[0] != "reasoning_started 0" || !strings.HasPrefix(got[len(got)-1], "reasoning_finished ") {
			t.Errorf("heard %q", got)
		}
		for _, d := range heard {
			if !json.Valid(d.Frame.Message) {
				t.Errorf("%s is not JSON: %q", d.Frame.Action, d.Frame.Message)
			}
		}
	})
}

// BenchmarkReasoning measures a turn with three steps, of which two call a tool.
// The model and the store take no time.
func BenchmarkReasoning(b *testing.B) {
	model := llmtest.NewModel(func(n int, _ llmtest.Request) llmtest.Reply {
		if n%3 == 2 {
			return llmtest.Say("It is 4MB [1].")
		}
		return calls("", "search_knowledge", `{"query":"work_mem"}`)
	})
	body, err := reason.New(model, reason.Options{Knowledge: knowledge()})
	if err != nil {
		b.Fatal(err)
	}
	a := agent.New("thinker")
	think := a.State("think", agent.Initial)
	think.Body(body)
	think.OnMessage().GoTo(think)
	rt, err := session.NewRuntime(session.RuntimeConfig{Agent: a, Store: agenttest.NewStore()})
	if err != nil {
		b.Fatal(err)
	}
	client := finishes{make(chan struct{}, 1)} // Deliver must not block
	sub, err := rt.Open(b.Context(), session.OpenRequest{ID: "s"}, client)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := sub.Send(b.Context(), session.Message{Content: quoted("What is the default?"), Human: true}); err != nil {
			b.Fatal(err)
		}
		<-client.done
	}
	sub.Close()
	if err := rt.Shutdown(context.WithoutCancel(b.Context())); err != nil {
		b.Fatal(err)
	}
}

// finishes is a client that records the ends of turns.
type finishes struct{ done chan struct{} }

func (finishes) Opened(session.Opened) {}

func (f finishes) Deliver(d session.Delivery) {
	if d.Frame.Action == payload.TurnFinishedAction {
		f.done <- struct{}{}
	}
}
