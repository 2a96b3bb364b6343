package reason_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"docent/agent"
	"docent/agent/reason"
	"docent/agent/session"
	"docent/agent/tool"
	"docent/llm/llmtest"
	"docent/payload"
)

// bafKeys are the keys of each step's details in BAF. The keys of objects in lists follow in brackets.
var bafKeys = map[payload.StepKind]string{
	payload.StepStarted:       "user_message task_planning max_steps",
	payload.StepToolCalls:     "tool_calls[id name arguments]",
	payload.StepToolResult:    "name arguments content is_error",
	payload.StepTaskAdded:     "tasks[id description]",
	payload.StepTaskCompleted: "task_id description result",
	payload.StepTaskSkipped:   "task_id description reason",
	payload.StepText:          "text is_final",
	payload.StepPushback:      "pending[id description status]",
	payload.StepMaxSteps:      "max_steps pending[id description status]",
	payload.StepFinished:      "final_task_list[id description status result]",
}

// keys returns the keys of an object in order. For lists of objects, the keys of the first object follow in brackets.
func keys(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	var out []string
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		name := fmt.Sprint(key)
		var list []json.RawMessage
		if value[0] == '[' && json.Unmarshal(value, &list) == nil && len(list) > 0 && list[0][0] == '{' {
			name += "[" + keys(t, list[0]) + "]"
		}
		out = append(out, name)
	}
	return strings.Join(out, " ")
}

func TestReasoningDetailsAreBAFs(t *testing.T) {
	t.Parallel()
	seen := map[payload.StepKind]bool{}
	r := reasonWith(t, reason.Options{Workspaces: films(t)}, planned()...)
	heard := r.ask("What is Inception?")
	r = reasonWith(t, reason.Options{MaxSteps: 2}, calls("", "add_tasks", `{"descriptions":["a"]}`))
	heard = append(heard, r.ask("Do it")...)
	for _, d := range heard {
		if d.Frame.Action != payload.ReplyReasoningStep {
			continue
		}
		if got := keys(t, d.Frame.Message); got != "kind step summary details" {
			t.Errorf("a step has keys %s", got)
		}
		var step struct {
			Kind    payload.StepKind
			Details json.RawMessage
		}
		if err := json.Unmarshal(d.Frame.Message, &step); err != nil {
			t.Fatal(err)
		}
		seen[step.Kind] = true
		if got := keys(t, step.Details); got != bafKeys[step.Kind] {
			t.Errorf("%s has %s, want %s", step.Kind, got, bafKeys[step.Kind])
		}
	}
	if len(seen) != len(bafKeys) {
		t.Errorf("seen are %v", seen)
	}
}

func TestReasoningShowsFittingSkills(t *testing.T) {
	t.Parallel()
	var all []tool.Skill
	for i := range 5 {
		all = append(all, tool.Skill{Name: fmt.Sprintf("colour %d", i), Content: "Paint it."})
	}
	all = append(all, tool.Skill{Name: "refunds", Description: "How to handle a refund.", Content: "Ask for the order number."})
	skills, err := tool.NewSkills(t.Context(), tool.SkillsConfig{Skills: all})
	if err != nil {
		t.Fatal(err)
	}
	r := reasonWith(t, reason.Options{Skills: skills}, llmtest.Say("Which order?"))
	r.ask("I want refunds")
	system := r.server.Requests()[0].Messages[0].Content
	if !strings.Contains(system, "## Skill: refunds") || strings.Contains(system, "colour 4") {
		t.Errorf("the prompt is %s", system)
	}
}

