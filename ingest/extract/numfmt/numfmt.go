// Package numfmt formats the values of cells with the format codes of
// spreadsheets.
package numfmt

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Format is a parsed format code, such as "#,##0.00;[Red]-#,##0.00".
type Format struct {
	sections []formatSection
	text     *formatSection // for text; nil if text is shown unchanged
}

// formatSection is one section of a format. Sections are for values of
// different signs.
type formatSection struct {
	tokens    []formatToken
	date      bool
	general   bool
	empty     bool
	op        string // operator of a condition, "" if none
	bound     float64
	percents  int
	scale     int // commas after the digits: each divides by 1,000
	thousands bool
	fraction  bool
	whole     int // placeholders before the point
	decimals  int // placeholders after the point
	exponent  bool
}

// formatToken is a piece of a section.
type formatToken struct {
	kind formatKind
	text string
}

type formatKind uint8

const (
	literal   formatKind = iota
	digit                // 0, # or ?
	point                // .
	slash                // the / of a fraction
	power                // E+ or E-
	datePart             // y, m, d, h, s and repeated, AM/PM
	elapsed              // [h], [m], [s]
	textValue            // @
)

// maxFormat bounds the length of a format code.
const maxFormat = 1024

// Parse parses a format code.
func Parse(code string) *Format {
	f := &Format{}
	for _, part := range splitFormat(code[:min(len(code), maxFormat)]) {
		s := parseSection(part)
		if len(s.tokens) > 0 && s.hasText() && !s.date && s.whole+s.decimals == 0 {
			f.text = &s
			if len(f.sections) == 0 {
				f.sections = append(f.sections, formatSection{general: true})
			}
			continue
		}
		f.sections = append(f.sections, s)
	}
	if len(f.sections) == 0 {
		f.sections = []formatSection{{general: true}}
	}
	return f
}

// splitFormat splits a code at the semicolons outside of quotes.
func splitFormat(code string) []string {
	var parts []string
	start, quoted := 0, false
	for i := 0; i < len(code); i++ {
		switch c := code[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && !quoted:
			i++
		case c == ';' && !quoted:
			parts = append(parts, code[start:i])
			start = i + 1
		}
	}
	return append(parts, code[min(start, len(code)):])
}

func (s *formatSection) hasText() bool {
	for _, t := range s.tokens {
		if t.kind == textValue {
			return true
		}
	}
	return false
}

// add appends a token. It joins adjacent literals.
func (s *formatSection) add(kind formatKind, text string) {
	if n := len(s.tokens); kind == literal && n > 0 && s.tokens[n-1].kind == literal {
		s.tokens[n-1].text += text
		return
	}
	s.tokens = append(s.tokens, formatToken{kind, text})
}

// parseSection parses one section.
func parseSection(code string) formatSection {
	s := formatSection{empty: code == ""}
	for i := 0; i < len(code); {
		n := s.parseNext(code[i:])
		i += max(n, 1)
	}
	s.finish()
	return s
}

// parseNext parses the next token and returns its length.
func (s *formatSection) parseNext(code string) int {
	lower := strings.ToLower(code)
	switch c := lower[0]; {
	case c == '"':
		text, _, _ := strings.Cut(code[1:], `"`)
		s.add(literal, text)
		return len(text) + 2
	case c == '\\':
		size := runeSize(code[1:])
		s.add(literal, code[1:1+size])
		return 1 + size
	case c == '_' || c == '*':
		size := runeSize(code[1:])
		return 1 + size
	case c == '[':
		inside, _, _ := strings.Cut(code[1:], "]")
		s.bracket(inside)
		return len(inside) + 2
	case strings.HasPrefix(lower, "general"):
		s.general = true
		return len("general")
	case strings.HasPrefix(lower, "am/pm"):
		s.add(datePart, "am/pm")
		return len("am/pm")
	case strings.HasPrefix(lower, "a/p"):
		s.add(datePart, "am/pm")
		return len("a/p")
	case strings.HasPrefix(lower, "e+") || strings.HasPrefix(lower, "e-"):
		s.add(power, code[1:2])
		s.exponent = true
		return 2
	case strings.IndexByte("ymdhs", c) >= 0:
		n := 1
		for n < len(lower) && lower[n] == c {
			n++
		}
		s.add(datePart, lower[:n])
		s.date = true
		return n
	case c == '0' || c == '#' || c == '?':
		s.add(digit, code[:1])
	case c == '.':
		s.add(point, ".")
	case c == ',':
		s.add(digit, ",") // finish decides what it means
	case c == '/':
		s.add(slash, "/")
	case c == '%':
		s.percents++
		s.add(literal, "%")
	case c == '@':
		s.add(textValue, "")
	default:
		size := runeSize(code)
		s.add(literal, code[:size])
		return size
	}
	return 1
}

