package retrieve

import (
	"slices"

	"docent/embed"
)

// The features of the second stage.
const (
	// FeatureBM25 is the keyword score of the chunk.
	FeatureBM25 = "bm25"
	// FeatureDense is the cosine similarity of the question and the chunk in the
	// vectors of the encoders. Without them, it is that in the embedder's vectors.
	FeatureDense = "dense"
	// FeatureDocumentDense is the cosine similarity of the question and the mean of
	// the document's chunks in the embedder's vectors.
	FeatureDocumentDense = "document_dense"
	// FeatureSentence is the highest cosine similarity of the question and a
	// sentence.
	FeatureSentence = "sentence"
	// FeatureSoftCount is a keyword score that also counts similar words.
	FeatureSoftCount = "soft_count"
	// FeatureSoftSentence is the similarity of the question's words to the nearest
	// words in the best sentence and the heading.
	FeatureSoftSentence = "soft_sentence"
	// FeaturePairs measures how close together the words of the question occur.
	// Similar words count too.
	FeaturePairs = "pairs"
	// FeatureDocument is the keyword score of the whole document.
	FeatureDocument = "document"
	// FeatureHeading is the keyword score of the title and the heading path alone.
	FeatureHeading = "heading"
	// FeatureCoverage is the share of the question's terms in the chunk, weighted by rarity.
	FeatureCoverage = "coverage"
	// FeatureEnrichment is the score of the best line of the chunk's enrichment, or
	// the score for other wordings of the question.
	FeatureEnrichment = "enrichment"
	// FeatureDefinition is the strength of a definition in the chunk, if the question asks for one.
	FeatureDefinition = "definition"
)

// feature is one measure of how well a candidate fits.
type feature struct {
	name string
	// compute writes the feature of each candidate to out.
	compute func(s *scoring, out []float32)
}

// features are the features of the second stage in the order of display.
var features = []feature{
	{FeatureBM25, match(func(m Match) float64 { return m.Score })},
	{FeatureDense, denseScore},
	{FeatureDocumentDense, documentDense},
	{FeatureSentence, bestSentence},
	{FeatureSoftCount, softCount},
	{FeatureSoftSentence, softSentence},
	{FeaturePairs, closePairs},
	{FeatureDocument, match(func(m Match) float64 { return m.Document })},
	{FeatureHeading, match(func(m Match) float64 { return m.Heading })},
	{FeatureCoverage, match(func(m Match) float64 { return m.Coverage })},
	{FeatureEnrichment, enrichment},
	{FeatureDefinition, definitionStrength},
}

// match returns the feature of a value of the words index.
func match(value func(m Match) float64) func(s *scoring, out []float32) {
	return func(s *scoring, out []float32) {
		for i, m := range s.matches {
			out[i] = float32(value(m))
		}
	}
}

// featureIndex returns the position of a feature in features, or -1.
func featureIndex(name string) int {
	return slices.IndexFunc(features, func(f feature) bool { return f.name == name })
}

// scoring is one question with its candidates.
type scoring struct {
	static *embed.Static
	asking question
	// rare is the question's vector by the static model: it weights each token by rarity and has any length.
	rare []float32
	// tokens are the distinct tokens of the question, and idf is their rarity.
	tokens []uint16
	idf    []float32
	// mean is the mean number of tokens in a chunk.
	mean float32
	// candidates and matches describe the same chunks.
	candidates []candidate
	matches    []Match
	scratch    *scratch
	// defined has, by chunk, the strengths of definitions.
	defined map[int64]float32
}

// candidate is a chunk that the first stage found.
type candidate struct {
	*Row
	// bm25 and dense are the normalized scores of the first stage.
	bm25, dense float64
	// enriched is the score of the best line of the enrichment or of other wordings.
	enriched float64
	// features are the normalized features, in the order of the variable features.
	features [maxFeatures]float32
	// score is the score of the first stage, and later of the second.
	score float64
}

// maxFeatures limits the features, so that candidates contain their values in
// an array.
const maxFeatures = 16

func denseScore(s *scoring, out []float32) {
	defer s.encoderScore(out)
	for i, c := range s.candidates {
		out[i] = similarity(s.asking.vector, c.Vector)
	}
}

func documentDense(s *scoring, out []float32) {
	done := map[*RowDocument]float32{}
	for i, c := range s.candidates {
		score, ok := done[c.Document]
		if !ok {
			score = similarity(s.asking.vector, c.Document.Mean)
			done[c.Document] = score
		}
		out[i] = score
	}
}

// definitionStrength is 0 unless the question asks for a definition.
func definitionStrength(s *scoring, out []float32) {
	for i, c := range s.candidates {
		out[i] = s.defined[c.ID]
	}
}

func enrichment(s *scoring, out []float32) {
	for i, c := range s.candidates {
		out[i] = float32(c.enriched)
	}
}

// similarity is the dot product of two vectors of length 1. It is 0 if their
// lengths differ.
func similarity(a, b []float32) float32 {
	if len(a) != len(b) {
		return 0
	}
	return embed.Dot(a, b)
}

// normalize scales values so that the least is 0 and the greatest is 1. Equal
// values become 0.
func normalize(values []float32) {
	if len(values) == 0 {
		return
	}
	low, high := values[0], values[0]
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	span := high - low
	for i := range values {
		if span > 0 {
			values[i] = (values[i] - low) / span
		} else {
			values[i] = 0
		}
	}
}

// FeatureNames lists the features in display order.
func FeatureNames() []string {
	out := make([]string, len(features))
	for i, f := range features {
		out[i] = f.name
	}
	return out
}
