package text

import (
	"bytes"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"docent/internal/lazyregexp"
)

const (
	// maxMarkerDigits limits a number in a marker, because there are few passages.
	maxMarkerDigits = 4
	// maxMarkerDocs limits the numbers in one marker.
	maxMarkerDocs = 50
	// maxInlineCode limits a code span in bytes. A longer one is not treated as code.
	maxInlineCode = 4 << 10
	// maxLinkBytes limits the target of a link on a marker.
	maxLinkBytes = 2 << 10
	// maxMarkerRounds limits the depth of nested markers.
	maxMarkerRounds = 32
)

// Marker is a citation marker in an answer.
type Marker struct {
	// Docs are the passage numbers in the marker.
	Docs []int
	// Start and End are byte offsets in the answer. End is exclusive.
	Start, End int
}

// parseMarker reads a citation marker at the start of s: [1], [1, 2], [1-3], [1 and 2],
// [^1], [#1], \[1\], \cite{1}, [passage 1], [Source: 1], (see passage 1), 【1】, 〔1〕, or 【1†source】.
func parseMarker(s string) (Marker, bool) {
	var opening, closing string
	switch {
	case strings.HasPrefix(s, "["):
		closing = "]"
	case strings.HasPrefix(s, `\[`):
		closing = `\]`
	case strings.HasPrefix(s, latexCite):
		opening, closing = latexCite, "}"
	case wordMarker.MatchString(s):
		closing = ")"
	case strings.HasPrefix(s, "【"):
		closing = "】"
	case strings.HasPrefix(s, "〔"):
		closing = "〕"
	default:
		return Marker{}, false
	}
	end := strings.Index(s[:min(len(s), maxMarkerBytes)], closing)
	if end < 0 {
		return Marker{}, false
	}
	from := max(len(opening), len(closing))
	if from > end {
		return Marker{}, false
	}
	inner := s[from:end]
	inner, _, _ = strings.Cut(inner, "†")
	inner = conjunction.ReplaceAllString(inner, ",")
	m := Marker{End: end + len(closing)}
	for field := range strings.FieldsFuncSeq(inner, func(r rune) bool { return r == ',' || r == ';' }) {
		from, to, ok := parseRange(field)
		if !ok || len(m.Docs)+to-from+1 > maxMarkerDocs {
			return Marker{}, false
		}
		for n := from; n <= to; n++ {
			m.Docs = append(m.Docs, n)
		}
	}
	return m, len(m.Docs) > 0
}

// latexCite begins a marker of LaTeX.
const latexCite = `\cite{`

// wordMarker matches the start of a marker in parentheses. It needs a word, because numbers in parentheses are common.
var wordMarker = lazyregexp.New(`^\((?i:(?:` + seeWords + `)\s+)?(?i:passages?|sources?|quellen?|fuentes?)\s*[:#]?\s*\d`)

// seeWords are the words before a reference.
const seeWords = `see|cf\.?|siehe|vgl\.?|véase|voir`

// conjunction matches the word between the last two numbers of a marker.
var conjunction = lazyregexp.New(`(?i)\s+(?:and|und|y|et|&)\s+`)

// maxMarkerBytes limits the length of a marker.
const maxMarkerBytes = 256

// markerField is a number or range in a marker.
var markerField = lazyregexp.New(`^\s*(?:\^|#|(?i:(?:` + seeWords + `)\s+)?(?i:passages?|docs?|documents?|sources?|references?|refs?|id|quellen?|fuentes?|citations?|cite)\s*[:=#]?\s*)?(\d{1,` + strconv.Itoa(maxMarkerDigits) +
	`})(?:\s*[-–]\s*(\d{1,` + strconv.Itoa(maxMarkerDigits) + `}))?\s*$`)

// parseRange reads one number, or two with a dash.
func parseRange(s string) (from, to int, ok bool) {
	m := markerField.FindStringSubmatch(s)
	if m == nil {
		return 0, 0, false
	}
	from, _ = strconv.Atoi(m[1]) // digits, and few of them
	to = from
	if m[2] != "" {
		to, _ = strconv.Atoi(m[2])
	}
	return from, to, from <= to && to-from < maxMarkerDocs
}

// ResolveMarkers rewrites the citation markers of an answer as [n][m], in order
// and without duplicates. It drops numbers outside of 1 to docs, because the
// model invented them. If the text of a link is a marker, it removes the link.
// Code does not change.
func ResolveMarkers(text string, docs int) string {
	// The text around a dropped marker may look like another marker.
	for range maxMarkerRounds {
		resolved := resolveOnce(text, docs)
		if resolved == text {
			break
		}
		text = resolved
	}
	return text
}

