package evidence

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"docent/rag/text"
)

const (
	// Passages is the number of best passages that count as evidence.
	Passages = 4
	// run is the length of the runs of sentences in Signs.Close.
	run = 3
)

// weights are the weights of Signs.
type weights struct{ bias, close, gap, strange, words float64 }

// docs/explanation/evaluation-details.md has the measurements behind the weights, and the signs that did not help.
var (
	// englishWeights and foreignWeights come from logistic regressions on question sets of eight kinds, and are rounded. The
	// biases are lower, so that they suit one threshold.
	englishWeights = weights{bias: -3.25, close: 3.8, gap: -2.5, strange: -4, words: .85}
	foreignWeights = weights{bias: -2, close: 4.1, strange: -2.4}
	// otherWeights are those of questions on documents in another language, without the multilingual encoder. They come from
	// XQuAD with German and Spanish questions on English articles, without half of the articles.
	otherWeights = weights{bias: 4, close: 2, gap: -2, strange: -6}
)

// Weights of the similarity across languages. They come from a logistic regression on XQuAD, with German and Spanish questions
// on English articles and English questions on German ones. Half of the articles were left out.
const (
	crossedBias      = -32
	weightSimilarity = 40.5
)

// Signs are the parts of the evidence. Shares are shares of the question, with
// its terms weighted by their rarity in the corpus.
type Signs struct {
	// Close is the largest share in a run of sentences with their headings.
	Close float64 `json:"close"`
	// Gap is the share of the heaviest term that no passage contains. A similar word in the passages reduces it.
	Gap float64 `json:"gap"`
	// Strange is the share of names that no passage contains. A word is a name if the built-in vocabulary lacks it or if it is
	// written like one. A similar name is no substitute. The vocabulary is English, so in other languages each word counts. A
	// word in the passages with the same letters reduces it.
	Strange float64 `json:"strange"`
	// Words is the logarithm of the number of words that say something about the subject.
	Words float64 `json:"words"`
	// Absent reports a code that no passage contains. It limits the evidence.
	Absent bool `json:"absent"`
	// Without is the kind of answers that the question asks for, if no fitting passage has one. It limits the evidence.
	Without Kind `json:"without,omitempty"`
	// Foreign reports that the question is not in English.
	Foreign bool `json:"foreign"`
	// Other reports that the best passage has another language than the question.
	Other bool `json:"other,omitempty"`
	// Language is the ISO 639-1 code of the best passage if Other is set.
	Language string `json:"language,omitempty"`
	// Similarity is the highest similarity of the question and a passage in another language, by the multilingual encoder. It
	// replaces the shares, because texts in two languages share few words. It is 0 in one language and without the encoder.
	Similarity float64 `json:"similarity,omitempty"`
}

// Probability is the probability that the passages answer the question, if every second question has an answer.
func (s Signs) Probability() float64 {
	w := englishWeights
	switch {
	case s.Other:
		w = otherWeights
	case s.Foreign:
		w = foreignWeights
	}
	sum := w.bias + w.close*s.Close + w.gap*s.Gap + w.strange*s.Strange + w.words*s.Words
	if s.Similarity > 0 {
		sum = crossedBias + weightSimilarity*s.Similarity
	}
	p := 1 / (1 + math.Exp(-sum))
	if s.Absent || s.Without != "" || s.Other && s.Similarity == 0 && !s.sharesWords() {
		return min(p, maxUnfit)
	}
	return p
}

// Bounds of questions in another language than the passages.
const (
	// shortOther is the number of words up to which a question is short.
	shortOther = 3
	// minShortShare is the minimum share of a short question.
	minShortShare = .6
)

// sharesWords reports whether a run of sentences has words of the question, and most of a short one. In two languages, these are
// names and numbers. Without them, similar letters such as those of "Ölfilter" and "filter" say too little.
func (s Signs) sharesWords() bool {
	return s.Close > 0 && (s.Close >= minShortShare || math.Exp(s.Words) > shortOther+.5)
}

// maxListed limits the words in each list of Coverage.
const maxListed = 3

