package agent

import (
	"context"
	"errors"
	"runtime/debug"

	"docent/agent/intent"
)

// predict returns the prediction for the current event and state. It calls the classifier once per event and state.
func (t *Turn) predict(ctx context.Context) Prediction {
	p := t.candidate
	if p == nil {
		return intent.Unmatched(noClassifier, "")
	}
	if prediction, ok := p.predictions[t.at.name]; ok {
		return prediction
	}
	prediction := intent.Unmatched(noClassifier, p.view().Text)
	if ctx.Err() != nil { // a later attempt may find the intent
		return prediction
	}
	if n := t.at; n.classifier != nil && p.Event.Name == EventText {
		prediction = t.classify(ctx, n, p.view().Text)
		if ctx.Err() != nil && !errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
			return prediction // the call was interrupted
		}
	}
	if p.predictions == nil {
		p.predictions = map[string]Prediction{}
	}
	p.predictions[t.at.name] = prediction
	return prediction
}

// noClassifier is BAF's name for the classifier of states without intents.
const noClassifier = "None"

func (t *Turn) classify(ctx context.Context, n *node, text string) (p Prediction) {
	defer func() {
		if r := recover(); r != nil {
			t.log(ctx, "classifier failed", Recovered(r, debug.Stack()), "state", n.name)
			p = intent.Unmatched(n.classifier.Name(), text)
		}
	}()
	p, err := n.classifier.Classify(ctx, intent.Request{
		Text: text, Intents: n.intents, Now: t.session.Now(), Language: t.session.language(),
	})
	if err != nil && ctx.Err() == nil {
		t.log(ctx, "classifier failed", err, "state", n.name, "classifier", n.classifier.Name())
	}
	for _, i := range n.intents {
		if p.Intent == i.Name {
			return p
		}
	}
	return intent.Unmatched(n.classifier.Name(), text)
}

// predicted records the prediction for an event in the current state.
func (t *Turn) predicted(p *Pending) {
	now := t.env.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	made, ok := p.predictions[t.at.name]
	if !ok {
		return
	}
	t.prediction = made
	r := PredictionRecord{
		Message: p.view().Text, Classifier: made.Classifier, Intent: made.Intent, Score: made.Score, Time: now,
	}
	for _, m := range made.Parameters {
		r.Parameters = append(r.Parameters, ParameterRecord{Name: m.Name, Value: m.Value, Info: m.Info})
	}
	t.predictions = append(t.predictions, r)
}
