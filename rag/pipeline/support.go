package pipeline

import (
	"slices"
	"strings"

	"docent/embed"
	"docent/rag"
	"docent/rag/corpus"
	"docent/rag/retrieve"
	"docent/rag/text"
)

const (
	// strongWords is the minimum share of a sentence's words in its passages for strong support.
	strongWords = .75
	// weakWords is the minimum share for weak support.
	weakWords = .4
	// strongVector and weakVector are the corresponding limits for the cosine of the sentence and the best sentence of its
	// passages.
	strongVector = .75
	weakVector   = .5
	// foundWords is the minimum share of an uncited sentence's words in two consecutive sentences of a passage, so that the
	// passage supports it.
	foundWords = .85
	// minFoundWords is the minimum number of words in such a sentence. Shorter ones, such as "Yes, it does.", occur
	// everywhere.
	minFoundWords = 3
)

// checker decides how much of a sentence passages support.
type checker struct {
	static  *embed.Static
	results []retrieve.Result
	// stems, sentences, and vectors belong to the passages. They are computed on first use.
	stems     []map[string]bool
	sentences [][]readSentence
	vectors   [][][]float32
}

func newChecker(static *embed.Static, results []retrieve.Result) *checker {
	n := len(results)
	return &checker{static, results, make([]map[string]bool, n), make([][]readSentence, n), make([][][]float32, n)}
}

// support says how much of a sentence the passages with the given numbers
// support. Numbers count from 1. The support is strong if all clauses have
// strong support. It is None if the passages do not support one clause, and
// fully support no other.
func (c *checker) support(s string, docs []int) rag.Support {
	if len(docs) == 0 {
		return rag.None
	}
	marks, grounded := map[rag.Support]bool{}, true
	for _, clause := range clauses(s) {
		mark := c.clauseSupport(clause, docs)
		marks[mark] = true
		grounded = grounded && mark == rag.Strong && c.grounded(clause, docs)
	}
	switch {
	case marks[rag.None] && !marks[rag.Strong]:
		return rag.None
	case grounded:
		return rag.Strong
	default:
		return rag.Weak
	}
}

// clauseSupport says how much of a clause the passages support, by words and
// by meaning. They do not support a clause that contradicts them.
func (c *checker) clauseSupport(s string, docs []int) rag.Support {
	summed := func(w text.Word) bool { return w.Exact && c.sums(s[w.Start:w.End], s, docs) }
	if c.conflict(s, docs) != "" && !slices.ContainsFunc(meaningful(s), summed) {
		return rag.None
	}
	var all, common, missing int
	for _, w := range meaningful(s) {
		switch {
		case c.held(w.Stem, docs), summed(w):
			common++
		case w.Exact:
			missing++
		}
		all++
	}
	share := 1.0
	if all > 0 {
		share = float64(common) / float64(all)
	}
	alike := c.alike(s, docs)
	switch {
	case missing == 0 && (share >= strongWords || share >= weakWords && alike >= strongVector):
		return rag.Strong
	case share >= weakWords, missing == 0 && (alike >= weakVector || c.foreign(s, docs)):
		return rag.Weak
	default:
		return rag.None
	}
}

// find returns the number, counted from 1, of the passage that supports a
// sentence without citations nearly word for word. It returns 0 if there is
// none.
func (c *checker) find(s string) int {
	if strings.HasSuffix(s, "?") {
		return 0
	}
	var own []text.Word
	for _, w := range text.Words(s) {
		if !w.Part && !text.IsStop(w.Stem) {
			own = append(own, w)
		}
	}
	if len(own) < minFoundWords {
		return 0
	}
	most, best := 0, 0
	for i := range c.results {
		c.prepare(i)
		for at := range c.sentences[i] {
			if n := heldWords(own, c.sentences[i][at:min(at+2, len(c.sentences[i]))]); n > most && float64(n) >= foundWords*float64(len(own)) {
				most, best = n, i+1
			}
		}
	}
	if best == 0 || c.contradicts(s, []int{best}) || !c.grounded(s, []int{best}) {
		return 0
	}
	return best
}

// heldWords counts the words that one of the sentences contains. It returns 0
// if a number or identifier is missing.
func heldWords(own []text.Word, sentences []readSentence) int {
	n := 0
	for _, w := range own {
		switch {
		case slices.ContainsFunc(sentences, func(s readSentence) bool { return s.stems[w.Stem] }):
			n++
		case w.Exact:
			return 0
		}
	}
	return n
}

// held reports whether one of the passages contains the stem.
func (c *checker) held(stem string, docs []int) bool {
	for _, d := range docs {
		c.prepare(d - 1)
		if c.stems[d-1][stem] {
			return true
		}
	}
	return false
}

// alike returns the best cosine of the text with a sentence of the passages.
func (c *checker) alike(text string, docs []int) float64 {
	v := c.vector(text)
	best := 0.0
	for _, d := range docs {
		c.prepare(d - 1)
		for _, s := range c.vectors[d-1] {
			best = max(best, float64(embed.Dot(v, s)))
		}
	}
	return best
}

// prepare reads a passage, counted from 0.
func (c *checker) prepare(i int) {
	if c.stems[i] != nil {
		return
	}
	p, language := c.results[i].Passage, c.language(i)
	c.stems[i] = text.Stems(corpus.HeadingLine(p.Document.Title, p.Headings) + "\n" + p.Text)
	for _, s := range text.Sentences(p.Text, p.Kind == corpus.Code) {
		body := p.Text[s.Start:s.End]
		c.sentences[i] = append(c.sentences[i], readSentence{body, text.Stems(body), language})
		c.vectors[i] = append(c.vectors[i], c.vector(body))
	}
}

// language returns the language of a passage, counted from 0, or "".
func (c *checker) language(i int) string {
	return languageOf(c.results[i].Passage)
}

func (c *checker) vector(text string) []float32 {
	v := make([]float32, c.static.Dimensions())
	c.static.Mean(v, c.static.Tokenize(text))
	return v
}

// unsupportedSentences marks every sentence of a text as unsupported.
func unsupportedSentences(body string) []rag.Sentence {
	out := []rag.Sentence{}
	for _, s := range text.Sentences(body, false) {
		out = append(out, rag.Sentence{Start: s.Start, End: s.End, Support: rag.None})
	}
	return out
}
