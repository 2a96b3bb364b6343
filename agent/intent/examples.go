package intent

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"docent/embed"
)

// ExamplesName is what [Examples] records its predictions under.
const ExamplesName = "examples"

// maxSets bounds the sets of intents whose examples are remembered; an agent
// has one per state with intents.
const maxSets = 256

// ExamplesConfig describes an [Examples] classifier.
type ExamplesConfig struct {
	// Embedder compares words and sentences. Default: the built-in one.
	Embedder *embed.Static
	// Threshold is the score, up to 1, from which on an intent is taken.
	// Default: 0, which means DefaultThreshold.
	Threshold float64
	// Verbatim takes only the words themselves for an exact example, not their
	// other forms; BAF's nlp.pre_processing turned off. Default: false.
	Verbatim bool
}

// Examples classifies messages by the nearest example sentence. A message that
// is an example, but for case, punctuation and spaces, has score 1, one without
// a word that anybody knows 0; for others the score is a calibrated guess at how
// often such an intent is the right one. Examples are embedded when a set of
// intents is first seen.
type Examples struct {
	cfg ExamplesConfig

	mu   sync.Mutex
	sets []*exampleSet // the one used last is last
}

var _ Classifier = (*Examples)(nil)

// NewExamples makes a classifier.
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

// Classify returns the intent of the nearest example. Its only error is a
// context that has ended.
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

// set returns the examples of the request's intents, read once.
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