// Coverage lists words of a question as the user wrote them, those with the
// largest shares first.
type Coverage struct {
	// Covered are words in the best passages.
	Covered []string
	// Lacking are words that the best passages lack.
	Lacking []string
	// Unseen are those of Lacking that no chunk contains.
	Unseen []string
	// Subjects are those of Lacking that name something: proper names, names with digits, and rare words that no chunk contains.
	// Other words, such as verbs, may be missing because the passages use their own.
	Subjects []string
}

// Vocabulary compares words by meaning. embed.Static implements it.
type Vocabulary interface {
	// Tokenize returns the tokens of a text.
	Tokenize(text string) []uint16
	// AppendTokens appends the tokens of a text.
	AppendTokens(to []uint16, text string) []uint16
	// Similarities sets out to the similarities of a token with each of tokens, from -1
	// to 1.
	Similarities(out []float32, token uint16, tokens []uint16)
}

// Passage is a passage that may answer a question.
type Passage struct {
	// Heading is its title and headings.
	Heading string
	Text    string
	// Code reports that Text is source code.
	Code bool
	// Language is the ISO 639-1 code of the document, or "" if unknown.
	Language string
}

// Corpus describes a question's terms in the corpus.
type Corpus struct {
	// Terms are the terms of the question with their rarity.
	Terms []text.Term
	// Chunks counts the chunks of the corpus.
	Chunks int
	// Asked is the present question if earlier turns complete it. Only its words are in Coverage and make Signs.Absent. If it
	// is empty, the whole question is the present one.
	Asked string

	// analysis is that of the passages.
	analysis text.Analysis
}

// present returns the terms that the user wrote in the present question.
func (in Corpus) present(terms []text.Weighted) []text.Weighted {
	if in.Asked == "" {
		return terms
	}
	own := in.analysis.Stems(in.Asked)
	return slices.DeleteFunc(terms, func(t text.Weighted) bool { return !own[t.Stem] })
}

// Read reads the best passages, at most Passages, for signs that they answer the question. It uses the vocabulary of the
// built-in embedder, so one scale fits all embedders. similar is the similarity across languages, or 0.
func Read(vocabulary Vocabulary, question string, similar float64, in Corpus, best []Passage) (Signs, Coverage) {
	best = best[:min(len(best), Passages)]
	q := readQuestion(question, best)
	in.analysis = q.analysis
	passages := make([]readPassage, len(best))
	known := map[string]bool{}
	for i, p := range best {
		passages[i] = newReadPassage(q.analysis, p)
		passages[i].addTo(known)
	}
	terms := asWritten(q.analysis, q.analysis.Weigh(question, smoothed(in.Terms), known), vocabulary, question)
	if len(best) == 0 || len(terms) == 0 {
		return Signs{Gap: 1, Strange: 1}, Coverage{}
	}
	for _, t := range terms {
		if !known[t.Stem] && (q.addSpelling(vocabulary, t, passages) || q.addSynonyms(t, passages)) {
			known[t.Stem] = true
		}
	}
	s := Signs{Foreign: q.foreign, Other: q.other, Similarity: similar}
	fit := newFitting(passages, best, terms)
	kind := answerKindOf(cmp.Or(in.Asked, question))
	if kind != nil && !s.Other && !fit.gives(kind) {
		s.Without = kind.kind
	}
	held := func(t text.Weighted) bool { return known[t.Stem] || q.isQualified(t, known) }
	answered := func(t text.Weighted) bool {
		return !held(t) && slices.ContainsFunc(kindsNamed(question[t.Start:t.End]), fit.gives)
	}
	if slices.ContainsFunc(terms, func(t text.Weighted) bool { return !answered(t) }) {
		terms = slices.DeleteFunc(terms, answered)
	}
	for i, t := range terms {
		if !held(t) {
			terms[i].Weight *= q.specificity(vocabulary, t)
		}
	}
	terms = shares(terms)
	var covered, lacking []text.Weighted
	for _, t := range terms {
		switch {
		case held(t):
			covered = append(covered, t)
		case !q.isCounted(t) && !q.isExample(t):
			lacking = append(lacking, t)
		}
	}
	for i := range passages {
		s.Close = max(s.Close, passages[i].close(terms))
	}
	s.Words = math.Log(float64(max(len(terms), 1)))
	if s.Other {
		s.Language = q.documents
	}
	if s.Foreign || s.Other {
		s.Gap, s.Strange = missingForeign(q, lacking, best)
	} else {
		s.Gap, s.Strange = missing(vocabulary, q, lacking, best, in)
	}
	covered, lacking = in.present(covered), in.present(lacking)
	s.Absent = len(terms) <= maxAsked && slices.ContainsFunc(lacking, func(t text.Weighted) bool {
		return q.isCodeName(t) || q.isOtherNumber(t, best) || similar > 0 && q.isIdentifier(t)
	})
	if similar > 0 {
		lacking = slices.DeleteFunc(lacking, func(t text.Weighted) bool { return !q.isIdentifier(t) && !q.isCodeName(t) })
	}
	unseen := slices.DeleteFunc(slices.Clone(lacking), func(t text.Weighted) bool { return !isUnseen(t, in) })
	covered, lacking, unseen = q.whole(covered), q.whole(lacking), q.whole(unseen)
	covered = slices.DeleteFunc(covered, func(t text.Weighted) bool {
		return slices.ContainsFunc(lacking, func(l text.Weighted) bool { return l.Start == t.Start })
	})
	subjects := slices.DeleteFunc(slices.Clone(lacking), func(t text.Weighted) bool {
		written := question[t.Start:t.End]
		rare := isUnseen(t, in) && q.isNoun(t) && q.specificity(vocabulary, t) >= rareWord &&
			len(kindsNamed(written)) == 0 && !number.MatchString(written)
		return q.isVerb(t) || !rare && !q.isProper(t) && !q.isCodeName(t) && !q.isOtherNumber(t, best)
	})
	if kind != nil && !s.Other && slices.ContainsFunc(subjects, func(t text.Weighted) bool { return isUnseen(t, in) }) {
		s.Without = kind.kind // a value for another subject is no answer
	}
	return s, Coverage{listed(covered, question), listed(lacking, question), listed(unseen, question), listed(subjects, question)}
}

