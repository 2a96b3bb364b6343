package recording

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"docent/agent"
	"docent/agent/chat"
	"docent/agent/intent"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/payload"
)

// patience bounds the wait for one part of a recording.
const patience = 2 * time.Minute

// maxChecks limits how often the conditions of a state are checked while a time passes.
const maxChecks = 600

// Player plays recordings against an agent. Give its Now, its Script, and the store of Watch to
// the runtime of the agent.
type Player struct {
	// Script has the models and the tools.
	Script *Script

	recording Recording

	mu  sync.Mutex // guards the following fields
	now time.Time
	got []Line // since the last part
	// state is the current state, and wake the time of the next check of its conditions.
	state string
	wake  time.Time
}

// NewPlayer returns a player of one recording.
func NewPlayer(r Recording) *Player {
	return &Player{recording: r, Script: NewScript(r), now: time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)}
}

// Now is the clock of the recording. It begins on Monday, 2026-01-05 at 9:00 UTC. Only the lines Wait move it.
func (p *Player) Now() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

// Watch returns a store that tells the player what the agent does.
func (p *Player) Watch(s journal.Store) journal.Store { return watched{s, p} }

// watched is a store whose turns the player sees.
type watched struct {
	journal.Store
	player *Player
}

// CommitTurn implements journal.Store.
func (w watched) CommitTurn(ctx context.Context, r journal.TurnRecord) (journal.Written, error) {
	written, err := w.Store.CommitTurn(ctx, r)
	if err == nil && !written.Repeated {
		w.player.saw(r)
	}
	return written, err //nolint:wrapcheck // the error is that of the store
}

// saw adds what a turn did.
func (p *Player) saw(r journal.TurnRecord) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.got = append(p.got, p.Script.takeSent()...)
	for _, prediction := range r.Predictions {
		name := prediction.Intent
		if name == intent.Fallback {
			name = "none"
		}
		p.got = append(p.got, Line{Kind: Intent, Text: name})
	}
	for _, e := range r.Entries {
		switch {
		case e.Message != nil && !e.Message.IsUser:
			p.got = append(p.got, lineOf(*e.Message))
		case e.Step != nil && e.Step.StepKind != "":
			p.got = append(p.got, Line{Kind: Step, Text: e.Step.StepKind})
		}
	}
	if !r.Partial {
		p.state, p.wake = r.State, r.WakeAt
	}
}

// lineOf returns the line of a reply.
func lineOf(m chat.Message) Line {
	if m.ClientID == chat.FailedID {
		return Line{Kind: Failure, Text: plain(m.Content)}
	}
	switch m.Type {
	case payload.TypeAudio:
		return Line{Kind: Sound, Text: spoken(m.Content)}
	case payload.TypeRAG:
		var answer payload.RAGMessage
		if json.Unmarshal(m.Content, &answer) == nil {
			return Line{Kind: Agent, Text: cited(answer)}
		}
	}
	return Line{Kind: Agent, Text: strings.TrimSpace(plain(m.Content))}
}

// cited returns an answer with the titles of its cited passages.
func cited(a payload.RAGMessage) string {
	var titles []string
	seen := map[int]bool{}
	for _, s := range a.Sentences {
		for _, n := range s.Docs {
			if n >= 1 && n <= len(a.Docs) && !seen[n] {
				seen[n] = true
				titles = append(titles, a.Docs[n-1].Metadata.Title)
			}
		}
	}
	if len(titles) == 0 {
		return strings.TrimSpace(a.Answer)
	}
	return fmt.Sprintf("%s (%s)", strings.TrimSpace(a.Answer), strings.Join(titles, ", "))
}

// Play plays the recording in a new session of the runtime, and returns the parts that the agent did otherwise. Lines of the
// kinds Intent, State, Step, and Sent count only in parts of the recording that have such lines. An error means that the
// recording could not be played to its end.
func (p *Player) Play(ctx context.Context, rt *session.Runtime) ([]Difference, error) {
	var out []Difference
	err := p.play(ctx, rt, deaf{}, func(d Difference, _ time.Duration) {
		if !d.none() {
			out = append(out, d)
		}
	})
	return out, err
}

// play plays the recording, and calls each with all parts and the time that they took.
func (p *Player) play(ctx context.Context, rt *session.Runtime, client session.Listener, each func(Difference, time.Duration)) error {
	sub, err := rt.Open(ctx, session.OpenRequest{ID: "recording", AnyOwner: true, Username: "recording"}, client)
	if err != nil {
		return fmt.Errorf("play %s: %w", p.recording.Name, err)
	}
	defer sub.Close()
	for _, part := range p.recording.parts() {
		if p.recording.apart && part.input.Kind != "" {
			p.Script.fill(part.script)
		}
		begun := time.Now()
		got, err := p.part(ctx, rt, sub, part)
		took := time.Since(begun)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", p.recording.Name, part.input.Number, err)
		}
		want := slices.Clone(part.want)
		got = append(got, p.also(want, got)...)
		want, got = ordered(want), ordered(chosen(got, want))
		each(Difference{Name: p.recording.Name, Line: part.input.Number, Input: part.input, Want: want, Got: got}, took)
	}
	return p.Script.rest()
}

