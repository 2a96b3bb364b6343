package payload

import (
	"encoding/json"
	"fmt"
)

// StepKind says what happened in a step of reasoning.
type StepKind string

// The kinds of steps, each with the type of its details.
const (
	// StepStarted opens a run; StartedDetails.
	StepStarted StepKind = "reasoning_started"
	// StepToolCalls: the model calls tools; ToolCallsDetails.
	StepToolCalls StepKind = "llm_tool_calls"
	// StepToolResult: a tool returned; ToolResultDetails.
	StepToolResult StepKind = "tool_result"
	// StepTaskAdded: tasks were planned; TaskAddedDetails.
	StepTaskAdded StepKind = "task_added"
	// StepTaskCompleted: a task is done; TaskCompletedDetails.
	StepTaskCompleted StepKind = "task_completed"
	// StepTaskSkipped: a task will not be done; TaskSkippedDetails.
	StepTaskSkipped StepKind = "task_skipped"
	// StepText: the model said something that is not the answer; TextDetails.
	StepText StepKind = "llm_text"
	// StepPushback: an answer was refused as tasks are open; PushbackDetails.
	StepPushback StepKind = "pushback"
	// StepMaxSteps: the run may not go on; MaxStepsDetails.
	StepMaxSteps StepKind = "max_steps"
	// StepFinished closes a run; FinishedDetails.
	StepFinished StepKind = "reasoning_finished"
)

// ReasoningStep is one step of a run of reasoning.
type ReasoningStep struct {
	// Kind says what happened.
	Kind StepKind `json:"kind"`
	// Step counts the run's model calls from 0.
	Step int `json:"step"`
	// Summary is a line for people.
	Summary string `json:"summary"`
	// Details are of the type that Kind names, by value. Of other kinds any
	// object; read, it is then a json.RawMessage.
	Details any `json:"details"`
}

// StartedDetails are of a StepStarted.
type StartedDetails struct {
	// UserMessage is what is reasoned about.
	UserMessage string `json:"user_message"`
	// TaskPlanning tells that the run may plan tasks.
	TaskPlanning bool `json:"task_planning"`
	// MaxSteps bounds the run's model calls.
	MaxSteps int `json:"max_steps"`
}

// ToolCallsDetails are of a StepToolCalls.
type ToolCallsDetails struct {
	// ToolCalls are in the model's order.
	ToolCalls []ToolCall `json:"tool_calls"`
}

// ToolCall is a model's wish to call a tool.
type ToolCall struct {
	// ID is the model's name of the call.
	ID string `json:"id"`
	// Name is the tool's.
	Name string `json:"name"`
	// Arguments are an object, or what JSON the model gave.
	Arguments json.RawMessage `json:"arguments"`
}

// ToolResultDetails are of a StepToolResult.
type ToolResultDetails struct {
	// Name is the tool's.
	Name string `json:"name"`
	// Arguments are those of the call.
	Arguments json.RawMessage `json:"arguments"`
	// Content is what it returned; the sender shortens it.
	Content string `json:"content"`
	// IsError tells that it failed.
	IsError bool `json:"is_error"`
}

// TaskAddedDetails are of a StepTaskAdded.
type TaskAddedDetails struct {
	// Tasks are those planned in the step.
	Tasks []PlannedTask `json:"tasks"`
}

// PlannedTask is a task as it is planned.
type PlannedTask struct {
	// ID is as in Task.
	ID int `json:"id"`
	// Description says what is to be done.
	Description string `json:"description"`
}

// TaskCompletedDetails are of a StepTaskCompleted.
type TaskCompletedDetails struct {
	// TaskID is as in Task.
	TaskID int `json:"task_id"`
	// Description says what was done.
	Description string `json:"description"`
	// Result says what came of it.
	Result string `json:"result"`
}

// TaskSkippedDetails are of a StepTaskSkipped.
type TaskSkippedDetails struct {
	// TaskID is as in Task.
	TaskID int `json:"task_id"`
	// Description says what will not be done.
	Description string `json:"description"`
	// Reason says why.
	Reason string `json:"reason"`
}

// TextDetails are of a StepText.
type TextDetails struct {
	// Text is what the model said.
	Text string `json:"text"`
	// IsFinal is false: answers are no steps.
	IsFinal bool `json:"is_final"`
}

