package agent

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"time"

	"docent/agent/chat"
	"docent/agent/intent"
	"docent/internal/fault"
	"docent/payload"
)

// Backend gives a turn access to the queue, the record, and the clients. A runtime implements it. Its methods may be
// called concurrently. After the turn, methods with an error return ErrOver.
type Backend interface {
	// Waiting returns the events in the session's queue, oldest first.
	Waiting() []*chat.Pending
	// Claim takes an event from the queue for this turn. begins reports that the event begins the turn. Claim returns false if
	// the queue no longer has the event, if the turn is over, or if it may take no more events.
	Claim(p *chat.Pending, begins bool) bool
	// Say adds a message to the record. Clients that only know BAF's frames do not receive a silent message.
	Say(ctx context.Context, m ChatMessage, silent bool) error
	// Reason adds a step of reasoning, or a task list, to the record.
	Reason(ctx context.Context, r chat.Reasoning, silent bool) error
	// Link assigns all steps without a message to the newest message.
	Link() error
	// Show sends a provisional frame to the clients that stream. The text of a payload.Delta becomes part of the draft.
	Show(action payload.Action, message any) error
	// Draft records which answer the streamed text belongs to. nil discards the streamed text.
	Draft(text string, answer *payload.RAGMessage)
	// Flush stores the messages and steps of the turn so far.
	Flush(ctx context.Context) error
	// History returns the messages that q selects, oldest first.
	History(ctx context.Context, q HistoryQuery) ([]ChatMessage, error)
	// Reasoned returns the newest steps and task lists of the session, including those of this turn. A nonzero until excludes
	// later ones.
	Reasoned(ctx context.Context, until time.Time) ([]chat.Reasoning, error)
}

// DocumentBackend is a Backend of sessions with documents of their own.
type DocumentBackend interface {
	// Documents returns the stored documents of the session, without those of this turn.
	Documents(ctx context.Context) ([]SessionDocument, error)
}

// HistoryQuery selects messages of a session for a body.
type HistoryQuery struct {
	// Last limits the number of messages and keeps the newest. 0 means the runtime's own limit, which always applies.
	Last int
	// Until, if not zero, excludes later messages.
	Until time.Time
	// Before excludes the messages of this turn. A Last of 0 then means the number that the runtime loads with a message.
	Before bool
}

// Env holds the dependencies of a session's bodies, except the record.
type Env struct {
	// RAG answers Session.RunRAG. It may be nil.
	RAG RAG
	// Choices returns the names that options may use. nil allows all names.
	Choices func(ctx context.Context) (chat.Choices, error)
	// Models are the chat models of Ask.
	Models Models
	// Memory keeps facts about the user. It may be nil.
	Memory MemoryBackend
	// Speaker speaks for Session.ReplySpeech. It may be nil.
	Speaker Speaker
	// Peers talks to other agents.
	Peers Peers
	// Logger logs failures.
	Logger *slog.Logger
	// Now returns the current time.
	Now func() time.Time
	// Location is the time zone of sessions without the variable "timezone".
	Location *time.Location
	// LookUp is the timeout of a call of Choices.
	LookUp time.Duration
	// Go runs f in a goroutine that the runtime waits for. It returns false during shutdown.
	Go func(f func()) bool
}

// Start is the state of a session at the start of a turn.
type Start struct {
	// ID, Name, Username, and Platform have the same meaning as in Session.
	ID, Name, Username, Platform string
	// Place is the session's place in the machine.
	Place Place
	// Event is the last consumed event, or nil.
	Event *Event
	// Variables are the variables of the session. The turn does not change this map.
	Variables map[string]json.RawMessage
	// Moves counts the moves without an event in the turn that failed just before.
	Moves int
}

// Place is a session's place in its machine.
type Place struct {
	// State is the name of the state.
	State string
	// Entered is the time at which the session entered it.
	Entered time.Time
	// Deadline is the time at which an open question about a call expires, or zero; see Approvals.
	Deadline time.Time
	// Zone is the time zone of the session. Default: time.Local.
	Zone *time.Location
}

// Result is the result of a turn's steps.
type Result struct {
	// Place is the session's place now.
	Place Place
	// Event is the last consumed event.
	Event Event
	// Transitions are the moves in order.
	Transitions []chat.Transition
	// Predictions are the predictions for messages, in order.
	Predictions []chat.Prediction
	// Usage counts the tokens of models. It is nil if no model was called.
	Usage *payload.Usage
	// Set are the changed variables.
	Set map[string]json.RawMessage
	// Delete names the removed variables.
	Delete []string
	// Documents are the new documents of the session, in order.
	Documents []SessionDocument
	// Forget reports that the stored documents of the session are to be removed.
	Forget bool
	// Variables are all current variables.
	Variables map[string]json.RawMessage
	// Failures are the errors of bodies.
	Failures []error
	// Started reports that the turn took a step.
	Started bool
	// Stopped reports that the event was stopped before its turn began.
	Stopped bool
	// Resetting reports that a body asked for a reset.
	Resetting bool
	// Circling reports that the states form an endless loop.
	Circling bool
	// Moves is the value for Start.Moves of the turn after a failed one.
	Moves int
}

// ErrStopped is the cause of a body's canceled context after a client stopped its turn; see context.Cause.
var ErrStopped = fault.New(fault.Canceled, "turn_stopped", "the turn was stopped")

// Begin starts a turn of a session.
func (m *Machine) Begin(b Backend, env *Env, start Start) *Turn {
	t := &Turn{
		machine: m, backend: b, env: env, start: start, moves: start.Moves,
		at: m.node(start.Place.State), entered: start.Place.Entered, vars: variables{stored: start.Variables},
	}
	if start.Event != nil {
		t.event = *start.Event
	}
	t.prediction = intent.Unmatched(noClassifier, t.event.Text)
	t.session = &Session{turn: t}
	return t
}

// Result returns the result of the turn so far.
func (t *Turn) Result() Result {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := t.vars.merged()
	return Result{
		Place: Place{State: t.at.name, Entered: t.entered, Deadline: Deadline(all, t.at.name), Zone: Zone(all, t.env.Location)}, Event: t.event,
		Transitions: slices.Clone(t.transitions), Predictions: slices.Clone(t.predictions), Usage: t.usage,
		Set: t.vars.set, Delete: t.vars.removed(), Variables: all,
		Documents: slices.Clone(t.documents), Forget: t.forget,
		Failures: t.failures, Started: t.started, Stopped: t.stopped, Resetting: t.resetting, Circling: t.circling(), Moves: t.moves,
	}
}

// Close ends the turn. Its Session cannot be used afterwards.
func (t *Turn) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
}

// Fail ends a turn without a step. The turn belongs to an event that was taken before.
func (t *Turn) Fail(p *chat.Pending, err error) {
	t.consume(p)
	t.cutShort(p)
	t.fail(err)
}
