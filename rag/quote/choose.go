package quote

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"docent/embed"
	"docent/internal/lazyregexp"
	"docent/rag/corpus"
	"docent/rag/text"
)

// Weights of a window's score. They were chosen on the question sets of docs/explanation/evaluation.md.
const (
	weightCover   = 1.0
	weightVector  = .3
	weightContext = .2
	// weightClosest and weightMean are the weights of the encoder's similarity: of the closest quote and of the mean.
	weightClosest = 1.5
	weightMean    = .4
	weightPrior   = .5
	weightHint    = .5
	// weightName rewards a name that the question does not contain, because such a name is often the answer.
	weightName = .2
	// weightHeading rewards the passages whose heading or title has the words of the question.
	weightHeading = .6
	// weightDefinition rewards a definition of the subject, if the question asks for it.
	weightDefinition = .8
	// weightLength is the cost of a hundred words.
	weightLength = .15
	// weightRest is the cost of a hundred words around the best sentences of a block.
	weightRest = .4
	// weightSeam is the cost of each flaw at the edges of a window: a beginning that needs omitted text, or an end that
	// promises more.
	weightSeam = .1
	// seamsOfLeaning is the number of flaws that a dependent beginning counts for.
	seamsOfLeaning = 1.5
	// weightSaid is the cost of only repeating the last answer.
	weightSaid = 1.5
	// weightCode is the cost of code if the question asks for words.
	weightCode = .3
)

const (
	// maxBlocks is the maximum number of chosen blocks.
	maxBlocks = 4
	// maxAnswer is the number of words from which an answer gets no further block.
	maxAnswer = 160
	// enough is the share of the best score that a further window needs.
	enough = .6
	// below is the maximum distance of a further window to the best score. Scores with the encoder's similarity are farther
	// apart than scores without.
	below        = .45
	belowEncoded = .6
	// novel is the minimum value that a further window adds, as new terms, hints, or names.
	novel = .02
	// known is the covered share of a term from which the term no longer counts.
	known = .7
	// sameStems is the minimum share of common stems of two quotes that say the same.
	sameStems = .75
)

// candidate is a block with its score.
type candidate struct {
	Block
	quotes []quote
	// covered and hinted are the best values of its sentences.
	covered []float64
	hinted  []bool
	words   int
	// base is the score without the covered terms.
	base  float64
	score float64
}