func resolveOnce(text string, docs int) string {
	out := make([]byte, 0, len(text))
	at := 0
	marked := 0 // the end in out of the last marker that is kept
	for m := range MarkersIn(text) {
		out = append(out, text[at:m.Start]...)
		at = m.End
		kept := ""
		for i, n := range m.Docs {
			if 1 <= n && n <= docs && !slices.Contains(m.Docs[:i], n) {
				kept += "[" + strconv.Itoa(n) + "]"
			}
		}
		if kept != "" {
			out = append(out, kept...)
			marked = len(out)
			continue
		}
		var skip int
		out, skip = drop(out, marked, text[at:])
		at += skip
	}
	return string(append(out, text[at:]...))
}

var (
	// jointAfter matches text that joins a marker to the following text. joint matches text that only joins two markers.
	jointAfter = lazyregexp.New(`^[ \t]*(?:,[ \t]*)?(?:(?:and|or|und|oder|et|y|&)[ \t]+)?`)
	joint      = lazyregexp.New(`^[ \t]*(?:,[ \t]*)?(?:(?:and|or|und|oder|et|y|&)[ \t]+|,[ \t]*)?$`)
)

// drop tidies the text around a dropped marker. marked is the offset behind
// the last kept marker, or 0. drop returns the tidied text in front and the
// number of bytes to skip behind: words that joined the marker to others, and
// empty brackets.
func drop(before []byte, marked int, after string) (tidied []byte, skip int) {
	if n := len(jointAfter.FindString(after)); n > 0 && strings.TrimSpace(after[:n]) != "" {
		if _, ok := parseMarker(after[n:]); ok {
			return before, n
		}
	}
	if marked > 0 && endsClause(after) && joint.Match(before[marked:]) {
		before = before[:marked]
	}
	if bytes.HasSuffix(before, []byte("(")) && strings.HasPrefix(after, ")") {
		before, after, skip = before[:len(before)-1], after[1:], 1
	}
	switch {
	case len(before) == 0 || before[len(before)-1] == '\n':
		skip += len(after) - len(strings.TrimLeft(after, " "))
	case endsClause(after) || strings.HasPrefix(after, " "):
		before = bytes.TrimRight(before, " ")
	}
	return before, skip
}

// endsClause reports whether text begins with the end of a clause or with an
// independent part.
func endsClause(after string) bool {
	r, _ := utf8.DecodeRuneInString(after)
	return after == "" || strings.ContainsRune("\n.,;:!?)[【", r)
}