// runeSize returns the length of the first rune of s.
func runeSize(s string) int {
	_, size := utf8.DecodeRuneInString(s)
	return size
}

// bracket reads the content of brackets: a color, a condition, a currency, or
// an elapsed time.
func (s *formatSection) bracket(inside string) {
	lower := strings.ToLower(inside)
	switch {
	case strings.HasPrefix(inside, "$"):
		currency, _, _ := strings.Cut(inside[1:], "-")
		s.add(literal, currency)
	case inside != "" && strings.IndexByte("<>=", inside[0]) >= 0:
		n := 1
		if len(inside) > 1 && strings.IndexByte(">=", inside[1]) >= 0 {
			n = 2
		}
		if v, err := strconv.ParseFloat(inside[n:], 64); err == nil {
			s.op, s.bound = inside[:n], v
		}
	case lower != "" && strings.Trim(lower, lower[:1]) == "" && strings.IndexByte("hms", lower[0]) >= 0:
		s.add(elapsed, lower)
		s.date = true
	}
}

// finish counts placeholders and decides the meaning of commas and slashes.
func (s *formatSection) finish() {
	last := -1 // the last digit before the point
	behind := false
	tokens := s.tokens[:0]
	pending := 0 // commas since the last digit
	for _, t := range s.tokens {
		if t.kind == digit && t.text == "," {
			if s.date || last < 0 {
				tokens = append(tokens, formatToken{literal, ","})
			} else {
				pending++
			}
			continue
		}
		if t.kind == digit && !s.exponent {
			if pending > 0 {
				s.thousands = true
			}
			pending = 0
		}
		if t.kind == slash && s.date {
			t.kind = literal
		}
		if t.kind == point && s.date {
			t.kind = literal
		}
		tokens = append(tokens, t)
		switch t.kind {
		case digit:
			last = len(tokens)
			if behind {
				s.decimals++
			} else if !s.seen(tokens, power) {
				s.whole++
			}
		case point:
			behind = true
		case slash:
			s.fraction = true
		case power:
			behind = false
		}
	}
	s.scale = pending
	s.tokens = tokens
}

func (s *formatSection) seen(tokens []formatToken, kind formatKind) bool {
	for _, t := range tokens {
		if t.kind == kind {
			return true
		}
	}
	return false
}

// holds reports whether a value meets the condition of a section.
func (s *formatSection) holds(v float64) bool {
	switch s.op {
	case "<":
		return v < s.bound
	case "<=":
		return v <= s.bound
	case ">":
		return v > s.bound
	case ">=":
		return v >= s.bound
	case "=":
		return v == s.bound
	case "<>":
		return v != s.bound
	}
	return false
}

// section returns the section for a value. It also returns the value, without
// its sign if the section shows the sign itself.
func (f *Format) section(v float64) (*formatSection, float64) {
	n := len(f.sections)
	if f.sections[0].op != "" {
		for i := range f.sections {
			if s := &f.sections[i]; s.op == "" || s.holds(v) {
				if i > 0 {
					return s, math.Abs(v)
				}
				return s, v
			}
		}
		return &f.sections[n-1], v
	}
	switch {
	case v < 0 && n > 1:
		return &f.sections[1], -v
	case v == 0 && n > 2:
		return &f.sections[2], v
	default:
		return &f.sections[0], v
	}
}

// Number writes a number in the format. Dates count from 1904 if date1904 is set,
// and otherwise from 1900.
func (f *Format) Number(v float64, date1904 bool) string {
	s, v := f.section(v)
	switch {
	case s.empty && len(f.sections) > 1:
		return ""
	case s.general || len(s.tokens) == 0:
		return s.around(General(v))
	case s.date:
		if text, ok := s.dateText(v, date1904); ok {
			return text
		}
		return General(v)
	case s.fraction && s.whole > 0:
		return s.fractionText(v)
	case s.exponent:
		return s.exponentText(v)
	case s.whole+s.decimals == 0:
		return s.around("")
	}
	return s.digits(v)
}

// around writes a text between the literals of a section.
func (s *formatSection) around(text string) string {
	var b strings.Builder
	for _, t := range s.tokens {
		if t.kind == literal {
			b.WriteString(t.text)
		}
	}
	if text == "" || b.Len() == 0 {
		return b.String() + text
	}
	return text + b.String()
}

// Text formats a text with a format such as "@ kg". A nil format does not change
// the text.
func (f *Format) Text(v string) string {
	if f == nil || f.text == nil || len(v) > 1<<10 {
		return v
	}
	var b strings.Builder
	for _, t := range f.text.tokens {
		switch {
		case t.kind == literal:
			b.WriteString(t.text)
		case t.kind == textValue && b.Len() < 8<<10:
			b.WriteString(v)
		}
	}
	return b.String()
}
