package rag

import (
	"regexp"
	"slices"
	"strings"

	"docent/embed"
)

// Bounds of an extractive answer.
const (
	// extractPassages is how many passages are quoted from.
	extractPassages = 6
	// extractQuotes is how many sentences, blocks of code or rows are quoted.
	extractQuotes = 4
	// extractWords is about how many words an answer has at most. A first
	// quote that is longer stands alone.
	extractWords = 120
	// extractCodeLines is how many lines of code are quoted; longer blocks are
	// cut to it.
	extractCodeLines = 15
)

// quote is a sentence of a passage that may become part of an answer.
type quote struct {
	sentence
	// doc is the passage, from 0.
	doc int
	// at is the sentence's place in the passage.
	at int
	// text is the passage's text from start to end.
	text string
	// label is the place in the passage of the title sentence above it, or -1.
	label int
	// words counts its words.
	words int
	// stems are its words, stop words too.
	stems map[string]bool
	// covered is how much of each of the question's terms it carries, 0 to 1.
	covered []float64
	vector  []float32
	score   float64
}

// extractor chooses from passages the sentences that answer a question.
type extractor struct {
	static *embed.Static
	terms  []weightedTerm
	hints  []hint
	vector []float32
	// quotes are all sentences, by passage and place.
	quotes []quote
	// first is where each passage's quotes begin, and the end.
	first []int
	// prior is how much each passage is trusted.
	prior []float64
}

// weightedTerm is a term of the question with its share of the question.
type weightedTerm struct {
	stem   string
	weight float64
}

// extract returns the quotes that answer the question, best passage first and
// in reading order within it; none if no passage has any sentence.
func extract(static *embed.Static, question string, terms []Term, results []Result) []quote {
	if len(results) > extractPassages {
		results = results[:extractPassages]
	}
	e := &extractor{static: static, hints: hintsFor(question), vector: make([]float32, static.Dimensions())}
	static.Mean(e.vector, static.Tokenize(question))
	for i, r := range results {
		e.first = append(e.first, len(e.quotes))
		e.read(i, r.Passage)
		e.prior = append(e.prior, prior(results, i))
	}
	e.first = append(e.first, len(e.quotes))
	e.terms = weigh(question, terms, e.known())
	for i := range e.quotes {
		e.rate(&e.quotes[i], results[e.quotes[i].doc].Passage)
	}
	return e.choose()
}

// prior is how far the passage is trusted against the first: its share of the
// first's score, and a little less for each place.
func prior(results []Result, i int) float64 {
	if results[0].Score <= 0 {
		return 1 / float64(i+1)
	}
	return max(results[i].Score, 0) / results[0].Score
}

// read adds the sentences of a passage.
func (e *extractor) read(doc int, p Passage) {
	label := -1
	for at, s := range splitSentences(p.Text, p.Kind) {
		q := quote{sentence: s, doc: doc, at: at, text: p.Text[s.start:s.end], label: label, vector: make([]float32, e.static.Dimensions()), stems: map[string]bool{}}
		for _, w := range words(q.text) {
			q.stems[w.stem] = true
			if !w.part {
				q.words++
			}
		}
		e.static.Mean(q.vector, e.static.Tokenize(q.text))
		e.quotes = append(e.quotes, q)
		if s.kind == titleSentence {
			label = at
		}
	}
}

// known returns every stem of the passages.
func (e *extractor) known() map[string]bool {
	known := map[string]bool{}
	for _, q := range e.quotes {
		for s := range q.stems {
			known[s] = true
		}
	}
	return known
}

// weigh returns the question's terms with their shares. A term that no passage
// holds is replaced by a word of theirs that differs by one slip of the finger.
func weigh(question string, terms []Term, known map[string]bool) []weightedTerm {
	idf := map[string]float64{}
	for _, t := range terms {
		idf[t.Text] = t.IDF
	}
	var out []weightedTerm
	var sum float64
	for _, w := range words(question) {
		if stopWords[w.stem] || slices.ContainsFunc(out, func(t weightedTerm) bool { return t.stem == w.stem }) {
			continue
		}
		weight, ok := idf[w.stem]
		if !ok {
			weight = meanIDF(terms)
		}
		t := weightedTerm{w.stem, weight}
		if !known[w.stem] && !w.exact {
			t.stem = respell(w.stem, known)
		}
		sum += weight
		out = append(out, t)
	}
	for i := range out {
		out[i].weight /= sum
	}
	return out
}

