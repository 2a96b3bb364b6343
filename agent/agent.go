package agent

import (
	"context"
	"slices"
	"time"

	"docent/agent/chat"
	"docent/agent/intent"
)

// Short names for the types of other packages that agents are written with.
type (
	// Intent is something that a user may want; see package intent.
	Intent = intent.Intent
	// Entity is a kind of value in messages; see package intent.
	Entity = intent.Entity
	// Classifier predicts the intent of a message; see package intent.
	Classifier = intent.Classifier
	// Prediction is the predicted intent of a message; see package intent.
	Prediction = intent.Prediction
	// Event is a message, a file, or another event that a session receives. Text is the text of a message, JSON the object in
	// a message, Data the JSON of other events, and File a file, whose content File.Bytes returns. Object returns JSON or Data,
	// whichever the event has. `go doc docent/agent/chat.Event` lists all fields.
	Event = chat.Event
	// ChatMessage is a stored message of a conversation; see package chat.
	ChatMessage = chat.Message
)

// The names of events, as BAF stores them. Programs may use any other name.
const (
	// EventMessage is a message that is a JSON object. In OnEvent it matches every message.
	EventMessage = chat.EventMessage
	// EventText is a text message.
	EventText = chat.EventText
	// EventFile is a file.
	EventFile = chat.EventFile
	// EventUI is a user's action in a user interface that the agent showed.
	EventUI = chat.EventUI
)

// MaxTextBytes limits the text of a message; see Event.Text.
const MaxTextBytes = chat.MaxTextBytes

// Agent is a conversation written as a state machine. Build it completely, then give it to docent.Run, or to a Runtime of
// docent/agent/session. Do not change it afterwards.
type Agent struct {
	name       string
	states     []*State
	intents    []*Intent
	entities   []*Entity
	classifier Classifier
	heard      []Processor // for texts of users
	said       []Processor // for texts of the agent
	context    string      // for models, in all sessions
	triggers   []Trigger
	zone       *time.Location // nil is that of the runtime

	guardsUser, guardsAgent []Guard // for texts of users, and of the agent
}

// New returns an agent without states.
func New(name string) *Agent { return &Agent{name: name} }

// Name returns the agent's name in the store.
func (a *Agent) Name() string { return a.name }

// TimeZone sets the time zone of triggers, and of sessions without the variable "timezone". Default: the time zone of the server.
func (a *Agent) TimeZone(zone *time.Location) { a.zone = zone }

// Zone returns the time zone of TimeZone, or nil.
func (a *Agent) Zone() *time.Location { return a.zone }

// States returns the states in the order in which they were added.
func (a *Agent) States() []*State { return slices.Clone(a.states) }

// Intents returns the intents in the order in which they were added.
func (a *Agent) Intents() []*Intent { return slices.Clone(a.intents) }

// Entities returns the entities in the order in which they were added.
func (a *Agent) Entities() []*Entity { return slices.Clone(a.entities) }

// Intent adds an intent with example sentences.
func (a *Agent) Intent(name string, sentences ...string) *Intent {
	i := intent.New(name, sentences...)
	a.intents = append(a.intents, i)
	return i
}

// Entity adds a kind of value for the parameters of intents, and returns it.
func (a *Agent) Entity(e *Entity) *Entity {
	a.entities = append(a.entities, e)
	return e
}

// ClassifyWith sets the classifier of the agent's states. By default the built-in embedder compares messages with the
// example sentences.
func (a *Agent) ClassifyWith(c Classifier) { a.classifier = c }

// Processor changes a text on its way in or out. Only one function runs in a session at a time. If the processor fails,
// the text does not change.
type Processor func(ctx context.Context, s *Session, text string) (string, error)

// ProcessUser adds a processor for incoming text messages. It runs before transitions see them. The store keeps the
// original text.
func (a *Agent) ProcessUser(p Processor) { a.heard = append(a.heard, p) }

// ProcessAgent adds a processor for the texts of Session.Reply and Session.ReplyMarkdown. It runs before they are stored
// and sent. Other replies are data and do not change.
func (a *Agent) ProcessAgent(p Processor) { a.said = append(a.said, p) }

// Body is the function that a state runs when the session enters it. Only one function runs in a session at a time. ctx
// carries the session for [SessionFrom]. It ends when the turn times out or is stopped, and when the session is reset.
type Body func(ctx context.Context, s *Session) error
