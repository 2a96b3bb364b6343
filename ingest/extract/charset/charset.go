// Package charset decodes text in whatever character set it is in.
package charset

import (
	"bytes"
	"strings"
	"unicode/utf8"

	htmlcharset "golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"docent/ingest/outline"
	"docent/internal/fault"
)

// ErrUnknown is that no character set fits.
var ErrUnknown = fault.New(fault.Invalid, "undecodable: it is not text in UTF-8, UTF-16 or Windows-1252")

// IsBinary reports whether a text's beginning cannot be text: it has NULs that
// UTF-16 and UTF-32 do not explain, or many control characters.
func IsBinary(head []byte) bool {
	if bytes.Contains(head[:min(len(head), 1024)], []byte("%PDF-1.")) || bytes.HasPrefix(head, []byte("%PDF-")) || bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		return true
	}
	if byMark(head) != nil || byZeros(head) != nil {
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

// byMark is the encoding that a byte order mark names, or nil.
func byMark(data []byte) encoding.Encoding {
	switch {
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		return unicode.UTF8BOM
	case bytes.HasPrefix(data, []byte("\xff\xfe\x00\x00")):
		return utf32.UTF32(utf32.LittleEndian, utf32.UseBOM)
	case bytes.HasPrefix(data, []byte("\x00\x00\xfe\xff")):
		return utf32.UTF32(utf32.BigEndian, utf32.UseBOM)
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	}
	return nil
}

// byZeros recognises UTF-16 without a mark by the zero halves of its ASCII
// characters.
func byZeros(data []byte) encoding.Encoding {
	n := min(len(data), 1024) &^ 1
	if n < 8 {
		return nil
	}
	var zeros [2]int
	for i, c := range data[:n] {
		if c == 0 {
			zeros[i&1]++
		}
	}
	switch {
	case zeros[1]*10 > n*3 && zeros[0] == 0:
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case zeros[0]*10 > n*3 && zeros[1] == 0:
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	}
	return nil
}

// Decode returns data as clean UTF-8. declared is the encoding the source
// names, "" if none; a mark wins over it, and valid UTF-8 over all but a mark.
func Decode(data []byte, declared string) (string, error) {
	enc := byMark(data)
	if enc == nil {
		if enc = byZeros(data); enc == nil && utf8.Valid(data) {
			return finish(string(data))
		}
	}
	if enc == nil && declared != "" {
		enc, _ = htmlcharset.Lookup(declared)
		if enc == encoding.Nop || declaredUTF8(declared) {
			enc = nil
		}
	}
	if enc == nil {
		if mostlyUTF8(data) {
			return finish(string(data))
		}
		if !isWindows1252(data) {
			return "", ErrUnknown
		}
		enc = charmap.Windows1252
	}
	text, err := enc.NewDecoder().Bytes(data)
	if err != nil {
		return "", ErrUnknown
	}
	return finish(string(text))
}

func declaredUTF8(name string) bool {
	return strings.EqualFold(name, "utf-8") || strings.EqualFold(name, "utf8")
}

// finish cleans a decoded text and refuses one that is mostly replacement
// characters.
func finish(text string) (string, error) {
	text = strings.TrimPrefix(outline.Clean(text), "\uFEFF")
	if n := strings.Count(text, "\uFFFD"); n > 8 && n*10 > utf8.RuneCountInString(text) {
		return "", ErrUnknown
	}
	return text, nil
}

// mostlyUTF8 reports whether a text that is not valid UTF-8 is meant to be: its
// good multi-byte characters outnumber its broken bytes tenfold.
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

// isWindows1252 reports whether a text may be in Windows-1252 (of which
// Latin-1 is a part): it uses no byte without a character, few control
// characters, and half of its bytes are ASCII.
func isWindows1252(data []byte) bool {
	high, controls := 0, 0
	for _, c := range data {
		switch {
		case c == 0x81 || c == 0x8d || c == 0x8f || c == 0x90 || c == 0x9d:
			return false
		case c >= utf8.RuneSelf:
			high++
		case c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f':
			controls++
		}
	}
	return high*2 <= len(data) && controls*50 <= len(data)
}
