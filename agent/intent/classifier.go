package intent

import (
	"context"
	"time"
)

// Fallback is the intent of a prediction that matches no intent.
const Fallback = "fallback_intent"

// DefaultThreshold is the minimum score of a prediction. It is BAF's
// nlp.intent_threshold.
const DefaultThreshold = 0.4

// Classifier determines the intent of a message.
//
// Classify returns the intent with the highest score if the score reaches the
// classifier's threshold. If scores are equal, the first intent wins.
// Otherwise, and in case of an error, it returns [Unmatched]. Its prediction is
// valid even with an error, which is for the log. So an agent can fall back
// when a model does not answer. A Classifier is safe for concurrent use.
type Classifier interface {
	// Name identifies the classifier in stored predictions.
	Name() string
	// Classify returns the intent of req.Text, which is one of req.Intents, and
	// its parameters.
	Classify(ctx context.Context, req Request) (Prediction, error)
}

// Request is a message to classify.
type Request struct {
	// Text is the message of the user.
	Text string
	// Intents are the possible intents. They must pass [Validate].
	Intents []*Intent
	// Now is the current time in the session's zone, for dates such as
	// "tomorrow". If it is zero, only complete dates are found, in UTC.
	Now time.Time
	// Language is the language of the message, as an ISO 639-1 code or an
	// English name; "" is English.
	Language string
}

// Prediction is the result of classifying a message.
type Prediction struct {
	// Intent is the name of the intent, or Fallback.
	Intent string
	// Score is the confidence, from 0 to 1; 1 for Fallback.
	Score float64
	// Sentence is the message of the user.
	Sentence string
	// Parameters are the parameters of the intent, in its order. They include
	// missing ones. They are nil for Fallback.
	Parameters []Match
	// Classifier is the name of the classifier.
	Classifier string
}

// Match is a parameter of a prediction.
type Match struct {
	// Name is the name of the parameter.
	Name string
	// Value is the value in the message; nil without one.
	Value *string
	// Info is additional data as a JSON object; "" without any.
	Info string
}

// Unmatched returns the prediction for a sentence without an intent.
func Unmatched(classifier, sentence string) Prediction {
	return Prediction{Intent: Fallback, Score: 1, Sentence: sentence, Classifier: classifier}
}

// Parameter returns the value of a parameter and whether it has one.
func (p *Prediction) Parameter(name string) (string, bool) {
	for _, m := range p.Parameters {
		if m.Name == name && m.Value != nil {
			return *m.Value, true
		}
	}
	return "", false
}