// choose takes the best block, and further blocks that are good, short, have a clear relation to the question, and add
// something, each with the text around it.
func (e *extractor) choose() []Block {
	candidates := e.candidates()
	if len(candidates) == 0 {
		return nil
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	e.preferProse(candidates)
	best, around, limit := candidates[0], maxFurtherSection, maxAnswer
	if e.practical && best.Kind != Row {
		best, around, limit = e.trusted(candidates), maxSection, maxPractical
	}
	first := e.around(e.widened(best), around)
	blocks, chosen := []Block{first.Block}, slices.Clone(first.quotes)
	covered, hinted, length := slices.Clone(best.covered), slices.Clone(best.hinted), first.words
	// Neither a definition nor a heading excludes the rest.
	top, distance := best.score-weightDefinition*best.defined()-weightHeading*e.headed[best.Passage], below
	if e.encoded {
		distance = belowEncoded
	}
	least := max(enough*top, top-distance)
	for len(blocks) < maxBlocks {
		var next candidate
		var nextGain float64
		for _, c := range candidates {
			if c.score < least {
				break
			}
			if length+c.words > limit || c.quotes[0].adrift && !slices.ContainsFunc(chosen, c.quotes[0].follows) ||
				isStray(e.documents, c, best) || e.defines != nil && c.Kind == Code && best.Kind != Code ||
				(e.practical || c.Kind == Item || c.Kind == List) && arePointers(e.passages[c.Passage], c.Block) ||
				repeats(chosen, c.quotes) || !e.related(c, best) && !e.adjoins(c, blocks) {
				continue
			}
			gain := e.gain(c, covered, hinted) + weightName*e.named(c, chosen)
			if gain >= novel && (next.words == 0 || c.base+gain > next.base+nextGain) {
				next, nextGain = c, gain
			}
		}
		if next.words == 0 {
			break
		}
		merge(covered, hinted, next)
		if !slices.ContainsFunc(blocks, func(b Block) bool { return b.Passage == next.Passage }) {
			next = e.around(next, min(maxFurtherSection, limit-length))
		}
		blocks, chosen = append(blocks, next.Block), append(chosen, next.quotes...)
		length += next.words
	}
	return blocks
}

// maxValueWords limits the words of a cell with a value, such as "12 kg".
const maxValueWords = 3

// isValue reports whether a cell has a number with its unit, and no sentence.
func isValue(cell string) bool {
	return strings.ContainsFunc(cell, unicode.IsDigit) && !strings.ContainsAny(cell, "`_") && len(strings.Fields(cell)) <= maxValueWords
}

// mostOfQuestion is the share of the question from which the row of a table is about it.
const mostOfQuestion = .5

// preferProse moves prose to the front of sorted candidates that begin with a row of a table: the best block if the row has no value
// and less than half of the question, as in a list of messages, and else the best block of a better passage that says as much. The
// name of a row is not its subject.
func (e *extractor) preferProse(sorted []candidate) {
	row := sorted[0]
	if row.Kind != Row {
		return
	}
	chance := e.coverage(row) < mostOfQuestion && !slices.ContainsFunc(rowCells(row.quotes[0].text), isValue)
	i := slices.IndexFunc(sorted, func(c candidate) bool {
		return c.Kind != Row && (chance || c.Passage < row.Passage && e.coverage(c) >= sameCoverage*e.coverage(row))
	})
	if i < 0 || sorted[i].score < enough*row.score || !chance && sorted[i].score < row.score-below {
		return
	}
	c := sorted[i]
	copy(sorted[1:i+1], sorted[:i])
	sorted[0] = c
}

// widened returns the whole paragraph around the best block, if it is not too long.
func (e *extractor) widened(c candidate) candidate {
	if c.Kind != Paragraph && c.Kind != Definition {
		return c
	}
	passage := e.passages[c.Passage]
	from := c.from
	for from > 0 && passage[from-1].Block == passage[c.from].Block && passage[from-1].Kind == passage[c.from].Kind {
		from--
	}
	if end := paragraphEnd(passage, c.from); words(passage[from:end]) <= maxFirst {
		whole := e.score(passage, blockOf(c.Kind, passage, from, end))
		whole.base, whole.score = c.base, c.score
		return whole
	}
	return c
}

// Shares of the best block's relation to the question that a further block needs.
const (
	minOfBest    = .4
	minOfSimilar = .75
)

// related reports whether a further block has a clear relation to the question: it has nearly as many words of the question as
// the best block, and the encoder says that it is nearly as close. Similarity alone is a relation only
// for code, which has few words of a question.
func (e *extractor) related(c, best candidate) bool {
	for i, t := range e.terms {
		if e.measured[t.Stem] != "" && best.covered[i] == 1 && c.covered[i] < 1 {
			return false // it does not give the asked dimension
		}
	}
	if similarity(c) < minOfSimilar*similarity(best) {
		return false
	}
	own := e.ownCoverage(c)
	return c.Kind == Code || own > 0 && own >= minOfBest*e.ownCoverage(best) && e.coverage(c) >= minOfBest*e.coverage(best)
}

// isStray reports whether a further block is a step or a row of another section than the best block. Without its list or table,
// it says little. Rows under the same header are compared.
func isStray(passages []corpus.Passage, c, best candidate) bool {
	if c.Kind != Step && c.Kind != Row || sameSection(passages[c.Passage], passages[best.Passage]) {
		return false
	}
	return c.Kind == Step || best.Kind != Row || c.quotes[0].header == "" || c.quotes[0].header != best.quotes[0].header
}

// sameSection reports whether two passages are parts of one section.
func sameSection(a, b corpus.Passage) bool {
	return a.Document.ID == b.Document.ID && slices.Equal(a.Headings, b.Headings)
}

// adjoins reports whether a block with words of the question follows a chosen block, or is a row of a table in its section. Such a
// block is about the same thing, in fewer words.
func (e *extractor) adjoins(c candidate, chosen []Block) bool {
	passage := e.passages[c.Passage]
	return e.ownCoverage(c) > 0 && slices.ContainsFunc(chosen, func(b Block) bool {
		return b.Passage == c.Passage && (b.to == c.from || c.Kind == Row) && passage[b.from].label == passage[c.from].label
	})
}

// similarity returns the similarity of the closest sentence of a candidate.
func similarity(c candidate) float64 {
	out := 0.0
	for _, q := range c.quotes {
		out = max(out, q.similar)
	}
	return out
}

// ownCoverage is coverage without the words that stand only in the headings of the passage.
func (e *extractor) ownCoverage(c candidate) float64 {
	sum := 0.0
	for i, t := range e.terms {
		if c.covered[i] != inHeading {
			sum += t.Weight * c.covered[i]
		}
	}
	return sum
}

// coverage returns the share of the terms of the question that a candidate covers.
func (e *extractor) coverage(c candidate) float64 {
	sum := 0.0
	for i, t := range e.terms {
		sum += t.Weight * c.covered[i]
	}
	return sum
}

// candidates returns the blocks that may be part of an answer, with scores.
func (e *extractor) candidates() []candidate {
	var out []candidate
	for doc, passage := range e.passages {
		blocks := e.blocks(doc)
		for i, b := range blocks {
			c := e.best(passage, b)
			if b.Kind == List && e.hasItem(blocks[i+1:], c) {
				continue
			}
			out = append(out, c)
		}
	}
	return out
}

// hasItem reports whether one of the items behind a list covers the question as well as the whole list.
func (e *extractor) hasItem(behind []Block, list candidate) bool {
	for _, b := range behind {
		if b.to > list.to {
			return false
		}
		if e.coverage(e.score(e.passages[b.Passage], b)) >= sameCoverage*e.coverage(list) {
			return true
		}
	}
	return false
}

// sameCoverage is the share of the coverage of a list from which an item covers as much.
const sameCoverage = .95

// best scores a block of a passage by its best run of sentences: a block may say more than the question asks for.
func (e *extractor) best(passage []quote, b Block) candidate {
	whole := e.score(passage, b)
	if b.Kind == List || b.to-b.from == 1 {
		return whole
	}
	base, score := whole.base, whole.score
	for from := b.from; from < b.to; from++ {
		for to := from + 1; to <= min(from+maxRun, b.to); to++ {
			part := b
			part.from, part.to = from, to
			c := e.score(passage, part)
			rest := weightRest * float64(whole.words-c.words) / 100
			if c.score-rest > score {
				base, score = c.base-rest, c.score-rest
			}
		}
	}
	whole.base, whole.score = base, score
	return whole
}

// score scores a block of a passage.
func (e *extractor) score(passage []quote, b Block) candidate {
	c := candidate{Block: b, quotes: passage[b.from:b.to], covered: make([]float64, len(e.terms)), hinted: make([]bool, len(e.hints))}
	e.scratchTokens = e.scratchTokens[:0]
	for _, q := range c.quotes {
		merge(c.covered, c.hinted, candidate{covered: q.covered, hinted: q.hinted})
		e.scratchTokens = append(e.scratchTokens, q.tokens...)
	}
	c.words = words(c.quotes)
	e.static.Mean(e.scratch, e.scratchTokens)
	c.base = weightVector * float64(embed.Dot(e.vector, e.scratch))
	e.static.Mean(e.scratch, e.static.AppendTokens(e.scratchTokens, c.quotes[0].label))
	c.base += weightContext * float64(embed.Dot(e.vector, e.scratch))
	c.base += e.similarity(c) + weightDefinition*c.defined()
	c.base += weightPrior * e.prior[b.Passage]
	c.base += weightHeading * e.headed[b.Passage]
	c.base -= weightLength * float64(c.words) / 100
	c.base -= weightSeam * seams(passage, b.from, b.to)
	c.base -= weightSaid * e.repeated(c)
	if c.Kind == Code && asksForWords.MatchString(e.question) {
		c.base -= weightCode
	}
	c.score = c.base + e.gain(c, nil, nil) + weightName*e.named(c, nil)
	return c
}

// similarity is the value of the encoder's similarities in a window.
func (e *extractor) similarity(w candidate) float64 {
	if !e.encoded {
		return 0
	}
	best, sum, n := 0.0, 0.0, 0
	for _, q := range w.quotes {
		best = max(best, q.similar)
		if q.Kind != text.TitleSentence {
			sum += q.similar
			n++
		}
	}
	return weightClosest*best + weightMean*sum/float64(max(n, 1))
}

// defined says how clearly a window defines the subject of the question, from 0 to 1.
func (w candidate) defined() float64 {
	best := 0.0
	if !w.quotes[0].adrift {
		for _, q := range w.quotes {
			best = max(best, q.defined)
		}
	}
	return best
}

// repeated returns the share of the words of a window that the last answer said.
func (e *extractor) repeated(w candidate) float64 {
	if e.said == "" {
		return 0
	}
	said := 0
	for _, q := range w.quotes {
		if e.wasSaid(q) {
			said += q.words
		}
	}
	return float64(said) / float64(max(w.words, 1))
}

// wasSaid reports whether the last answer has a sentence.
func (e *extractor) wasSaid(q quote) bool {
	return e.said != "" && strings.Contains(e.said, lettersOf(q.trimmed()))
}

// gain returns the value of the terms and hints that a window adds to those
// already covered.
func (e *extractor) gain(w candidate, covered []float64, hinted []bool) float64 {
	var sum float64
	for i, t := range e.terms {
		c := w.covered[i]
		if covered != nil {
			c = max(0, c-known*covered[i])
		}
		sum += weightCover * t.Weight * c
	}
	for i, h := range e.hints {
		if w.hinted[i] && (hinted == nil || !hinted[i]) {
			sum += weightHint * h.weight
		}
	}
	return sum
}

// named returns 1 if a window contains a name that neither the question nor the
// chosen quotes contain, and otherwise 0.
func (e *extractor) named(w candidate, chosen []quote) float64 {
	for _, q := range w.quotes {
		for n := range q.names {
			if !slices.ContainsFunc(chosen, func(c quote) bool { return c.names[n] }) {
				return 1
			}
		}
	}
	return 0
}

// merge adds the terms and hints that a window covers.
func merge(covered []float64, hinted []bool, w candidate) {
	for i, c := range w.covered {
		covered[i] = max(covered[i], c)
	}
	for i, h := range w.hinted {
		hinted[i] = hinted[i] || h
	}
}

// leaning matches the beginning of a sentence that needs the previous one.
var leaning = lazyregexp.New(`^(?:This|That|These|Those|It|Its|They|Their|Such|He|She|Another|The (?:default|latter|former|same|value|other|second|third|result(?:ing)?|above)|However|But|Also|Otherwise|In (?:this|that|such|these|either|both|contrast|particular|addition|other words)\b|Therefore|Thus|Hence|Instead|Then|For (?:this|that|these|example|instance)|(?:If|When|Since|Because|While|Unless|As|Once|After|Before|Until|Although|With|Without|Like|Unlike) (?:this|that|these|those|it|they|so|not|such)\b|(?:By|When|If|To|On|For) \w+(?:ing)? (?:this|these|those|it|them|so)\b|Here|So|And|Or|Any|Both|Neither|Note that|(?:Setting|Doing|Using) (?:this|these|so|that|it)|Similarly|Likewise|Moreover|Furthermore|Nevertheless|Nonetheless|Conversely|Alternatively|Consequently|Accordingly|Additionally|Finally|Again|Still|Yet|As a result|On the other hand|(?:All|Each|Some|None|Most|One|Many) of (?:these|those|them|which))\b|^\(|^(?:and|or|but|which|because|where|so|then|with|as|for|in|to|if)\b`)

// ofLabel matches the beginning of a sentence whose subject is the term above
// it.
var ofLabel = lazyregexp.New(`^(?:The (?:default|value)|This (?:parameter|option|setting|form|variable|command|function|clause|method|field|can|is|should|must))\b`)

// crossReference matches a sentence that only refers to another place.
var crossReference = lazyregexp.New(`^\(?(?:For (?:more|further|details|additional)|See\b|Refer to|Please see|More (?:information|details)|Table \d|Figure \d)`)

// seams counts the flaws of quoting only the sentences from..to.
func seams(passage []quote, from, to int) float64 {
	first, last := passage[from], passage[to-1]
	n := 0.0
	if from > 0 {
		before := passage[from-1]
		switch {
		case first.adrift:
			n += seamsOfLeaning
		case first.Kind == text.ItemSentence && before.Block == first.Block:
			n++ // the middle of an item
		case first.Kind == text.CodeSentence && before.Kind != text.TitleSentence:
			n++
		}
	}
	if strings.HasSuffix(last.text, ":") && last.Kind != text.CodeSentence {
		n += 2
	}
	for i, q := range passage[from:to] {
		if q.refers {
			n++
		}
		if i > 0 && q.Block != passage[from+i-1].Block {
			n += .4
		}
		if q.words < 2 && q.Kind != text.CodeSentence || q.Kind == text.ProseSentence && !q.ends {
			n++
		}
	}
	return n
}

// repeats reports whether chosen already contains one of more, or a similar
// quote.
func repeats(chosen, more []quote) bool {
	for _, m := range more {
		if slices.ContainsFunc(chosen, func(c quote) bool {
			return c.doc == m.doc && c.at == m.at || sameWords(c.trimmed()) == sameWords(m.trimmed()) || similar(c, m)
		}) {
			return true
		}
	}
	return false
}

// similar reports whether two quotes say the same.
func similar(a, b quote) bool {
	if len(a.stems) > len(b.stems) {
		a, b = b, a
	}
	common := 0
	for s := range a.stems {
		if b.stems[s] {
			common++
		}
	}
	return common > 2 && float64(common) >= sameStems*float64(len(a.stems)) && len(b.stems) < 2*len(a.stems)
}

// shared adds the other passages that contain a chosen sentence under the same
// label: another label may be another subject. They may write the sentence with
// other white space and letter case.
func (e *extractor) shared(chosen []quote) []quote {
	for i, c := range chosen {
		if c.Kind != text.ProseSentence && c.Kind != text.ItemSentence {
			continue
		}
		said := sameWords(c.trimmed())
		same := func(q quote) bool { return q.Kind == c.Kind && q.label == c.label && sameWords(q.trimmed()) == said }
		for doc, passage := range e.passages {
			if at := slices.IndexFunc(passage, same); doc != c.doc && at >= 0 {
				chosen[i].also = append(chosen[i].also, passage[at].cited+1)
			}
		}
	}
	return chosen
}

// sameWords returns a text in lower case, with one space between its words.
func sameWords(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }
