package retrieve

import (
	"slices"

	"docent/embed"
	"docent/rag/corpus"
	"docent/rag/text"
)

const (
	// evidencePassages is the number of best results that count as evidence.
	evidencePassages = 4
	// evidenceRun is the length of the runs of sentences in signs.close.
	evidenceRun = 3
)

// Weights of the signs of evidence.
const (
	weightSoft    = .4
	weightClose   = .4
	weightDense   = .2
	weightStrange = .3
)

// signs are the parts of the evidence. Shares are shares of the question, with
// its terms weighted by their rarity in the corpus.
type signs struct {
	// soft is the share of the question in the passages. A missing word counts as much as its most similar word in them.
	soft float64
	// close is the largest share in a run of sentences with their headings.
	close float64
	// dense is the best cosine of the question and a passage.
	dense float64
	// strange is the share of names that no passage contains. A word is a name if the built-in vocabulary lacks it or if it is
	// written like one. A similar name is no substitute.
	strange float64
	// absent reports a code that no passage contains.
	absent bool
}

// evidence says how well the best results support an answer to the question,
// from 0 to 1. The retriever computes it before it cuts the results to K, so K
// does not change it. It uses the built-in embedder, so one scale fits all
// embedders.
func evidence(static *embed.Static, question string, terms []text.Term, results []Result) float64 {
	if len(results) == 0 {
		return 0
	}
	s := readSigns(static, question, terms, results[:min(len(results), evidencePassages)])
	sum := weightSoft*s.soft + weightClose*s.close + weightDense*s.dense - weightStrange*s.strange
	if s.absent {
		sum = min(sum, maxAbsentCode)
	}
	return min(max(sum, 0), 1)
}

// readSigns computes the signs of the passages.
func readSigns(static *embed.Static, question string, terms []text.Term, results []Result) signs {
	passages := make([]readPassage, len(results))
	known := map[string]bool{}
	for i, r := range results {
		passages[i] = newReadPassage(r.Passage)
		passages[i].addTo(known)
	}
	asked := text.Weigh(question, smoothed(terms), known)
	var s signs
	s.soft, s.strange = softShare(static, question, asked, known, results)
	s.absent = slices.ContainsFunc(asked, func(t text.Weighted) bool { return !known[t.Stem] && isCodeName(t, question) })
	q, v := make([]float32, static.Dimensions()), make([]float32, static.Dimensions())
	static.Mean(q, static.Tokenize(question))
	for i, r := range results {
		s.close = max(s.close, passages[i].close(asked))
		static.Mean(v, static.Tokenize(corpus.IndexText(r.Passage.Document.Title, r.Passage.Chunk)))
		s.dense = max(s.dense, float64(embed.Dot(q, v)))
	}
	return s
}

// smoothIDF is added to the IDF of each term. In a handful of chunks, rarity means little. A word in all chunks has almost
// no IDF, and a word in none has several times as much.
const smoothIDF = 1.5

// smoothed returns the terms with smoothed IDFs.
func smoothed(terms []text.Term) []text.Term {
	out := make([]text.Term, len(terms))
	for i, t := range terms {
		out[i] = text.Term{Text: t.Text, IDF: t.IDF + smoothIDF}
	}
	return out
}

// readPassage is a passage as sets of stems.
type readPassage struct {
	heading   map[string]bool
	sentences []map[string]bool
}

func newReadPassage(p corpus.Passage) readPassage {
	r := readPassage{heading: text.Stems(corpus.HeadingLine(p.Document.Title, p.Headings))}
	for _, s := range text.Sentences(p.Text, p.Kind == corpus.Code) {
		r.sentences = append(r.sentences, text.Stems(p.Text[s.Start:s.End]))
	}
	return r
}

// addTo adds the passage's stems to a set.
func (r readPassage) addTo(set map[string]bool) {
	for s := range r.heading {
		set[s] = true
	}
	for _, sentence := range r.sentences {
		for s := range sentence {
			set[s] = true
		}
	}
}

// close returns the largest share of the terms in a run of sentences.
func (r readPassage) close(asked []text.Weighted) float64 {
	best := 0.0
	for i := range r.sentences {
		run := r.sentences[i:min(i+evidenceRun, len(r.sentences))]
		sum := 0.0
		for _, t := range asked {
			held := r.heading[t.Stem]
			for _, s := range run {
				held = held || s[t.Stem]
			}
			if held {
				sum += t.Weight
			}
		}
		best = max(best, sum)
	}
	return best
}

// softShare returns the share of the terms in the passages, literally or as a
// similar word, and the share of missing names.
func softShare(
	static *embed.Static, question string, asked []text.Weighted, known map[string]bool, results []Result,
) (soft, strange float64) {
	var tokens []uint16
	var alike []float32
	for _, t := range asked {
		if known[t.Stem] {
			soft += t.Weight
			continue
		}
		own := static.Tokenize(question[t.Start:t.End])
		if len(own) != 1 || isProper(t, question) {
			strange += t.Weight
			continue
		}
		if tokens == nil {
			tokens = tokensOf(static, results)
			alike = make([]float32, len(tokens))
		}
		static.Similarities(alike, own[0], tokens)
		best := float32(0)
		for _, a := range alike {
			best = max(best, a)
		}
		soft += t.Weight * float64(best)
	}
	return soft, strange
}

// tokensOf returns the distinct tokens of the passages.
func tokensOf(static *embed.Static, results []Result) []uint16 {
	var all []uint16
	for _, r := range results {
		all = static.AppendTokens(all, corpus.IndexText(r.Passage.Document.Title, r.Passage.Chunk))
	}
	seen := map[uint16]bool{}
	out := all[:0]
	for _, id := range all {
		if !seen[id] {
			seen[id] = true
			out = append(out, id)
		}
	}
	return out
}
