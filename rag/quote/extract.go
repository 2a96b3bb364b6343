package quote

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"

	"docent/embed"
	"docent/internal/lazyregexp"
	"docent/rag/corpus"
	"docent/rag/definition"
	"docent/rag/text"
)

// Bounds of an extractive answer.
const (
	// extractPassages is the maximum number of quoted passages.
	extractPassages = 6
	// extractCodeLines is the maximum number of quoted lines of code. Longer blocks are cut.
	extractCodeLines = 40
)

// quote is a sentence of a passage that may become a part of an answer.
type quote struct {
	text.Sentence
	// doc is the position of the passage, counted from 0.
	doc int
	// at is the position of the sentence in the passage.
	at int
	// text is the text of the passage from start to end.
	text string
	// indent is the white space in front of its first line.
	indent string
	// cited is the number of its passage, counted from 0. It differs from doc if neighbors are read as one text.
	cited int
	// header is the first row of the table of a row, or "".
	header string
	// label is the line above the sentence that names its subject: a line of the passage, or the last heading.
	label string
	// lead reports that the label is needed to understand the sentence and is
	// shown in front of it.
	lead bool
	// words is the number of words.
	words int
	// stems are the stems of its words, including stop words.
	stems map[string]bool
	// names are the identifiers that the question does not contain.
	names map[string]bool
	// tokens are the tokens of the embedder.
	tokens []uint16
	// covered says, for each term of the question, how much of it the quote covers, from 0 to 1.
	covered []float64
	// hinted says, for each hint of the question, whether the quote matches it.
	hinted []bool
	// similar is the similarity to the question, from the encoder.
	similar float64
	// defined says how clearly the quote defines the subject of the question, from 0 to 1.
	defined float64
	// more are the sentences after it on the same lines of the answer.
	more []quote
	// also are the numbers of the other passages that contain the sentence.
	also []int
	// leans reports that the quote needs the previous one. refers reports that it only refers to another place. ends reports
	// that it ends like a sentence.
	leans, refers, ends bool
	// adrift reports that the quote needs another sentence, and not its label.
	adrift bool
	// differs reports that the quote is one of two contradicting sentences at the
	// start of the answer.
	differs bool
}

// extractor chooses the sentences of passages that answer a question.
type extractor struct {
	static *embed.Static
	// question is the question as the user asked it.
	question string
	// practical reports that the question asks what to do.
	practical bool
	// task is the task that the question asks how to do, in the form of plainWordsOf, or "".
	task string
	// analysis is that of the question, if a passage has its language, or of the best passage.
	analysis text.Analysis
	terms    []text.Weighted
	hints    []hint
	// defines is the question if it asks for a definition, or nil.
	defines *definition.Question
	vector  []float32
	// passages are the sentences of each passage.
	passages [][]quote
	// documents are the passages as retrieved.
	documents []corpus.Passage
	// measured has the names of the dimensions that the question asks for, by the stem of the adjective.
	measured map[string]string
	// said has the letters and digits of the answer that the question follows up.
	said string
	// prior says how much each passage is trusted, from 0 to 1.
	prior []float64
	// headed has the share of the question in the last heading or the title of each passage, if it is most of it.
	headed []float64
	// encoded reports that the quotes have similarities.
	encoded bool
	// scratch is a reusable vector. The tokens of a window follow.
	scratch       []float32
	scratchTokens []uint16
}

// extract returns the quotes that answer the question, best passage first and
// in reading order within it. It returns none if no passage has a fitting
// sentence.
func extract(static *embed.Static, query Query) []quote {
	passages := query.Passages[:min(len(query.Passages), extractPassages)]
	e := &extractor{
		static: static, question: query.Question, hints: hintsFor(query.Question), said: lettersOf(query.Said),
		defines: definition.Asked(query.Question), measured: measuredIn(query.Question), task: taskOf(query.Question),
		practical: isPractical(query.Question) && query.Said == "",
		vector:    make([]float32, static.Dimensions()), scratch: make([]float32, static.Dimensions()),
	}
	static.Mean(e.vector, static.Tokenize(query.Searched))
	asked := plainWordsOf(query.Question)
	for _, p := range passages {
		e.documents = append(e.documents, p.Passage)
	}
	for i := range passages {
		e.prior = append(e.prior, prior(passages, i))
	}
	e.analysis = analysisOf(query.Question, passages)
	readSections(e, asked)
	e.terms = e.analysis.Weigh(query.Searched, query.Terms, e.known())
	for i, p := range passages {
		e.headed = append(e.headed, heads(e, p.Passage))
		heading := headingStems(e.analysis, corpus.HeadingLine(p.Document.Title, p.Headings))
		for at := range e.passages[i] {
			e.cover(&e.passages[i][at], heading)
		}
	}
	if text.IsUnmodeled(query.Question) {
		clear(e.vector)
	} else {
		e.compare(query.Similar)
	}
	return e.complete(e.choose())
}

