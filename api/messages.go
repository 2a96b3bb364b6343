package api

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"docent/internal/fault"

	"github.com/danielgtaylor/huma/v2"

	"docent/agent"
	"docent/agent/session/journal"
)

// Message is one message of a conversation.
type Message struct {
	// Seq orders the session's messages.
	Seq int64 `json:"seq"`
	// Turn is the turn it belongs to.
	Turn int64 `json:"turn"`
	// ClientID is the id that its sender gave it; absent if none.
	ClientID string `json:"client_id,omitempty"`
	// Replaces is, of a user's message, the turn from which on it replaces what
	// was said before; absent if it replaces nothing.
	Replaces int64 `json:"replaces,omitempty" doc:"The first of the turns that this message replaces. The replaced turns no longer belong to the conversation."`
	// Type is the stored type, such as str or rag_answer.
	Type string `json:"type"`
	// Content is the message as it is on the wire.
	Content any `json:"content"`
	// IsUser tells the user's messages from the agent's.
	IsUser bool `json:"is_user"`
	// Sender is the other agent that said it: its URL, or agent; absent if the
	// session's user or agent did.
	Sender string `json:"sender,omitempty"`
	// Sentence names a message that is a fixed text, for other languages.
	Sentence *fault.Sentence `json:"sentence,omitempty"`
	// Timestamp is when it was made.
	Timestamp time.Time `json:"timestamp"`
}

// Step is a step of reasoning or a state of its task list.
type Step struct {
	// Seq is its place among the session's messages.
	Seq int64 `json:"seq"`
	// Turn is the turn it belongs to.
	Turn int64 `json:"turn"`
	// ChatID is the row's id of the message that it led to; null if there is none.
	ChatID *int64 `json:"chat_id"`
	// Kind is reasoning_step or task_list_update.
	Kind string `json:"kind"`
	// StepKind is a step's kind, such as tool_result; empty for a task list.
	StepKind string `json:"step_kind"`
	// Step counts a run's model calls from 0; of no meaning for a task list.
	Step int `json:"step"`
	// Summary is a line for people; empty for a task list.
	Summary string `json:"summary"`
	// Payload is the whole as it is on the wire.
	Payload any `json:"payload"`
	// Timestamp is when it was made.
	Timestamp time.Time `json:"timestamp"`
}

// Feedback is what the session's user thought of a turn last.
type Feedback struct {
	// Turn is the turn that it is about.
	Turn int64 `json:"turn"`
	// Rating is from -100 to 100; absent if none was given with it.
	Rating *int `json:"rating,omitempty"`
	// Comment is in words; absent if there is none.
	Comment string `json:"comment,omitempty"`
	// Timestamp is when it was given.
	Timestamp time.Time `json:"timestamp"`
}

// maxMessages is the longest page of messages, and of steps.
const maxMessages = 1000

type messagesInput struct {
	SessionID string `path:"session_id" maxLength:"255"`
	Agent     string `query:"agent_name" maxLength:"255" doc:"The agent. The default is the agent of this server."`
	After     int64  `query:"after" minimum:"0" doc:"Lists only messages after this seq."`
	Before    int64  `query:"before" minimum:"0" doc:"The cursor: the value before of the page that was read last."`
	Limit     int    `query:"limit" minimum:"1" maximum:"1000" default:"1000" doc:"The number of messages, newest first."`
	Replaced  bool   `query:"replaced" doc:"Includes messages that were edited or answered again."`
}

type messagesOutput struct {
	Body struct {
		Messages []Message  `json:"messages"`
		Steps    []Step     `json:"steps" doc:"The reasoning steps between the messages of this page."`
		Feedback []Feedback `json:"feedback" doc:"The latest feedback of the user on each turn of this page."`
		Seq      int64      `json:"seq" doc:"The latest seq. A docent.v1 client that has read all pages resumes from it with hello.last_seq."`
		ResetSeq int64      `json:"reset_seq" doc:"The latest seq at the time of the last reset. 0 without a reset."`
		Before   int64      `json:"before,omitempty" doc:"The cursor of the previous page. Absent on the first page."`
	} `nameHint:"Messages"`
}

