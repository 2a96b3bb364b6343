package reason

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"docent/agent/tool"
	"docent/payload"
)

func TestTaskTools(t *testing.T) {
	t.Parallel()
	tools, err := planningTools()
	if err != nil {
		t.Fatal(err)
	}
	set, err := tool.NewSet(tool.SetConfig{Tools: tools})
	if err != nil {
		t.Fatal(err)
	}
	list := &taskList{}
	for _, c := range []struct {
		name, arguments string
		says            string // "" stands for an error
		kind            payload.StepKind
		summary         string
	}{
		{addTasks, `{"descriptions":[" Read the film file ","Summarise",""]}`, "Added 2 task(s):\n#1: Read the film file\n#2: Summarise", payload.StepTaskAdded, "planned 2 task(s): #1 Read the film file, #2 Summarise"},
		{addTasks, `{"descriptions":[]}`, "", "", ""},
		{addTasks, `{"descriptions":["ok",{"not":"text"}]}`, "", "", ""},
		{completeTask, `{"task_id":"1","result":"read it"}`, "Task #1 marked completed — read it", payload.StepTaskCompleted, "completed task #1 — read it"},
		{completeTask, `{"task_id":1,"result":""}`, "Task #1 marked completed — ", payload.StepTaskCompleted, "completed task #1 — "},
		{skipTask, `{"task_id":2,"reason":"not needed"}`, "Task #2 marked skipped — not needed", payload.StepTaskSkipped, "skipped task #2 — not needed"},
		{completeTask, `{"task_id":9,"result":"x"}`, "", "", ""},
		{skipTask, `{"task_id":0,"reason":"x"}`, "", "", ""},
		{skipTask, `{"task_id":2}`, "", "", ""},
	} {
		out := set.Invoke(withTasks(t.Context(), list), c.name, json.RawMessage(c.arguments))
		change := list.change()
		switch {
		case out.IsError != (c.says == "") || change == nil != out.IsError:
			t.Errorf("%s %s: %+v, change %+v", c.name, c.arguments, out, change)
		case out.IsError:
			if !strings.HasPrefix(out.Content, "ERROR: ") {
				t.Errorf("%s %s says %q", c.name, c.arguments, out.Content)
			}
		case out.Content != c.says || change.Kind != c.kind || change.Summary != c.summary:
			t.Errorf("%s %s says %q and %+v", c.name, c.arguments, out.Content, change)
		}
		if list.change() != nil {
			t.Errorf("%s %s: told twice", c.name, c.arguments)
		}
	}
	if got, want := strings.Join(list.lines(), "\n"), "[x] #1 (completed) Read the film file — read it\n[/] #2 (skipped) Summarise — not needed"; got != want {
		t.Errorf("the list is\n%s\nwant\n%s", got, want)
	}
	if n := len(list.pending()); n != 0 {
		t.Errorf("%d tasks are pending", n)
	}
	out := set.Invoke(withTasks(t.Context(), list), completeTask, json.RawMessage(`{"task_id":9,"result":"x"}`))
	if want := "ERROR: no task with id #9."; out.Content != want { // BAF's words
		t.Errorf("an unknown task says %q, want %q", out.Content, want)
	}
	if out := set.Invoke(context.WithoutCancel(t.Context()), completeTask, json.RawMessage(`{"task_id":1,"result":"x"}`)); !out.IsError {
		t.Error("a task was completed without a list")
	}
}

func TestTasksAreBounded(t *testing.T) {
	t.Parallel()
	list := &taskList{}
	long := strings.Repeat("é", 3*maxTaskText)
	for range maxTasks {
		if _, err := list.add([]string{long}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := list.add([]string{"one more"}); err == nil || len(list.all()) != maxTasks {
		t.Errorf("there are %d tasks, error %v", len(list.all()), err)
	}
	if n := len([]rune(list.all()[0].Description)); n > maxTaskText {
		t.Errorf("a description has %d characters", n)
	}
}
