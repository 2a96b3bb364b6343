package quote

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"docent/embed"
	"docent/internal/lazyregexp"
	"docent/rag/corpus"
	"docent/rag/text"
)

// Sentence is a quoted part of an answer with its citations: a paragraph, an item, a row, or a block of code.
type Sentence struct {
	// Start and End are byte offsets in the answer. End is exclusive.
	Start, End int
	// Passages are the numbers of the passages that contain the sentence, counted
	// from 1. The first is the quoted one.
	Passages []int
}

// Query is a question with its retrieved passages.
type Query struct {
	// Question is the question as the user asked it.
	Question string
	// Searched is the searched text. It may contain more than Question.
	Searched string
	// Terms are the distinct words of Searched with their frequencies. If it is
	// empty, all words have the same weight.
	Terms []text.Term
	// Language is the language of the words between the quotes, as an ISO 639-1 code. Default: "", that of the documents.
	Language string
	// Said is the answer that the question follows up. Other sentences than its own come first.
	Said string
	// Passages are the retrieved passages, best first.
	Passages []Passage
	// Similar returns the similarity of texts and the searched text, from -1 to
	// 1. It returns nil if it fails. Default: nil, which leaves it out.
	Similar func(texts []string) []float64 `json:"-"`
}

// Passage is a retrieved passage.
type Passage struct {
	corpus.Passage
	// Score orders the passages of one query.
	Score float64
}

// Answer answers a question with quotes from its passages. The text is Markdown
// with citation markers. If no sentence fits, Answer returns "".
func Answer(static *embed.Static, query Query) (string, []Sentence) {
	return render(extract(static, query), query.Passages, query.Language)
}

// render joins quotes as Markdown, each line with its marker. The quotes of one
// passage stand together.
func render(sentences []quote, passages []Passage, language string) (string, []Sentence) {
	quotes := ledFirst(joined(sentences))
	var b strings.Builder
	cited := []Sentence{}
	led := ""
	for i, q := range quotes {
		var before *quote
		space := ""
		if i > 0 {
			before = &quotes[i-1]
			space = between(*before, q)
		}
		labeled := !q.differs && q.lead && q.said() && q.label != led && space != " " && (before == nil || !q.follows(*before))
		if labeled && space != "" {
			space = "\n\n" // a label ends a list
		}
		b.WriteString(space)
		source := passages[q.doc].Passage.Document
		if q.differs {
			if i == 0 {
				b.WriteString(differ(cmp.Or(language, source.Language)))
			}
			b.WriteString(titled(source, passages[quotes[1-i].doc].Passage.Document))
			cited = append(cited, cite(&b, q, plain(unmarked(q.trimmed(), source))))
			continue
		}
		if labeled {
			led = q.label
			b.WriteString("**" + plain(shortLabel(unmarked(q.label, source))) + ":**" + behindLabel(q))
		}
		numbers, marker := q.citations()
		start := b.Len()
		switch q.Kind {
		case text.CodeSentence:
			b.WriteString(codeBlock(q.indent+q.text) + "\n" + marker)
		case text.RowSentence:
			header := cellsOf(q.header)
			if header == nil {
				b.WriteString(rowText(q.text, source) + " " + marker)
				break
			}
			if before == nil || !sameTable(*before, q) {
				writeCells(&b, header, "", source)
				b.WriteString("\n|" + strings.Repeat(" --- |", len(header)) + "\n")
				start = b.Len()
			}
			writeCells(&b, fill(rowCells(q.text), len(header)), " "+marker, source)
		case text.ItemSentence:
			if before == nil || before.doc != q.doc || before.Block != q.Block {
				b.WriteString(itemMark(q, quotes))
				start = b.Len()
			}
			b.WriteString(q.lines(source) + " " + marker)
		default:
			b.WriteString(q.lines(source) + " " + marker)
		}
		cited = append(cited, Sentence{Start: start, End: b.Len(), Passages: numbers})
	}
	return b.String(), cited
}