// PushbackDetails are of a StepPushback.
type PushbackDetails struct {
	// Pending are the tasks that are open.
	Pending []PendingTask `json:"pending"`
}

// PendingTask is a task that is open.
type PendingTask struct {
	// ID is as in Task.
	ID int `json:"id"`
	// Description says what is to be done.
	Description string `json:"description"`
	// Status is TaskPending or TaskInProgress.
	Status TaskStatus `json:"status"`
}

// MaxStepsDetails are of a StepMaxSteps.
type MaxStepsDetails struct {
	// MaxSteps is the bound that was reached.
	MaxSteps int `json:"max_steps"`
	// Pending are the tasks that are open.
	Pending []PendingTask `json:"pending"`
}

// FinishedDetails are of a StepFinished.
type FinishedDetails struct {
	// FinalTaskList is the run's task list at its end.
	FinalTaskList []Task `json:"final_task_list"`
}

// TaskStatus says how far a task is.
type TaskStatus string

// The statuses.
const (
	// TaskPending: it is to be done.
	TaskPending TaskStatus = "pending"
	// TaskInProgress: it is being done.
	TaskInProgress TaskStatus = "in_progress"
	// TaskCompleted: it is done.
	TaskCompleted TaskStatus = "completed"
	// TaskSkipped: it will not be done.
	TaskSkipped TaskStatus = "skipped"
)

// Task is one task of a run's list.
type Task struct {
	// ID counts a run's tasks from 1.
	ID int `json:"id"`
	// Description says what is to be done.
	Description string `json:"description"`
	// Status says how far it is.
	Status TaskStatus `json:"status"`
	// Result says what came of it, or why it was skipped; "" until then.
	Result string `json:"result"`
}

// TaskList is a run's whole list; as JSON never null.
type TaskList []Task

// MarshalJSON writes an array.
func (l TaskList) MarshalJSON() ([]byte, error) { return json.Marshal(notNil([]Task(l))) }

func notNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// MarshalJSON writes the step; lists in its details are never null.
func (s ReasoningStep) MarshalJSON() ([]byte, error) {
	type plain ReasoningStep
	switch d := s.Details.(type) {
	case nil:
		s.Details = struct{}{}
	case ToolCallsDetails:
		s.Details = ToolCallsDetails{notNil(d.ToolCalls)}
	case TaskAddedDetails:
		s.Details = TaskAddedDetails{notNil(d.Tasks)}
	case PushbackDetails:
		s.Details = PushbackDetails{notNil(d.Pending)}
	case MaxStepsDetails:
		s.Details = MaxStepsDetails{d.MaxSteps, notNil(d.Pending)}
	case FinishedDetails:
		s.Details = FinishedDetails{notNil(d.FinalTaskList)}
	}
	return Marshal(plain(s))
}

// UnmarshalJSON reads a step with the details of its kind.
func (s *ReasoningStep) UnmarshalJSON(data []byte) error {
	type plain ReasoningStep
	var details json.RawMessage
	in := plain{Details: &details}
	if err := json.Unmarshal(data, &in); err != nil {
		return fmt.Errorf("reasoning step: %w", err)
	}
	var err error
	if in.Details, err = in.Kind.details(details); err != nil {
		return fmt.Errorf("details of %q: %w", in.Kind, err)
	}
	*s = ReasoningStep(in)
	return nil
}

// details reads the details of a step of that kind.
func (k StepKind) details(data json.RawMessage) (any, error) {
	switch k {
	case StepStarted:
		return read[StartedDetails](data)
	case StepToolCalls:
		return read[ToolCallsDetails](data)
	case StepToolResult:
		return read[ToolResultDetails](data)
	case StepTaskAdded:
		return read[TaskAddedDetails](data)
	case StepTaskCompleted:
		return read[TaskCompletedDetails](data)
	case StepTaskSkipped:
		return read[TaskSkippedDetails](data)
	case StepText:
		return read[TextDetails](data)
	case StepPushback:
		return read[PushbackDetails](data)
	case StepMaxSteps:
		return read[MaxStepsDetails](data)
	case StepFinished:
		return read[FinishedDetails](data)
	default:
		return data, nil
	}
}

func read[T any](data json.RawMessage) (any, error) {
	var v T
	if len(data) == 0 {
		return v, nil
	}
	err := json.Unmarshal(data, &v)
	return v, err
}
