package mail

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"

	"docent/ingest/outline"
)

// charset16 is the encoding of UTF-16 in UTF-7.
func charset16() encoding.Encoding { return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM) }

// maxLabel bounds the name of a character set.
const maxLabel = 64

// word is one encoded word of a header (RFC 2047).
type word struct {
	label  string
	base64 bool
	text   string
}

// decodeWords decodes the encoded words of a header value. It decodes
// neighboring words with the same character set together, because mailers split
// characters. label is the character set of bytes that are not encoded.
func decodeWords(s, label string) string {
	if !utf8.ValidString(s) {
		s = decodeText([]byte(s), label)
	}
	if !strings.Contains(s, "=?") {
		return oneLine(s)
	}
	var b strings.Builder
	var open word // word of the bytes in raw
	var raw []byte
	after := false // a word precedes s
	flush := func() {
		b.WriteString(decodeText(raw, open.label))
		raw = raw[:0]
	}
	for {
		i := strings.Index(s, "=?")
		if i < 0 {
			break
		}
		w, n := cutWord(s[i:])
		if n < 0 {
			break // no encoded word ends after this point
		}
		if !after || n == 0 || strings.TrimSpace(s[:i]) != "" {
			flush()
			b.WriteString(s[:i])
		}
		if after = n > 0; !after {
			b.WriteString("=?")
			s = s[i+2:]
			continue
		}
		if !strings.EqualFold(open.label, w.label) {
			flush()
		}
		open = w
		if w.base64 {
			raw = append(raw, decodeBase64([]byte(w.text))...)
		} else {
			raw = appendQuoted(raw, []byte(strings.ReplaceAll(w.text, "_", " ")))
		}
		s = s[i+n:]
	}
	flush()
	b.WriteString(s)
	return oneLine(b.String())
}

// cutWord reads the encoded word at the start of s and returns its length. It
// returns 0 without a word, and -1 if no encoded word can end in s.
func cutWord(s string) (w word, n int) {
	label, rest, ok := strings.Cut(s[2:min(len(s), maxLabel+2)], "?")
	if !ok || strings.ContainsAny(label, " \t=") || len(rest) < 1 {
		return word{}, 0
	}
	at := 2 + len(label) + 1
	if len(s) < at+2 || s[at+1] != '?' || !strings.ContainsRune("bBqQ", rune(s[at])) {
		return word{}, 0
	}
	end := strings.Index(s[at+2:], "?=")
	if end < 0 {
		return word{}, -1
	}
	label, _, _ = strings.Cut(label, "*") // a language may follow
	return word{label: label, base64: s[at] == 'b' || s[at] == 'B', text: s[at+2 : at+2+end]}, at + 2 + end + 2
}

// oneLine puts a text on one line and removes control characters.
func oneLine(s string) string { return strings.Join(strings.Fields(outline.Clean(s)), " ") }