// meanIDF is what a term counts for that the keyword index does not know.
func meanIDF(terms []Term) float64 {
	if len(terms) == 0 {
		return 1
	}
	var sum float64
	for _, t := range terms {
		sum += t.IDF
	}
	return sum / float64(len(terms))
}

// Weights of a quote's score, all of the same order.
const (
	weightCover   = 1.0
	weightVector  = .6
	weightContext = .4
	weightPrior   = .5
	weightHint    = .25
)

// Shares of a term's weight when it is not in the sentence itself.
const (
	inLabel   = .7
	inHeading = .5
	inBlock   = .3
)

// rate gives a quote its score.
func (e *extractor) rate(q *quote, p Passage) {
	heading := stemSet(HeadingLine(p.Document.Title, p.Headings))
	label := map[string]bool{}
	if q.label >= 0 {
		label = e.quotes[e.first[q.doc]+q.label].stems
	}
	q.covered = make([]float64, len(e.terms))
	var cover float64
	for i, t := range e.terms {
		switch {
		case q.stems[t.stem]:
			q.covered[i] = 1
		case label[t.stem]:
			q.covered[i] = inLabel
		case heading[t.stem]:
			q.covered[i] = inHeading
		case e.near(q, t.stem):
			q.covered[i] = inBlock
		}
		cover += t.weight * q.covered[i]
	}
	q.score = weightCover*cover + weightVector*cosine(e.vector, q.vector) + weightPrior*e.prior[q.doc]
	q.score += weightContext * cosine(e.vector, e.context(q, p))
	for _, h := range e.hints {
		if h.answer.MatchString(q.text) {
			q.score += weightHint * h.weight
		}
	}
	switch {
	case q.kind == titleSentence, q.words < 2:
		q.score *= .5
	case crossReference.MatchString(q.text):
		q.score *= .7
	case q.words > extractWords/2 && q.kind != codeSentence:
		q.score *= .85
	}
}

// crossReference is a sentence that only says where else to look.
var crossReference = regexp.MustCompile(`^\(?(?:For (?:more|further|details|additional)|See\b|Refer to|Please see|More (?:information|details))`)

// near reports whether a sentence of the same paragraph has the stem.
func (e *extractor) near(q *quote, stem string) bool {
	all := e.quotes[e.first[q.doc]:e.first[q.doc+1]]
	for i := max(q.at-2, 0); i < min(q.at+2, len(all)); i++ {
		if all[i].block == q.block && all[i].stems[stem] {
			return true
		}
	}
	return false
}

// context is the vector of the sentence with what stands above it.
func (e *extractor) context(q *quote, p Passage) []float32 {
	above := p.Document.Title
	if len(p.Headings) > 0 {
		above = p.Headings[len(p.Headings)-1]
	}
	if q.label >= 0 {
		above = e.quotes[e.first[q.doc]+q.label].text
	}
	v := make([]float32, e.static.Dimensions())
	e.static.Mean(v, e.static.Tokenize(above+" "+q.text))
	return v
}

func stemSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range words(text) {
		set[w.stem] = true
	}
	return set
}

// cosine is the dot product of two vectors of length 1.
func cosine(a, b []float32) float64 {
	var sum float32
	for i, x := range a {
		sum += x * b[i]
	}
	return float64(sum)
}

// respell returns a known word that is one slip away from w: a letter too many
// or too few, another one, or two the wrong way round. Without any it returns w.
func respell(w string, known map[string]bool) string {
	if len(w) < minRespelled {
		return w
	}
	best := w
	for k := range known {
		if oneSlip(w, k) && (best == w || k < best) {
			best = k
		}
	}
	return best
}

// minRespelled is the shortest word that is taken for a slip, in bytes.
const minRespelled = 5

// oneSlip reports whether a and b differ by one insertion, deletion,
// replacement or exchange of neighbours.
func oneSlip(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(a)-len(b) > 1 || a == b {
		return false
	}
	i := 0
	for i < len(b) && a[i] == b[i] {
		i++
	}
	if len(a) > len(b) {
		return a[i+1:] == b[i:]
	}
	if a[i+1:] == b[i+1:] {
		return true
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

// passageOf returns the quotes of the passage that q is from.
func (e *extractor) passageOf(q quote) []quote {
	return e.quotes[e.first[q.doc]:e.first[q.doc+1]]
}

// trimmed is a quote's text without a mark of a list in front.
func (q quote) trimmed() string {
	if q.kind == itemSentence {
		return strings.TrimSpace(q.text[itemMark(q.text):])
	}
	return q.text
}