// maxAsked is the maximum number of words of a question about a code. A longer one has codes as data, such as a pasted log.
const maxAsked = 12

// rareWord is the minimum specificity of a word that names a subject.
const rareWord = .8

// shares scales the weights of terms so that they add up to 1.
func shares(terms []text.Weighted) []text.Weighted {
	sum := 0.0
	for _, t := range terms {
		sum += t.Weight
	}
	for i := range terms {
		if sum > 0 {
			terms[i].Weight /= sum
		}
	}
	return terms
}

// fitting tells passages about the subject of a question from others.
type fitting struct {
	best   []Passage
	shares []float64
	most   float64
}

func newFitting(passages []readPassage, best []Passage, terms []text.Weighted) *fitting {
	f := &fitting{best: best}
	for i := range passages {
		share := passages[i].close(terms)
		f.shares, f.most = append(f.shares, share), max(f.most, share)
	}
	return f
}

// gives reports whether a passage about the subject has an answer of the kind.
func (f *fitting) gives(k *answerKind) bool {
	for i, p := range f.best {
		if f.shares[i] >= enoughOfKind*f.most && k.isGiven(p) {
			return true
		}
	}
	return false
}

// asWritten takes back the corrections of words that the vocabulary has: "employees" is no typing error for "employ".
func asWritten(analysis text.Analysis, terms []text.Weighted, vocabulary Vocabulary, question string) []text.Weighted {
	for i, t := range terms {
		word := question[t.Start:t.End]
		own := analysis.Words(word)
		same := func(w text.Word) bool { return w.Stem == t.Stem || w.Also == t.Stem }
		if !slices.ContainsFunc(own, same) && len(own) == 1 && len(vocabulary.Tokenize(word)) == 1 {
			terms[i].Stem = own[0].Stem
		}
	}
	return terms
}

// isUnseen reports whether no chunk contains a term. Its IDF is then ln(1 + (N+½)/½), and otherwise at most ln(1 + (N-½)/1½). An
// index may round it.
func isUnseen(t text.Weighted, in Corpus) bool {
	return slices.ContainsFunc(in.Terms, func(of text.Term) bool {
		return in.analysis.Stem(of) == t.Stem && of.IDF > math.Log(1+float64(in.Chunks)+.5)
	})
}