// analysisOf returns the analysis of a language: that of the question if a passage has it, and otherwise that of the best passage.
func analysisOf(question string, passages []Passage) text.Analysis {
	var languages []string
	for _, p := range passages {
		if l := p.Document.Language; l != "" && !slices.Contains(languages, l) {
			languages = append(languages, l)
		}
	}
	if l := text.LanguageAmong(question, languages...); slices.Contains(languages, l) {
		return text.AnalysisOf(l)
	}
	if len(languages) > 0 {
		return text.AnalysisOf(languages[0])
	}
	return text.Analysis{}
}

// readSections reads the passages. Neighbors in one section of a document are read as one text, because a section goes on behind the
// end of a passage. It belongs to the best of them.
func readSections(e *extractor, asked string) {
	e.passages = make([][]quote, len(e.documents))
	for i, p := range e.documents {
		if slices.ContainsFunc(e.documents[:i], func(o corpus.Passage) bool { return sameSection(o, p) && adjacent(o, p) }) {
			continue // it was read with a better one
		}
		part := []int{i}
		for grown := true; grown; {
			grown = false
			for j := i + 1; j < len(e.documents); j++ {
				next := e.documents[j]
				if !slices.Contains(part, j) && sameSection(next, p) &&
					slices.ContainsFunc(part, func(k int) bool { return adjacent(e.documents[k], next) }) {
					part, grown = append(part, j), true
				}
			}
		}
		slices.SortFunc(part, func(a, b int) int { return cmp.Compare(e.documents[a].Ordinal, e.documents[b].Ordinal) })
		block := 0
		for _, j := range part {
			for _, q := range e.read(i, e.documents[j], asked) {
				q.cited, q.at = j, len(e.passages[i])
				q.Block += block
				e.passages[i] = append(e.passages[i], q)
			}
			if n := len(e.passages[i]); n > 0 {
				block = e.passages[i][n-1].Block + 1
			}
		}
	}
}

// adjacent reports whether two passages are neighbors in their document.
func adjacent(a, b corpus.Passage) bool { return a.Ordinal-b.Ordinal == 1 || b.Ordinal-a.Ordinal == 1 }

// minHeaded is the share of a question from which a heading names its subject.
const minHeaded = .6

// headingStems returns the stems of the words of a heading, and of two words together: a question may say "backup" for "back up".
func headingStems(analysis text.Analysis, line string) map[string]bool {
	out := analysis.Stems(line)
	words := strings.Fields(line)
	for i := range max(0, len(words)-1) {
		maps.Copy(out, analysis.Stems(words[i]+words[i+1]))
	}
	return out
}

// heads returns the larger share of the question in the last heading and the title of a passage, or 0 if it is small.
func heads(e *extractor, p corpus.Passage) float64 {
	lines := []string{p.Document.Title}
	if n := len(p.Headings); n > 0 {
		lines = append(lines, p.Headings[n-1])
	}
	most := 0.0
	for _, line := range lines {
		stems, sum := headingStems(e.analysis, line), 0.0
		for _, t := range e.terms {
			if stems[t.Stem] {
				sum += t.Weight
			}
		}
		most = max(most, sum)
	}
	if most < minHeaded {
		return 0
	}
	return most
}

// compare sets the similarity of each quote and the question. The sentences of a short paragraph or item are compared together.
func (e *extractor) compare(similar func([]string) []float64) {
	if similar == nil {
		return
	}
	var groups [][]quote
	var texts []string
	for _, passage := range e.passages {
		for from := 0; from < len(passage) && len(groups) < maxCompared; {
			end := from + 1
			if passage[from].Kind != text.TitleSentence || len(passage) == 1 {
				for end < len(passage) && passage[end].sameBlock(passage[from]) && words(passage[from:end+1]) <= maxParagraph {
					end++
				}
				groups, texts = append(groups, passage[from:end]), append(texts, compared(passage[from:end]))
			}
			from = end
		}
	}
	values := similar(texts)
	if len(values) != len(groups) {
		return
	}
	for i, group := range groups {
		for at := range group {
			group[at].similar = values[i]
		}
	}
	e.encoded = true
}

// sameBlock reports whether two quotes are sentences of one paragraph or item.
func (q quote) sameBlock(other quote) bool { return q.Block == other.Block && q.Kind == other.Kind }

