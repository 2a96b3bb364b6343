package intent_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"docent/agent/intent"
	"docent/internal/fault"
)

// fixed is a classifier that always returns the same prediction.
type fixed struct {
	prediction intent.Prediction
	err        error
}

func (f fixed) Name() string { return "fixed" }

func (f fixed) Classify(context.Context, intent.Request) (intent.Prediction, error) {
	return f.prediction, f.err
}

func TestThresholds(t *testing.T) {
	t.Parallel()
	failed := errors.New("failed")
	for _, test := range []struct {
		name  string
		score float64
		want  string
	}{
		{"order", .79, intent.Fallback},
		{"order", .8, "order"},
		{"other", .1, "other"},
		{intent.Fallback, 1, intent.Fallback},
	} {
		c, err := intent.NewThresholds(fixed{intent.Prediction{Intent: test.name, Score: test.score}, failed}, map[string]float64{"order": .8})
		if err != nil {
			t.Fatal(err)
		}
		p, err := c.Classify(t.Context(), intent.Request{Text: "two pumps"})
		if p.Intent != test.want || !errors.Is(err, failed) || c.Name() != "fixed" {
			t.Errorf("%s at %v: %+v, %v; want %s", test.name, test.score, p, err, test.want)
		}
		if p.Intent == intent.Fallback && test.name != intent.Fallback && p.Sentence != "two pumps" {
			t.Errorf("turned away as %+v", p)
		}
	}
}

func TestThresholdsRefused(t *testing.T) {
	t.Parallel()
	for _, score := range []float64{-.1, 1.1, math.NaN()} {
		if _, err := intent.NewThresholds(fixed{}, map[string]float64{"a": score}); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%v: %v", score, err)
		}
	}
	if _, err := intent.NewThresholds(nil, nil); fault.KindOf(err) != fault.Invalid {
		t.Errorf("nil: %v", err)
	}
}
