package charset

import (
	"bytes"
	"encoding/binary"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	encodingunicode "golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// named is an encoding with its name.
type named struct {
	name string
	enc  encoding.Encoding
}

var (
	utf16le = named{"utf-16le", encodingunicode.UTF16(encodingunicode.LittleEndian, encodingunicode.IgnoreBOM)}
	utf16be = named{"utf-16be", encodingunicode.UTF16(encodingunicode.BigEndian, encodingunicode.IgnoreBOM)}
	utf32le = named{"utf-32le", utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)}
	utf32be = named{"utf-32be", utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)}
)

// byMark returns the encoding that a byte order mark names. The encoding is nil
// without a mark.
func byMark(data []byte) named {
	switch {
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		return named{"", encodingunicode.UTF8BOM}
	case bytes.HasPrefix(data, []byte("\xff\xfe\x00\x00")):
		return utf32le
	case bytes.HasPrefix(data, []byte("\x00\x00\xfe\xff")):
		return utf32be
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
		return utf16le
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		return utf16be
	}
	return named{}
}

// wideLen is the number of bytes that are searched for UTF-16 and UTF-32.
const wideLen = 2048

// byWidth recognizes UTF-16 and UTF-32 without a byte order mark. It looks for
// the zero bytes of ASCII characters. Without them, it looks for characters
// that make sense in only one byte order.
func byWidth(data []byte) named {
	n := min(len(data), wideLen) &^ 3
	if n < 8 {
		return named{}
	}
	var zeros [4]int
	for i, c := range data[:n] {
		if c == 0 {
			zeros[i&3]++
		}
	}
	quarter := n / 4
	switch {
	case zeros[3] == quarter && zeros[2]*10 >= quarter*9 && zeros[0]*4 <= quarter:
		return utf32le
	case zeros[0] == quarter && zeros[1]*10 >= quarter*9 && zeros[3]*4 <= quarter:
		return utf32be
	}
	if utf8.Valid(data[:n]) && zeros == [4]int{} || n < 12 {
		return named{}
	}
	little, big := sense(data[:n], binary.LittleEndian), sense(data[:n], binary.BigEndian)
	even, odd := zeros[0]+zeros[2], zeros[1]+zeros[3]
	switch {
	case odd*10 > n*3 && even*10 <= odd && little >= 0:
		return utf16le
	case even*10 > n*3 && odd*10 <= even && big >= 0:
		return utf16be
	}
	const needed = .8
	switch {
	case little > needed && little > big+.3:
		return utf16le
	case big > needed && big > little+.3:
		return utf16be
	}
	return named{}
}

// widely are the languages whose letters distinguish UTF-16 from other data.
var widely = []string{"zh", "zh-hant", "ja", "ko", "ru", "uk", "bg", "el", "he", "ar", "fa", "th"}

// sense decodes a text as UTF-16 and returns the largest fraction of its
// characters that one non-Latin language commonly uses. It returns -1 if the
// data cannot be text.
func sense(data []byte, order binary.ByteOrder) float64 {
	known := map[string]int{}
	all, plain := 0, 0
	for i := 0; i+1 < len(data); i += 2 {
		r := rune(order.Uint16(data[i:]))
		switch {
		case utf16.IsSurrogate(r):
			if i+3 >= len(data) {
				continue
			}
			if r = utf16.DecodeRune(r, rune(order.Uint16(data[i+2:]))); r == utf8.RuneError {
				return -1
			}
			i += 2
		case r < ' ' && r != '\t' && r != '\n' && r != '\r' && r != '\f', r == 0xfffe, r == 0xffff:
			return -1
		case r >= 0x3000 && r < 0x3040, r >= 0xff01 && r < 0xffa0, r >= 0x2010 && r < 0x2040, r < 0x100:
			plain++
		}
		all++
		r = unicode.ToLower(r)
		for _, language := range widely {
			if _, ok := readModels()[language].letters[r]; ok {
				known[language]++
			}
		}
	}
	best := 0
	for _, n := range known {
		best = max(best, n)
	}
	if best*5 < all {
		return 0
	}
	return float64(best+plain) / float64(max(all, 1))
}