// listed returns the heaviest words as the question has them. A compound such as "PostgreSQL" has several terms, but is listed once.
func listed(words []text.Weighted, question string) []string {
	slices.SortStableFunc(words, func(a, b text.Weighted) int { return cmp.Compare(b.Weight, a.Weight) })
	var out []string
	for _, w := range words {
		if word := question[w.Start:w.End]; len(out) < maxListed && !slices.Contains(out, word) {
			out = append(out, word)
		}
	}
	return out
}

// smoothIDF is added to the IDF of each term. In a handful of chunks, rarity means little. A word in all chunks has almost
// no IDF, and a word in none has several times as much.
const smoothIDF = 1.5

// smoothed returns the terms with smoothed IDFs.
func smoothed(terms []text.Term) []text.Term {
	out := make([]text.Term, len(terms))
	for i, t := range terms {
		out[i] = t
		out[i].IDF += smoothIDF
	}
	return out
}

// readPassage is a passage as sets of stems.
type readPassage struct {
	heading   map[string]bool
	sentences []map[string]bool
	// texts are those of heading, and then of sentences.
	texts []string
}

func newReadPassage(analysis text.Analysis, p Passage) readPassage {
	r := readPassage{heading: stemsOf(analysis, p.Heading), texts: []string{p.Heading}}
	for line := range strings.Lines(p.Text) {
		if isRow(line) && !p.Code { // the header of a table belongs to each row
			for stem := range stemsOf(analysis, line) {
				r.heading[stem] = true
			}
			break
		}
	}
	for _, s := range text.Sentences(p.Text, p.Code) {
		r.sentences = append(r.sentences, stemsOf(analysis, p.Text[s.Start:s.End]))
		r.texts = append(r.texts, p.Text[s.Start:s.End])
	}
	return r
}

// stemsOf returns the stems of the words of a text, and those of words with a hyphen as one word: "Wi-Fi" is "wifi", too.
func stemsOf(analysis text.Analysis, s string) map[string]bool {
	set := analysis.Stems(s)
	if !strings.Contains(s, "-") { // the expression is slow
		return set
	}
	for _, w := range hyphenated.FindAllString(s, -1) {
		for stem := range analysis.Stems(strings.ReplaceAll(w, "-", "")) {
			set[stem] = true
		}
	}
	return set
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
		run := r.sentences[i:min(i+run, len(r.sentences))]
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

// manyChunks is the smallest corpus whose authors would have used a word if they wrote about its subject.
const manyChunks = 100

// missing returns the share of the heaviest of the lacking terms, reduced by the similarity of the most similar word in the
// passages, and the share of all names among them. If no chunk contains a term, a similar word is half as likely to mean it.
func missing(vocabulary Vocabulary, q *asked, lacking []text.Weighted, best []Passage, in Corpus) (gap, strange float64) {
	var tokens []uint16
	var alike []float32
	for _, t := range lacking {
		own := vocabulary.Tokenize(q.text[t.Start:t.End])
		if len(own) != 1 || q.isProper(t) {
			gap = max(gap, t.Weight)
			if !number.MatchString(q.text[t.Start:t.End]) {
				strange += t.Weight
			}
			continue
		}
		if tokens == nil {
			tokens = tokensOf(vocabulary, best)
			alike = make([]float32, len(tokens))
		}
		vocabulary.Similarities(alike, own[0], tokens)
		best := float32(0)
		for _, a := range alike {
			best = max(best, a)
		}
		if in.Chunks >= manyChunks && isUnseen(t, in) {
			best /= 2
		}
		gap = max(gap, t.Weight*(1-float64(best)))
	}
	return gap, strange
}

// tokensOf returns the distinct tokens of the passages.
func tokensOf(vocabulary Vocabulary, best []Passage) []uint16 {
	var all []uint16
	for _, p := range best {
		all = vocabulary.AppendTokens(all, p.Heading+"\n"+p.Text)
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
