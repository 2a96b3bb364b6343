package reason_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"docent/agent/reason"
	"docent/agent/session"
	"docent/agent/tool"
	"docent/internal/fault"
	"docent/llm/llmtest"
	"docent/payload"
)

// The names of BAF's frames in the tables below.
const (
	taskList = string(payload.ReplyTaskList)
	reply    = string(payload.ReplyStr)
)

// wantSteps compares the steps of a run with BAF's order.
func wantSteps(t *testing.T, heard []session.Delivery, want ...string) {
	t.Helper()
	if got := steps(t, heard); !slices.Equal(got, want) {
		t.Errorf("heard\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestReasoningDirectAnswer(t *testing.T) {
	t.Parallel()
	r := reasonWith(t, reason.Options{}, llmtest.Reply{Text: []string{"4", "2"}, Usage: &llmtest.Usage{Prompt: 7, Completion: 2}})
	heard := r.ask("direct")
	wantSteps(t, heard, "reasoning_started 0", reply, "reasoning_finished 0")
	r.golden("direct", heard)
}

// planned is BAF's run with planning: the model's replies, one per step.
func planned() []llmtest.Reply {
	return []llmtest.Reply{
		calls("", "add_tasks", `{"descriptions":["Read the film file","Summarise"]}`),
		calls("", "list_directory", `{}`, "read_file", `{"relative_path":"inception.md"}`),
		calls("", "complete_task", `{"task_id":"1","result":"read it"}`),
		llmtest.Say("Too early"),
		calls("", "skip_task", `{"task_id":2,"reason":"not needed"}`, "read_file", `{"relative_path":"../secret"}`, "complete_task", `{"task_id":9,"result":"x"}`),
		llmtest.Say("Inception is a film."),
	}
}

// BAF W31
func TestReasoningPlannedRun(t *testing.T) {
	t.Parallel()
	r := reasonWith(t, reason.Options{Workspaces: films(t)}, planned()...)
	heard := r.ask("What is Inception?")
	wantSteps(t, heard,
		"reasoning_started 0",
		"llm_tool_calls 0", "task_added 0", taskList,
		"llm_tool_calls 1", "tool_result 1", "tool_result 1",
		"llm_tool_calls 2", "task_completed 2", taskList,
		"llm_text 3", "pushback 3",
		"llm_tool_calls 4", "task_skipped 4", taskList, "tool_result 4",
		"tool_result 4", // of the planning tool that failed, which BAF does not show
		reply,
		"reasoning_finished 5")
	r.golden("planned", heard)
}

func TestReasoningUnknownToolUntilMaxSteps(t *testing.T) {
	t.Parallel()
	r := reasonWith(t, reason.Options{}, calls("", "nope", `{"a":1}`))
	heard := r.ask("Do it")
	want := []string{"reasoning_started 0"}
	for _, n := range []string{"0", "1", "2", "3", "4", "5", "6", "7"} {
		want = append(want, "llm_tool_calls "+n, "tool_result "+n)
	}
	wantSteps(t, heard, append(want, "max_steps 7", reply, "reasoning_finished 7")...)
	r.golden("unknown_tool", heard)
}

// BAF W14
func TestReasoningModelError(t *testing.T) {
	t.Parallel()
	r := reasonWith(t, reason.Options{}, calls("", "add_tasks", `{"descriptions":["a"]}`),
		llmtest.Reply{Status: 500, Body: `{"error":{"message":"secret of the server"}}`})
	heard := r.ask("Do it")
	wantSteps(t, heard, "reasoning_started 0", "llm_tool_calls 0", "task_added 0", taskList, "reasoning_finished 1", reply)
	for _, d := range heard {
		if strings.Contains(string(d.Frame.Message), "secret") {
			t.Errorf("the server's words reach clients: %s", d.Frame.Message)
		}
	}
	r.golden("model_error", heard)
}

// BAF W31
func TestReasoningEmptyOutput(t *testing.T) {
	t.Parallel()
	r := reasonWith(t, reason.Options{}, llmtest.Reply{}, llmtest.Say(" \u200b"), llmtest.Say("too late"))
	heard := r.ask("Say nothing")
	wantSteps(t, heard, "reasoning_started 0", reply, "reasoning_finished 1")
	r.golden("empty", heard)
}

func TestReasoningNudgeHelps(t *testing.T) {
	t.Parallel()
	r := reasonWith(t, reason.Options{}, llmtest.Reply{Reasoning: []string{"hm"}}, llmtest.Say("Here I am."))
	heard := r.ask("Say something")
	wantSteps(t, heard, "reasoning_started 0", reply, "reasoning_finished 1")
	if got := saidText(t, heard); got != "Here I am." {
		t.Errorf("said %q", got)
	}
}

// BAF W31
func TestReasoningParallelTools(t *testing.T) {
	t.Parallel()
	others := make(chan struct{}, 2)
	wait := func(ctx context.Context, _ json.RawMessage) (any, error) {
		for range 2 { // the others are done already
			select {
			case <-others:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		return map[string]any{"slow": true}, nil
	}
	r := reasonWith(t, reason.Options{Tools: []tool.Tool{
		{Name: "slow", Call: wait},
		{Name: "failing", Call: func(context.Context, json.RawMessage) (any, error) {
			others <- struct{}{}
			return nil, &tool.Error{Text: "no such film"}
		}},
		{Name: "quick", Call: func(context.Context, json.RawMessage) (any, error) {
			others <- struct{}{}
			return "quick", nil
		}},
	}}, calls("", "slow", `{}`, "failing", ``, "add_tasks", `{"descriptions":["Read"]}`, "quick", `{"x":`, "quick", `{}`, "complete_task", `{"task_id":1,"result":"read"}`),
		llmtest.Say("Done."))
	heard := r.ask("Do all")
	wantSteps(t, heard, "reasoning_started 0", "llm_tool_calls 0", "tool_result 0", "tool_result 0", "task_added 0", taskList,
		"tool_result 0", "tool_result 0", "task_completed 0", taskList, reply, "reasoning_finished 1")
	r.golden("parallel", heard)
}

// BAF W31
func TestReasoningTextBesideCalls(t *testing.T) {
	t.Parallel()
	r := reasonWith(t, reason.Options{Workspaces: films(t)}, calls("Let me look.", "list_directory", `{}`), llmtest.Say("There is one film."))
	heard := r.ask("Which films are there?")
	wantSteps(t, heard, "reasoning_started 0", "llm_text 0", "llm_tool_calls 0", "tool_result 0", reply, "reasoning_finished 1")
	r.golden("text_beside_calls", heard)
}

// BAF W34
func TestReasoningCitations(t *testing.T) {
	t.Parallel()
	r := reasonWith(t, reason.Options{Knowledge: knowledge(), NoPlanning: true},
		calls("", "search_knowledge", `{"query":"work_mem default"}`, "search_knowledge", `{"query":"cats"}`),
		calls("", "search_knowledge", `{"query":"shared_buffers"}`, "search_knowledge", `{"query":"work_mem again"}`, "read_document", `{"id":2}`),
		llmtest.Say("The default of work_mem is 4MB [1]. That of shared_buffers is 128MB [3, 9]. Elephants forget nothing [2]."))
	heard := r.ask("What are the defaults?")
	wantSteps(t, heard, "reasoning_started 0", "llm_tool_calls 0", "tool_result 0", "tool_result 0",
		"llm_tool_calls 1", "tool_result 1", "tool_result 1", "tool_result 1", string(payload.ReplyRAG), "reasoning_finished 2")
	r.golden("citations", heard)
}

func TestReasoningAbstains(t *testing.T) {
	t.Parallel()
	r := reasonWith(t, reason.Options{Knowledge: knowledge()}, calls("", "search_knowledge", `{"query":"cats"}`), llmtest.Say("I don't know: I only found something about cats."))
	for _, d := range r.ask("What do dogs do?") {
		if d.Frame.Action != payload.ReplyRAG {
			continue
		}
		var m payload.RAGMessage
		if err := json.Unmarshal(d.Frame.Message, &m); err != nil || !m.Abstained || m.LLMName != "scripted" || len(m.Docs) != 1 {
			t.Errorf("%v, message is %+v", err, m)
		}
		return
	}
	t.Error("there was no answer")
}

func TestReasoningSaysWhatItSearchedFor(t *testing.T) {
	t.Parallel()
	r := reasonWith(t, reason.Options{Knowledge: knowledge(), MaxSteps: 2}, calls("", "search_knowledge", `{"query":"dogs \"and\" cats"}`, "search_knowledge", `{"query":"cats"}`))
	got := saidText(t, r.ask("What do dogs do?"))
	if want := reason.DefaultFallback + ` I searched the documents for “dogs "and" cats”, “cats”.`; got != want {
		t.Errorf("said %q, want %q", got, want)
	}
	r = reasonWith(t, reason.Options{Knowledge: knowledge(), MaxSteps: 1, Fallback: "No."}, calls("", "search_knowledge", `{"query":"cats"}`))
	if got := saidText(t, r.ask("What do dogs do?")); got != "No." {
		t.Errorf("said %q", got)
	}
}

func TestReasoningAcceptsWhatIsInsistedOn(t *testing.T) {
	t.Parallel()
	r := reasonWith(t, reason.Options{}, calls("", "add_tasks", `{"descriptions":["a"]}`), llmtest.Say("It is so."))
	wantSteps(t, r.ask("Is it so?"), "reasoning_started 0", "llm_tool_calls 0", "task_added 0", taskList,
		"llm_text 1", "pushback 1", "llm_text 2", "pushback 2", reply, "reasoning_finished 3")
	// There is no time for tasks in the last step.
	r = reasonWith(t, reason.Options{MaxSteps: 2}, calls("", "add_tasks", `{"descriptions":["a"]}`), llmtest.Say("It is so."))
	wantSteps(t, r.ask("Is it so?"), "reasoning_started 0", "llm_tool_calls 0", "task_added 0", taskList, reply, "reasoning_finished 1")
}

// BAF W31
func TestReasoningGreetsWithoutModel(t *testing.T) {
	t.Parallel()
	r := reasonWith(t, reason.Options{}, llmtest.Say("42"))
	r.ask("direct")
	if n := len(r.server.Requests()); n != 1 {
		t.Errorf("the model was called %d times for one message", n)
	}
	r = reasonWith(t, reason.Options{Greeting: "Hello!"}, llmtest.Say("42"))
	if got := text(t, r.client.Until(payload.ReplyStr)); got != "Hello!" || len(r.server.Requests()) != 0 {
		t.Errorf("the greeting is %q after %d calls", got, len(r.server.Requests()))
	}
	heard := r.ask("  ")
	if got := saidText(t, heard); !strings.Contains(got, "empty") || len(r.server.Requests()) != 0 {
		t.Errorf("an empty message is answered %q after %d calls", got, len(r.server.Requests()))
	}
}

// BAF W31
func TestReasoningRemembersTheConversation(t *testing.T) {
	t.Parallel()
	r := reasonWith(t, reason.Options{Greeting: "Hello!"}, llmtest.Say("Ada."), llmtest.Say("1815."))
	r.ask("Who wrote the first program?")
	r.ask("When was she born?")
	var got []string
	for _, m := range r.server.Requests()[1].Messages[1:] {
		got = append(got, m.Role+": "+m.Content)
	}
	want := []string{"user: Who wrote the first program?", "assistant: Ada.", "user: When was she born?"}
	if !slices.Equal(got, want) {
		t.Errorf("the model was shown %q, want %q", got, want)
	}
}

func TestReasoningWithoutTools(t *testing.T) {
	t.Parallel()
	said := func(heard []session.Delivery) (out []string) {
		for _, d := range heard {
			switch d.Frame.Action {
			case payload.ReplyStr, payload.ReplyRAG:
				out = append(out, string(d.Frame.Action))
			}
		}
		return out
	}
	r := reasonWith(t, reason.Options{}, llmtest.Reply{Status: 400, Body: `{"error":{"message":"m does not support tools"}}`})
	heard := r.ask("a")
	if got := said(heard); !slices.Equal(got, []string{reply, string(payload.ReplyRAG)}) {
		t.Errorf("said %q", got)
	}
	r.golden("refused", heard)
	asked := len(r.server.Requests())
	if got := said(r.ask("b")); !slices.Equal(got, []string{string(payload.ReplyRAG)}) || len(r.server.Requests()) != asked {
		t.Errorf("then said %q after %d calls", got, len(r.server.Requests()))
	}
	body, err := reason.New(nil, reason.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r = converse(t, body)
	if got := said(append(r.ask("a"), r.ask("b")...)); !slices.Equal(got, []string{reply, string(payload.ReplyRAG), string(payload.ReplyRAG)}) {
		t.Errorf("without a model said %q", got)
	}
	body, err = reason.New(modest{llmtest.NewModel(nil)}, reason.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r = converse(t, body)
	if got := said(r.ask("a")); !slices.Equal(got, []string{reply, string(payload.ReplyRAG)}) {
		t.Errorf("with a modest model said %q", got)
	}
}

// modest is a model that reports that it cannot use tools.
type modest struct{ *llmtest.Model }

func (modest) CallsTools() bool { return false }

func TestReasoningHidesItsSteps(t *testing.T) {
	t.Parallel()
	r := reasonWith(t, reason.Options{HideSteps: true, Workspaces: films(t)}, planned()...)
	heard := r.ask("What is Inception?")
	wantSteps(t, heard, reply)
	for _, d := range heard {
		if strings.Contains(string(d.Frame.Message), "read_file") {
			t.Errorf("a tool is named: %s", d.Frame.Message)
		}
	}
	if n := len(r.store.Record("s")); n != 2 {
		t.Errorf("%d rows are stored", n)
	}
}

func TestReasoningLeavesAScratchpad(t *testing.T) {
	t.Parallel()
	r := reasonWith(t, reason.Options{Workspaces: films(t)}, planned()...)
	r.ask("What is Inception?")
	record, _, _ := r.store.Stored("s")
	const want = `[{"step":0,"tool_calls":[{"name":"add_tasks","arguments":{"descriptions":["Read the film file","Summarise"]}}],"tool_results":["Added 2 task(s):\n#1: Read the film file\n#2: Summarise"]},` +
		`{"step":1,"tool_calls":[{"name":"list_directory","arguments":{}},{"name":"read_file","arguments":{"relative_path":"inception.md"}}],"tool_results":["[FILE] inception.md","Inception is a film.\n"]},` +
		`{"step":2,"tool_calls":[{"name":"complete_task","arguments":{"task_id":"1","result":"read it"}}],"tool_results":["Task #1 marked completed — read it"]},` +
		`{"step":3,"rejected_answer":"Too early","pending_task_ids":[2]},`
	if got := string(record.Variables[reason.ScratchpadVariable]); !strings.HasPrefix(got, want) ||
		!strings.HasSuffix(got, `{"step":5,"answer":"Inception is a film."},{"final_task_list":[{"id":1,"description":"Read the film file","status":"completed","result":"read it"},{"id":2,"description":"Summarise","status":"skipped","result":"not needed"}]}]`) {
		t.Errorf("the scratchpad is %s", got)
	}
}

func TestReasoningOptionsAreChecked(t *testing.T) {
	t.Parallel()
	some := func(name string) []tool.Tool {
		return []tool.Tool{{Name: name, Call: func(context.Context, json.RawMessage) (any, error) { return nil, nil }}}
	}
	for field, o := range map[string]reason.Options{
		"MaxSteps":    {MaxSteps: 1000},
		"Parallel":    {Parallel: -1},
		"ToolTimeout": {ToolTimeout: -1},
		"System":      {System: strings.Repeat("x", 1<<20)},
		"add_tasks":   {Tools: some("add_tasks")},
		"two tools":   {Tools: append(some("a"), some("a")...)},
		"Searcher":    {Knowledge: &tool.KnowledgeConfig{}},
	} {
		if _, err := reason.New(nil, o); fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), field) {
			t.Errorf("error is %v, want one about %s", err, field)
		}
	}
}