// also returns the lines of the state, of prompts, and of goals that hold.
func (p *Player) also(want, got []Line) []Line {
	var out []Line
	for _, l := range want {
		reached := func(r Line) bool {
			return isReply(r) && strings.Contains(strings.ToLower(r.Text), strings.ToLower(l.Text))
		}
		if l.Kind == Prompt && p.Script.prompted(l.Text) || l.Kind == Goal && slices.ContainsFunc(got, reached) {
			out = append(out, l)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return append(out, Line{Kind: State, Text: p.state})
}

// isReply reports whether a line is a reply with a text.
func isReply(l Line) bool { return l.Kind == Agent || l.Kind == Sound }

// chosen returns the lines of those kinds that the recording has in this part, and all replies. Goals without replies leave
// the replies open.
func chosen(got, want []Line) []Line {
	open := slices.ContainsFunc(want, func(l Line) bool { return l.Kind == Goal }) && !slices.ContainsFunc(want, isReply)
	return slices.DeleteFunc(slices.Clone(got), func(l Line) bool {
		always := isReply(l) && !open || l.Kind == Failure
		return !always && !slices.ContainsFunc(want, func(w Line) bool { return w.Kind == l.Kind })
	})
}

// ordered puts intents first, and the state and prompts last, so that their place among the replies does not matter.
func ordered(lines []Line) []Line {
	rank := func(l Line) int { return slices.Index([]string{Heard, Intent, Called, Sent}, l.Kind) + 1 }
	last := func(l Line) int { return slices.Index([]string{State, Prompt, Goal}, l.Kind) + 1 }
	order := func(l Line) int {
		switch {
		case rank(l) > 0:
			return rank(l)
		case last(l) > 0:
			return 10 + last(l)
		}
		return 5
	}
	out := slices.Clone(lines)
	slices.SortStableFunc(out, func(a, b Line) int { return order(a) - order(b) })
	return out
}

// part sends a line and returns what the agent does.
func (p *Player) part(ctx context.Context, rt *session.Runtime, sub *session.Subscription, next part) ([]Line, error) {
	in := next.input
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var got []Line
	var err error
	switch in.Kind {
	case User:
		err = sub.Send(ctx, session.Message{Content: chat.JSONString(in.Text), Human: true})
	case Voice:
		got = append(got, Line{Kind: Heard, Text: next.transcript})
		err = sub.Send(ctx, session.Message{Content: chat.JSONString(next.transcript), Human: true, Heard: true})
	case Peer:
		err = sub.Send(ctx, session.Message{Content: chat.JSONString(in.Text)})
	case Answer:
		err = sub.Send(ctx, session.Message{Content: chat.JSONString(in.Text), From: p.Script.peer()})
	case UploadedFile:
		name, rest, _ := strings.Cut(in.Text, " ")
		media, content, _ := strings.Cut(rest, " ")
		err = sub.SendFile(ctx, session.File{File: payload.NewFile(name, media, []byte(content))})
	case Event:
		name, data, _ := strings.Cut(in.Text, " ")
		event := agent.Event{Name: name}
		if data != "" {
			event.Data = json.RawMessage(data)
		}
		err = rt.Dispatch(ctx, sub.SessionID(), event)
	case Action:
		err = sub.SendEvent(ctx, agent.EventUI, json.RawMessage(in.Text), false)
	case Variable:
		name, value, _ := strings.Cut(in.Text, " ")
		err = sub.SetVariables(ctx, map[string]json.RawMessage{name: json.RawMessage(value)})
	case Wait:
		err = p.pass(ctx, rt, sub.SessionID(), in.Text)
	}
	if err == nil {
		err = rt.AwaitIdle(ctx, sub.SessionID())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	got, p.got = append(append(got, p.Script.takeSent()...), p.got...), nil
	return got, err
}

// pass lets a time pass. Where the agent would check its conditions meanwhile, it does.
func (p *Player) pass(ctx context.Context, rt *session.Runtime, id, text string) error {
	d, err := time.ParseDuration(strings.TrimSpace(text))
	if err != nil || d <= 0 {
		return fmt.Errorf("%q is no time such as 5m", text)
	}
	end := p.Now().Add(d)
	for range maxChecks {
		p.mu.Lock()
		if !p.wake.After(p.now) || p.wake.After(end) {
			p.now = end
		} else {
			p.now = p.wake
		}
		over := p.now.Equal(end)
		p.mu.Unlock()
		if err := errors.Join(rt.Check(ctx, id), rt.AwaitIdle(ctx, id)); err != nil {
			return err
		}
		if over {
			return nil
		}
	}
	p.mu.Lock()
	p.now = end
	p.mu.Unlock()
	return rt.Check(ctx, id) //nolint:wrapcheck // the caller wraps it
}

// deaf is a client that ignores all frames, because the player sees the store.
type deaf struct{}

// Opened implements session.Listener.
func (deaf) Opened(session.Opened) {}

// Deliver implements session.Listener.
func (deaf) Deliver(session.Delivery) {}
