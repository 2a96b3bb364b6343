package agent

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"docent/agent/intent"
	"docent/payload"
)

// Backend is the part of a turn that a runtime does: the queue, the record, and
// the clients. Its methods may be called from several goroutines at once. Those
// that return an error return ErrOver after the turn.
type Backend interface {
	// Waiting returns the events in the session's queue, oldest first.
	Waiting() []*Pending
	// Claim takes an event from the queue for this turn; begins reports that the
	// event begins the turn. It reports false if the event is not in the queue any
	// more, the turn may take no more events, or the turn is over.
	Claim(p *Pending, begins bool) bool
	// Say adds a message to the record. Clients that know only BAF's frames do not
	// see a silent one.
	Say(ctx context.Context, m ChatMessage, silent bool) error
	// Reason adds a step of reasoning, or a task list, to the record.
	Reason(ctx context.Context, r ReasoningRecord, silent bool) error
	// Link makes the newest message the one that all steps without one belong to.
	Link() error
	// Show sends a provisional frame to the clients that stream. The text of a
	// payload.Delta joins the draft.
	Show(action payload.Action, message any) error
	// Draft says which answer the text streamed so far belongs to; nil discards
	// the streamed text.
	Draft(text string, answer *payload.RAGMessage)
	// Flush stores what the turn has said so far.
	Flush(ctx context.Context) error
	// History returns the messages that q selects, oldest first.
	History(ctx context.Context, q HistoryQuery) ([]ChatMessage, error)
	// Reasoned returns the newest steps and task lists of the session, this
	// turn's among them. until, if not zero, leaves out later ones.
	Reasoned(ctx context.Context, until time.Time) ([]ReasoningRecord, error)
}

// HistoryQuery selects messages of a session for a body.
type HistoryQuery struct {
	// Last bounds the messages, the newest being kept; 0 means the runtime's own
	// bound, which always holds.
	Last int
	// Until, if not zero, leaves out later messages.
	Until time.Time
	// Before leaves out the messages of the turn itself. Last 0 then means as many
	// as the runtime reads along with a message.
	Before bool
}

// Env is what the bodies of a session use beside its record.
type Env struct {
	// RAG answers for Session.RunRAG; nil if there is none.
	RAG RAG
	// Choices returns the names that options may have; nil if any may.
	Choices func(ctx context.Context) (Choices, error)
	// Speaker speaks for Session.ReplySpeech; nil if there is none.
	Speaker Speaker
	// Peers talks to other agents.
	Peers Peers
	// Logger logs failures.
	Logger *slog.Logger
	// Now tells the time.
	Now func() time.Time
	// Location is the zone of sessions without the variable "timezone".
	Location *time.Location
	// LookUp bounds one call of Choices.
	LookUp time.Duration
	// Go runs f in a goroutine that the runtime waits for; false if it shuts down.
	Go func(f func()) bool
}

// Start is a session as a turn finds it.
type Start struct {
	// ID, Name, Username and Platform are as Session has them.
	ID, Name, Username, Platform string
	// Place is where the session is.
	Place Place
	// Event was taken last; nil if none was.
	Event *Event
	// Variables are the session's; they are not changed.
	Variables map[string]json.RawMessage
	// Moves counts the moves without an event of the turn that failed just before.
	Moves int
}

// Place is where a session is in its machine.
type Place struct {
	// State is the state's name.
	State string
	// Entered is when the session moved to it.
	Entered time.Time
}

// Result is what the steps of a turn came to.
type Result struct {
	// Place is where the session is now.
	Place Place
	// Event was taken last.
	Event Event
	// Transitions are the moves made, in order.
	Transitions []TransitionRecord
	// Predictions say how messages were understood, in order.
	Predictions []PredictionRecord
	// Usage counts the tokens of models; nil if none was asked.
	Usage *payload.Usage
	// Set are the changed variables.
	Set map[string]json.RawMessage
	// Delete names the removed variables.
	Delete []string
	// Variables are all variables as they are now.
	Variables map[string]json.RawMessage
	// Failures are the errors of bodies.
	Failures []error
	// Started reports that the turn did something.
	Started bool
	// Stopped reports that the event was stopped before its turn began.
	Stopped bool
	// Resetting reports that a body asked for a reset.
	Resetting bool
	// Circling reports that states led to each other without end.
	Circling bool
	// Moves is for the Start of a turn that follows a failed one.
	Moves int
}

// Pending is an event in the queue of a session.
type Pending struct {
	// Event is what was received.
	Event Event
	// Message reports that a chat message came with it.
	Message bool

	text        atomic.Pointer[string] // after the processors; nil before
	held        atomic.Bool
	stopped     atomic.Bool
	predictions map[string]Prediction // by state
}

// view is the event after the processors.
func (p *Pending) view() Event {
	e := p.Event
	if text := p.text.Load(); text != nil {
		e.Text = *text
	}
	return e
}

// Stop has the event end before it begins a turn.
func (p *Pending) Stop() { p.stopped.Store(true) }

// Hold marks the event as one that no transition took.
func (p *Pending) Hold() { p.held.Store(true) }

// Held reports whether Hold was called.
func (p *Pending) Held() bool { return p.held.Load() }

// Begin makes a turn of a session.
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

// Result returns what the turn came to so far.
func (t *Turn) Result() Result {
	t.mu.Lock()
	defer t.mu.Unlock()
	return Result{
		Place: Place{State: t.at.name, Entered: t.entered}, Event: t.event,
		Transitions: slices.Clone(t.transitions), Predictions: slices.Clone(t.predictions), Usage: t.usage,
		Set: t.vars.set, Delete: t.vars.removed(), Variables: t.vars.merged(),
		Failures: t.failures, Started: t.started, Stopped: t.stopped, Resetting: t.resetting, Circling: t.circling(), Moves: t.moves,
	}
}

// Close ends the turn: its Session is of no more use.
func (t *Turn) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
}

// Fail ends a turn without a step: it is about an event that was taken before.
func (t *Turn) Fail(p *Pending, err error) {
	t.consume(p)
	t.fail(err)
}
