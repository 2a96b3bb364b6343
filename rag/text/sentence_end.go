package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// sentenceEnd returns the end of the sentence at offset start, at most the end
// of the text. Markers such as [1] behind the period belong to the sentence.
func sentenceEnd(text string, start int) int {
	for at := start; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		at += size
		switch {
		case isWideStop(r):
			return skipMarkers(text, skipClosing(text, at))
		case r == ' ' && endsStopless(text[start:at-size]) && startsStopless(text[at:]):
			return at - size
		case r == '.' || r == '!' || r == '?' || r == '…':
			stop := at - size
			at = skipClosing(text, skipStops(text, at))
			if end, ok := stopEnds(text, start, stop, at); ok {
				return end
			}
		}
	}
	return len(text)
}

// stopEnds reports whether the stop at offset stop ends the sentence, and at
// which offset. at is the offset behind all characters that belong to the
// stop.
func stopEnds(text string, start, stop, at int) (int, bool) {
	at = skipMarkers(text, at)
	if at == len(text) {
		return at, true
	}
	space, size := utf8.DecodeRuneInString(text[at:])
	if !unicode.IsSpace(space) {
		return 0, false
	}
	rest := strings.TrimLeftFunc(text[at+size:], unicode.IsSpace)
	next, _ := utf8.DecodeRuneInString(rest)
	if unicode.IsLower(next) && !strings.ContainsAny(FirstWord(rest), "_(") {
		return 0, false
	}
	if text[stop] == '.' && isAbbreviation(text[start:stop], rest) || openParentheses(text[start:at], text[at:]) {
		return 0, false
	}
	return at, true
}

// maxParentheses is the maximum number of bytes from a stop inside parentheses to their end.
const maxParentheses = 240

// openParentheses reports whether part opens parentheses that end soon in rest.
func openParentheses(part, rest string) bool {
	depth := 0
	for _, r := range strings.TrimLeft(part, " \n\t(") {
		switch {
		case r == '(':
			depth++
		case r == ')' && depth > 0:
			depth--
		}
	}
	if depth == 0 {
		return false
	}
	for _, r := range rest[:min(len(rest), maxParentheses)] {
		switch r {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return true
			}
		}
	}
	return false
}

// FirstWord returns s up to the first white space.
func FirstWord(s string) string {
	if i := strings.IndexFunc(s, unicode.IsSpace); i >= 0 {
		return s[:i]
	}
	return s
}

// Ends reports whether s ends like a sentence.
func Ends(s string) bool {
	s = strings.TrimRightFunc(s, isClosing)
	r, _ := utf8.DecodeLastRuneInString(s)
	return strings.ContainsRune(".!?…:;", r) || isWideStop(r) || endsStopless(s)
}

// stoplessSentence is the number of characters from which a text in a script without stops
// is a sentence and not a title.
const stoplessSentence = 20

// endsStopless reports whether s can be a sentence in Thai or Lao, which have no stops.
// Spaces separate their sentences, and also parts of them.
func endsStopless(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return isStopless(r) && utf8.RuneCountInString(s) >= stoplessSentence
}

// startsStopless reports whether s begins with a letter of a script without stops.
func startsStopless(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return isStopless(r)
}

func isStopless(r rune) bool {
	return r >= 0x0e00 && r <= 0x0eff && unicode.In(r, unicode.Thai, unicode.Lao)
}

// isWideStop reports whether r is a stop that needs no following space.
func isWideStop(r rune) bool { return strings.ContainsRune("。！？｡．។៕။", r) }

// isClosing reports whether r may follow a period and still belong to the
// sentence.
func isClosing(r rune) bool { return strings.ContainsRune(`"'”’»)]}」』）】*_`+"`", r) }

func skipStops(text string, at int) int {
	for at < len(text) && strings.IndexByte(".!?", text[at]) >= 0 {
		at++
	}
	return at
}

func skipClosing(text string, at int) int {
	for at < len(text) {
		r, size := utf8.DecodeRuneInString(text[at:])
		if !isClosing(r) {
			break
		}
		at += size
	}
	return at
}

// skipMarkers skips citation markers on the same line.
func skipMarkers(text string, at int) int {
	for {
		next := at
		for next < len(text) && text[next] == ' ' {
			next++
		}
		m, ok := parseMarker(text[next:])
		if !ok {
			return at
		}
		at = next + m.End
	}
}

// abbreviations are words whose period does not end a sentence, without the
// period and in lower case. Words such as etc, which often end a sentence, are
// missing: the following text decides.
var abbreviations = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`
		e.g i.e eg ie cf vs viz resp approx ca al fig figs eq eqs sec secs ch chap vol no nos nr pp p ed eds rev ver
		dr mr mrs ms prof st sr jr rev gen col lt sgt capt hon gov sen rep
		jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri
		z.b d.h u.a o.ä bzw ggf evtl vgl abs art nr s.o s.u p.ex
		a.k.a u.s u.k`) {
		m[w] = true
	}
	return m
}()

// germanMonths are the names of months that follow the number of a day and its period.
var germanMonths = map[string]bool{
	"januar": true, "jänner": true, "februar": true, "märz": true, "april": true, "mai": true, "juni": true, "juli": true, "august": true,
	"september": true, "oktober": true, "november": true, "dezember": true,
}

func isGermanMonth(word string) bool {
	return germanMonths[strings.ToLower(strings.TrimRight(word, ".,;:)"))]
}

// isAbbreviation reports whether the period between before and rest does not
// end a sentence: it belongs to an abbreviation, an initial, a list number, or
// an ellipsis.
func isAbbreviation(before, rest string) bool {
	before = before[ItemMark(before):]
	word := before
	if i := strings.LastIndexFunc(before, unicode.IsSpace); i >= 0 {
		_, size := utf8.DecodeRuneInString(before[i:])
		word = before[i+size:]
	}
	first := len(word) == len(before)
	word = strings.TrimLeft(word, `("'“‘[{*_`)
	switch {
	case word == "" || word == ".":
		return true // "ALTER TABLE ... ADD"
	case first && len(word) <= 3 && isOrdinal(word):
		return true // "1. First"
	case len(word) <= 2 && strings.Trim(word, "0123456789") == "" && isGermanMonth(FirstWord(rest)):
		return true // "am 19. Juni"
	case strings.Contains(word, ".") && strings.Trim(word, "0123456789.") == "" && strings.Count(word, ".") > 1 || first &&
		strings.Contains(word, ".") && strings.Trim(word, "0123456789.") == "":
		return true // "4.1.2. Constants"
	case abbreviations[strings.ToLower(word)]:
		// "No." is an answer unless a number follows.
		if w := strings.ToLower(word); w == "no" || w == "nos" || w == "p" || w == "mar" || w == "art" {
			r, _ := utf8.DecodeRuneInString(rest)
			return unicode.IsDigit(r)
		}
		return true
	}
	r, size := utf8.DecodeRuneInString(word)
	return size == len(word) && unicode.IsUpper(r) && r != 'I' // "J. Smith"
}

// isOrdinal reports whether word consists of digits or is one letter.
func isOrdinal(word string) bool {
	if r, size := utf8.DecodeRuneInString(word); size == len(word) && unicode.IsLetter(r) {
		return true
	}
	return strings.Trim(word, "0123456789") == ""
}