// Bounds of the work of the encoder for one question.
const (
	// maxCompared is the maximum number of texts.
	maxCompared = 48
	// maxComparedBytes is the length from which a text is cut.
	maxComparedBytes = 800
)

// compared returns the text that is compared with the question.
func compared(sentences []quote) string {
	parts := make([]string, len(sentences))
	for i, q := range sentences {
		parts[i] = q.text
	}
	body := text.Cut(strings.Join(parts, " "), maxComparedBytes)
	if label := sentences[0].label; label != "" {
		return shortLabel(label) + ": " + body
	}
	return body
}

// prior says how much a passage is trusted compared with the first: its share of the first score.
func prior(passages []Passage, i int) float64 {
	if passages[0].Score <= 0 {
		return 1 / float64(i+1)
	}
	return max(passages[i].Score, 0) / passages[0].Score
}

// read returns the sentences of a passage except those that only repeat the
// question. question has the form of plainWordsOf.
func (e *extractor) read(doc int, p corpus.Passage, question string) []quote {
	var out []quote
	label := p.Document.Title
	if len(p.Headings) > 0 {
		label = p.Headings[len(p.Headings)-1]
	}
	written := p.Text
	p.Text = readable(p)
	sentences := text.Sentences(p.Text, p.Kind == corpus.Code)
	headers := headersOf(p, written, sentences)
	skip := navigation(p.Text, sentences, e.isHeading)
	for i, s := range sentences {
		header, known := headers[s.Start]
		if skip[i] || known && header == "" || s.Kind != text.CodeSentence && unmarked(p.Text[s.Start:s.End], p.Document) == "" {
			continue
		}
		s = classified(p, sentences, i)
		if i > 0 && sentences[i-1].Block == s.Block {
			s.Start += len(definitionMark.FindString(p.Text[s.Start:s.End]))
		}
		if s.Kind != text.CodeSentence && s.Kind != text.RowSentence {
			s.Start += len(emptyCell.FindString(p.Text[s.Start:s.End]))
		}
		q := quote{Sentence: s, doc: doc, at: len(out), text: p.Text[s.Start:s.End], header: header, label: label, stems: map[string]bool{}}
		if e.defines != nil && q.Kind != text.CodeSentence {
			q.defined = e.defines.Strength(p.Document.Title, q.text)
		}
		if s.Kind == text.TitleSentence && q.defined == 1 {
			q.Kind = text.ProseSentence // the line of a name and its meaning
		}
		q.leans, q.refers, q.ends = leaning.MatchString(q.text), crossReference.MatchString(q.text), text.Ends(q.text)
		q.adrift = q.leans && q.Kind == text.ProseSentence && len(out) > 0 &&
			out[len(out)-1].Kind != text.TitleSentence && !(isTerm(label) && ofLabel.MatchString(q.text))
		for _, w := range e.analysis.Words(q.text) {
			w.AddTo(q.stems)
			if !w.Part {
				q.words++
			}
		}
		if repeatsQuestion(q, question) || e.namesTask(q, p.Document) {
			if q.Kind == text.TitleSentence {
				label = unmarked(q.text, p.Document)
			}
			continue
		}
		line := written[strings.LastIndexByte(written[:s.Start], '\n')+1 : s.Start]
		q.indent = line[:len(line)-len(strings.TrimLeft(line, " \t"))]
		q.names = namesIn(q.text, question)
		q.tokens = e.static.Tokenize(q.text)
		out = append(out, q)
		if q.Kind == text.TitleSentence {
			label = unmarked(q.text, p.Document)
		}
	}
	return out
}

// definitionMark matches the mark of a definition in Markdown, below its term.
var definitionMark = lazyregexp.New(`^:[ \t]+`)

// emptyCell matches the rest of an empty cell before the only text of a row, such as a picture beside a warning.
var emptyCell = lazyregexp.New(`^\|[ \t]+`)

// classified returns a sentence with its kind. The line of a question above its answer is a title. In Markdown, a line without
// a final stop that states a value, or that is not the first of its paragraph, is no title.
func classified(p corpus.Passage, sentences []text.Sentence, i int) text.Sentence {
	s := sentences[i]
	line, rest := p.Text[s.Start:s.End], strings.TrimLeft(p.Text[s.End:], "*_ ")
	first := i == 0 || sentences[i-1].Block != s.Block
	switch {
	case s.Kind == text.TitleSentence && strings.HasSuffix(line, ","): // of a letter
		s.Kind = text.ProseSentence
	case s.Kind == text.CodeSentence && p.Document.MediaType == markdownType && !strings.Contains(line, "\n") && headingMark.MatchString(line):
		s.Kind = text.TitleSentence
	case s.Kind == text.ProseSentence && first && strings.HasSuffix(strings.Trim(line, "*_ "), "?") &&
		(rest == "" || rest[0] == '\n' || isAlone(sentences, i)):
		s.Kind = text.TitleSentence
	case s.Kind == text.TitleSentence && p.Document.MediaType == markdownType && !headingMark.MatchString(line) &&
		(!first || strings.Contains(line, ": ")):
		s.Kind = text.ProseSentence
	}
	return s
}

