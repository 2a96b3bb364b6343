package chunk

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"docent/ingest/outline"
)

// split appends a piece and cuts it where it exceeds the limit. It cuts prose
// at sentences, rows at lines, and code at empty lines and then at other lines.
// If that is not enough, it cuts at words.
func (w *work) split(p piece, limit int) {
	if p.words <= limit {
		w.add(p)
		return
	}
	next := nextSentence
	switch p.kind {
	case outline.Code:
		next = nextParagraph
	case outline.Row: // several rows, or a row with several lines
		next = nextLine
	}
	w.divide(p, limit, next)
}

// divide cuts a piece. next returns the length of the first part of a text. A
// part that is still too long is cut at the next finer boundary.
func (w *work) divide(p piece, limit int, next func(string) int) {
	text := w.doc.Text[p.start:p.end]
	for at := 0; at < len(text); {
		n := next(text[at:])
		part := p
		part.start, part.end = trim(text, p.start, at, at+n)
		at += n
		if part.start >= part.end {
			continue
		}
		part.words = Words(w.doc.Text[part.start:part.end])
		switch {
		case part.words <= limit:
			w.add(part)
		case p.kind == outline.Code && strings.Contains(w.doc.Text[part.start:part.end], "\n\n"):
			w.divide(part, limit, nextParagraph)
		case p.kind == outline.Code && strings.Contains(w.doc.Text[part.start:part.end], "\n"):
			w.divide(part, limit, nextLine)
		case p.kind == outline.Row && n < len(text):
			w.divide(part, limit, nextSentence)
		default:
			w.divide(part, limit, func(s string) int { return fit(s, limit) })
		}
	}
}

// trim removes the space around text[from:to] but keeps the indentation of the
// first line. It returns offsets in the document.
func trim(text string, base, from, to int) (start, end int) {
	s := text[from:to]
	end = from + len(strings.TrimRightFunc(s, unicode.IsSpace))
	lead := len(s) - len(strings.TrimLeftFunc(s, unicode.IsSpace))
	if i := strings.LastIndexByte(s[:lead], '\n'); i >= 0 {
		lead = i + 1
	} else if from > 0 && text[from-1] != '\n' {
		// the cut was within a line
	} else {
		lead = 0
	}
	return base + from + lead, base + end
}

// nextParagraph returns the length of a text up to and including the next empty
// line.
func nextParagraph(s string) int {
	// Empty lines at the start belong to the next paragraph.
	lead := len(s) - len(strings.TrimLeft(s, " \t\n"))
	for i := lead; i < len(s); {
		j := strings.IndexByte(s[i:], '\n')
		if j < 0 {
			return len(s)
		}
		i += j + 1
		k := i
		for k < len(s) && (s[k] == ' ' || s[k] == '\t') {
			k++
		}
		if k < len(s) && s[k] == '\n' {
			return k + 1
		}
	}
	return len(s)
}

// nextLine returns the length of a text up to and including the next line end.
func nextLine(s string) int {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return i + 1
	}
	return len(s)
}

// nextSentence returns the length of the first sentence, including the space
// after it. A sentence ends at an empty line or at the fullwidth forms of . !
// and ?. It also ends at . ! or ? before a space that a lowercase letter does
// not follow.
func nextSentence(s string) int {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '.' || c == '!' || c == '?':
			j := i + 1
			for j < len(s) && strings.IndexByte(`)]"'*_`, s[j]) >= 0 {
				j++
			}
			if j >= len(s) || s[j] != ' ' && s[j] != '\n' {
				continue
			}
			for j < len(s) && (s[j] == ' ' || s[j] == '\n') {
				j++
			}
			if r, _ := utf8.DecodeRuneInString(s[j:]); j < len(s) && !unicode.IsLower(r) {
				return j
			}
		case c == '\n' && i+1 < len(s) && s[i+1] == '\n':
			return i + 2
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == '。' || r == '！' || r == '？' {
				return i + n
			}
			i += n - 1
		}
	}
	return len(s)
}

// fit returns the length of the longest prefix with at most limit words. The
// prefix ends at a word end. Only a single word above the limit is cut, between
// code points.
func fit(s string, limit int) int {
	var m meter
	border := 0 // offset after the last space or unspaced character
	for i, r := range s {
		m.add(r)
		if m.words > limit && i > 0 {
			if border > 0 {
				return border
			}
			return i
		}
		if unicode.IsSpace(r) || unspaced(r) > 0 {
			border = i + utf8.RuneLen(r)
		}
	}
	return len(s)
}
