package retrieve

import (
	"context"
	"fmt"

	"docent/embed"
	"docent/rag/corpus"
	"docent/rag/text"
)

// question is a question as indexes and models need it.
type question struct {
	text string
	// language is the language of text, as text.Language returns it.
	language string
	// vector is its vector by the embedder, nil in the mode Keywords.
	vector []float32
	// encoders are the encoders that search for it, with its vectors.
	encoders []asked
}

// ask prepares a question for the indexes and models.
func (r *Retriever) ask(ctx context.Context, q Query, body string) (question, error) {
	out := question{text: body, language: text.Language(body)}
	var err error
	if q.Mode != Keywords {
		if out.vector, err = r.cfg.Embedder.EmbedQuery(ctx, body); err != nil {
			return question{}, fmt.Errorf("retrieve: embed the question: %w", err)
		}
	}
	out.encoders, err = r.encoders.ask(ctx, q, body, out.language, r.memory.len())
	return out, err
}

// pair tells how the languages of a question and a passage fit together.
type pair int

const (
	// english is a pair without another model than the English ones.
	english pair = iota
	// equal is a pair in one language other than English. A multilingual encoder
	// knows it.
	equal
	// crossed is a pair in two languages. A multilingual encoder knows both.
	crossed
)

// pairWith returns the pair of a question and a passage in a language.
func (q question) pairWith(language string) pair {
	switch {
	case isEnglish(q.language) && isEnglish(language), q.encoderFor(language) == nil:
		return english
	case q.language == language || q.language == "":
		return equal
	default:
		return crossed
	}
}

// isEnglish reports whether a language is English or unknown. Most texts in an
// unknown language are source code or short.
func isEnglish(language string) bool { return language == "" || language == "en" }

// foreign reports whether a document is in a language other than English.
func foreign(d corpus.Document) bool { return !isEnglish(d.Language) }

// weights returns the weights of the features for a question and a passage in a
// language.
func (r *Retriever) weights(asking question, language string) Weights {
	switch p := asking.pairWith(language); {
	case p == equal:
		return equalWeights
	case p == crossed:
		return crossedWeights
	case len(asking.encoders) > 0:
		return r.cfg.EncoderWeights
	default:
		return r.cfg.Weights
	}
}

// ownScore returns the score of a result without the Reranker. The built-in
// vectors know only English. In a document in another language, the vectors of
// the passage and of the document do not count; the other features count more.
// They count if a multilingual encoder made them.
func (r *Retriever) ownScore(asking question, result *Result) float64 {
	language := result.Passage.Document.Language
	if isEnglish(language) || asking.pairWith(language) != english || r.cfg.Embedder.Name() != embed.StaticName {
		return result.Score
	}
	var score, counted, all float64
	weights := r.weights(asking, language)[result.Passage.Kind]
	for _, f := range features {
		all += weights[f.name]
		if f.name != FeatureDense && f.name != FeatureDocumentDense {
			counted += weights[f.name]
			score += weights[f.name] * result.Features[f.name]
		}
	}
	if counted == 0 {
		return result.Score
	}
	return score * all / counted
}
