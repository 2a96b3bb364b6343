package rag

import (
	"slices"
	"strings"

	"docent/embed"
)

// Bounds of an extractive answer.
const (
	// extractPassages is how many passages are quoted from.
	extractPassages = 6
	// extractQuotes is how many sentences, blocks of code or rows are quoted.
	extractQuotes = 5
	// extractWords is about how many words an answer has at most. A first
	// quote that is longer stands alone.
	extractWords = 110
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
	// label is what stands above the sentence and names its subject: a line of
	// the passage, or its last heading.
	label string
	// lead reports that the label is needed to understand the sentence and is
	// shown in front of it.
	lead bool
	// words counts its words.
	words int
	// stems are its words, stop words too.
	stems map[string]bool
	// tokens are the embedder's.
	tokens []uint16
	// covered is how much of each of the question's terms it carries, 0 to 1.
	covered []float64
	// hinted tells which of the question's hints it has.
	hinted []bool
	// topic is the share of the question that its label names.
	topic float64
	// leans reports that the quote needs the one before it, refers that it only
	// says where else to look, ends that it ends as a sentence does.
	leans, refers, ends bool
	// adrift reports that it leans on a sentence, not on its label.
	adrift bool
}

// extractor chooses from passages the sentences that answer a question.
type extractor struct {
	static *embed.Static
	terms  []weightedTerm
	hints  []hint
	vector []float32
	// passages are the sentences of each passage.
	passages [][]quote
	// prior is how much each passage is trusted, 0 to 1.
	prior []float64
	// scratch is a vector and the tokens of a window.
	scratch       []float32
	scratchTokens []uint16
}

// weightedTerm is a term of the question with its share of the question.
type weightedTerm struct {
	stem   string
	weight float64
	// start and end are where it first stands in the question.
	start, end int
}

// extract returns the quotes that answer the question, best passage first and
// in reading order within it; none if no passage has any sentence. Found is the
// text that was searched for, which may have more in it than the question.
func extract(static *embed.Static, question string, found Retrieval) []quote {
	results := found.Results[:min(len(found.Results), extractPassages)]
	e := &extractor{static: static, hints: hintsFor(question), vector: make([]float32, static.Dimensions()), scratch: make([]float32, static.Dimensions())}
	static.Mean(e.vector, static.Tokenize(found.Question))
	asked := plainWordsOf(question)
	for i, r := range results {
		e.passages = append(e.passages, e.read(i, r.Passage, asked))
		e.prior = append(e.prior, prior(results, i))
	}
	e.terms = weigh(found.Question, found.Terms, e.known())
	for i, r := range results {
		heading := stemSet(HeadingLine(r.Passage.Document.Title, r.Passage.Headings))
		for at := range e.passages[i] {
			e.cover(&e.passages[i][at], heading)
		}
	}
	return e.choose()
}

// prior is how far a passage is trusted against the first: its share of the
// first's score.
func prior(results []Result, i int) float64 {
	if results[0].Score <= 0 {
		return 1 / float64(i+1)
	}
	return max(results[i].Score, 0) / results[0].Score
}

// read returns the sentences of a passage, without those that only repeat the
// question, whose words are given as plainWordsOf has them.
func (e *extractor) read(doc int, p Passage, question string) []quote {
	var out []quote
	label := p.Document.Title
	if len(p.Headings) > 0 {
		label = p.Headings[len(p.Headings)-1]
	}
	for _, s := range splitSentences(p.Text, p.Kind) {
		if isComment(p.Text[s.start:s.end]) {
			continue
		}
		q := quote{sentence: s, doc: doc, at: len(out), text: p.Text[s.start:s.end], label: label, stems: map[string]bool{}}
		q.leans, q.refers, q.ends = leaning.MatchString(q.text), crossReference.MatchString(q.text), ends(q.text)
		q.adrift = q.leans && q.kind == proseSentence && len(out) > 0 && out[len(out)-1].kind != titleSentence && !(isTerm(label) && ofLabel.MatchString(q.text))
		for _, w := range words(q.text) {
			q.stems[w.stem] = true
			if !w.part {
				q.words++
			}
		}
		if repeatsQuestion(q, question) {
			continue
		}
		q.tokens = e.static.Tokenize(q.text)
		out = append(out, q)
		if s.kind == titleSentence {
			label = unmarked(q.text, p.Document)
		}
	}
	return out
}

// follows reports whether a quote stands right behind another.
func (q quote) follows(before quote) bool { return before.doc == q.doc && before.at+1 == q.at }

// known returns every stem of the passages.
func (e *extractor) known() map[string]bool {
	known := map[string]bool{}
	for _, p := range e.passages {
		for _, q := range p {
			for s := range q.stems {
				known[s] = true
			}
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
		t := weightedTerm{w.stem, weight, w.start, w.end}
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

// Shares of a term's weight when it is not in the sentence itself.
const (
	inLabel   = 1.0
	inHeading = .5
)

// cover fills in what of the question a quote carries.
func (e *extractor) cover(q *quote, heading map[string]bool) {
	label := stemSet(q.label)
	q.lead = q.leans && !q.adrift || isTerm(q.label) && !e.mentions(q, q.label)
	q.covered = make([]float64, len(e.terms))
	for i, t := range e.terms {
		if label[t.stem] {
			q.topic += t.weight
		}
		switch {
		case q.stems[t.stem]:
			q.covered[i] = 1
		case label[t.stem]:
			q.covered[i] = inLabel
			q.lead = true
		case heading[t.stem]:
			q.covered[i] = inHeading
		}
	}
	q.hinted = make([]bool, len(e.hints))
	for i, h := range e.hints {
		q.hinted[i] = h.answer.MatchString(q.text)
	}
}

// isTerm reports whether a label is a name that is defined below it rather than
// a title.
func isTerm(label string) bool {
	first := firstWord(label)
	return strings.ContainsAny(first, "_-=%$\\/.") && !strings.HasSuffix(first, ".") || strings.Contains(label, " (") || len(first) > 1 && first == strings.ToUpper(first)
}

// mentions reports whether a quote has the first word of a label.
func (e *extractor) mentions(q *quote, label string) bool {
	for _, w := range words(label) {
		return q.stems[w.stem]
	}
	return true
}

func stemSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range words(text) {
		set[w.stem] = true
	}
	return set
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

// trimmed is a quote's text without a mark of a list in front.
func (q quote) trimmed() string {
	if q.kind == itemSentence {
		return strings.TrimSpace(q.text[itemMark(q.text):])
	}
	return q.text
}