// Marked returns the numbers from 1 to docs in the markers of a sentence, in
// order and without duplicates. It never returns nil.
func Marked(text string, docs int) []int {
	out := []int{}
	for m := range MarkersIn(text) {
		for _, n := range m.Docs {
			if 1 <= n && n <= docs && !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	return out
}

// MarkersIn yields the markers of a text in order. Markers in code are skipped.
func MarkersIn(text string) iter.Seq[Marker] {
	return func(yield func(Marker) bool) {
		for at := 0; at < len(text); {
			if n := codeLength(text, at); n > 0 {
				at += n
				continue
			}
			m, ok := parseMarker(text[at:])
			if !ok {
				m, ok = linkedMarker(text[at:])
			}
			if !ok {
				m, ok = raisedMarker(text, at)
			}
			if !ok {
				_, size := utf8.DecodeRuneInString(text[at:])
				at += size
				continue
			}
			m.Start, m.End = at, at+m.End
			m.End += linkTarget(text[m.End:])
			if !yield(m) {
				return
			}
			at = m.End
		}
	}
}

// linkedMarker reads a marker that is the text of a link: [[1]](#1).
func linkedMarker(s string) (Marker, bool) {
	if !strings.HasPrefix(s, "[[") {
		return Marker{}, false
	}
	m, ok := parseMarker(s[1:])
	if !ok || !strings.HasPrefix(s[1+m.End:], "](") {
		return Marker{}, false
	}
	m.End += len("[") + len("]")
	return m, linkTarget(s[m.End:]) > 0
}

// raised matches a marker in superscript or in angle brackets.
var raised = lazyregexp.New(`^(?:<(?:sup|cite)>\s*(\[)?([^<>\[\]]+)\]?\s*</(?:sup|cite)>|\^(\[)([^\[\]\n]+)\]\^|<(\d[\d\s,;–-]*)>)`)

// raisedMarker reads a marker such as <sup>1</sup>, ^[1]^, or <1>. A number in superscript
// without brackets may be an exponent, as in m<sup>2</sup>. It is a marker only behind a
// word or at the end of a sentence.
func raisedMarker(text string, at int) (Marker, bool) {
	if text[at] != '<' && text[at] != '^' {
		return Marker{}, false
	}
	s := text[at:]
	found := raised.FindStringSubmatch(s[:min(len(s), maxMarkerBytes)])
	if found == nil {
		return Marker{}, false
	}
	if found[2] != "" && found[1] == "" && !mayCite.MatchString(text[max(0, at-maxMarkerBytes):at]) {
		return Marker{}, false
	}
	m, ok := parseMarker("[" + found[2] + found[4] + found[5] + "]")
	m.End = len(found[0])
	return m, ok
}

// mayCite matches a text before a number that is no exponent: it ends with a word of at least
// four letters, the end of a sentence, a space, or another number in superscript.
var mayCite = lazyregexp.New(`(?:^|[.!?;:,"”»]|\s|\p{L}{4}|</sup>)$`)

// linkTarget returns the length of the link target "(…)" at the start of s.
func linkTarget(s string) int {
	if !strings.HasPrefix(s, "(") {
		return 0
	}
	i := strings.IndexAny(s[:min(len(s), maxLinkBytes)], ")\n")
	if i < 0 || s[i] == '\n' || !strings.ContainsAny(s[:i], ":/#") && !fileName.MatchString(s[1:i]) {
		return 0
	}
	return i + 1
}

// fileName matches the name of a file.
var fileName = lazyregexp.New(`^\S[^()]*\.[A-Za-z][A-Za-z0-9]{1,5}$`)

// codeLength returns the length of the inline or fenced code at offset at, or
// 0 if there is none.
func codeLength(text string, at int) int {
	c := text[at]
	if c != '`' && c != '~' || c == '~' && !strings.HasPrefix(text[at:], "~~~") {
		return 0
	}
	n := len(text[at:]) - len(strings.TrimLeft(text[at:], string(c)))
	mark, rest := text[at:at+n], text[at+n:]
	if first, _, _ := strings.Cut(text[at:], "\n"); n >= 3 && opensLine(text, at) && fenceMark(first) != "" {
		if end := closingfence(rest, mark); end >= 0 {
			return n + end
		}
		return n + len(rest) // not closed: to the end
	}
	if c == '~' {
		return n
	}
	paragraph, _, _ := strings.Cut(rest[:min(len(rest), maxInlineCode)], "\n\n")
	for from := 0; ; {
		i := strings.Index(paragraph[from:], mark)
		if i < 0 {
			return n // no code after all
		}
		i += from
		run := len(paragraph[i:]) - len(strings.TrimLeft(paragraph[i:], "`"))
		if run == n {
			return n + i + n
		}
		from = i + run
	}
}

// opensLine reports whether there are only spaces between the start of the line and offset at.
func opensLine(text string, at int) bool {
	for at > 0 && (text[at-1] == ' ' || text[at-1] == '\t') {
		at--
	}
	return at == 0 || text[at-1] == '\n'
}

// closingFence returns the end of a code block in the text after its opening fence, or -1 if it is not closed.
func closingfence(rest, mark string) int {
	for at := 0; ; {
		i := strings.Index(rest[at:], "\n")
		if i < 0 {
			return -1
		}
		at += i + 1
		l, _, _ := strings.Cut(rest[at:], "\n")
		if t := strings.TrimSpace(l); strings.HasPrefix(t, mark) && strings.Trim(t, mark[:1]) == "" {
			return at + len(l)
		}
	}
}

// image is an image in Markdown.
var image = lazyregexp.New(`!\[([^\]\n]*)\](?:\([^)\n]*\)|\[[^\]\n]*\])`)

// DropImages replaces each image in an answer with its alternative text.
// Displaying an image would fetch an address that may come from a document. Code
// does not change.
func DropImages(text string) string {
	return outsideCode(text, func(plain string) string { return image.ReplaceAllString(plain, "$1") })
}

// outsideCode replaces the parts of a text between inline and fenced code.
func outsideCode(text string, replace func(plain string) string) string {
	var b strings.Builder
	plainFrom := 0
	for at := 0; at < len(text); {
		n := codeLength(text, at)
		if n == 0 {
			at++
			continue
		}
		b.WriteString(replace(text[plainFrom:at]))
		b.WriteString(text[at : at+n])
		at += n
		plainFrom = at
	}
	b.WriteString(replace(text[plainFrom:]))
	return b.String()
}

// halfMarker matches an incomplete marker at the end of a text.
var halfMarker = lazyregexp.New(`[ \t]*(?:\[\^?|【)(?i:(?:passages?|docs?|sources?)\s*)?[\d\s,;–-]*(?:†[^】\n]*)?$`)

// TrimHalfMarker removes an incomplete marker at the end of a text. Code does
// not change.
func TrimHalfMarker(s string) string {
	at := halfMarker.FindStringIndex(s)
	if at == nil {
		return s
	}
	for i := 0; i < at[0]; {
		n := max(codeLength(s, i), 1)
		if i += n; i > at[0] {
			return s
		}
	}
	return s[:at[0]]
}
