package retrieve

import (
	"docent/embed"
	"docent/rag/corpus"
)

// foreign reports whether a document is in a language other than English.
func foreign(d corpus.Document) bool { return d.Language != "" && d.Language != "en" }

// ownScore returns the score of a result without the Reranker. The built-in
// vectors know only English. In a document in another language, the vectors of
// the passage and of the document do not count; the other features count more.
func (r *Retriever) ownScore(result *Result, byKind Weights) float64 {
	if !foreign(result.Passage.Document) || r.cfg.Embedder.Name() != embed.StaticName {
		return result.Score
	}
	var score, counted, all float64
	weights := byKind[result.Passage.Kind]
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
