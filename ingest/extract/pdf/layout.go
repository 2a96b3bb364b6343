package pdf

import (
	"context"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"docent/ingest/extract/pdf/pdfium"
)

// rawPage is the raw content of a page.
type rawPage struct {
	lines []line
	// extra are form fields and notes, which the page's text does not contain.
	extra []string
	// pictures reports whether a page without text displays something.
	pictures bool
}

func (p rawPage) size() int {
	n := 0
	for _, l := range p.lines {
		n += len(l.text) + 1
	}
	for _, s := range p.extra {
		n += len(s) + 2
	}
	return n
}

// lineKind is the kind of block that a line belongs to.
type lineKind uint8

const (
	plainLine lineKind = iota
	headerLine
	rowLine
)

// line is a line of a page.
type line struct {
	text string
	size float32 // size of its letters, in points
	kind lineKind
	bold bool
	turn direction
	// fresh marks the first row of a table.
	fresh bool
}

// word is a part of a line without blanks.
type word struct {
	text        string
	first, last int // its characters that are on this line
	box         [4]float32
	placed      bool // the box is known
}

// textLine is a line divided into words.
type textLine struct {
	line
	words []word
}

// layoutScratch keeps buffers that pages share.
type layoutScratch struct{ lines []textLine }

// readRaw reads a page.
func readRaw(ctx context.Context, doc *pdfium.Document, index int, scratch *layoutScratch) (rawPage, error) {
	page, err := doc.Load(ctx, index)
	if err != nil {
		return rawPage{}, err
	}
	out, err := readLoaded(ctx, page, scratch)
	if err != nil {
		return rawPage{}, err
	}
	return out, page.Close(ctx)
}

func readLoaded(ctx context.Context, page *pdfium.Page, scratch *layoutScratch) (rawPage, error) {
	var out rawPage
	n, err := page.LoadText(ctx)
	if err != nil {
		return out, err
	}
	chars, err := page.Chars(ctx, min(n, maxPageChars))
	if err != nil {
		return out, err
	}
	scratch.lines = splitLines(chars, scratch.lines[:0])
	for i := range scratch.lines {
		l := &scratch.lines[i]
		if err := place(ctx, page, l); err != nil {
			return out, err
		}
		if l.turn, err = turnOf(ctx, page, l); err != nil {
			return out, err
		}
	}
	if scratch.lines, err = levelHeaders(ctx, page, chars, scratch.lines); err != nil {
		return out, err
	}
	out.lines = pageTables(scratch.lines)
	rightToLeft(out.lines)
	if out.extra, err = readExtra(ctx, page); err != nil {
		return out, err
	}
	if out.size() == len(out.lines) {
		out.pictures, err = page.ShowsAnything(ctx)
	}
	return out, err
}

// splitLines divides the characters of a page into lines and words. It joins a
// word that a hyphen divides at the end of a line, and keeps it on the first
// line. The library marks such a hyphen by U+0002.
func splitLines(chars []rune, lines []textLine) []textLine {
	s := splitter{lines: lines}
	for i, r := range chars {
		switch {
		case r == pdfium.NoChar, r == '\r' && i+1 < len(chars) && chars[i+1] == '\n':
		case r == dividing:
			s.joining, s.joined = true, false
		case r == '\n' || r == '\r':
			if !s.joining || s.joined {
				s.endLine()
			}
		case r == ' ' || r == '\t' || r == '\u00a0':
			if !s.joining {
				s.endWord()
			} else if s.joined {
				s.endLine()
			}
		case r < ' ' || r == '\ufeff' || r == '\ufffe' || r == '\uffff':
		default:
			s.add(i, r)
		}
	}
	s.endLine()
	return s.lines
}

// splitter is the state of splitLines.
type splitter struct {
	lines           []textLine
	words           []word
	text            strings.Builder // text of the word
	first, last     int
	joining, joined bool // joining: after a dividing hyphen; joined: the word has letters of the next line
}

func (s *splitter) add(i int, r rune) {
	if s.text.Len() == 0 {
		s.first, s.last = i, i
	}
	if s.joining {
		s.joined = true
	} else {
		s.last = i
	}
	s.text.WriteRune(r)
}

func (s *splitter) endWord() {
	if s.text.Len() > 0 {
		s.words = append(s.words, word{text: s.text.String(), first: s.first, last: s.last})
		s.text.Reset()
	}
}

func (s *splitter) endLine() {
	s.endWord()
	s.joining, s.joined = false, false
	s.lines = append(s.lines, textLine{words: s.words})
	s.words = nil
}

// maxPlaced bounds the words of a line whose places are looked up.
const maxPlaced = 400

// place finds the places of the words of a line. It also finds the size of the
// letters and whether they are bold.
func place(ctx context.Context, page *pdfium.Page, l *textLine) error {
	if len(l.words) == 0 {
		return nil
	}
	longest := 0
	for i := range l.words {
		w := &l.words[i]
		if len(w.text) > len(l.words[longest].text) {
			longest = i
		}
		if i >= maxPlaced {
			continue
		}
		var err error
		if w.box, w.placed, err = page.Box(ctx, w.first); err != nil {
			return err
		}
		if w.placed && w.last > w.first {
			end, ok, err := page.Box(ctx, w.last)
			if err != nil {
				return err
			}
			if ok {
				w.box = [4]float32{min(w.box[0], end[0]), max(w.box[1], end[1]), max(w.box[2], end[2]), min(w.box[3], end[3])}
			}
		}
	}
	w := l.words[longest]
	if w.placed {
		l.size = w.box[1] - w.box[3]
	}
	font, err := page.Font(ctx, w.first)
	if err != nil {
		return err
	}
	if l.bold = isBold(font); l.bold && len(l.words) > 1 {
		// A bold word in running text does not make the line bold.
		for _, other := range []int{0, len(l.words) - 1} {
			if font, err = page.Font(ctx, l.words[other].first); err != nil {
				return err
			}
			l.bold = l.bold && (isBold(font) || !strings.ContainsFunc(l.words[other].text, unicode.IsLetter))
		}
	}
	l.text = joinWords(l.words)
	return nil
}

// boldPattern matches the names of bold fonts, such as Arial-BoldMT, CMBX12,
// and NimbusRomNo9L-Medi.
var boldPattern = regexp.MustCompile(`(?i)bold|black|heavy|demi|cmbx|sfbx|cmssbx|ecbx|medi(?:$|ital)`)

func isBold(font string) bool { return boldPattern.MatchString(font) }

// joinWords returns the text of a line. It removes the blanks between single
// ideographs if most of the line consists of them.
func joinWords(words []word) string {
	single := 0
	for _, w := range words {
		if r, n := utf8.DecodeRuneInString(w.text); n == len(w.text) && isIdeograph(r) {
			single++
		}
	}
	spaced := single >= 3 && single*2 > len(words)
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			last, _ := utf8.DecodeLastRuneInString(words[i-1].text)
			first, _ := utf8.DecodeRuneInString(w.text)
			if !spaced || !isIdeograph(last) || !isIdeograph(first) {
				b.WriteByte(' ')
			}
		}
		b.WriteString(w.text)
	}
	return b.String()
}

// isIdeograph reports whether a letter belongs to a script without blanks.
func isIdeograph(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || (r >= 0x3000 && r <= 0x303F) || (r >= 0xFF00 && r <= 0xFF65)
}
