package reason

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docent/rag/corpus"
	"docent/rag/retrieve"
	"docent/rag/talk"

	"docent/agent/tool"
	"docent/llm"
	"docent/payload"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares a text with a file of testdata/reasoning.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("not as in %s; if it should be, run the test with -update:\n%s", path, got)
	}
}

func testReasoner(t *testing.T, o Options) *reasoner {
	t.Helper()
	r, err := newReasoner(nil, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestSystemPrompts(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "inception.md"), []byte("Inception is a film.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	spaces, err := tool.OpenWorkspaces(tool.Workspace{Name: "films", Path: folder, Description: "One file for each film."})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = spaces.Close() })
	planned := &taskList{}
	for _, do := range []func() (string, error){
		func() (string, error) { return planned.add([]string{"Read the\nfilm file", "Summarise", "Guess"}) },
		func() (string, error) { return planned.complete(1, "read it") },
		func() (string, error) { return planned.skip(3, "not needed") },
	} {
		if _, err := do(); err != nil {
			t.Fatal(err)
		}
	}
	for name, u := range map[string]*run{
		"plain":   {reasoner: testReasoner(t, Options{NoPlanning: true}), tasks: &taskList{}},
		"planned": {reasoner: testReasoner(t, Options{Workspaces: spaces, MaxSteps: 3}), tasks: planned, step: 2, skills: "## Skill: films\n\nName the director."},
		"own":     {reasoner: testReasoner(t, Options{System: "You are a pirate. ", Knowledge: &tool.KnowledgeConfig{Searcher: nowhere{}, Library: nowhere{}}}), tasks: &taskList{}},
	} {
		text, err := u.system(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "prompt_"+name, text+"\n")
	}
	planned.tasks[2].Status = payload.TaskInProgress
	planned.tasks = append(planned.tasks, payload.Task{ID: 4, Description: "{{.Count}}", Status: payload.TaskPending})
	u := &run{reasoner: testReasoner(t, Options{}), tasks: planned}
	if err := errors.Join(u.objectToPending(planned.pending()), u.object("nudge", nil)); err != nil {
		t.Fatal(err)
	}
	var objections []string
	for _, m := range u.messages {
		objections = append(objections, m.Text)
	}
	golden(t, "prompt_objections", strings.Join(objections, "\n---\n")+"\n")
}

func TestHistoryFitsItsBudget(t *testing.T) {
	t.Parallel()
	r := testReasoner(t, Options{HistoryTokens: 16})
	ten := strings.TrimSpace(strings.Repeat("word ", 8))
	shown := func(turns ...talk.Turn) string {
		var out []string
		for _, m := range r.history(turns) {
			out = append(out, fmt.Sprintf("%s: %s", m.Role, m.Text))
		}
		return strings.Join(out, "; ")
	}
	user := func(text string) talk.Turn { return talk.Turn{Role: talk.User, Text: text} }
	agent := func(text string) talk.Turn { return talk.Turn{Role: talk.Assistant, Text: text} }
	for want, got := range map[string]string{
		"":                                     shown(),
		"user: " + ten + "; assistant: " + ten: shown(agent("Hi"), user("old"), user(ten), agent(ten)),
		"assistant: new [x]":                   shown(user(strings.Repeat(ten+" ", 3)), agent("new [1][2] [x]")),
		"user: a; assistant: b; user: c":       shown(user("a"), agent("b"), agent("[1]"), user("c")),
		"user: " + ten + "; user: " + ten + "; assistant: x": "user: " + ten + "; user: " + ten + "; assistant: x",
	} {
		if got != want {
			t.Errorf("shown is %q, want %q", got, want)
		}
	}
	if r.static.Count(ten) != 8 {
		t.Errorf("the text has %d tokens", r.static.Count(ten))
	}
}

func TestOutputsFitTheRun(t *testing.T) {
	t.Parallel()
	r := testReasoner(t, Options{})
	text := strings.Repeat("A word or two of a long output. ", 4000)
	short := r.cut(text, outputTokens)
	if n := r.static.Count(short); n > outputTokens+30 || n < outputTokens*3/4 || !strings.Contains(short, "[cut: ") {
		t.Errorf("of %d tokens %d are left", r.static.Count(text), n)
	}
	if got := r.cut("short", outputTokens); got != "short" {
		t.Errorf("a short text became %q", got)
	}
	u := &run{reasoner: r, tasks: &taskList{}}
	for range 8 {
		var calls []*call
		for i := range 2 {
			calls = append(calls, u.newCall(i, llm.Call{Name: "f"}))
		}
		u.messages = append(u.messages, assistantMessage("", calls))
		for _, c := range calls {
			c.outcome.Content = text
			u.messages = append(u.messages, u.resultMessage(c, len(calls)))
		}
		u.fit()
	}
	total, whole := 0, 0
	for _, m := range u.messages {
		if m.Role == llm.ToolResult {
			n := r.static.Count(m.Text)
			total += n
			if n > outputTokens/2 {
				whole++
			}
		}
	}
	if total > runTokens+16*(remainderTokens+30) || whole < 3 {
		t.Errorf("%d tokens of output, %d of them whole", total, whole)
	}
}

func TestTextsAreShortened(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", maxStepText+1)
	if got, want := shortened(long), long[:2*maxStepText]+"\n[truncated: 4001 characters in all]"; got != want {
		t.Errorf("got %d bytes ending in %q", len(got), got[len(got)-50:])
	}
	if got := shortened(long[:2*maxStepText]); len(got) != 2*maxStepText {
		t.Error("a text that fits was cut")
	}
}

func TestScratchpadIsBounded(t *testing.T) {
	t.Parallel()
	var p scratchpad
	for i := range 200 {
		p.add(notedAnswer{i, strings.Repeat("x", maxNoted)})
	}
	p.add(notedTasks{[]payload.Task{}})
	data, err := payload.Marshal(p.entries())
	if err != nil || len(data) > maxScratchpad+2 {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if !strings.HasSuffix(string(data), `{"final_task_list":[]}]`) || !strings.Contains(string(data), `{"step":199,`) {
		t.Error("the newest notes are not kept")
	}
}

func TestUnusableCallsAreSentAgainUsable(t *testing.T) {
	t.Parallel()
	u := &run{reasoner: testReasoner(t, Options{}), tasks: &taskList{}}
	for raw, want := range map[string]string{
		``:                      `{}`,
		` {"a": 1} `:            `{"a":1}`,
		`{"a":`:                 `{"arguments":"{\"a\":"}`,
		`[1, 2]`:                `{"arguments":[1,2]}`,
		`{"a":"\"[{","b":1e99}`: `{"a":"\"[{","b":1e99}`,
		`{"a":1e99999}`:         `{"arguments":"{\"a\":1e99999}"}`,
		strings.Repeat("[", 101) + strings.Repeat("]", 101): `{"arguments":"` + strings.Repeat("[", 101) + strings.Repeat("]", 101) + `"}`,
		"\xff":                  `{"arguments":"` + "\uFFFD" + `"}`,
		strings.Repeat("x", 10): `{"arguments":"xxxxxxxxxx"}`,
	} {
		c := u.newCall(0, llm.Call{Name: "no such tool!", Arguments: raw})
		again := assistantMessage("", []*call{c}).Calls[0]
		if again.Arguments != want || again.Name != "no_such_tool_" || again.ID != "call_0_0" {
			t.Errorf("%q is sent again as %+v %s, want %s", raw, again, again.ID, want)
		}
	}
	if c := u.newCall(3, llm.Call{}); c.name != "" || string(c.shown) != "{}" || c.id != "call_0_3" {
		t.Errorf("a call of nothing is %+v", c)
	}
	big := u.newCall(0, llm.Call{Name: "f", Arguments: `"` + strings.Repeat("x", maxArguments) + `"`})
	if out := u.invoke(t.Context(), big); !out.IsError || len(big.shown) > 2*maxStepText {
		t.Errorf("long arguments came to %+v, shown are %d bytes", out, len(big.shown))
	}
}

// nowhere is a library without documents.
type nowhere struct{}

func (nowhere) Retrieve(context.Context, retrieve.Query) (retrieve.Retrieval, error) {
	return retrieve.Retrieval{}, nil
}

func (nowhere) DocumentIDs(context.Context, corpus.DocumentFilter) ([]int64, error) { return nil, nil }

func (nowhere) Documents(context.Context, corpus.DocumentFilter) ([]corpus.Document, error) {
	return nil, nil
}

func (nowhere) Document(context.Context, int64) (corpus.Document, error) {
	return corpus.Document{}, nil
}
func (nowhere) Collections(context.Context) ([]corpus.CollectionInfo, error) { return nil, nil }
