package recording

import (
	"context"
	"encoding/json"
	"time"

	"docent/agent/session"
	"docent/payload"
)

// MaxDifferences limits the differences of a Score.
const MaxDifferences = 10

// Score counts what an agent did in a recording.
type Score struct {
	// Name is the name of the recording.
	Name string
	// Wanted counts the expected lines by kind, and Met those that the agent did.
	Wanted, Met map[string]int
	// Solved reports that the agent did all that the recording expects, and nothing else.
	Solved bool
	// Differences are the parts that the agent did otherwise, at most MaxDifferences.
	Differences []Difference
	// Failed is the reason for which the recording could not be played to its end, or nil.
	Failed error
	// PromptTokens and CompletionTokens are those of models.
	PromptTokens, CompletionTokens int
	// Turns counts the inputs without waits, and Took is the time for them.
	Turns int
	Took  time.Duration
}

// Score plays the recording like Play, and counts what the agent did.
func (p *Player) Score(ctx context.Context, rt *session.Runtime) Score {
	out := Score{Name: p.recording.Name, Solved: true, Wanted: map[string]int{}, Met: map[string]int{}}
	meter := &meter{}
	err := p.play(ctx, rt, meter, func(d Difference, took time.Duration) {
		for _, l := range d.Want {
			out.Wanted[l.Kind]++
		}
		for _, pair := range common(d.Want, d.Got) {
			out.Met[d.Want[pair[0]].Kind]++
		}
		if !d.none() {
			out.Solved = false
			if len(out.Differences) < MaxDifferences {
				out.Differences = append(out.Differences, d)
			}
		}
		if d.Input.Kind != "" && d.Input.Kind != Wait {
			out.Turns++
			out.Took += took
		}
	})
	out.Failed, out.Solved = err, out.Solved && err == nil
	out.PromptTokens, out.CompletionTokens = meter.prompt, meter.completion
	return out
}

// meter is a client that counts tokens. The runtime calls it from one goroutine at a time, and no more after the last turn.
type meter struct{ prompt, completion int }

// Opened implements session.Listener.
func (*meter) Opened(session.Opened) {}

// Deliver implements session.Listener.
func (m *meter) Deliver(d session.Delivery) {
	var end payload.TurnFinished
	if d.Frame.Action != payload.TurnFinishedAction || json.Unmarshal(d.Frame.Message, &end) != nil || end.Usage == nil {
		return
	}
	m.prompt += end.Usage.PromptTokens
	m.completion += end.Usage.CompletionTokens
}
