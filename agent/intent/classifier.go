package intent

import (
	"context"
	"time"
)

// Fallback is the name of a prediction that is none of the intents.
const Fallback = "fallback_intent"

// DefaultThreshold is the score from which on an intent is taken; BAF's
// nlp.intent_threshold.
const DefaultThreshold = 0.4

// Classifier tells which intent a message has.
//
// Classify returns the intent with the highest score, the first of equal ones,
// if it reaches the classifier's threshold, and [Unmatched] if none does, if
// there are no intents, or if something fails. Its prediction is good to use
// also beside an error, which is for the log: a model that does not answer
// makes an agent fall back and not fall silent. It is safe for concurrent use.
type Classifier interface {
	// Name is what a prediction is recorded under.
	Name() string
	// Classify returns the intent of req.Text, one of req.Intents, and its
	// parameters.
	Classify(ctx context.Context, req Request) (Prediction, error)
}

// Request is a message to be classified.
type Request struct {
	// Text is what the user said.
	Text string
	// Intents are what it may mean, as [Validate] wants them.
	Intents []*Intent
	// Now is the present in the session's zone, which "tomorrow" is relative to.
	// Without it dates are not found, but for full ones, which are taken as UTC.
	Now time.Time
	// Language is the message's, as ISO 639-1 code or English name; "" is
	// English.
	Language string
}

// Prediction is what a message was understood as.
type Prediction struct {
	// Intent is the intent's name, or Fallback.
	Intent string
	// Score is how sure that is, from 0 to 1; 1 for Fallback.
	Score float64
	// Sentence is what the user said.
	Sentence string
	// Parameters are the intent's, in its order, found or not; nil for Fallback.
	Parameters []Match
	// Classifier is the name of what decided.
	Classifier string
}

// Match is a parameter of a prediction.
type Match struct {
	// Name is the parameter's.
	Name string
	// Value is what was found; nil if nothing was.
	Value *string
	// Info is what more is known of it, a JSON object; "" if nothing.
	Info string
}

// Unmatched is the prediction that a sentence has no intent.
func Unmatched(classifier, sentence string) Prediction {
	return Prediction{Intent: Fallback, Score: 1, Sentence: sentence, Classifier: classifier}
}

// Parameter returns the value of a parameter, and whether there is one.
func (p *Prediction) Parameter(name string) (string, bool) {
	for _, m := range p.Parameters {
		if m.Name == name && m.Value != nil {
			return *m.Value, true
		}
	}
	return "", false
}
