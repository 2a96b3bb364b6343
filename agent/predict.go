package agent

import (
	"context"
	"errors"
	"runtime/debug"

	"docent/agent/chat"
	"docent/agent/intent"
	"docent/internal/errlog"
)

// predict returns the prediction for the current event and state. It calls the classifier once per event and state.
func (t *Turn) predict(ctx context.Context) Prediction {
	p := t.candidate
	if p == nil {
		return intent.Unmatched(noClassifier, "")
	}
	if kept, ok := p.Predicted(t.at.name); ok {
		return predictionOf(kept)
	}
	prediction := intent.Unmatched(noClassifier, p.View().Text)
	if ctx.Err() != nil { // a later attempt may find the intent
		return prediction
	}
	if n := t.at; n.classifier != nil && p.Event.Name == EventText {
		prediction = t.classify(ctx, n, p.View().Text)
		if ctx.Err() != nil && !errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
			return prediction // the call was interrupted
		}
	}
	p.Predict(t.at.name, recordOf(prediction))
	return prediction
}

// recordOf returns the record of a prediction.
func recordOf(p Prediction) chat.Prediction {
	r := chat.Prediction{Message: p.Sentence, Classifier: p.Classifier, Intent: p.Intent, Score: p.Score}
	for _, m := range p.Parameters {
		r.Parameters = append(r.Parameters, chat.Parameter(m))
	}
	return r
}

// predictionOf returns the prediction of a record.
func predictionOf(r chat.Prediction) Prediction {
	p := Prediction{Sentence: r.Message, Classifier: r.Classifier, Intent: r.Intent, Score: r.Score}
	for _, m := range r.Parameters {
		p.Parameters = append(p.Parameters, intent.Match(m))
	}
	return p
}

// noClassifier is BAF's name for the classifier of states without intents.
const noClassifier = "None"

func (t *Turn) classify(ctx context.Context, n *node, text string) (p Prediction) {
	defer func() {
		if r := recover(); r != nil {
			t.log(ctx, "classifier failed", errlog.Recovered(r, debug.Stack()), "state", n.name)
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
func (t *Turn) predicted(p *chat.Pending) {
	now := t.env.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	r, ok := p.Predicted(t.at.name)
	if !ok {
		return
	}
	t.prediction = predictionOf(r)
	r.Message, r.Time = p.View().Text, now
	t.predictions = append(t.predictions, r)
}