// joined joins the sentences of each paragraph and of each item that stand next to each other. Further paragraphs of an item are
// part of it.
func joined(quotes []quote) []quote {
	var out []quote
	for _, q := range quotes {
		if n := len(out); n > 0 && q.continues(out[n-1]) {
			last := &out[n-1]
			last.more = append(slices.Clone(last.more), q)
			continue
		}
		out = append(out, q)
	}
	return out
}

// ledFirst moves the label of quotes that stand together to the first of them.
func ledFirst(quotes []quote) []quote {
	for from := 0; from < len(quotes); {
		to, lead := from, false
		for ; to < len(quotes) && quotes[to].doc == quotes[from].doc && quotes[to].label == quotes[from].label; to++ {
			lead = lead || quotes[to].lead && quotes[to].said()
		}
		if lead && quotes[from].said() {
			for i := from; i < to; i++ {
				quotes[i].lead = i == from
			}
		}
		from = to
	}
	return quotes
}

// said reports whether a quote is text and not code or a row.
func (q quote) said() bool { return q.Kind == text.ProseSentence || q.Kind == text.ItemSentence }

// continues reports whether a sentence goes on where a joined quote ends.
func (q quote) continues(before quote) bool {
	last := before
	if n := len(before.more); n > 0 {
		last = before.more[n-1]
	}
	return before.said() && q.follows(last) && !q.differs && !before.differs && slices.Equal(q.also, before.also) &&
		(q.Block == last.Block && q.Kind == last.Kind ||
			before.Kind == text.ItemSentence && q.Kind == text.ProseSentence && indentation(q) > indentation(before))
}

// lines writes the sentences of a joined quote as Markdown. A line that does not end like a sentence stays a line.
func (q quote) lines(source corpus.Document) string {
	var out []string
	line := q.trimmed()
	for _, next := range q.more {
		if first, _ := utf8.DecodeRuneInString(next.text); text.Ends(line) || unicode.IsDigit(first) {
			line += " " + next.text
			continue
		}
		out = append(out, plain(unmarked(line, source)))
		line = next.text
	}
	return strings.Join(append(out, plain(unmarked(line, source))), "  \n")
}

// citations returns the numbers of the passages that contain the quote, and
// their markers.
func (q quote) citations() (passages []int, markers string) {
	passages = append([]int{q.cited + 1}, q.also...)
	for _, n := range passages {
		markers += "[" + strconv.Itoa(n) + "]"
	}
	return passages, markers
}

// cite writes a quoted sentence with its markers.
func cite(b *strings.Builder, q quote, written string) Sentence {
	cited, markers := q.citations()
	start := b.Len()
	b.WriteString(written + " " + markers)
	return Sentence{Start: start, End: b.Len(), Passages: cited}
}

// itemMark returns the list mark of an item: its number, or a dash. One item alone has
// no number.
func itemMark(item quote, quotes []quote) string {
	for _, q := range quotes {
		if q.doc == item.doc && q.at != item.at && q.label == item.label && q.Kind == text.ItemSentence && numbered.MatchString(q.text) {
			if m := numbered.FindString(item.text); m != "" {
				return m
			}
		}
	}
	return "- "
}

// between returns the separator of two quotes.
func between(a, b quote) string {
	switch {
	case a.differs && b.differs:
		return "\n"
	case a.differs:
		return "\n\n"
	case sameTable(a, b),
		a.Kind == text.ItemSentence && b.Kind == text.ItemSentence && a.doc == b.doc && a.Block != b.Block && a.label == b.label:
		return "\n"
	case a.doc == b.doc && a.Block == b.Block && a.Kind == b.Kind && (a.Kind == text.ProseSentence || a.Kind == text.ItemSentence):
		return " "
	default:
		return "\n\n"
	}
}

// sectionNumber is a number in front of a heading.
var sectionNumber = lazyregexp.New(`^(?:(?:[A-Z]|\d+)(?:\.\d+)*\.\s+)`)

// behindLabel returns the separator of a label and its quote.
func behindLabel(q quote) string {
	if q.Kind == text.ItemSentence {
		return "\n\n"
	}
	return " "
}

// maxLabel is the approximate maximum length of a shown label in bytes.
const maxLabel = 60

