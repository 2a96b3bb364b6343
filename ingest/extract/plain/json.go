package plain

import (
	"encoding/json"
	"iter"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"

	"docent/ingest/outline"
	"docent/internal/lazyregexp"
)

const (
	// longLines is the mean length of lines above which JSON is formatted.
	longLines = 200
	// maxJSONDepth bounds the nesting of formatted JSON. The indentation grows
	// with the square of the depth.
	maxJSONDepth = 64
	// largeJSON is the size above which formatting may at most double the text.
	largeJSON = 16 << 20
)

// JSON reads JSON as code with its members as sections. It reads invalid JSON
// as unchanged text.
func JSON(name, text string) *outline.Document {
	text = outline.Clean(unescape(text))
	if len(text)/(strings.Count(text, "\n")+1) > longLines && jsonDepth(text) <= maxJSONDepth {
		text = layOut(text)
	}
	doc := &outline.Document{Text: text, Title: outline.NameTitle(name)}
	c := &code{doc: doc}
	inner := bodyIndent(text, 0)
	if inner == 0 {
		c.units(0, len(text), 0, 1)
		return doc
	}
	c.units(0, len(text), inner, 1)
	return doc
}

// layOut formats JSON: each member gets its own indented line. It returns
// invalid JSON and JSON that would grow too much unchanged.
func layOut(text string) string {
	most := 3 * len(text)
	if len(text) > largeJSON {
		most = 2 * len(text)
	}
	size := 0
	for part := range jsonLayout(text) {
		if size += len(part); size > most {
			return text
		}
	}
	if !json.Valid([]byte(text)) {
		return text
	}
	var out strings.Builder
	out.Grow(size)
	for part := range jsonLayout(text) {
		out.WriteString(part)
	}
	return out.String()
}

// jsonIndents is a line end with the maximum indentation.
var jsonIndents = "\n" + strings.Repeat("  ", maxJSONDepth)

// jsonLayout yields the pieces of the formatted text.
func jsonLayout(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		depth := 0
		line := func() bool { return yield(jsonIndents[:1+2*min(max(depth, 0), maxJSONDepth)]) }
		for i := 0; i < len(text); {
			n, ok := 1, true
			switch c := text[i]; c {
			case ' ', '\t', '\n', '\r':
			case '{', '[':
				depth++
				next := i + 1
				for next < len(text) && strings.IndexByte(" \t\n\r", text[next]) >= 0 {
					next++
				}
				if next < len(text) && text[next] == c+2 { // the closing bracket follows at once
					depth--
					n, ok = next+1-i, yield(text[i:i+1]) && yield(text[next:next+1])
				} else {
					ok = yield(text[i:i+1]) && line()
				}
			case '}', ']':
				depth--
				ok = line() && yield(text[i:i+1])
			case ',':
				ok = yield(",") && line()
			case ':':
				ok = yield(": ")
			case '"':
				n = quotedLen(text[i:])
				ok = yield(text[i : i+n])
			default:
				ok = yield(text[i : i+1])
			}
			if !ok {
				return
			}
			i += n
		}
	}
}

// quotedLen returns the length of the string at the start of a text, including
// its quotes.
func quotedLen(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// jsonDepth returns the maximum nesting of brackets outside of strings.
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

var escapePattern = lazyregexp.New(`(?:\\u[0-9a-fA-F]{4})+`)

// unescape replaces \u escapes by their characters, so that words with accents
// can be found.
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
