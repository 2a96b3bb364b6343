package quote

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"docent/internal/lazyregexp"
	"docent/rag/text"
)

// complete adds the text that belongs to the chosen blocks, and returns all sentences in the order of the answer.
func (e *extractor) complete(chosen []Block) []quote {
	if len(chosen) == 0 {
		return nil
	}
	var out []quote
	for _, b := range chosen {
		for _, q := range shortened(b, e.passages[b.Passage][b.from:b.to]) {
			if !q.isIn(out) {
				out = append(out, q)
			}
		}
	}
	for i, b := range chosen {
		if b.Kind != Section {
			out = e.neighbors(b, i == 0, out)
		}
	}
	out = e.remedies(chosen[0], out)
	return e.contradicted(e.telling(inOrder(e.shared(out))))
}

// shortened returns the sentences of a block. A list that is too long has only the first sentences of its items.
func shortened(b Block, s []quote) []quote {
	if b.Kind != List || words(s) <= maxList {
		return s
	}
	var out []quote
	for i, q := range s {
		further := i > 0 && (q.Kind == text.ProseSentence || q.Kind == text.ItemSentence && q.Block == s[i-1].Block)
		if !further && words(out)+q.words <= maxLongList {
			out = append(out, q)
		}
	}
	return out
}

var (
	// asksForSteps matches questions that steps answer.
	asksForSteps = lazyregexp.New(`(?i)\bhow (?:do|can|to|should|would|could)\b|\bsteps?\b|\b(?:procedure|instructions|install|upgrade|set up)\b|` +
		`^(?:wie|comment|cómo|¿cómo|come|como|hoe)\b|\b(?:schritte|anleitung|étapes|pasos)\b`)
	// asksHowMuch matches questions for an amount.
	asksHowMuch = lazyregexp.New(`(?i)\b(?:how|wie) ?(?:long|much|many|often|old|far|big|large|high|fast|wide|deep|heavy|` +
		`lange?|viele?|oft|hoch|groß|weit|schnell|teuer|alt|breit|tief|schwer)\b`)
)

// belonging matches the beginning of a sentence that belongs to the one before: an exception, a remedy, a condition, a warning, or a
// default.
var belonging = lazyregexp.New(`^[*_\s]*(?:Otherwise|Unless|Except(?:ion)?s?|If not|If so|However|But|Then|Instead|To (?:avoid|prevent|fix|solve|resolve|improve)|Note|Warning|Caution|Important|Default|By default|` +
	`Sonst|Ansonsten|Andernfalls|Ausnahmen?|Ausgenommen|Es sei denn|Wenn nicht|Falls nicht|Jedoch|Aber|Allerdings|Dann|Danach|Stattdessen|` +
	`Hinweis|Achtung|Warnung|Wichtig|Vorsicht|Voraussetzung|Standard)\b`)

// pointing matches a word near the beginning of a sentence that stands for an earlier thing.
var pointing = lazyregexp.New(`(?i)^(?:\S+ ){0,4}(?:this|these|those|them|dies(?:e[rsmn]?)?|davon|dafür|dagegen|damit)\b|^\pL+ (?:it|them|sie|es|ihn)\b`)

// maxPointing is the maximum number of words of a sentence that belongs to the one before because it points to it.
const maxPointing = 12

// belongs reports whether a sentence belongs to the one before it.
func belongs(q quote) bool {
	return q.Kind != text.TitleSentence && q.Kind != text.CodeSentence &&
		(q.leans || belonging.MatchString(q.text) || q.words <= maxPointing && pointing.MatchString(q.text))
}

// maxNeighbor is the maximum number of words of a neighbor that completes a block.
const maxNeighbor = 45

// maxTable is the maximum number of words of a table that is quoted whole behind the sentence that announces it.
const maxTable = 60

// maxRemedy is the maximum number of words that follow an error.
const maxRemedy = 80

