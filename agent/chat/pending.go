package chat

import "sync/atomic"

// Pending is an event in the queue of a session, together with its state during
// turns. Its methods may be called concurrently, except Predicted and Predict.
type Pending struct {
	// Event is the received event.
	Event Event
	// Message reports that the event is a chat message.
	Message bool

	text        atomic.Pointer[string] // after the processors; nil before
	held        atomic.Bool
	stopped     atomic.Bool
	passed      atomic.Bool
	predictions map[string]Prediction // by state
}

// View returns the event after the processors.
func (p *Pending) View() Event {
	e := p.Event
	if text := p.text.Load(); text != nil {
		e.Text = *text
	}
	return e
}

// Processed reports whether the processors have run.
func (p *Pending) Processed() bool { return p.text.Load() != nil }

// Process stores the text that the processors made.
func (p *Pending) Process(text string) { p.text.Store(&text) }

// Predicted returns the prediction for the event in a state. ok is false if there is none yet.
func (p *Pending) Predicted(state string) (prediction Prediction, ok bool) {
	prediction, ok = p.predictions[state]
	return prediction, ok
}

// Predict stores the prediction for the event in a state.
func (p *Pending) Predict(state string, prediction Prediction) {
	if p.predictions == nil {
		p.predictions = map[string]Prediction{}
	}
	p.predictions[state] = prediction
}

// Stop ends the event before it begins a turn.
func (p *Pending) Stop() { p.stopped.Store(true) }

// Stopped reports whether Stop was called.
func (p *Pending) Stopped() bool { return p.stopped.Load() }

// Pass records that no guard refuses the event.
func (p *Pending) Pass() { p.passed.Store(true) }

// Passed reports whether Pass was called.
func (p *Pending) Passed() bool { return p.passed.Load() }

// Hold marks the event as one that no transition takes.
func (p *Pending) Hold() { p.held.Store(true) }

// Held reports whether Hold was called.
func (p *Pending) Held() bool { return p.held.Load() }
