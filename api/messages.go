package api

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"docent/agent/chat"
	"docent/agent/session/journal"

	"github.com/danielgtaylor/huma/v2"

	"docent/agent"
	"docent/api/route"
	"docent/internal/fault"
)

// Message is one message of a conversation.
type Message struct {
	// Seq orders the session's messages.
	Seq int64 `json:"seq"`
	// Turn is the turn it belongs to.
	Turn int64 `json:"turn"`
	// ClientID is the id that the sender chose; absent without one.
	ClientID string `json:"client_id,omitempty"`
	// Replaces is the first turn that this message of the user replaces; absent if
	// it replaces nothing.
	Replaces int64 `json:"replaces,omitempty" doc:"The first of the turns that this message replaces. These turns are hidden while this message is shown."`
	// Type is the stored type, such as str or rag_answer.
	Type string `json:"type"`
	// Content is the message in the format of the WebSocket.
	Content any `json:"content"`
	// IsUser reports whether the user wrote the message, not the agent.
	IsUser bool `json:"is_user"`
	// Sender is the URL of another agent that sent it, or "agent"; absent if the
	// user or the agent of the session sent it.
	Sender string `json:"sender,omitempty"`
	// Sentence is the id of a fixed text, which clients can translate.
	Sentence *fault.Sentence `json:"sentence,omitempty"`
	// Timestamp is the time of the message.
	Timestamp time.Time `json:"timestamp"`
}

// Step is a step of reasoning or a state of its task list.
type Step struct {
	// Seq is its place among the session's messages.
	Seq int64 `json:"seq"`
	// Turn is the turn it belongs to.
	Turn int64 `json:"turn"`
	// ChatID is the row id of the resulting message; null without one.
	ChatID *int64 `json:"chat_id"`
	// Kind is reasoning_step or task_list_update.
	Kind string `json:"kind"`
	// StepKind is the kind of a step, such as tool_result; empty for a task list.
	StepKind string `json:"step_kind"`
	// Step counts the model calls of a run from 0; meaningless for a task list.
	Step int `json:"step"`
	// Summary describes the step in one line; empty for a task list.
	Summary string `json:"summary"`
	// Payload is the step in the format of the WebSocket.
	Payload any `json:"payload"`
	// Timestamp is the time of the step.
	Timestamp time.Time `json:"timestamp"`
}

// Feedback is the latest feedback of the user on a turn.
type Feedback struct {
	// Turn is the turn.
	Turn int64 `json:"turn"`
	// Rating is from -100 to 100; absent without one.
	Rating *int `json:"rating,omitempty"`
	// Reason is the reason of the rating; absent without one.
	Reason string `json:"reason,omitempty" enum:"wrong,outdated,incomplete,wrong_source,unclear,other"`
	// Comment is a text of the user; absent without one.
	Comment string `json:"comment,omitempty"`
	// Timestamp is the time of the feedback.
	Timestamp time.Time `json:"timestamp"`
}

// HiddenTurns are turns that are not shown.
type HiddenTurns struct {
	// First is the first turn.
	First int64 `json:"first" doc:"The first turn."`
	// Until is the turn after the last one.
	Until int64 `json:"until" doc:"The turn after the last one."`
}

// maxMessages bounds a page of messages, and of steps.
const maxMessages = 1000

type messagesInput struct {
	SessionID string `path:"session_id" maxLength:"255"`
	Agent     string `query:"agent_name" maxLength:"255" doc:"The agent. The default is the agent of the stored session."`
	After     int64  `query:"after" minimum:"0" doc:"Lists only messages after this seq."`
	Before    int64  `query:"before" minimum:"0" doc:"The cursor: the value before of the page that was read last."`
	Limit     int    `query:"limit" minimum:"1" maximum:"1000" default:"1000" doc:"The number of messages, newest first."`
	Replaced  bool   `query:"replaced" doc:"Includes messages that were edited or answered again."`
}

type messagesOutput struct {
	Body struct {
		Messages []Message     `json:"messages"`
		Steps    []Step        `json:"steps" doc:"The reasoning steps between the messages of this page."`
		Feedback []Feedback    `json:"feedback" doc:"The latest feedback of the user on each turn of this page."`
		Seq      int64         `json:"seq" doc:"The latest seq. A docent.v1 client that has read all pages resumes from it with hello.last_seq."`
		ResetSeq int64         `json:"reset_seq" doc:"The latest seq at the time of the last reset. 0 without a reset."`
		Hidden   []HiddenTurns `json:"hidden,omitempty" doc:"The turns that are not shown, because another version of a question is shown. Absent without them."`
		Solved   []int64       `json:"solved,omitempty" doc:"The turns with a question that had no answer, and has one now. Only on the last page. Absent without them."`
		Before   int64         `json:"before,omitempty" doc:"The cursor of the previous page. Absent on the first page."`
		Agent    string        `json:"agent_name" doc:"The agent of the session."`
		Owner    string        `json:"owner_name,omitempty" doc:"The name of the owner. Only in GET /api/admin/conversations/{session_id}/messages."`
	} `nameHint:"Messages"`
}

