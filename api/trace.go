package api

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"docent/agent/diagram"
	"docent/agent/session/journal"
	"docent/api/route"
	"docent/internal/fault"
)

// AgentPicture is the graph of the agent's states and transitions, with places in pixels from the upper left corner.
type AgentPicture struct {
	// Name is the name of the agent.
	Name string `json:"name"`
	// Width is the width of the picture.
	Width float64 `json:"width"`
	// Height is its height.
	Height float64 `json:"height"`
	// Start is the arrow to the initial state.
	Start string `json:"start" doc:"The arrow to the initial state, in the language of the attribute d of SVG paths."`
	// States are the boxes of the states.
	States []AgentState `json:"states" nullable:"false"`
	// Arrows are the transitions.
	Arrows []AgentArrow `json:"arrows" nullable:"false" doc:"The transitions. Those with the same ends are one arrow."`
}

// AgentState is the box of a state.
type AgentState struct {
	// Name is the name of the state.
	Name string `json:"name" doc:"The name of the state. Empty for the box that stands for all ordinary states."`
	// Initial reports that sessions begin here.
	Initial bool `json:"initial" doc:"Sessions begin here."`
	// Global reports that an intent leads here from any state.
	Global bool `json:"global" doc:"An intent leads here from any state."`
	// X is the place of the center from the left.
	X float64 `json:"x" doc:"The center."`
	// Y is the place of the center from above.
	Y float64 `json:"y" doc:"The center."`
	// Width is the width of the box.
	Width float64 `json:"width"`
	// Height is its height.
	Height float64 `json:"height"`
	// Lines are the lines of the name.
	Lines []string `json:"lines" nullable:"false" doc:"The lines of the name."`
}

// AgentArrow is an arrow between two states.
type AgentArrow struct {
	// From is the position of its source in States.
	From int `json:"from" doc:"The position of the source in states."`
	// To is the position of its destination.
	To int `json:"to" doc:"The position of the destination in states."`
	// Labels describe the events and conditions.
	Labels []string `json:"labels" nullable:"false" doc:"The events and conditions of the transitions."`
	// Lines are the lines of the labels.
	Lines []string `json:"lines" nullable:"false" doc:"The lines of the labels, shortened."`
	// X is the place of the center of the lines from the left.
	X float64 `json:"x" doc:"The center of the lines."`
	// Y is the place of the center of the lines from above.
	Y float64 `json:"y" doc:"The center of the lines."`
	// D is the line.
	D string `json:"d" doc:"The line, in the language of the attribute d of SVG paths."`
}

// SessionTrace is the way of a session through the states of its agent.
type SessionTrace struct {
	// Agent is the name of the agent.
	Agent string `json:"agent_name" doc:"The agent of the session."`
	// State is the present state.
	State string `json:"state" doc:"The present state."`
	// Moves are the moves between states.
	Moves []SessionMove `json:"moves" nullable:"false" doc:"The newest 1,000 moves, oldest first."`
	// Intents are the recognized intents.
	Intents []SessionIntent `json:"intents" nullable:"false" doc:"The newest 1,000 recognized intents, oldest first."`
}

// SessionMove is a move between states.
type SessionMove struct {
	// Turn is the turn.
	Turn int64 `json:"turn" doc:"The turn. 0 before the first one."`
	// From is the left state.
	From string `json:"from" doc:"The state that the session left."`
	// To is the entered state.
	To string `json:"to" doc:"The state that it entered."`
	// Event is the name of the event.
	Event string `json:"event" doc:"The name of the event. Empty without one."`
	// Condition describes the condition.
	Condition string `json:"condition" doc:"The condition of the transition, in words."`
	// At is the time.
	At time.Time `json:"at"`
}

