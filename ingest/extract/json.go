package extract

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"

	"docent/ingest/outline"
)

const (
	// longLines is the mean length of lines over which JSON is laid out anew.
	longLines = 200
	// maxJSONDepth is how deep it may be nested for that: indentation grows
	// with the square of it.
	maxJSONDepth = 64
)

// readJSON reads JSON as code, its members as sections. What is not valid JSON
// is read all the same, as it stands.
func readJSON(name, text string) *outline.Document {
	if len(text)/(strings.Count(text, "\n")+1) > longLines && jsonDepth(text) <= maxJSONDepth {
		var out bytes.Buffer
		if json.Indent(&out, []byte(text), "", "  ") == nil {
			text = out.String()
		}
	}
	text = outline.Clean(unescape(text))
	doc := &outline.Document{Text: text, Title: NameTitle(name)}
	c := &code{doc: doc}
	inner := bodyIndent(text, 0)
	if inner == 0 {
		c.units(0, len(text), 0, 1)
		return doc
	}
	c.units(0, len(text), inner, 1)
	return doc
}

// jsonDepth is how deep brackets are nested outside of strings.
func jsonDepth(text string) int {
	depth, most, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			most = max(most, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return most
}

var escapePattern = regexp.MustCompile(`(?:\\u[0-9a-fA-F]{4})+`)

// unescape replaces \u escapes by the letters they stand for, so that words
// with accents are found.
func unescape(text string) string {
	if !strings.Contains(text, `\u`) {
		return text
	}
	return escapePattern.ReplaceAllStringFunc(text, func(s string) string {
		units := make([]uint16, 0, len(s)/6)
		for i := 0; i+6 <= len(s); i += 6 {
			v, err := strconv.ParseUint(s[i+2:i+6], 16, 16)
			if err != nil {
				return s
			}
			units = append(units, uint16(v))
		}
		runes := utf16.Decode(units)
		for _, r := range runes {
			if r == unicode.ReplacementChar || r == '"' || r == '\\' || !unicode.IsPrint(r) {
				return s
			}
		}
		return string(runes)
	})
}
