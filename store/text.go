package store

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"docent/agent/chat"
)

// Text makes s storable in both databases. Postgres accepts neither U+0000 nor
// invalid UTF-8. Text replaces NUL with a space, and each invalid byte with a
// question mark. The length does not change, so offsets into the text remain
// valid.
func Text(s string) string {
	if strings.IndexByte(s, 0) < 0 && utf8.ValidString(s) {
		return s
	}
	return string(text([]byte(s)))
}

// text does the work of Text in place.
func text(b []byte) []byte {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		switch {
		case r == 0:
			b[i] = ' '
		case r == utf8.RuneError && n == 1:
			b[i] = '?'
		}
		i += n
	}
	return b
}

// Texts applies Text to each element of a new slice. The result is never nil.
func Texts(all []string) []string {
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = Text(s)
	}
	return out
}

// replacement is U+FFFD as a JSON escape.
const replacement = `\ufffd`

// escapeLen is the length of a \uXXXX escape.
const escapeLen = 6

// JSON makes a JSON text storable in both databases. It replaces escapes that
// Postgres' jsonb rejects, \u0000 and unpaired surrogates, with U+FFFD. It
// fails with fault.Invalid if raw is not valid JSON or exceeds the limits of
// chat.CheckJSON.
func JSON(raw json.RawMessage) (json.RawMessage, error) {
	if err := chat.CheckJSON(raw); err != nil {
		return nil, err //nolint:wrapcheck // the error is complete
	}
	if bytes.Contains(raw, []byte(`\u`)) {
		raw = escapes(raw)
	}
	if !utf8.Valid(raw) {
		raw = text(bytes.Clone(raw))
	}
	return raw, nil
}

// escapes replaces the escapes that jsonb rejects in a valid JSON text.
func escapes(raw []byte) []byte {
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		if raw[i] != '\\' {
			out = append(out, raw[i])
			i++
			continue
		}
		if raw[i+1] != 'u' { // a valid text never ends in a backslash
			out = append(out, raw[i], raw[i+1])
			i += 2
			continue
		}
		switch unit := hex4(raw[i+2:]); {
		case unit == 0:
			out, i = append(out, replacement...), i+escapeLen
		case unit >= 0xd800 && unit < 0xdc00 && pairs(raw[i+escapeLen:]):
			out, i = append(out, raw[i:i+2*escapeLen]...), i+2*escapeLen
		case unit >= 0xd800 && unit < 0xe000:
			out, i = append(out, replacement...), i+escapeLen
		default:
			out, i = append(out, raw[i:i+escapeLen]...), i+escapeLen
		}
	}
	return out
}

// pairs reports whether b begins with the escape of a low surrogate.
func pairs(b []byte) bool {
	if len(b) < escapeLen || b[0] != '\\' || b[1] != 'u' {
		return false
	}
	unit := hex4(b[2:])
	return unit >= 0xdc00 && unit < 0xe000
}

// hex4 reads four hex digits.
func hex4(b []byte) rune {
	var r rune
	for _, c := range b[:4] {
		switch {
		case c <= '9':
			c -= '0'
		case c <= 'F':
			c -= 'A' - 10
		default:
			c -= 'a' - 10
		}
		r = r<<4 | rune(c)
	}
	return r
}

// Fold returns the searchable form of s, in lower case.
func Fold(s string) string { return strings.ToLower(Text(s)) }

// TagText returns the stored form of tags, such as "\na\nb\n"; "" for none.
func TagText(tags []string) string {
	if len(tags) == 0 {
		return ""
	}
	return "\n" + Text(strings.Join(tags, "\n")) + "\n"
}

// TagList is the reverse of TagText.
func TagList(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.Trim(text, "\n"), "\n")
}
