package quote

import (
	"regexp"
	"strconv"
	"strings"

	"docent/embed"
	"docent/rag/corpus"
	"docent/rag/text"
)

// Sentence is a quoted sentence in an answer.
type Sentence struct {
	// Start and End are byte offsets in the answer. End is exclusive.
	Start, End int
	// Passage is the number of the quoted passage, counted from 1.
	Passage int
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
	// Passages are the retrieved passages, best first.
	Passages []Passage
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
	return render(extract(static, query), query.Passages)
}

// render joins quotes as Markdown, each with its marker. The quotes of one
// passage stand together.
func render(quotes []quote, passages []Passage) (string, []Sentence) {
	var b strings.Builder
	sentences := []Sentence{}
	led := ""
	for i, q := range quotes {
		var before *quote
		space := ""
		if i > 0 {
			before = &quotes[i-1]
			space = between(*before, q)
			b.WriteString(space)
		}
		source := passages[q.doc].Passage.Document
		if q.lead && q.label != led && space != " " && (q.Kind == text.ProseSentence || q.Kind == text.ItemSentence) {
			led = q.label
			b.WriteString("**" + plain(shortLabel(unmarked(q.label, source))) + ":**" + behindLabel(q))
		}
		marker := "[" + strconv.Itoa(q.doc+1) + "]"
		start := b.Len()
		switch q.Kind {
		case text.CodeSentence:
			b.WriteString(codeBlock(q.text) + "\n" + marker)
		case text.RowSentence:
			header := headerOf(q, passages[q.doc].Passage)
			if header == nil {
				b.WriteString(strings.Join(plainCells(rowCells(q.text)), bar(q.text)) + " " + marker)
				break
			}
			if before == nil || !sameTable(*before, q) {
				writeCells(&b, header, "")
				b.WriteString("\n|" + strings.Repeat(" --- |", len(header)) + "\n")
				start = b.Len()
			}
			writeCells(&b, rowCells(q.text), " "+marker)
		case text.ItemSentence:
			if before == nil || before.doc != q.doc || before.Block != q.Block {
				b.WriteString("- ")
				start = b.Len()
			}
			b.WriteString(plain(unmarked(q.trimmed(), source)) + " " + marker)
		default:
			b.WriteString(plain(unmarked(q.trimmed(), source)) + " " + marker)
		}
		sentences = append(sentences, Sentence{Start: start, End: b.Len(), Passage: q.doc + 1})
	}
	return b.String(), sentences
}

// between returns the separator of two quotes.
func between(a, b quote) string {
	switch {
	case sameTable(a, b),
		a.Kind == text.ItemSentence && b.Kind == text.ItemSentence && a.doc == b.doc && a.Block != b.Block && a.label == b.label:
		return "\n"
	case a.doc == b.doc && a.Block == b.Block && a.Kind == b.Kind && (a.Kind == text.ProseSentence || a.Kind == text.ItemSentence):
		return " "
	default:
		return "\n\n"
	}
}

// sameTable reports whether two quotes are rows that fit in one table.
func sameTable(a, b quote) bool {
	return a.Kind == text.RowSentence && b.Kind == text.RowSentence && a.doc == b.doc && a.label == b.label &&
		len(rowCells(a.text)) == len(rowCells(b.text))
}

// sectionNumber is a number in front of a heading.
var sectionNumber = regexp.MustCompile(`^(?:(?:[A-Z]|\d+)(?:\.\d+)*\.\s+)`)

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
	lines := strings.Split(strings.TrimRight(unfence(s), "\n"), "\n")
	if len(lines) > extractCodeLines {
		lines = append(lines[:extractCodeLines], "…")
	}
	fence := "```"
	for strings.Contains(s, fence) {
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

// unfence removes the fence around a code block, if there is one.
func unfence(s string) string {
	if !text.OpensFence(s) {
		return s
	}
	_, body, ok := strings.Cut(s, "\n")
	if !ok {
		return s
	}
	if i := strings.LastIndexByte(body, '\n'); i >= 0 && text.OpensFence(body[i+1:]) {
		body = body[:i]
	}
	return body
}

// bar returns the separator of the cells of a row that is shown as text.
func bar(row string) string {
	if strings.Contains(row, "\t") {
		return " "
	}
	return ` \| `
}

// headerOf returns the header of a row's table: the first row of the passage
// if it is another row with as many cells. Otherwise it returns nil.
func headerOf(q quote, p corpus.Passage) []string {
	if p.Kind != corpus.Table {
		return nil
	}
	for _, s := range text.Sentences(p.Text, p.Kind == corpus.Code) {
		if s.Kind != text.RowSentence {
			continue
		}
		if first := rowCells(p.Text[s.Start:s.End]); s.Start != q.Start && len(first) == len(rowCells(q.text)) {
			return first
		}
		break
	}
	return nil
}

// writeCells writes a table row, with a marker behind its last cell.
func writeCells(b *strings.Builder, cells []string, marker string) {
	b.WriteString("|")
	for i, c := range plainCells(cells) {
		b.WriteString(" " + strings.ReplaceAll(c, "|", `\|`))
		if i == len(cells)-1 {
			b.WriteString(marker)
		}
		b.WriteString(" |")
	}
}

func plainCells(cells []string) []string {
	out := make([]string, len(cells))
	for i, c := range cells {
		out[i] = plain(c)
	}
	return out
}

// rowCells splits a table row into its cells.
func rowCells(row string) []string {
	separator := "|"
	if strings.Contains(row, "\t") {
		separator = "\t"
	}
	cells := strings.Split(strings.Trim(row, "|"), separator)
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells
}

// looseUnderscore matches an underscore that is not between letters or digits.
// It may open emphasis.
var looseUnderscore = regexp.MustCompile(`(?:^|[^\pL\pN])_|_(?:$|[^\pL\pN])`)

// risky reports whether Markdown or its renderer may interpret a word.
func risky(w string) bool {
	return strings.ContainsAny(w, "`*[]<>\\~|&$@#^") || looseUnderscore.MatchString(w) || strings.Contains(w, "://") || strings.HasPrefix(strings.ToLower(w), "www.") || strings.Contains(w, "!(")
}

// opensBlock reports whether the first word of a line would open a list, a
// heading, or a rule.
func opensBlock(w string) bool {
	number := strings.TrimLeft(w, "0123456789")
	return strings.Trim(w, "#") == "" || strings.Trim(w, "=") == "" || strings.Trim(w, "-") == "" || w == "+" || len(number) < len(w) && (number == "." || number == ")")
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
