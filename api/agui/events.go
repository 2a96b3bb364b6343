package agui

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"docent/payload"
)

// event is an event of AG-UI.
type event map[string]any

// events converts the frames of a run.
type events struct {
	thread, run string
	tasks       bool // a snapshot of the tasks was sent
	options     []string
	asked       int64              // sequence number of the options
	approval    []string           // the tool, the arguments, and the end of the time to allow a call, if the options ask for it
	calls       []payload.ToolCall // of the model, without a result
}

func (e *events) started() event {
	return event{"type": "RUN_STARTED", "threadId": e.thread, "runId": e.run}
}

// of returns the events of a frame.
func (e *events) of(f payload.Frame) []event {
	id := e.run + "-" + strconv.FormatInt(f.Seq, 10)
	switch f.Action {
	case payload.UserMessage:
		return nil
	case payload.ReplyStr, payload.ReplyMarkdown:
		var text string
		if json.Unmarshal(f.Message, &text) != nil {
			text = string(f.Message)
		}
		return message(id, text)
	case payload.ReplyRAG:
		var answer payload.RAGMessage
		if json.Unmarshal(f.Message, &answer) != nil {
			return nil
		}
		return append(message(id, answer.Answer), event{"type": "CUSTOM", "name": "docent.answer", "value": f.Message})
	case payload.ReplyOptions:
		var options payload.Options
		_ = json.Unmarshal(f.Message, &options) // docent wrote them
		e.options, e.asked, e.approval = options, f.Seq, nil
		if f.Sentence.ID == "approval_choices" {
			_ = json.Unmarshal([]byte(f.Sentence.Params), &e.approval)
		}
		return nil // the end of the run has them
	case payload.ReplyReasoningStep:
		return e.step(id, f.Message)
	case payload.ReplyTaskList:
		return e.taskList(f.Message)
	case payload.TurnFinishedAction:
		return []event{e.finished()}
	default: // tables, files, and other replies
		return []event{{"type": "CUSTOM", "name": "docent." + string(f.Action), "value": f.Message}}
	}
}

// message returns the events of a text.
func message(id, text string) []event {
	all := []event{{"type": "TEXT_MESSAGE_START", "messageId": id, "role": "assistant"}}
	if text != "" { // an empty delta is no event of AG-UI
		all = append(all, event{"type": "TEXT_MESSAGE_CONTENT", "messageId": id, "delta": text})
	}
	return append(all, event{"type": "TEXT_MESSAGE_END", "messageId": id})
}

// step returns the events of a reasoning step: calls of tools and their results, texts
// of the model, and the summaries of other steps.
func (e *events) step(id string, content json.RawMessage) []event {
	var step struct {
		Kind    payload.StepKind `json:"kind"`
		Summary string           `json:"summary"`
		Details json.RawMessage  `json:"details"`
	}
	if json.Unmarshal(content, &step) != nil {
		return nil
	}
	switch step.Kind {
	case payload.StepToolCalls:
		return e.toolCalls(id, step.Details)
	case payload.StepToolResult:
		return e.toolResult(id, step.Details)
	case payload.StepStarted:
		return []event{{"type": "STEP_STARTED", "stepName": "reasoning"}}
	case payload.StepFinished:
		return []event{{"type": "STEP_FINISHED", "stepName": "reasoning"}}
	case payload.StepText: // its summary is a label
		var said payload.TextDetails
		if json.Unmarshal(step.Details, &said) != nil {
			return nil
		}
		return reasoning(id, said.Text)
	default:
		return reasoning(id, step.Summary)
	}
}

// reasoning returns the events of a note about the run.
func reasoning(id, text string) []event {
	if text == "" { // an empty delta is no event of AG-UI
		return nil
	}
	return []event{
		{"type": "REASONING_START", "messageId": id},
		{"type": "REASONING_MESSAGE_START", "messageId": id, "role": "reasoning"},
		{"type": "REASONING_MESSAGE_CONTENT", "messageId": id, "delta": text},
		{"type": "REASONING_MESSAGE_END", "messageId": id},
		{"type": "REASONING_END", "messageId": id},
	}
}

