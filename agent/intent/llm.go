package intent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"docent/internal/fault"
	"docent/llm"
)

// DefaultTimeout bounds the call of a model that classifies a message.
const DefaultTimeout = 30 * time.Second

// LLMConfig describes an [LLM] classifier. The four Omit settings are the
// negations of BAF's use_… options.
type LLMConfig struct {
	// Model classifies the messages. Required.
	Model llm.Model
	// Name identifies the classifier in stored predictions. Default: the name
	// of the model.
	Name string
	// Threshold is the minimum score of a prediction, up to 1. Default: 0,
	// which means DefaultThreshold.
	Threshold float64
	// Timeout bounds the call of the model. Default: DefaultTimeout.
	Timeout time.Duration
	// OmitDescriptions keeps the intents' descriptions out of the prompt.
	// Default: false.
	OmitDescriptions bool
	// OmitSentences keeps the example sentences out of the prompt. Default: false.
	OmitSentences bool
	// OmitEntityDescriptions keeps the entities' descriptions out of the prompt.
	// Default: false.
	OmitEntityDescriptions bool
	// OmitSynonyms keeps the synonyms of values out of the prompt. Default: false.
	OmitSynonyms bool
}

// LLM classifies each message with one call of a model.
type LLM struct {
	cfg LLMConfig
}

var _ Classifier = (*LLM)(nil)

// NewLLM returns a classifier. It does not call the model.
func NewLLM(cfg LLMConfig) (*LLM, error) {
	cfg.Threshold = cmp.Or(cfg.Threshold, DefaultThreshold)
	cfg.Timeout = cmp.Or(cfg.Timeout, DefaultTimeout)
	switch {
	case cfg.Model == nil:
		return nil, errors.New("intent: LLMConfig.Model is required")
	case !(cfg.Threshold > 0 && cfg.Threshold <= 1):
		return nil, fmt.Errorf("intent: LLMConfig.Threshold is %g, want 0 to 1", cfg.Threshold)
	case cfg.Timeout < 0:
		return nil, errors.New("intent: LLMConfig.Timeout must not be negative")
	}
	if cfg.Name == "" {
		cfg.Name = cfg.Model.Name()
	}
	return &LLM{cfg: cfg}, nil
}

// Name returns LLMConfig.Name.
func (c *LLM) Name() string { return c.cfg.Name }

// Classify asks the model. It fails if the model fails, if the answer is
// invalid, on a timeout, and if ctx has ended. Its errors do not contain text
// of the user or the model.
func (c *LLM) Classify(ctx context.Context, req Request) (Prediction, error) {
	none := Unmatched(c.cfg.Name, req.Text)
	if len(req.Intents) == 0 {
		return none, nil
	}
	answer, err := c.ask(ctx, req)
	if err != nil {
		return none, fmt.Errorf("classify with %s: %w", c.cfg.Name, err)
	}
	verdicts, ok := readAnswer(answer, req.Intents)
	if !ok {
		return none, fault.New(fault.Unavailable,
			"classifier_answer_unusable", "classify with %s: the model's answer of %d bytes names no intent", c.cfg.Name, len(answer))
	}
	best, score := -1, -1.
	for n, i := range req.Intents {
		if v, ok := verdicts[i.Name]; ok && v.score > score {
			best, score = n, v.score
		}
	}
	if score < c.cfg.Threshold {
		return none, nil
	}
	i := req.Intents[best]
	return Prediction{
		Intent: i.Name, Score: score, Sentence: req.Text, Classifier: c.cfg.Name,
		Parameters: newMatcher(req).parameters(i, verdicts[i.Name].values),
	}, nil
}

// ask returns the model's answer.
func (c *LLM) ask(ctx context.Context, req Request) (string, error) {
	messages, err := c.messages(req)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	answer, err := llm.Ask(ctx, c.cfg.Model, llm.Request{Messages: messages, JSON: true})
	if err != nil {
		return "", err
	}
	return answer.Text, nil
}
