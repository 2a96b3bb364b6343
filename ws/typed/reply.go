package typed

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"docent/agent/session"
	"docent/payload"
)

// delivered returns the message of a delivery, or false if the dialect has none.
func delivered(d session.Delivery) (payload.Typed, bool) {
	f := d.Frame
	switch {
	case f.Action == payload.AckAction:
		return payload.NewTyped(payload.TypedStatus, thinking, f.Time), true
	case f.Action == payload.ErrorAction:
		var e payload.Error
		err := json.Unmarshal(f.Message, &e)
		m := payload.NewTyped(payload.TypedError, e.Message, f.Time)
		m.Data = payload.TypedFault{Code: e.Code, Sentence: e.Sentence, Retryable: e.Retryable}
		return m, err == nil
	case d.Audience != session.Streaming && isStep(f.Action):
		return step(f), true
	case d.Audience == session.Everyone:
		return reply(f), true
	}
	return payload.Typed{}, false
}

func isStep(a payload.Action) bool {
	return a == payload.ReplyReasoningStep || a == payload.ReplyTaskList
}

// step returns the message of a step of reasoning or a task list.
func step(f payload.Frame) payload.Typed {
	m := payload.NewTyped(payload.TypedStatus, "", f.Time)
	m.Data = f.Message
	if f.Action == payload.ReplyReasoningStep {
		var reasoning payload.ReasoningStep
		_ = json.Unmarshal(f.Message, &reasoning) // a step without a summary is shown too
		m.Kind, m.Content = payload.StoredStep, reasoning.Summary
		return m
	}
	var tasks []payload.Task
	_ = json.Unmarshal(f.Message, &tasks) // as above
	done := 0
	for _, t := range tasks {
		if t.Status == payload.TaskCompleted || t.Status == payload.TaskSkipped {
			done++
		}
	}
	m.Kind, m.Content = payload.StoredTaskList, fmt.Sprintf("%d of %d tasks done", done, len(tasks))
	return m
}

// ragData is the data of an answer. Its passages are in docs.
type ragData struct {
	LLMName   string                `json:"llm_name"`
	Question  string                `json:"question"`
	Sentences []payload.RAGSentence `json:"sentences"`
	Abstained bool                  `json:"abstained"`
	Outcome   payload.AnswerOutcome `json:"outcome,omitempty"`
	Stopped   bool                  `json:"stopped,omitempty"`
}

// reply returns the message of a reply. It is a response to a query, and
// otherwise a notification.
func reply(f payload.Frame) payload.Typed {
	m := payload.NewTyped(payload.TypedNotification, "", f.Time)
	if f.Turn != nil && *f.Turn != 0 {
		m.Type, m.Docs = payload.TypedResponse, []payload.RAGDoc{}
	}
	var answer payload.RAGMessage
	if f.Action == payload.ReplyRAG && json.Unmarshal(f.Message, &answer) == nil {
		m.Kind, m.Content = payload.TypeRAG, answer.Answer
		m.Data = ragData{answer.LLMName, answer.Question, answer.Sentences, answer.Abstained, answer.Outcome, answer.Stopped}
		if answer.Docs != nil {
			m.Docs = answer.Docs
		}
		return m
	}
	m.Kind, m.Content, m.Data = described(f.Action, f.Message)
	return m
}

// described returns a message as text. It also returns data if the text is
// incomplete.
func described(action payload.Action, message json.RawMessage) (kind, words string, data any) {
	switch action {
	case payload.ReplyMarkdown:
		return payload.TypeMarkdown, text(message), nil
	case payload.ReplyHTML:
		return payload.TypeHTML, text(message), nil
	case payload.ReplyOptions:
		var labels payload.Options
		if json.Unmarshal(message, &labels) == nil {
			return payload.TypeOptions, strings.Join(labels, "\n"), []string(labels)
		}
		return payload.TypeOptions, text(message), nil
	case payload.ReplyLocation:
		var l payload.Location
		_ = json.Unmarshal(message, &l) // our own
		return payload.TypeLocation, fmt.Sprintf("%g, %g", l.Latitude, l.Longitude), message
	case payload.ReplyFile, payload.UserFile:
		var f payload.File
		_ = json.Unmarshal(message, &f) // our own
		return payload.TypeFile, f.Name, f
	case payload.ReplyImage:
		return payload.TypeImage, "An image", message
	case payload.ReplyDataFrame:
		return payload.TypeDataFrame, "A table", inner(message)
	case payload.ReplyPlotly:
		return payload.TypePlotly, "A figure", inner(message)
	case payload.ReplyAudio, payload.UserVoice:
		return payload.TypeAudio, "A recording", message
	case payload.ReplyUI:
		return payload.TypeUI, "A user interface", message
	case payload.ReplyGUI, payload.ReplyGUIUpdate:
		return payload.TypeGUI, "A user interface", message
	}
	if words = text(message); !bytes.HasPrefix(message, []byte{'"'}) {
		return payload.TypeJSON, words, message
	}
	return "", words, nil
}

// text returns the text of a JSON string, or other JSON unchanged.
func text(message json.RawMessage) string {
	var s string
	if json.Unmarshal(message, &s) != nil {
		return string(message)
	}
	return s
}

// inner returns the JSON inside a JSON string, as BAF encodes some messages.
func inner(message json.RawMessage) json.RawMessage {
	if held := []byte(text(message)); json.Valid(held) {
		return held
	}
	return message
}
