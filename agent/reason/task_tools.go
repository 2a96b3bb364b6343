package reason

import (
	"context"

	"docent/agent/tool"
	"docent/internal/fault"
)

// The names of the planning tools, as in BAF.
const (
	addTasks     = "add_tasks"
	completeTask = "complete_task"
	skipTask     = "skip_task"
)

var taskTools = [...]string{addTasks, completeTask, skipTask}

type (
	addTasksInput struct {
		Descriptions []string `json:"descriptions" description:"One short description for each task, in the order they are to be done."`
	}
	completeTaskInput struct {
		TaskID int    `json:"task_id" description:"The task's number, without #."`
		Result string `json:"result" description:"What came of it, in a sentence."`
	}
	skipTaskInput struct {
		TaskID int    `json:"task_id" description:"The task's number, without #."`
		Reason string `json:"reason" description:"Why it will not be done, in a sentence."`
	}
)

// planningTools are the tools for planning. They change the task list of the run in their context.
func planningTools() ([]tool.Tool, error) {
	add, err := tool.New(addTasks, "Plan tasks: adds them to the end of your task list.",
		func(ctx context.Context, in addTasksInput) (any, error) {
			return onTasks(ctx, func(l *taskList) (string, error) { return l.add(in.Descriptions) })
		})
	if err != nil {
		return nil, err
	}
	complete, err := tool.New(completeTask, "Mark a task of your list as completed.",
		func(ctx context.Context, in completeTaskInput) (any, error) {
			return onTasks(ctx, func(l *taskList) (string, error) { return l.complete(in.TaskID, in.Result) })
		})
	if err != nil {
		return nil, err
	}
	skip, err := tool.New(skipTask, "Mark a task of your list as not needed or not possible.",
		func(ctx context.Context, in skipTaskInput) (any, error) {
			return onTasks(ctx, func(l *taskList) (string, error) { return l.skip(in.TaskID, in.Reason) })
		})
	if err != nil {
		return nil, err
	}
	return []tool.Tool{add, complete, skip}, nil
}

type taskListKey struct{}

// withTasks returns a context with the task list of a run.
func withTasks(ctx context.Context, l *taskList) context.Context {
	return context.WithValue(ctx, taskListKey{}, l)
}

func onTasks(ctx context.Context, do func(*taskList) (string, error)) (any, error) {
	l, ok := ctx.Value(taskListKey{}).(*taskList)
	if !ok {
		return nil, fault.New(fault.Internal, "no_task_list", "there is no task list")
	}
	return do(l)
}
