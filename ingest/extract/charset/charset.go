// Package charset detects the character set of a text and decodes it.
package charset

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"

	"docent/ingest/outline"
	"docent/internal/fault"
)

// ErrUnknown is the error for data that is not text in a known character set.
var ErrUnknown = fault.New(fault.Invalid,
	"charset_unknown", "undecodable: docent does not recognize the character set; save the document as UTF-8 and add it again")

// IsBinary reports whether data cannot be text. It checks the first bytes for
// many control characters, and for NUL bytes that do not come from UTF-16 or
// UTF-32.
func IsBinary(head []byte) bool {
	if bytes.HasPrefix(head, []byte("%PDF-")) || bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		return true
	}
	if byMark(head).enc != nil || byWidth(head).enc != nil {
		return false
	}
	controls := 0
	for _, c := range head {
		switch {
		case c == 0:
			return true
		case c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\b' && c != 0x1b || c == 0x7f:
			controls++
		}
	}
	return controls*20 > len(head)
}

// Decode returns data as clean UTF-8, and the name of its character set. The name
// is "" for UTF-8 and ASCII. declared is the character set that the source
// declares, or "". A byte order mark and valid UTF-8 take precedence over
// declared. Without any of these, Decode guesses the character set from the
// letters of the text.
func Decode(data []byte, declared string) (text, name string, err error) {
	if set := byMark(data); set.enc != nil {
		return decodeAs(data, set)
	}
	if set := byWidth(data); set.enc != nil {
		return decodeAs(data, set)
	}
	if utf8.Valid(data) {
		if _, name := charset.Lookup(declared); name == "utf-8" {
			return finish(string(data), "")
		}
		set, err := byEscape(data)
		if err != nil {
			return "", "", err
		}
		if set.enc != nil {
			return decodeAs(data, set)
		}
		return finish(string(data), "")
	}
	if set := byName(declared); set.enc != nil {
		if text, err := set.enc.NewDecoder().Bytes(data); err == nil && brokenAtMost(string(text), 10) {
			return finish(string(text), set.name)
		}
	}
	if mostlyUTF8(data) {
		return finish(string(data), "")
	}
	text, isMixed, hasUTF8 := mixed(data)
	if hasUTF8 {
		return finish(text, "")
	}
	fits := guess(data)
	for _, set := range declarations(data) {
		for _, c := range fits {
			if c.name != set.name {
				continue
			}
			if text, err := c.decode(data); err == nil && brokenAtMost(text, maxBroken) {
				return finish(text, c.name)
			}
		}
	}
	for _, c := range fits {
		if text, err := c.decode(data); err == nil && brokenAtMost(text, maxBroken) {
			return finish(text, c.name)
		}
	}
	if isMixed {
		return finish(text, "")
	}
	if isWestern(data) {
		return decodeAs(data, named{fallbackSet, charmap.Windows1252})
	}
	return "", "", ErrUnknown
}

// DecodePage decodes a web page like Decode. It reads the declared character set
// from the page.
func DecodePage(data []byte) (text, name string, err error) {
	_, declared, sure := charset.DetermineEncoding(data, "")
	if declared == "utf-8" && !sure && !bytes.Contains(bytes.ToLower(data[:min(len(data), 1024)]), []byte("utf-8")) {
		declared = "" // the result is a guess from the first bytes
	}
	isFallback := func(n named) bool { return n.name == fallbackSet }
	if declared == fallbackSet && (contradicts(data) || !slices.ContainsFunc(declarations(data), isFallback)) {
		declared = "" // also the result for unknown character sets
	}
	return Decode(data, declared)
}

// mixed decodes ASCII text in which the few other bytes do not fit any single
// character set, such as a log with several authors. It keeps valid UTF-8 and
// reads all other bytes as Windows-1252. isMixed is false for other texts.
// hasUTF8 reports whether most of the non-ASCII characters are UTF-8.
func mixed(data []byte) (text string, isMixed, hasUTF8 bool) {
	const rare = 200
	var b strings.Builder
	b.Grow(len(data))
	good, bad := 0, 0
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		switch {
		case r == utf8.RuneError && n == 1:
			r = charmap.Windows1252.DecodeByte(data[0])
			bad++
		case r >= utf8.RuneSelf:
			good++
		}
		b.WriteRune(r)
		data = data[n:]
	}
	isMixed = (good+bad)*rare <= b.Len()
	return b.String(), isMixed, isMixed && good > bad
}

// decodeAs decodes data in a known character set.
func decodeAs(data []byte, set named) (text, name string, err error) {
	out, err := set.enc.NewDecoder().Bytes(data)
	if err != nil {
		return "", "", ErrUnknown
	}
	return finish(string(out), set.name)
}

// byName returns the character set with a name. The encoding is nil if the name
// is unknown or means UTF-8.
func byName(declared string) named {
	if declared == "" {
		return named{}
	}
	enc, name := charset.Lookup(declared)
	if enc == encoding.Nop || name == "utf-8" || name == "replacement" {
		return named{}
	}
	return named{name, enc}
}

// finish cleans a decoded text. It fails if most of the text is replacement
// characters.
func finish(text, name string) (string, string, error) {
	text = strings.TrimPrefix(outline.Clean(text), "\uFEFF")
	if n := strings.Count(text, "\uFFFD"); n > 8 && n*10 > utf8.RuneCountInString(text) {
		return "", "", ErrUnknown
	}
	return text, name, nil
}

// brokenAtMost reports whether at most one of this many non-ASCII characters
// is broken.
func brokenAtMost(text string, one int) bool {
	high, broken := 0, 0
	for _, r := range text {
		switch {
		case r < utf8.RuneSelf:
			continue
		case r == utf8.RuneError, r < 0xa0:
			broken++
		}
		high++
	}
	return broken*one <= high
}

// mostlyUTF8 reports whether invalid UTF-8 is probably meant to be UTF-8. Valid
// multi-byte characters must outnumber broken bytes ten to one.
func mostlyUTF8(data []byte) bool {
	good, bad := 0, 0
	for len(data) > 0 {
		if data[0] < utf8.RuneSelf {
			data = data[1:]
			continue
		}
		r, n := utf8.DecodeRune(data)
		if r == utf8.RuneError && n == 1 {
			bad++
		} else {
			good++
		}
		data = data[n:]
	}
	return good > bad*10
}