// messages handles the route for messages.
type messages struct {
	ownedSessions
	store    Messages
	versions journal.Versions
	solved   solutions
}

func (m messages) addRoutes(r *route.Router) {
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: "/api/sessions/{session_id}/messages", OperationID: "list-messages", Tags: []string{"sessions"},
		Summary: "List the messages and reasoning steps of a session, oldest first", Errors: []int{http.StatusNotFound},
		Description: "The first page has the newest messages, and further pages lead backwards. Messages after seq are on no page. " +
			"A WebSocket that resumes from seq receives them.",
	}, m.list)
}

func (m messages) list(ctx context.Context, in *messagesInput) (*messagesOutput, error) {
	key, err := m.key(ctx, in.SessionID, in.Agent)
	if err != nil {
		return nil, err
	}
	record, err := m.find(ctx, key)
	if err != nil {
		return nil, err
	}
	out, err := m.page(ctx, record, in)
	if err != nil || in.Before > 0 {
		return out, err
	}
	turns, err := m.solved.turns(ctx, record.RowID)
	out.Body.Solved = turns[record.RowID]
	return out, err
}

// page returns the newest messages of a session before a seq and the steps between them.
// Each entry is on exactly one page: if a page has too many steps, it starts at the
// first step that fits.
func (m messages) page(ctx context.Context, record journal.SessionRecord, in *messagesInput) (*messagesOutput, error) {
	out := &messagesOutput{}
	out.Body.Messages, out.Body.Steps, out.Body.Feedback = []Message{}, []Step{}, []Feedback{}
	out.Body.Seq, out.Body.ResetSeq, out.Body.Agent = record.Seq, record.ResetSeq, record.Key.Agent
	branches, err := m.versions.Branches(ctx, record.RowID)
	if err != nil {
		return nil, err
	}
	for _, r := range branches.Hidden {
		out.Body.Hidden = append(out.Body.Hidden, HiddenTurns(r))
	}
	query := journal.MessageQuery{After: in.After, Before: record.Seq + 1, Last: in.Limit, Replaced: in.Replaced}
	if in.Before > 0 {
		query.Before = min(in.Before, query.Before)
	}
	found, err := m.store.Messages(ctx, record.RowID, query)
	if err != nil {
		return nil, err
	}
	if len(found) == in.Limit {
		query.After = found[0].Seq - 1
	}
	query.Last = maxMessages
	steps, err := m.store.Steps(ctx, record.RowID, query)
	if err != nil {
		return nil, err
	}
	if len(steps) == maxMessages {
		query.After = max(query.After, steps[0].Seq-1)
	}
	for _, record := range found {
		if record.Seq > query.After {
			out.Body.Messages = append(out.Body.Messages, message(record))
		}
	}
	for _, r := range steps {
		out.Body.Steps = append(out.Body.Steps, step(r))
	}
	if query.After > max(in.After, record.ResetSeq) {
		out.Body.Before = query.After + 1
	}
	if len(out.Body.Messages) > 0 {
		out.Body.Feedback, err = m.feedback(ctx, record.RowID, out.Body.Messages)
	}
	return out, err
}

// feedback returns the latest feedback on the turns of messages. Stores without
// feedback have none.
func (m messages) feedback(ctx context.Context, row int64, page []Message) ([]Feedback, error) {
	out := []Feedback{}
	kept, ok := m.store.(journal.Feedbacks)
	if !ok {
		return out, nil
	}
	first, last := page[0].Turn, page[0].Turn
	for _, msg := range page { // not in order: a queued message is stored before the reply of the running turn
		first, last = min(first, msg.Turn), max(last, msg.Turn)
	}
	records, err := kept.LastFeedback(ctx, row, first, last)
	if err != nil {
		return nil, err
	}
	for _, r := range records {
		out = append(out, Feedback{r.Turn, r.Rating, r.Reason, r.Comment, r.Time.UTC()})
	}
	return out, nil
}

func message(m agent.ChatMessage) Message {
	out := Message{
		Seq: m.Seq, Turn: m.Turn, Replaces: m.Replaces, Type: m.Type, Content: content(m.Content),
		Sentence: route.Sentence(fault.Text{Sentence: m.Sentence}),
		IsUser:   m.IsUser, Sender: m.Sender, Timestamp: m.Time.UTC(),
	}
	if m.IsUser {
		out.ClientID = m.ClientID // in other messages it is internal to the runtime
	}
	return out
}

func step(r chat.Reasoning) Step {
	step := Step{
		Seq: r.Seq, Turn: r.Turn, Kind: r.Kind, StepKind: r.StepKind, Step: r.Step, Summary: r.Summary,
		Payload: content(r.Payload), Timestamp: r.Time.UTC(),
	}
	if r.ChatID != 0 {
		step.ChatID = &r.ChatID
	}
	return step
}

// content returns stored JSON for a response; null without one.
func content(stored json.RawMessage) json.RawMessage {
	if len(stored) == 0 {
		return json.RawMessage("null")
	}
	return stored
}