// neighbors adds the paragraph before a block that needs it, and the one after it that belongs to it.
func (e *extractor) neighbors(b Block, first bool, out []quote) []quote {
	s := e.passages[b.Passage]
	add := func(from, to int) {
		for _, q := range s[from:to] {
			if !q.isIn(out) && !e.wasSaid(q) {
				out = append(out, q)
			}
		}
	}
	if s[b.from].adrift && b.from > 0 && s[b.from-1].Kind == text.ProseSentence && s[b.from-1].words <= maxNeighbor {
		add(b.from-1, b.from)
	}
	if intro := e.introduction(b); intro >= 0 {
		add(intro, intro+1)
	}
	if b.to == len(s) || b.Kind == Row || s[b.to].label != s[b.to-1].label {
		return out
	}
	switch next := s[b.to]; {
	case isQuestion(s[b.to-1]):
		end := b.to + 1
		for end < len(s) && s[end].Block == next.Block && words(s[b.to:end+1]) <= maxFirst {
			end++
		}
		add(b.to, end)
	case first && next.Kind == text.ProseSentence && asksAboutError.MatchString(e.question):
		end := b.to
		for end < len(s) && s[end].label == next.label && s[end].said() && words(s[b.to:end+1]) <= maxRemedy &&
			(s[end].Block == next.Block || b.Kind == Code) {
			end++
		}
		add(b.to, end)
	case next.Kind == text.ProseSentence && (belongs(next) || hollow.MatchString(s[b.to-1].text)):
		end := b.to + 1
		for end < len(s) && s[end].Block == next.Block && belongs(s[end]) && words(s[b.to:end+1]) <= maxNeighbor {
			end++
		}
		add(b.to, end)
	case next.Kind == text.CodeSentence && announces(s[b.to-1]):
		add(b.to, b.to+1)
	case next.Kind == text.ItemSentence && introduces(s[b.to-1]):
		end := listEnd(s, b.to)
		if words(s[b.to:end]) > maxNeighbor {
			end = itemEnd(s, b.to)
		}
		add(b.to, end)
	case next.Kind == text.RowSentence && introduces(s[b.to-1]):
		end := b.to
		for end < len(s) && sameTable(s[b.to], s[end]) {
			end++
		}
		if words(s[b.to:end]) <= maxTable {
			add(b.to, end)
		}
	}
	return out
}

// isQuestion reports whether a quote is a question.
func isQuestion(q quote) bool {
	return q.Kind != text.CodeSentence && q.Kind != text.RowSentence && strings.HasSuffix(strings.TrimRight(q.text, `*_"”’') `), "?")
}

// introduction returns the position of the sentence that introduces the list of an item that is no sentence of its own, or -1.
func (e *extractor) introduction(b Block) int {
	s := e.passages[b.Passage]
	if b.Kind != Item && b.Kind != Step {
		return -1
	}
	first := []rune(s[b.from].trimmed())
	if s[b.to-1].ends && s[b.to-1].text[len(s[b.to-1].text)-1] != ';' && (len(first) == 0 || !unicode.IsLower(first[0])) {
		return -1
	}
	at := b.from
	for at > 0 && s[at].label == s[b.from].label && inList(s[at]) {
		at--
	}
	if !introduces(s[at]) || s[at].label != s[b.from].label || inList(s[at]) {
		return -1
	}
	return at
}

// inList reports whether a quote belongs to an item of a list. Further paragraphs of an
// item are indented.
func inList(q quote) bool {
	return q.Kind == text.ItemSentence || q.Kind == text.ProseSentence && q.indent != ""
}

var (
	// hollow matches a sentence like "This section describes flags." The next sentences have the content.
	hollow = lazyregexp.New(`^(?:Here(?:'s|’s| is| are)\b|Presented here|This (?:section|chapter|page|document|guide|article|tutorial|part|appendix) ` +
		`(?:describes|explains|shows|covers|gives|provides|discusses|contains|lists|presents)\b)`)
	// asksAboutError matches questions about an error or another problem.
	asksAboutError = lazyregexp.New(`(?i)\b(?:errors?|fail\w*|cannot|can't|not found|not work\w*|invalid|denied|refused|unable|warning|fatal|exception|` +
		`unknown|wrong|breaks?|crash\w*|stopped|violat\w+|duplicate|slow|stuck|hangs?|freezes|` +
		`fehler\w*|geht nicht|kaputt|langsam)\b`)
	// remedy matches the heading of the answer to an error.
	remedy = lazyregexp.New(`(?i)^(?:the )?(?:solutions?|fix|workarounds?|resolution|remedy|answer|lösung|abhilfe|behebung)\b`)
)

// remedies adds the section with the remedy of the error that the section of a block describes.
func (e *extractor) remedies(of Block, out []quote) []quote {
	failed := e.documents[of.Passage]
	for doc, p := range e.documents {
		n := len(p.Headings)
		if doc == of.Passage || n == 0 || p.Document.ID != failed.Document.ID || !remedy.MatchString(p.Headings[n-1]) ||
			!slices.Equal(p.Headings[:n-1], failed.Headings[:min(len(failed.Headings), n-1)]) {
			continue
		}
		for _, q := range e.passages[doc] {
			if q.Kind != text.TitleSentence && !q.isIn(out) && words(out)+q.words <= maxAnswer {
				out = append(out, q)
			}
		}
	}
	return out
}

// inOrder puts the passage with the best quote first, and the quotes of one
// passage in reading order.
func inOrder(quotes []quote) []quote {
	place := map[int]int{}
	for _, q := range quotes {
		if _, ok := place[q.doc]; !ok {
			place[q.doc] = len(place)
		}
	}
	slices.SortStableFunc(quotes, func(a, b quote) int {
		return cmp.Or(cmp.Compare(place[a.doc], place[b.doc]), cmp.Compare(a.at, b.at))
	})
	return quotes
}
