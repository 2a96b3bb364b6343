package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"docent/internal/lazyregexp"
)

// sentenceKind is the kind of a sentence. It decides how a passage is quoted.
type sentenceKind uint8

const (
	// ProseSentence is running text.
	ProseSentence sentenceKind = iota
	// ItemSentence is running text in an item of a list.
	ItemSentence
	// TitleSentence is a line without a final stop, such as a heading or the term
	// of a definition.
	TitleSentence
	// RowSentence is a row of a table.
	RowSentence
	// CodeSentence is a whole block of code.
	CodeSentence
)

// Sentence is a piece of a text that can be quoted alone.
type Sentence struct {
	// start and end are byte offsets that exclude white space at both ends.
	Start, End int
	// Kind is the kind of the sentence.
	Kind sentenceKind
	// Block is the index of the paragraph, item, or code block, counted from 0.
	Block int
}

// Sentences splits a text into sentences. They are in order, do not overlap,
// and contain all of the text except white space. If code is true, all of the
// text is code, unless it has blocks of code between fences. Otherwise the layout
// shows which lines are code or table rows.
func Sentences(text string, code bool) []Sentence {
	s := splitter{text: text}
	lines := s.lines()
	s.base = proseIndent(text, lines)
	code = code && !s.hasFences(lines)
	fresh := true // a line behind a blank one
	for len(lines) > 0 {
		n := 1
		first := fresh
		fresh = lines[0].blank()
		switch {
		case lines[0].blank():
		case len(s.out) == 0 && s.closesFence(lines):
			s.add(lines[0].start, lines[0].end, CodeSentence)
			s.block++
		case len(s.out) == 0 && s.restOfFence(lines) > 0:
			n = s.restOfFence(lines)
			s.add(lines[0].start, lines[n-1].end, CodeSentence)
			s.block++
		case fence(text, lines[0]) != "":
			n = s.fenced(lines)
		case code:
			n = s.codeOrProse(lines)
		case first && isTerminalTable(text, lines):
			n = s.run(lines, CodeSentence, func(line) bool { return true })
		case lines[0].row:
			s.add(lines[0].start, lines[0].end, RowSentence)
			s.block++
		default:
			n = s.paragraph(lines)
		}
		lines = lines[n:]
	}
	return s.out
}

// splitter collects the sentences of a text.
type splitter struct {
	text  string
	block int
	base  int // the indentation of the prose
	out   []Sentence
}

// line is a line of a text without surrounding white space.
type line struct {
	// start and end are byte offsets. indent is the distance of start from the start of the line. A tab counts as 4.
	start, end, indent int
	// row is true for a row of a table.
	row bool
}

func (l line) blank() bool           { return l.start == l.end }
func (l line) of(text string) string { return text[l.start:l.end] }

// lines splits the text at its line ends.
func (s *splitter) lines() []line {
	var out []line
	for at := 0; at < len(s.text); {
		end, next := len(s.text), len(s.text)
		if i := strings.IndexByte(s.text[at:], '\n'); i >= 0 {
			end, next = at+i, at+i+1
		}
		l := line{start: at, end: end}
		for l.start < l.end {
			r, size := utf8.DecodeRuneInString(s.text[l.start:l.end])
			if !unicode.IsSpace(r) {
				break
			}
			l.indent++
			if r == '\t' {
				l.indent += 3
			}
			l.start += size
		}
		l.end = l.start + len(strings.TrimRightFunc(s.text[l.start:l.end], unicode.IsSpace))
		out = append(out, l)
		at = next
	}
	markRows(s.text, out)
	return out
}

// add appends a sentence unless it is empty.
func (s *splitter) add(start, end int, kind sentenceKind) {
	part := s.text[start:end]
	start += len(part) - len(strings.TrimLeftFunc(part, unicode.IsSpace))
	end = start + len(strings.TrimSpace(part))
	if start < end {
		s.out = append(s.out, Sentence{start, end, kind, s.block})
	}
}

// OpensFence reports whether s begins with the fence of a code block.
func OpensFence(s string) bool {
	first, _, _ := strings.Cut(s, "\n")
	return fenceMark(first) != ""
}

// fence returns the mark that opens or closes a fenced code block on this line.
func fence(text string, l line) string { return fenceMark(l.of(text)) }

// fenceMark returns the mark at the beginning of a line that opens or closes a fenced code block: at least three
// backticks or tildes. Code between backticks on one line, as in ```ls```, is not a block (CommonMark 0.31, section
// 4.5).
func fenceMark(line string) string {
	for _, mark := range []string{"```", "~~~"} {
		if rest := strings.TrimLeft(line, mark[:1]); strings.HasPrefix(line, mark) && (mark == "~~~" || !strings.Contains(rest, "`")) {
			return line[:len(line)-len(rest)]
		}
	}
	return ""
}

// closes reports whether a line ends the code block that a mark opened. Its mark is as
// long at least.
func closes(text string, l line, mark string) bool {
	return strings.HasPrefix(l.of(text), mark) && strings.Trim(l.of(text), mark[:1]) == ""
}

// hasFences reports whether a text has blocks of code between fences, and none that
// begins or ends in another passage.
func (s *splitter) hasFences(lines []line) bool { return s.fences(lines) > 0 && s.fences(lines)%2 == 0 }

// fences counts the lines that open or close code blocks.
func (s *splitter) fences(lines []line) int {
	n, open := 0, ""
	for _, l := range lines {
		switch mark := fence(s.text, l); {
		case mark == "" || open != "" && !closes(s.text, l, open):
		case open != "":
			n, open = n+1, ""
		default:
			n, open = n+1, mark
		}
	}
	return n
}

