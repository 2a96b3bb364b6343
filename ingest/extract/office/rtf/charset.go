package rtf

import (
	"strings"

	"docent/ingest/extract/office/content"
	htmlcharset "golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

// charsetPages maps the character sets of Windows fonts to code pages. 0 is the
// code page of the document.
var charsetPages = map[int]int{
	0: 1252, 1: 0, 2: symbolPage, 77: 10000, 78: 932, 79: 949, 80: 936, 81: 950, 83: 1255,
	84: 1256, 85: 1253, 86: 1254, 87: 874, 88: 1250, 89: 1251,
	128: 932, 129: 949, 130: 1361, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258,
	177: 1255, 178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250,
	254: 437, 255: 850,
}

// symbolPage marks fonts whose characters are signs.
const symbolPage = 42

// pageNames maps code pages to names of encodings in HTML.
var pageNames = map[int]string{
	874: "windows-874", 932: "shift_jis", 936: "gbk", 949: "euc-kr", 950: "big5", 1361: "euc-kr",
	1250: "windows-1250", 1251: "windows-1251", 1252: "windows-1252", 1253: "windows-1253", 1254: "windows-1254", 1255: "windows-1255",
	1256: "windows-1256", 1257: "windows-1257", 1258: "windows-1258", 866: "ibm866", 10000: "macintosh", 10007: "x-mac-cyrillic",
	65001: "utf-8",
	20866: "koi8-r", 28592: "iso-8859-2", 28605: "iso-8859-15",
}

// dosPages are the DOS code pages.
var dosPages = map[int]encoding.Encoding{
	437: charmap.CodePage437, 850: charmap.CodePage850, 852: charmap.CodePage852, 855: charmap.CodePage855, 858: charmap.CodePage858,
	860: charmap.CodePage860, 862: charmap.CodePage862, 863: charmap.CodePage863, 865: charmap.CodePage865,
}

// decodePage decodes text in a code page. It reads unknown code pages as
// Windows-1252.
func decodePage(page int, data []byte) string {
	if page == symbolPage {
		var b strings.Builder
		for _, c := range data {
			b.WriteString(content.SymbolText(c))
		}
		return b.String()
	}
	ascii := true
	for _, c := range data {
		ascii = ascii && c < 0x80
	}
	if ascii {
		return string(data)
	}
	enc := dosPages[page]
	if name := pageNames[page]; name != "" {
		enc, _ = htmlcharset.Lookup(name)
	}
	if enc == nil {
		enc = charmap.Windows1252
	}
	out, err := enc.NewDecoder().Bytes(data)
	if err != nil {
		return strings.ToValidUTF8(string(data), "\uFFFD")
	}
	return string(out)
}
