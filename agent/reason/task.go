package reason

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"docent/agent/tool"
	"docent/payload"
	words "docent/rag/text"
)

// Limits of a run's task list.
const (
	// maxTasks limits the tasks of a run.
	maxTasks = 50
	// maxTaskText limits a description, result, or reason, in characters.
	maxTaskText = 1000
)

// taskList is the plan of one run.
type taskList struct {
	mu    sync.Mutex // guards the following fields
	tasks []payload.Task
	// last is the step for the last change, or nil if it was already shown.
	last *payload.ReasoningStep
}

// add plans tasks and returns a text for the model.
func (l *taskList) add(descriptions []string) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var wanted []string
	for _, d := range descriptions {
		if d = words.Shorten(strings.TrimSpace(d), maxTaskText); d != "" {
			wanted = append(wanted, d)
		}
	}
	switch {
	case len(wanted) == 0:
		return "", &tool.Error{Text: "descriptions has no task in it."}
	case len(l.tasks)+len(wanted) > maxTasks:
		return "", &tool.Error{Text: fmt.Sprintf("a plan has at most %d tasks; join some.", maxTasks)}
	}
	var planned []payload.PlannedTask
	var told, named []string
	for _, d := range wanted {
		id := len(l.tasks) + 1
		l.tasks = append(l.tasks, payload.Task{ID: id, Description: d, Status: payload.TaskPending})
		planned = append(planned, payload.PlannedTask{ID: id, Description: d})
		told = append(told, fmt.Sprintf("#%d: %s", id, d))
		named = append(named, fmt.Sprintf("#%d %s", id, d))
	}
	l.last = &payload.ReasoningStep{
		Kind:    payload.StepTaskAdded,
		Summary: fmt.Sprintf("planned %d task(s): %s", len(planned), strings.Join(named, ", ")),
		Details: payload.TaskAddedDetails{Tasks: planned},
	}
	return fmt.Sprintf("Added %d task(s):\n%s", len(told), strings.Join(told, "\n")), nil
}

// complete marks a task as done. A later result replaces an earlier one, unless it is empty.
func (l *taskList) complete(id int, result string) (string, error) {
	return l.end(id, payload.TaskCompleted, result)
}

// skip marks a task as skipped.
func (l *taskList) skip(id int, reason string) (string, error) {
	return l.end(id, payload.TaskSkipped, reason)
}

func (l *taskList) end(id int, status payload.TaskStatus, result string) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if id < 1 || id > len(l.tasks) {
		return "", &tool.Error{Text: fmt.Sprintf("no task with id #%d.", id)}
	}
	t := &l.tasks[id-1]
	t.Status = status
	if result = words.Shorten(strings.TrimSpace(result), maxTaskText); result != "" {
		t.Result = result
	}
	l.last = &payload.ReasoningStep{
		Kind:    payload.StepTaskCompleted,
		Summary: fmt.Sprintf("completed task #%d \u2014 %s", id, result),
		Details: payload.TaskCompletedDetails{TaskID: id, Description: t.Description, Result: result},
	}
	if status == payload.TaskSkipped {
		l.last.Kind = payload.StepTaskSkipped
		l.last.Summary = fmt.Sprintf("skipped task #%d \u2014 %s", id, result)
		l.last.Details = payload.TaskSkippedDetails{TaskID: id, Description: t.Description, Reason: result}
	}
	return fmt.Sprintf("Task #%d marked %s \u2014 %s", id, status, result), nil
}

// change returns the step for the last change once, or nil.
func (l *taskList) change() *payload.ReasoningStep {
	l.mu.Lock()
	defer l.mu.Unlock()
	last := l.last
	l.last = nil
	return last
}

// all returns the current tasks. It never returns nil.
func (l *taskList) all() []payload.Task {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]payload.Task{}, l.tasks...)
}

// pending returns the tasks that are neither done nor skipped. It never returns nil.
func (l *taskList) pending() []payload.PendingTask {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := []payload.PendingTask{}
	for _, t := range l.tasks {
		if t.Status == payload.TaskPending || t.Status == payload.TaskInProgress {
			out = append(out, payload.PendingTask{ID: t.ID, Description: t.Description, Status: t.Status})
		}
	}
	return out
}

// boxes show a task's status, as in BAF.
var boxes = map[payload.TaskStatus]string{
	payload.TaskPending: "[ ]", payload.TaskInProgress: "[~]", payload.TaskCompleted: "[x]", payload.TaskSkipped: "[/]",
}

// lines returns the tasks in the form of the prompt.
func (l *taskList) lines() []string {
	var out []string
	for _, t := range l.all() {
		line := fmt.Sprintf("%s #%d (%s) %s", boxes[t.Status], t.ID, t.Status, t.Description)
		if t.Result != "" {
			line += " \u2014 " + t.Result
		}
		out = append(out, strings.Join(strings.Fields(line), " "))
	}
	return out
}

// isTaskTool reports whether a tool is a planning tool.
func isTaskTool(name string) bool { return slices.Contains(taskTools[:], name) }