// SessionIntent is a recognized intent.
type SessionIntent struct {
	// Turn is the turn.
	Turn int64 `json:"turn"`
	// Intent is the name of the intent.
	Intent string `json:"intent" doc:"The intent, or fallback_intent if none fits."`
	// Classifier is the name of the classifier.
	Classifier string `json:"classifier" doc:"The classifier. None in a state without intents."`
	// Score is between 0 and 1.
	Score float64 `json:"score" doc:"From 0 to 1."`
}

type pictureInput struct {
	Agent string `query:"agent_name" maxLength:"255" doc:"The agent. The default is the first agent of this server."`
}

type pictureOutput struct{ Body AgentPicture }

type traceOutput struct{ Body SessionTrace }

type traceInput struct {
	SessionID string `path:"session_id" maxLength:"255"`
	Agent     string `query:"agent_name" maxLength:"255" doc:"The agent. The default is the agent of the stored session."`
}

// traces handles the routes for the graph of the agent and the ways of sessions.
type traces struct {
	ownedSessions
	store   journal.Traces
	picture func(agent string) *diagram.Picture
}

func (t traces) addRoutes(r *route.Router) {
	missing := []int{http.StatusNotFound}
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: "/api/agent/picture", OperationID: "get-agent-picture", Tags: []string{"sessions"}, Errors: missing,
		Summary:     "Get the graph of an agent's states and transitions",
		Description: "The graph has places for the states and arrows, so that clients can draw it.",
	}, t.draw)
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: "/api/sessions/{session_id}/trace", OperationID: "get-session-trace", Tags: []string{"sessions"},
		Summary: "Get the states, transitions, and intents of a session", Errors: missing,
		Description: "Turns that later messages replaced are left out.",
	}, t.trace)
}

func (t traces) draw(_ context.Context, in *pictureInput) (*pictureOutput, error) {
	name := cmp.Or(in.Agent, t.agents[0])
	var p *diagram.Picture
	if t.picture != nil {
		p = t.picture(name)
	}
	if p == nil {
		return nil, fault.New(fault.NotFound, "agent_without_picture", "the agent of this server has no graph")
	}
	out := AgentPicture{
		Name: name, Width: p.Width, Height: p.Height, Start: p.Start,
		States: make([]AgentState, len(p.States)), Arrows: make([]AgentArrow, len(p.Paths)),
	}
	for i, s := range p.States {
		out.States[i] = AgentState{
			Name: s.Name, Initial: s.Initial, Global: s.Global, X: s.X, Y: s.Y, Width: s.Width, Height: s.Height, Lines: texts(s.Lines),
		}
	}
	for i, a := range p.Paths {
		out.Arrows[i] = AgentArrow{From: a.From, To: a.To, Labels: texts(a.Labels), Lines: texts(a.Lines), X: a.X, Y: a.Y, D: a.D}
	}
	return &pictureOutput{out}, nil
}

// texts returns a list that is never null in JSON.
func texts(list []string) []string { return append([]string{}, list...) }

func (t traces) trace(ctx context.Context, in *traceInput) (*traceOutput, error) {
	key, err := t.key(ctx, in.SessionID, in.Agent)
	if err != nil {
		return nil, err
	}
	record, err := t.find(ctx, key)
	if err != nil {
		return nil, err
	}
	got, err := t.store.Trace(ctx, record.RowID)
	if err != nil {
		return nil, err //nolint:wrapcheck // the store names the operation
	}
	out := SessionTrace{
		Agent: record.Key.Agent, State: record.State,
		Moves: make([]SessionMove, len(got.Moves)), Intents: make([]SessionIntent, len(got.Predictions)),
	}
	for i, m := range got.Moves {
		out.Moves[i] = SessionMove{Turn: m.Turn, From: m.Source, To: m.Dest, Event: m.Event, Condition: m.Condition, At: m.Time.UTC()}
	}
	for i, p := range got.Predictions {
		out.Intents[i] = SessionIntent{Turn: p.Turn, Intent: p.Intent, Classifier: p.Classifier, Score: p.Score}
	}
	return &traceOutput{out}, nil
}
