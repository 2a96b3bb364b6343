package intent

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"docent/embed"
)

// ExamplesName is the name of an [Examples] classifier in stored predictions.
const ExamplesName = "examples"

// maxSets bounds the sets of intents whose examples are kept. An agent has one
// set for each state with intents.
const maxSets = 256

// ExamplesConfig describes an [Examples] classifier.
type ExamplesConfig struct {
	// Embedder embeds words and sentences. Default: the built-in one.
	Embedder *embed.Static
	// Threshold is the minimum score of a prediction, up to 1. Default: 0,
	// which means DefaultThreshold.
	Threshold float64
	// Verbatim compares words only in their exact form. It corresponds to
	// turning off BAF's nlp.pre_processing. Default: false.
	Verbatim bool
}

// Examples classifies a message by the most similar example sentence. A message
// has score 1 if it equals an example, apart from case, punctuation, and
// spaces. It has score 0 if all of its words are unknown. Otherwise the score
// is an estimate of the probability that the intent is correct. Examples embeds
// the examples of a set of intents when it first sees the set.
type Examples struct {
	cfg ExamplesConfig

	mu   sync.Mutex
	sets []*exampleSet // the most recently used set is last
}

var _ Classifier = (*Examples)(nil)

// NewExamples returns a classifier.
func NewExamples(cfg ExamplesConfig) (*Examples, error) {
	if cfg.Threshold == 0 {
		cfg.Threshold = DefaultThreshold
	}
	if !(cfg.Threshold > 0 && cfg.Threshold <= 1) {
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

// Classify returns the intent of the most similar example. It only fails if ctx
// has ended.
func (c *Examples) Classify(ctx context.Context, req Request) (Prediction, error) {
	none := Unmatched(ExamplesName, req.Text)
	if err := ctx.Err(); err != nil {
		return none, fmt.Errorf("classify: %w", err)
	}
	if len(req.Intents) == 0 {
		return none, nil
	}
	set := c.set(req)
	best := candidate{intent: -1}
	m := newMatcher(req)
	for _, next := range set.candidates(m) {
		if next.score > best.score {
			best = next
		}
	}
	if best.intent < 0 || best.score < c.cfg.Threshold {
		return none, nil
	}
	i := req.Intents[best.intent]
	matches, _ := m.assign(i, best.sentence)
	return Prediction{Intent: i.Name, Score: best.score, Sentence: req.Text, Parameters: matches, Classifier: ExamplesName}, nil
}

// set returns the examples of the request's intents. It embeds them once.
func (c *Examples) set(req Request) *exampleSet {
	code := languageCode(req.Language)
	c.mu.Lock()
	at := slices.IndexFunc(c.sets, func(s *exampleSet) bool { return s.code == code && slices.Equal(s.intents, req.Intents) })
	var set *exampleSet
	if at >= 0 {
		set = c.sets[at]
		c.sets = slices.Delete(c.sets, at, at+1)
	} else {
		set = &exampleSet{
			static: c.cfg.Embedder, intents: slices.Clone(req.Intents), code: code,
			words: PreProcessing{Language: code, Off: c.cfg.Verbatim},
		}
		if len(c.sets) == maxSets {
			c.sets = slices.Delete(c.sets, 0, 1)
		}
	}
	c.sets = append(c.sets, set)
	c.mu.Unlock()
	set.once.Do(set.read)
	return set
}