// restOfFence returns the number of lines at the start of a passage that are the rest
// of a code block of the previous passage, or 0. They end with a bare fence directly
// below the code, and nothing directly below that.
func (s *splitter) restOfFence(lines []line) int {
	for i, l := range lines {
		mark := fence(s.text, l)
		switch {
		case mark == "":
		case i > 0 && !lines[i-1].blank() && closes(s.text, l, mark) && (i+1 == len(lines) || lines[i+1].blank()):
			return i + 1
		default:
			return 0
		}
	}
	return 0
}

// closesFence reports whether a passage begins with the end of a code block of
// the previous passage: the first line is a bare fence, the fences do not form
// pairs, and prose follows.
func (s *splitter) closesFence(lines []line) bool {
	mark := fence(s.text, lines[0])
	if mark == "" || strings.Trim(lines[0].of(s.text), mark[:1]) != "" {
		return false
	}
	rest := lines[1:]
	for len(rest) > 0 && rest[0].blank() {
		rest = rest[1:]
	}
	n := 0
	for n < len(rest) && !rest[n].blank() {
		n++
	}
	return s.fences(lines)%2 == 1 && n > 0 && !isCode(s.text, rest[:n], 0)
}

// fenced adds the code block at the first line and returns its number of
// lines. An unclosed block extends to the end.
func (s *splitter) fenced(lines []line) int {
	mark, n := fence(s.text, lines[0]), 1
	for n < len(lines) {
		n++
		if closes(s.text, lines[n-1], mark) {
			break
		}
	}
	s.add(lines[0].start, lines[n-1].end, CodeSentence)
	s.block++
	return n
}

// codeOrProse adds the block at the first line of a passage of code and returns
// its number of lines. A sentence between blocks of code is prose, and a heading in
// capitals is a title.
func (s *splitter) codeOrProse(lines []line) int {
	kind := CodeSentence
	if first := lines[0].of(s.text); lines[0].indent == 0 && (len(lines) == 1 || lines[1].blank()) {
		switch {
		case isSaid(first) || named.MatchString(first):
			kind = ProseSentence
		case len(lines) > 2 && capitals.MatchString(first):
			kind = TitleSentence
		}
	}
	return s.run(lines, kind, func(line) bool { return true })
}

// run adds the lines up to a blank line, while ok accepts them, as one
// sentence. It returns their number. It does not check the first line.
func (s *splitter) run(lines []line, kind sentenceKind, ok func(line) bool) int {
	n := 1
	for n < len(lines) && !lines[n].blank() && fence(s.text, lines[n]) == "" && ok(lines[n]) {
		n++
	}
	s.add(lines[0].start, lines[n-1].end, kind)
	s.block++
	return n
}

// paragraph adds the sentences of the lines up to a blank line, a table row, a
// fence, or the next list item. It returns the number of lines.
func (s *splitter) paragraph(lines []line) int {
	all := lines
	n, width := 1, runeLen(lines[0].of(s.text))
	for n < len(lines) && !lines[n].blank() && fence(s.text, lines[n]) == "" && !lines[n].row &&
		ItemMark(lines[n].of(s.text)) == 0 {
		width = max(width, runeLen(lines[n].of(s.text)))
		n++
	}
	lines = lines[:n]
	if isCode(s.text, lines, s.base) {
		if n == 1 && !s.announced() && isSyntaxTerm(s.text, all) {
			s.add(lines[0].start, lines[0].end, TitleSentence)
			s.block++
			return n
		}
		s.add(lines[0].start, lines[n-1].end, CodeSentence)
		s.block++
		return n
	}
	kind := ProseSentence
	if ItemMark(lines[0].of(s.text)) > 0 {
		kind = ItemSentence
	}
	first := 0
	for i := range lines {
		if i+1 < n && !s.breaks(lines[i], lines[i+1], width) {
			continue
		}
		s.stretch(lines[first].start, lines[i].end, kind)
		first = i + 1
	}
	s.block++
	return n
}

// breaks reports whether the line end between a and b is intended: the next
// word would have fitted on the line, and the text does not simply continue.
func (s *splitter) breaks(a, b line, width int) bool {
	next := b.of(s.text)
	word, _, _ := strings.Cut(next, " ")
	if runeLen(a.of(s.text))+1+runeLen(word) > width && runeLen(a.of(s.text)) >= minWrapped {
		return false
	}
	if Ends(a.of(s.text)) {
		return true
	}
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(next, "[*")) // a link or emphasis continues the text as well
	word, _, _ = strings.Cut(word, "](")                          // the end of a link whose text was wrapped
	return !unicode.IsLower(r) || strings.ContainsAny(word, "_(=")
}

// minWrapped is the minimum length, in characters, of a line that may have
// been wrapped because it was full.
const minWrapped = 40

// stretch adds the sentences of prose whose line ends only wrap lines.
func (s *splitter) stretch(start, end int, kind sentenceKind) {
	text := s.text[:end]
	for at := start; at < end; {
		next := sentenceEnd(text, at)
		k := kind
		if k == ProseSentence && at == start && next == end && !Ends(text[at:next]) && !described.MatchString(text[at:next]) {
			k = TitleSentence
			if s.announced() && isLiteral(text[at:next]) {
				k = CodeSentence
			}
		}
		s.add(at, next, k)
		at = next
	}
}

// described matches an option with its description on the next line.
var described = lazyregexp.New(`^--?\w\S*(?:[ ,]+\S+){0,3}\n[ \t]+\S`)

// announced reports whether the previous sentence ends with a colon. A single
// line behind it is then an example, not a title.
func (s *splitter) announced() bool {
	if len(s.out) == 0 {
		return false
	}
	last := s.out[len(s.out)-1]
	return last.Kind != CodeSentence && strings.HasSuffix(s.text[last.Start:last.End], ":")
}

func runeLen(s string) int { return utf8.RuneCountInString(s) }