func (s *server) messageRoutes() {
	register(s, huma.Operation{
		Method: http.MethodGet, Path: "/api/sessions/{session_id}/messages", OperationID: "list-messages", Tags: []string{"sessions"},
		Summary: "List the messages and reasoning steps of a session, oldest first", Errors: []int{http.StatusNotFound},
		Description: "The first page has the newest messages, and further pages lead backwards. Messages after seq are on no page. A WebSocket that resumes from seq receives them.",
	}, s.messages)
}

// messages answers with the newest messages before a seq and the steps among
// them. Each entry is on one page: a page that would leave out steps is cut where
// they begin.
func (s *server) messages(ctx context.Context, in *messagesInput) (*messagesOutput, error) {
	key, err := s.key(in.SessionID, in.Agent)
	if err != nil {
		return nil, err
	}
	record, err := s.own(ctx, key)
	if err != nil {
		return nil, err
	}
	out := &messagesOutput{}
	out.Body.Messages, out.Body.Steps, out.Body.Feedback = []Message{}, []Step{}, []Feedback{}
	out.Body.Seq, out.Body.ResetSeq = record.Seq, record.ResetSeq
	query := journal.MessageQuery{After: in.After, Before: record.Seq + 1, Last: in.Limit, Replaced: in.Replaced}
	if in.Before > 0 {
		query.Before = min(in.Before, query.Before)
	}
	messages, err := s.cfg.Messages.Messages(ctx, record.RowID, query)
	if err != nil {
		return nil, err
	}
	if len(messages) == in.Limit {
		query.After = messages[0].Seq - 1
	}
	query.Last = maxMessages
	steps, err := s.cfg.Messages.Steps(ctx, record.RowID, query)
	if err != nil {
		return nil, err
	}
	if len(steps) == maxMessages {
		query.After = max(query.After, steps[0].Seq-1)
	}
	for _, m := range messages {
		if m.Seq > query.After {
			out.Body.Messages = append(out.Body.Messages, message(m))
		}
	}
	for _, r := range steps {
		out.Body.Steps = append(out.Body.Steps, step(r))
	}
	if query.After > max(in.After, record.ResetSeq) {
		out.Body.Before = query.After + 1
	}
	if len(out.Body.Messages) > 0 {
		out.Body.Feedback, err = s.feedback(ctx, record.RowID, out.Body.Messages)
	}
	return out, err
}

// feedback is what was thought of the turns of messages; of a store that keeps
// none there is none.
func (s *server) feedback(ctx context.Context, row int64, messages []Message) ([]Feedback, error) {
	out := []Feedback{}
	kept, ok := s.cfg.Messages.(journal.Feedbacks)
	if !ok {
		return out, nil
	}
	first, last := messages[0].Turn, messages[0].Turn
	for _, m := range messages { // what waits for its turn is stored before the reply of the turn at hand
		first, last = min(first, m.Turn), max(last, m.Turn)
	}
	records, err := kept.LastFeedback(ctx, row, first, last)
	if err != nil {
		return nil, err
	}
	for _, r := range records {
		out = append(out, Feedback{r.Turn, r.Rating, r.Comment, r.Time.UTC()})
	}
	return out, nil
}

func message(m agent.ChatMessage) Message {
	out := Message{
		Seq: m.Seq, Turn: m.Turn, Replaces: m.Replaces, Type: m.Type, Content: content(m.Content),
		Sentence: sentence(fault.Text{Sentence: m.Sentence}),
		IsUser:   m.IsUser, Sender: m.Sender, Timestamp: m.Time.UTC(),
	}
	if m.IsUser {
		out.ClientID = m.ClientID // of others it is a mark of the runtime's
	}
	return out
}

func step(r agent.ReasoningRecord) Step {
	step := Step{
		Seq: r.Seq, Turn: r.Turn, Kind: r.Kind, StepKind: r.StepKind, Step: r.Step, Summary: r.Summary,
		Payload: content(r.Payload), Timestamp: r.Time.UTC(),
	}
	if r.ChatID != 0 {
		step.ChatID = &r.ChatID
	}
	return step
}

// content is stored JSON as it is answered with.
func content(stored json.RawMessage) json.RawMessage {
	if len(stored) == 0 {
		return json.RawMessage("null")
	}
	return stored
}
