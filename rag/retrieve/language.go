package retrieve

import (
	"context"
	"fmt"

	"docent/embed"
	"docent/internal/trace"
	"docent/rag/evidence"
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
	encoders []*asked
}

// ask prepares a question for the indexes and models.
func (r *Retriever) ask(ctx context.Context, q Query, body string) (out question, err error) {
	ctx, span := trace.Begin(ctx, trace.Internal, "retrieve embed")
	defer func() { span.End(err) }()
	out = question{text: body, language: text.Language(body)}
	if q.Mode != Keywords {
		if out.vector, err = r.cfg.Embedder.EmbedQuery(ctx, body); err != nil {
			return question{}, fmt.Errorf("retrieve: embed the question: %w", err)
		}
	}
	out.encoders, err = r.encoders.ask(ctx, q, body, out.language, r.features)
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
	// unread is a pair with a passage that is not in English, without a model for both.
	unread
	pairs
)

// pairWith returns the pair of a question and a passage in a language.
func (q question) pairWith(language string) pair {
	e := q.encoderFor(language)
	switch {
	case isEnglish(q.language) && isEnglish(language):
		return english
	case e == nil, !e.Languages.Accept(q.language):
		if isEnglish(language) {
			return english
		}
		return unread
	case q.language == language || q.language == "":
		return equal
	default:
		return crossed
	}
}

// isEnglish reports whether a language is English or unknown. Most texts in an
// unknown language are source code or short.
func isEnglish(language string) bool { return language == "" || language == "en" }

// weights returns the weights of the features by pair of languages. words is the
// result of sharedWords.
func (r *Retriever) weights(asking question, words float64) [pairs]Weights {
	known := r.cfg.Weights
	if len(asking.encoders) > 0 {
		known = DefaultWeights(r.cfg.Encoders[0].Embedder.Name())
	}
	others := known
	if r.cfg.Embedder.Name() == embed.StaticName {
		others = known.withoutVectors()
	}
	return [pairs]Weights{english: known, equal: equalWeights, crossed: crossedWeights(words), unread: others}
}

// sharedWords returns the largest share of the question's words in a candidate,
// from 0 to 1.
func sharedWords(matches []Match) float64 {
	most := 0.0
	for _, m := range matches {
		most = max(most, m.Coverage)
	}
	return most
}

// crossing returns the highest similarity of the question and one of the best
// results, if the first result is in another language. Otherwise, it returns 0.
func (q question) crossing(results []Result) float64 {
	if len(results) == 0 {
		return 0
	}
	language := results[0].Passage.Document.Language
	if q.pairWith(language) != crossed {
		return 0
	}
	best := 0.0
	e := q.encoderFor(language)
	for _, r := range results[:min(len(results), evidence.Passages)] {
		best = max(best, float64(similarity(e.vector, e.known[r.Passage.ID])))
	}
	return best
}
