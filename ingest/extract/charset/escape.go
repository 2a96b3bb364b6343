package charset

import (
	"bytes"
	"encoding/base64"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"

	"docent/internal/fault"
)

var (
	errUTF7 = fault.New(fault.Invalid, "charset_utf7", "undecodable: the character set is UTF-7; save the document as UTF-8 and add it again")
	errKR   = fault.New(fault.Invalid, "charset_iso_2022_kr", "undecodable: the character set is ISO-2022-KR; save the document as UTF-8 and add it again")
)

// byEscape recognizes character sets that encode text in ASCII bytes. It
// returns none for plain ASCII and UTF-8.
func byEscape(data []byte) (named, error) {
	if bytes.IndexByte(data, 0x1b) >= 0 {
		for _, mark := range []string{"\x1b$B", "\x1b$@", "\x1b(J", "\x1b(I"} {
			if bytes.Contains(data, []byte(mark)) {
				return named{"iso-2022-jp", japanese.ISO2022JP}, nil
			}
		}
		if bytes.Contains(data, []byte("\x1b$)C")) {
			return named{}, errKR
		}
	}
	if isHZ(data) {
		return named{"hz-gb-2312", simplifiedchinese.HZGB2312}, nil
	}
	if isUTF7(data) {
		return named{}, errUTF7
	}
	return named{}, nil
}

// escapeLen is the number of bytes that are searched for escapes.
const escapeLen = 64 << 10

// isHZ reports whether a text is in HZ. Each "~{" must open common Chinese
// characters that a "~}" closes.
func isHZ(data []byte) bool {
	text := data[:min(len(data), escapeLen)]
	usual, all := 0, 0
	for {
		_, rest, ok := bytes.Cut(text, []byte("~{"))
		if !ok {
			break
		}
		var raised []byte
		for len(rest) > 1 && rest[0] != '\n' && rest[0] != '~' {
			if rest[0] < 0x21 || rest[0] > 0x7d || rest[1] < 0x21 || rest[1] > 0x7e {
				return false
			}
			raised = append(raised, rest[0]|0x80, rest[1]|0x80)
			rest = rest[2:]
		}
		out, err := simplifiedchinese.GBK.NewDecoder().Bytes(raised)
		if err != nil {
			return false
		}
		for _, r := range string(out) {
			all++
			if _, ok := readModels()["zh"].letters[r]; ok || r >= 0x3000 && r < 0x3040 || r >= 0xff00 {
				usual++
			}
		}
		text = rest
	}
	return all > 1 && usual*4 > all*3
}

// isUTF7 reports whether a text is in UTF-7. Each "+" must open base64 of
// non-ASCII letters, and there must be at least two. Words in small letters, such
// as in "+ssh-rsa", do not count.
func isUTF7(data []byte) bool {
	text := data[:min(len(data), escapeLen)]
	found := 0
	for {
		_, rest, ok := bytes.Cut(text, []byte("+"))
		if !ok {
			return found > 1
		}
		if bytes.HasPrefix(rest, []byte("-")) {
			text = rest[1:]
			continue
		}
		end := bytes.IndexFunc(rest, func(r rune) bool {
			return r >= utf8.RuneSelf || !strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", r)
		})
		if end < 0 {
			return found > 1 && len(text) == escapeLen
		}
		if !isModified(rest[:end]) {
			return false
		}
		if bytes.ContainsFunc(rest[:end], func(r rune) bool { return r < 'a' }) {
			found++
		}
		text = rest[end:]
	}
}

// isModified reports whether a base64 string decodes to common non-ASCII
// letters and signs in UTF-16.
func isModified(run []byte) bool {
	out, err := base64.RawStdEncoding.DecodeString(string(run))
	if err != nil || len(out) < 2 || len(out)%2 != 0 {
		return false
	}
	units := make([]uint16, len(out)/2)
	for i := range units {
		units[i] = uint16(out[2*i])<<8 | uint16(out[2*i+1])
	}
	for _, r := range utf16.Decode(units) {
		if r < utf8.RuneSelf || !isUsual(unicode.ToLower(r)) {
			return false
		}
	}
	return true
}

// isUsual reports whether a character is a letter of a known language or a
// common sign.
func isUsual(r rune) bool {
	for _, m := range readModels() {
		if _, ok := m.letters[r]; ok {
			return true
		}
	}
	return symbolCost(r) <= 6*costScale
}
