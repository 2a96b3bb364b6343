package payload

import (
	"encoding/json"
	"fmt"
)

// StepKind is the kind of a reasoning step.
type StepKind string

// The kinds of steps. Each comment ends with the type of Details.
const (
	// StepStarted opens a run; StartedDetails.
	StepStarted StepKind = "reasoning_started"
	// StepToolCalls: the model calls tools; ToolCallsDetails.
	StepToolCalls StepKind = "llm_tool_calls"
	// StepToolResult: a tool returned; ToolResultDetails.
	StepToolResult StepKind = "tool_result"
	// StepTaskAdded: the model planned tasks; TaskAddedDetails.
	StepTaskAdded StepKind = "task_added"
	// StepTaskCompleted: a task is done; TaskCompletedDetails.
	StepTaskCompleted StepKind = "task_completed"
	// StepTaskSkipped: a task will not be done; TaskSkippedDetails.
	StepTaskSkipped StepKind = "task_skipped"
	// StepText: the model wrote text that is not the answer; TextDetails.
	StepText StepKind = "llm_text"
	// StepPushback: an answer was rejected because tasks are open; PushbackDetails.
	StepPushback StepKind = "pushback"
	// StepMaxSteps: the run reached its limit; MaxStepsDetails.
	StepMaxSteps StepKind = "max_steps"
	// StepGuard: a guard refused a text; GuardDetails. BAF clients do not get it.
	StepGuard StepKind = "guard"
	// StepSection: a section of a brief is written; SectionDetails. BAF clients do not get it.
	StepSection StepKind = "section"
	// StepFinished closes a run; FinishedDetails.
	StepFinished StepKind = "reasoning_finished"
)

// ReasoningStep is one step of a reasoning run.
type ReasoningStep struct {
	// Kind is the kind of the step.
	Kind StepKind `json:"kind"`
	// Step counts the model calls of the run from 0.
	Step int `json:"step"`
	// Summary describes the step in one line for people.
	Summary string `json:"summary"`
	// Details has the type that belongs to Kind, by value. For unknown kinds,
	// decoding makes it a json.RawMessage of an object.
	Details any `json:"details"`
}

// StartedDetails are the details of a StepStarted.
type StartedDetails struct {
	// UserMessage is the message that the run answers.
	UserMessage string `json:"user_message"`
	// TaskPlanning reports whether the run may plan tasks.
	TaskPlanning bool `json:"task_planning"`
	// MaxSteps bounds the model calls of the run.
	MaxSteps int `json:"max_steps"`
}

// ToolCallsDetails are the details of a StepToolCalls.
type ToolCallsDetails struct {
	// ToolCalls has the calls in the order of the model.
	ToolCalls []ToolCall `json:"tool_calls"`
	// Approved are the ids of the calls that the user has allowed. They are stored before they are made, and never repeated.
	Approved []string `json:"approved,omitempty"`
}

// GuardDetails are the details of a StepGuard.
type GuardDetails struct {
	// Guard is the name of the guard.
	Guard string `json:"guard"`
	// Of is the author of the text: user or agent.
	Of string `json:"of"`
	// Reason says why the text was refused.
	Reason string `json:"reason"`
}

// SectionDetails are the details of a StepSection.
type SectionDetails struct {
	// Section counts the sections of the brief from 1.
	Section int `json:"section"`
	// Answer is the answer under the heading. Its text has no heading.
	Answer RAGMessage `json:"answer"`
}

// ToolCall is a request of the model to call a tool.
type ToolCall struct {
	// ID is the model's id of the call.
	ID string `json:"id"`
	// Name is the name of the tool.
	Name string `json:"name"`
	// Arguments are an object, or the JSON that the model sent.
	Arguments json.RawMessage `json:"arguments"`
}

// ToolResultDetails are the details of a StepToolResult.
type ToolResultDetails struct {
	// Name is the name of the tool.
	Name string `json:"name"`
	// Arguments are the arguments of the call.
	Arguments json.RawMessage `json:"arguments"`
	// Content is the result. The sender may shorten it.
	Content string `json:"content"`
	// IsError reports whether the call failed.
	IsError bool `json:"is_error"`
}

// TaskAddedDetails are the details of a StepTaskAdded.
type TaskAddedDetails struct {
	// Tasks are the tasks that the step planned.
	Tasks []PlannedTask `json:"tasks"`
}

// PlannedTask is a new task.
type PlannedTask struct {
	// ID is the ID of the Task.
	ID int `json:"id"`
	// Description describes the task.
	Description string `json:"description"`
}

// TaskCompletedDetails are the details of a StepTaskCompleted.
type TaskCompletedDetails struct {
	// TaskID is the ID of the Task.
	TaskID int `json:"task_id"`
	// Description describes the task.
	Description string `json:"description"`
	// Result is the result of the task.
	Result string `json:"result"`
}

// TaskSkippedDetails are the details of a StepTaskSkipped.
type TaskSkippedDetails struct {
	// TaskID is the ID of the Task.
	TaskID int `json:"task_id"`
	// Description describes the task.
	Description string `json:"description"`
	// Reason explains why the task is skipped.
	Reason string `json:"reason"`
}

// TextDetails are the details of a StepText.
type TextDetails struct {
	// Text is the text of the model.
	Text string `json:"text"`
	// IsFinal is always false, because the answer itself is not a step.
	IsFinal bool `json:"is_final"`
}

// PushbackDetails are the details of a StepPushback.
type PushbackDetails struct {
	// Pending are the open tasks.
	Pending []PendingTask `json:"pending"`
}

// PendingTask is an open task.
type PendingTask struct {
	// ID is the ID of the Task.
	ID int `json:"id"`
	// Description describes the task.
	Description string `json:"description"`
	// Status is TaskPending or TaskInProgress.
	Status TaskStatus `json:"status"`
}

// MaxStepsDetails are the details of a StepMaxSteps.
type MaxStepsDetails struct {
	// MaxSteps is the limit that the run reached.
	MaxSteps int `json:"max_steps"`
	// Pending are the open tasks.
	Pending []PendingTask `json:"pending"`
}

// FinishedDetails are the details of a StepFinished.
type FinishedDetails struct {
	// FinalTaskList is the task list at the end of the run.
	FinalTaskList []Task `json:"final_task_list"`
}

// TaskStatus is the state of a task.
type TaskStatus string

// The statuses.
const (
	// TaskPending: the task has not begun.
	TaskPending TaskStatus = "pending"
	// TaskInProgress: the task is running.
	TaskInProgress TaskStatus = "in_progress"
	// TaskCompleted: the task is done.
	TaskCompleted TaskStatus = "completed"
	// TaskSkipped: the task is skipped.
	TaskSkipped TaskStatus = "skipped"
)

// Task is one task in the list of a run.
type Task struct {
	// ID counts the tasks of a run from 1.
	ID int `json:"id"`
	// Description describes the task.
	Description string `json:"description"`
	// Status is the state of the task.
	Status TaskStatus `json:"status"`
	// Result is the result, or the reason for skipping the task. It is empty until
	// then.
	Result string `json:"result"`
}

// TaskList is the whole task list of a run; its JSON is never null.
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
		s.Details = ToolCallsDetails{notNil(d.ToolCalls), d.Approved}
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

// details reads the details of a step of the given kind.
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
	case StepGuard:
		return read[GuardDetails](data)
	case StepSection:
		return read[SectionDetails](data)
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
