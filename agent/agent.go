package agent

import (
	"context"
	"slices"

	"docent/agent/intent"
	"docent/agent/tool"
)

// What agents are written with beside this package, under shorter names.
type (
	// Intent is something a user may want; see package intent.
	Intent = intent.Intent
	// Entity is a kind of value that messages hold; see package intent.
	Entity = intent.Entity
	// Classifier tells which intent a message has; see package intent.
	Classifier = intent.Classifier
	// Prediction is what a message was understood as; see package intent.
	Prediction = intent.Prediction
	// Tool is a function that a model may call; see package tool.
	Tool = tool.Tool
)

// Agent is a conversation written as a state machine. Build it completely,
// then give it to a [Runtime]; it must not change afterwards.
type Agent struct {
	name       string
	states     []*State
	intents    []*Intent
	entities   []*Entity
	classifier Classifier
	heard      []Processor // of what users say
	said       []Processor // of what the agent says
}

// New returns an agent without states.
func New(name string) *Agent { return &Agent{name: name} }

// Name is the agent's name in the store.
func (a *Agent) Name() string { return a.name }

// States are the agent's, in the order they were added.
func (a *Agent) States() []*State { return slices.Clone(a.states) }

// Intents are the agent's, in the order they were added.
func (a *Agent) Intents() []*Intent { return slices.Clone(a.intents) }

// Entities are the agent's, in the order they were added.
func (a *Agent) Entities() []*Entity { return slices.Clone(a.entities) }

// Intent adds something a user may want, with examples of how they say it.
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

// ClassifyWith sets what tells the intents of the agent's states apart; default
// is their example sentences, compared by the built-in embedder.
func (a *Agent) ClassifyWith(c Classifier) { a.classifier = c }

// Processor changes a text on its way. It runs alone in its session. If it
// fails, the text stays as it is.
type Processor func(ctx context.Context, s *Session, text string) (string, error)

// ProcessUser adds a processor of the text messages that come in. It runs
// before transitions see them; what is stored is what was said.
func (a *Agent) ProcessUser(p Processor) { a.heard = append(a.heard, p) }

// ProcessAgent adds a processor of what is said with Session.Reply and
// Session.ReplyMarkdown, before it is stored and sent. Other replies are data
// and stay as they are.
func (a *Agent) ProcessAgent(p Processor) { a.said = append(a.said, p) }

// Body is what a state does when it is entered. It runs alone in its session;
// ctx ends when the turn takes too long, is stopped, or the session is reset,
// and it carries the session for [SessionFrom].
type Body func(ctx context.Context, s *Session) error
