package rag

import (
	"docent/embed"
	"docent/payload"
)

const (
	// strongWords is the share of a sentence's words that its passages hold
	// from which on it is strongly supported.
	strongWords = .75
	// weakWords is the share from which on it is weakly supported.
	weakWords = .4
	// strongVector and weakVector are the like for the cosine of the sentence
	// with the best sentence of its passages.
	strongVector = .75
	weakVector   = .5
)

// checker tells how far passages carry a sentence.
type checker struct {
	static  *embed.Static
	results []Result
	// stems and vectors are each passage's, made when first needed.
	stems   []map[string]bool
	vectors [][][]float32
}

func newChecker(static *embed.Static, results []Result) *checker {
	return &checker{static, results, make([]map[string]bool, len(results)), make([][][]float32, len(results))}
}

// support says how much of a sentence the passages with the given numbers,
// counted from 1, carry, by words and by meaning. A number or identifier that
// none of them holds leaves no more than weak, however alike the rest.
func (c *checker) support(text string, docs []int) payload.Support {
	if len(docs) == 0 {
		return payload.SupportNone
	}
	var all, common, missing int
	for _, w := range words(text) {
		switch {
		case w.part || stopWords[w.stem]:
			continue
		case c.held(w.stem, docs):
			common++
		case w.exact:
			missing++
		}
		all++
	}
	share := 1.0
	if all > 0 {
		share = float64(common) / float64(all)
	}
	alike := c.alike(text, docs)
	switch {
	case missing == 0 && (share >= strongWords || share >= weakWords && alike >= strongVector):
		return payload.SupportStrong
	case share >= weakWords, missing == 0 && alike >= weakVector:
		return payload.SupportWeak
	default:
		return payload.SupportNone
	}
}

// held reports whether one of the passages holds the stem.
func (c *checker) held(stem string, docs []int) bool {
	for _, d := range docs {
		c.prepare(d - 1)
		if c.stems[d-1][stem] {
			return true
		}
	}
	return false
}

// alike is the best cosine of the text with a sentence of the passages.
func (c *checker) alike(text string, docs []int) float64 {
	v := c.vector(text)
	best := 0.0
	for _, d := range docs {
		c.prepare(d - 1)
		for _, s := range c.vectors[d-1] {
			best = max(best, alikeness(v, s))
		}
	}
	return best
}

// prepare reads a passage, counted from 0.
func (c *checker) prepare(i int) {
	if c.stems[i] != nil {
		return
	}
	p := c.results[i].Passage
	c.stems[i] = stemSet(HeadingLine(p.Document.Title, p.Headings) + "\n" + p.Text)
	for _, s := range splitSentences(p.Text, p.Kind) {
		c.vectors[i] = append(c.vectors[i], c.vector(p.Text[s.start:s.end]))
	}
}

func (c *checker) vector(text string) []float32 {
	v := make([]float32, c.static.Dimensions())
	c.static.Mean(v, c.static.Tokenize(text))
	return v
}

// unsupportedSentences marks each sentence of a text that cites nothing.
func unsupportedSentences(text string) []payload.RAGSentence {
	out := []payload.RAGSentence{}
	for _, s := range splitSentences(text, Prose) {
		out = append(out, payload.RAGSentence{Start: s.start, End: s.end, Docs: []int{}, Support: payload.SupportNone})
	}
	return out
}

// alikeness is the cosine of two vectors of the static model.
func alikeness(a, b []float32) float64 { return float64(embed.Dot(a, b)) }