func TestReasoningToolsUseTheSession(t *testing.T) {
	t.Parallel()
	set := func(ctx context.Context, raw json.RawMessage) (any, error) {
		s, ok := agent.SessionFrom(ctx)
		if !ok {
			return nil, errors.New("there is no session")
		}
		var in struct{ Key string }
		if err := json.Unmarshal(raw, &in); err != nil {
			return nil, err
		}
		return nil, errors.Join(s.Set(in.Key, true), s.ReplyMarkdown(ctx, in.Key))
	}
	parameters := json.RawMessage(`{"type":"object","properties":{"key":{"type":"string"}}}`)
	r := reasonWith(t, reason.Options{Tools: []tool.Tool{{Name: "set", Parameters: parameters, Call: set}}},
		calls("", "set", `{"key":"a"}`, "set", `{"key":"b"}`, "set", `{"key":"c"}`), llmtest.Say("Done."))
	r.ask("Set all")
	record, messages, _ := r.store.Stored("s")
	for _, key := range []string{"a", "b", "c"} {
		if string(record.Variables[key]) != "true" {
			t.Errorf("%s is %s", key, record.Variables[key])
		}
	}
	if len(messages) != 5 || string(messages[4].Content) != `"Done."` {
		t.Errorf("stored are %+v", messages)
	}
}

func TestReasoningRunsNotTooManyCalls(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var running, most atomic.Int64
		gate := make(chan struct{})
		var many []string
		for range 20 {
			many = append(many, "work", `{}`)
		}
		r := bubbled(t, reason.Options{Parallel: 3, Tools: []tool.Tool{{Name: "work", Call: func(context.Context, json.RawMessage) (any, error) {
			most.Store(max(most.Load(), running.Add(1)))
			<-gate
			running.Add(-1)
			return "worked", nil
		}}}}, calls("", many...), llmtest.Say("Done."))
		send(t, r.sub, "", "Work")
		synctest.Wait()
		if n := running.Load(); n != 3 {
			t.Errorf("%d calls run at a time, want 3", n)
		}
		close(gate)
		heard := r.heard()
		if n := most.Load(); n > 3 {
			t.Errorf("%d calls ran at a time, want 3", n)
		}
		failed := 0
		for _, d := range heard {
			if d.Audience != session.Streaming && strings.Contains(string(d.Frame.Message), "At most 16 tools") {
				failed++
			}
		}
		if n := len(slices.DeleteFunc(steps(t, heard), func(s string) bool { return s != "tool_result 0" })); n != 17 || failed != 1 {
			t.Errorf("%d results, %d of them refused", n, failed)
		}
	})
}

func TestReasoningAboutOtherEvents(t *testing.T) {
	t.Parallel()
	model := llmtest.NewModel(llmtest.Script(llmtest.Say("Noted.")))
	body, err := reason.New(model, reason.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a := agent.New("thinker")
	think := a.State("think", agent.Initial)
	think.Body(body)
	think.OnFile().GoTo(think)
	think.OnEvent("alarm").GoTo(think)
	r := runAgent(t, a)
	if err := r.sub.SendFile(t.Context(), session.File{File: payload.File{Name: "notes.txt", Type: "text/plain", Base64: "aGk="}}); err != nil {
		t.Fatal(err)
	}
	r.heard()
	if err := r.rt.Dispatch(t.Context(), "s", agent.Event{Name: "alarm", Data: json.RawMessage(`{"room":3}`)}); err != nil {
		t.Fatal(err)
	}
	r.heard()
	for i, want := range []string{`(The user sent the file "notes.txt" of type "text/plain".)`, `(Event alarm) {"room":3}`} {
		m := model.Requests()[i].Messages
		if got := m[len(m)-1].Content; got != want {
			t.Errorf("asked %q, want %q", got, want)
		}
	}
}

func TestReasoningLogsPanicsOfTools(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	boom := tool.Tool{Name: "boom", Call: func(context.Context, json.RawMessage) (any, error) { panic("no film") }}
	r := reasonWith(t, reason.Options{Tools: []tool.Tool{boom}, Log: slog.New(slog.NewTextHandler(&log, nil))},
		calls("", "boom", `{}`), llmtest.Say("Done."))
	r.ask("Go")
	for _, part := range []string{"tool=boom", "no film", "session=s", "state="} {
		if !strings.Contains(log.String(), part) {
			t.Errorf("the log lacks %q: %s", part, log.String())
		}
	}
}