// toolCalls returns the events of calls. Models repeat their ids in other steps, and
// clients merge calls with the same id, so the calls get ids of their own.
func (e *events) toolCalls(id string, details json.RawMessage) []event {
	var called payload.ToolCallsDetails
	if json.Unmarshal(details, &called) != nil {
		return nil
	}
	var all []event
	e.calls = nil
	for i, c := range called.ToolCalls {
		c.ID = id + "-" + strconv.Itoa(i)
		e.calls = append(e.calls, c)
		all = append(all,
			event{"type": "TOOL_CALL_START", "toolCallId": c.ID, "toolCallName": c.Name},
			event{"type": "TOOL_CALL_ARGS", "toolCallId": c.ID, "delta": string(c.Arguments)},
			event{"type": "TOOL_CALL_END", "toolCallId": c.ID})
	}
	return all
}

// toolResult returns the event of a result. Calls of one step run at once, so the
// result belongs to the first open call with its name and arguments.
func (e *events) toolResult(id string, details json.RawMessage) []event {
	var result payload.ToolResultDetails
	if json.Unmarshal(details, &result) != nil {
		return nil
	}
	at := slices.IndexFunc(e.calls, func(c payload.ToolCall) bool {
		return c.Name == result.Name && string(c.Arguments) == string(result.Arguments)
	})
	if at < 0 {
		return nil
	}
	call := e.calls[at].ID
	e.calls = slices.Delete(e.calls, at, at+1)
	return []event{{"type": "TOOL_CALL_RESULT", "messageId": id, "toolCallId": call, "content": result.Content, "role": "tool"}}
}

// taskList returns the tasks as a snapshot of the state, and later as changes of it.
func (e *events) taskList(tasks json.RawMessage) []event {
	if e.tasks {
		return []event{{"type": "STATE_DELTA", "delta": []event{{"op": "replace", "path": "/tasks", "value": tasks}}}}
	}
	e.tasks = true
	return []event{{"type": "STATE_SNAPSHOT", "snapshot": event{"tasks": tasks}}}
}

// finished ends the run. Options of the agent interrupt it.
func (e *events) finished() event {
	end := event{"type": "RUN_FINISHED", "threadId": e.thread, "runId": e.run, "outcome": event{"type": "success"}}
	if len(e.approval) == 3 {
		end["outcome"] = event{"type": "interrupt", "interrupts": []event{e.approvalInterrupt()}}
	} else if len(e.options) > 0 {
		end["outcome"] = event{"type": "interrupt", "interrupts": []event{{
			"id": optionsPrefix + strconv.FormatInt(e.asked, 10), "reason": "input_required", "message": strings.Join(e.options, "\n"),
			"responseSchema": event{"type": "string", "enum": e.options},
		}}}
	}
	return end
}

// approvalInterrupt returns the interrupt of a call that the user must allow. AG-UI has these names for it.
func (e *events) approvalInterrupt() event {
	name, arguments := e.approval[0], e.approval[1]
	interrupt := event{
		"id": optionsPrefix + strconv.FormatInt(e.asked, 10), "reason": "tool_call",
		"message": "May I call " + name + " with " + arguments + "?", "expiresAt": e.approval[2],
		"responseSchema": event{
			"type": "object", "required": []string{"approved"},
			"properties": event{"approved": event{"type": "boolean"}, "editedArgs": event{"type": "object"}, "always": event{"type": "boolean"}},
		},
	}
	for _, c := range e.calls {
		if c.Name == name {
			interrupt["toolCallId"] = c.ID
			break
		}
	}
	return interrupt
}

// optionsPrefix begins the id of an interrupt. The sequence number of its options follows.
const optionsPrefix = "options-"

// optionsOf returns the sequence number of the options of an interrupt, or -1 for an id
// that docent did not make.
func optionsOf(interrupt string) int64 {
	number, ok := strings.CutPrefix(interrupt, optionsPrefix)
	seq, err := strconv.ParseInt(number, 10, 64)
	if !ok || err != nil || seq < 1 {
		return -1
	}
	return seq
}