// shortLabel returns a label without its section number. A long label also
// loses the details of its syntax.
func shortLabel(label string) string {
	if short := sectionNumber.ReplaceAllString(label, ""); short != "" {
		label = short
	}
	if len(label) <= maxLabel {
		return label
	}
	if i := strings.IndexAny(label[1:], "([{"); i > 0 && strings.TrimSpace(label[:i+1]) != "" {
		label = strings.TrimSpace(label[:i+1])
	}
	if len(label) > maxLabel {
		label = text.Cut(label, maxLabel)
		if i := strings.LastIndexByte(strings.TrimSuffix(label, " …"), ' '); i > 0 {
			label = label[:i] + " …"
		}
	}
	return label
}

// codeBlock writes code as a fenced block that the code cannot close.
func codeBlock(s string) string {
	code := dedent(strings.TrimRight(unfence(s), "\n"))
	lines := strings.Split(code, "\n")
	if len(lines) > extractCodeLines {
		lines = append(lines[:extractCodeLines], "…")
	}
	fence := "```"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	var b strings.Builder
	b.WriteString(fence + "\n")
	for _, l := range lines {
		b.WriteString(text.Visible(l) + "\n")
	}
	b.WriteString(fence)
	return b.String()
}

// unfence removes the fence around a code block, if there is one. The lines may
// be indented. The block may begin in another passage.
func unfence(s string) string {
	if !text.OpensFence(strings.TrimSpace(s)) {
		if i := strings.LastIndexByte(s, '\n'); i > 0 && text.OpensFence(strings.TrimSpace(s[i+1:])) {
			return s[:i]
		}
		return s
	}
	_, body, ok := strings.Cut(s, "\n")
	if !ok {
		return s
	}
	if i := strings.LastIndexByte(body, '\n'); text.OpensFence(strings.TrimSpace(body[i+1:])) {
		body = body[:max(i, 0)]
	}
	return body
}

// dedent removes the indentation that all lines have.
func dedent(code string) string {
	lines := strings.Split(code, "\n")
	common := len(code)
	for _, l := range lines {
		if strings.TrimSpace(l) != "" {
			common = min(common, len(l)-len(strings.TrimLeft(l, " \t")))
		}
	}
	for i, l := range lines {
		lines[i] = l[min(common, len(l)):]
	}
	return strings.Join(lines, "\n")
}

// looseUnderscore matches an underscore that is not between letters or digits.
// It may open emphasis.
var looseUnderscore = lazyregexp.New(`(?:^|[^\pL\pN])_|_(?:$|[^\pL\pN])`)

// risky reports whether Markdown or its renderer may interpret a word.
func risky(w string) bool {
	return strings.ContainsAny(w, "`*[]<\\~|&$@#^") || looseUnderscore.MatchString(w) || strings.Contains(w, "://") ||
		strings.HasPrefix(strings.ToLower(w), "www.") || strings.Contains(w, "!(")
}

// opensBlock reports whether the first word of a line would open a list, a
// heading, or a rule.
func opensBlock(w string) bool {
	number := strings.TrimLeft(w, "0123456789")
	return strings.Trim(w, "#") == "" || strings.Trim(w, "=") == "" || strings.Trim(w, "-") == "" || w == "+" || w[0] == '>' ||
		len(number) < len(w) && (number == "." || number == ")")
}

// trimPunctuation separates the brackets, quotation marks, and stops around a
// word.
func trimPunctuation(w string) (core, before, after string) {
	core = strings.TrimLeft(w, `("'“‘`)
	before = w[:len(w)-len(core)]
	trimmed := strings.TrimRight(core, `.,;:!?"'”’`)
	if strings.HasSuffix(trimmed, ")") && strings.Count(trimmed, ")") > strings.Count(trimmed, "(") {
		trimmed = strings.TrimRight(strings.TrimSuffix(trimmed, ")"), `.,;:!?"'”’`)
	}
	return trimmed, before, core[len(trimmed):]
}

// escapeStart escapes the first word of a line so that it opens no block.
func escapeStart(w string) string {
	if i := strings.IndexAny(w, ".)"); i > 0 {
		return w[:i] + `\` + w[i:]
	}
	return `\` + w
}