// isAlone reports whether a sentence is the only one of its block.
func isAlone(sentences []text.Sentence, i int) bool {
	return (i == 0 || sentences[i-1].Block != sentences[i].Block) && (i+1 == len(sentences) || sentences[i+1].Block != sentences[i].Block)
}

// isHeading reports whether a line is the last heading of one of the passages.
func (e *extractor) isHeading(line string) bool {
	line = sameWords(line)
	return slices.ContainsFunc(e.documents, func(p corpus.Passage) bool {
		n := len(p.Headings)
		return n > 0 && line != "" && withoutNumber(sameWords(p.Headings[n-1])) == withoutNumber(line)
	})
}

// lettersOf returns the letters and digits of a text in lower case.
func lettersOf(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// follows reports whether a quote stands directly after another.
func (q quote) follows(before quote) bool { return before.doc == q.doc && before.at+1 == q.at }

// known returns the stems of the passages, which replace misspelled words of the question. No word of a question is a
// misspelled stop word.
func (e *extractor) known() map[string]bool {
	known := map[string]bool{}
	for doc, p := range e.passages {
		stop := text.StopWords(e.documents[doc].Document.Language)
		for _, q := range p {
			for s := range q.stems {
				known[s] = known[s] || !stop[s]
			}
		}
	}
	return known
}

// Shares of a term's weight if the sentence itself does not contain it.
const (
	inLabel   = 1.0
	inHeading = .75
)

// cover computes how much of the question a quote covers.
func (e *extractor) cover(q *quote, heading map[string]bool) {
	label := e.analysis.Stems(q.label)
	q.lead = q.leans && !q.adrift || isTerm(q.label) && !e.mentions(q, q.label)
	q.covered = make([]float64, len(e.terms))
	for i, t := range e.terms {
		switch {
		case q.stems[t.Stem], q.stems[e.measured[t.Stem]]:
			q.covered[i] = 1
		case label[t.Stem]:
			q.covered[i] = inLabel
			q.lead = true
		case heading[t.Stem]:
			q.covered[i] = inHeading
		case compounds(e.documents[q.doc].Document.Language) && inCompound(t.Stem, q.stems):
			q.covered[i] = partly
		}
	}
	q.hinted = make([]bool, len(e.hints))
	for i, h := range e.hints {
		q.hinted[i] = h.answer.MatchString(q.text)
	}
}

// partly is the covered share of a compound of which the sentence has a part, or of a word that is a part of a compound in the sentence.
const partly = .6

// minPart is the minimum length of a part of a compound, in bytes.
const minPart = 5

// compounds reports whether a language writes compounds as one word.
func compounds(language string) bool {
	return slices.Contains([]string{"de", "nl", "da", "nb", "nn", "no", "sv", "fi", "hu"}, language)
}

// inCompound reports whether one of the stems is the first or last part of a word, or has it as such a part.
func inCompound(word string, stems map[string]bool) bool {
	for stem := range stems {
		short, long := word, stem
		if len(short) > len(long) {
			short, long = long, short
		}
		if len(short) >= minPart && len(short)+2 < len(long) && (strings.HasPrefix(long, short) || strings.HasSuffix(long, short)) {
			return true
		}
	}
	return false
}

// isTerm reports whether a label is a defined name and not a title.
func isTerm(label string) bool {
	first := text.FirstWord(label)
	switch {
	case label == strings.ToLower(first), len(first) > 1 && first == strings.ToUpper(first):
		return true
	default:
		return strings.ContainsAny(first, "_-=%$\\/.") && !strings.HasSuffix(first, ".") || strings.Contains(label, " (")
	}
}

// mentions reports whether a quote contains the first word of a label.
func (e *extractor) mentions(q *quote, label string) bool {
	for _, w := range e.analysis.Words(label) {
		return q.stems[w.Stem]
	}
	return true
}

// trimmed is the text of a quote without a list mark.
func (q quote) trimmed() string {
	if q.Kind == text.ItemSentence {
		return strings.TrimSpace(q.text[text.ItemMark(q.text):])
	}
	return q.text
}
