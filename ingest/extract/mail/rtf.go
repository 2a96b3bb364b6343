package mail

import (
	"context"
	"encoding/binary"
	"html"
	"strconv"
	"strings"

	"docent/ingest/extract/plain"
	"docent/ingest/outline"
	"docent/internal/fault"
)

// rtfDictionary is the initial content of the window of compressed RTF.
const rtfDictionary = "{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"

const (
	rtfCompressed = 0x75465a4c // "LZFu"
	rtfPlain      = 0x414c454d // "MELA"
	rtfWindow     = 4096
	// maxRTF bounds the unpacked text.
	maxRTF = 64 << 20
	// maxGroups bounds the nesting of groups.
	maxGroups = 1000
)

var errRTF = fault.New(fault.Invalid, "mail_text_damaged", "damaged: its text cannot be unpacked")

// decompressRTF unpacks the RTF text of a message (MS-OXRTFCP).
func decompressRTF(data []byte) ([]byte, error) {
	if len(data) < 16 {
		return nil, errRTF
	}
	size := min(int64(binary.LittleEndian.Uint32(data[4:])), maxRTF)
	kind, data := binary.LittleEndian.Uint32(data[8:]), data[16:]
	switch kind {
	case rtfPlain:
		return data[:min(int64(len(data)), size)], nil
	case rtfCompressed:
	default:
		return nil, errRTF
	}
	var window [rtfWindow]byte
	at := copy(window[:], rtfDictionary)
	out := make([]byte, 0, min(size, int64(len(data))*4))
	put := func(c byte) {
		out = append(out, c)
		window[at] = c
		at = (at + 1) % rtfWindow
	}
	for len(data) > 0 {
		control := data[0]
		data = data[1:]
		for bit := range 8 {
			if len(data) == 0 || int64(len(out)) >= size {
				return out, nil
			}
			if control>>bit&1 == 0 {
				put(data[0])
				data = data[1:]
				continue
			}
			if len(data) < 2 {
				return out, nil
			}
			ref := binary.BigEndian.Uint16(data)
			data = data[2:]
			from, n := int(ref>>4), int(ref&0xf)+2
			if from == at {
				return out, nil
			}
			for range n {
				put(window[from])
				from = (from + 1) % rtfWindow
			}
		}
	}
	return out, nil
}

// readRTF reads the RTF text of a message. If Outlook converted the text from
// HTML, readRTF returns the HTML.
func readRTF(ctx context.Context, data []byte, label string) *outline.Document {
	r := &rtfText{data: data, label: label, page: strings.Contains(string(data[:min(len(data), 400)]), "\\fromhtml")}
	text := r.read()
	if r.page {
		if doc, err := readPage(ctx, []byte(text)); err == nil {
			return doc
		}
		return nil
	}
	return plain.Text("", text)
}

// rtfDestinations are groups that contain no text.
var rtfDestinations = map[string]bool{
	"fonttbl": true, "colortbl": true, "stylesheet": true, "info": true, "pict": true, "object": true, "header": true, "footer": true,
	"generator": true, "listtable": true,
	"listoverridetable": true, "themedata": true, "datastore": true, "filetbl": true, "revtbl": true, "xmlnstbl": true, "fldinst": true,
	"pntext": true,
}

// rtfGroup is the state of a group.
type rtfGroup struct {
	skip bool // its text is omitted
	tag  bool // its text is HTML
	uc   int  // number of fallback characters after a Unicode character
}

// rtfText extracts the text of RTF.
type rtfText struct {
	data   []byte
	label  string
	page   bool // the RTF contains HTML
	out    strings.Builder
	raw    []byte // 8-bit text that has not been decoded
	groups []rtfGroup
	group  rtfGroup
	omit   bool // text that only RTF readers show
	high   rune // the first half of a surrogate pair
	drop   int  // number of fallback characters to skip
	star   bool // readers that do not know the group may skip it
}

// read returns the extracted text.
func (r *rtfText) read() string {
	r.group.uc = 1
	for i := 0; i < len(r.data); {
		switch c := r.data[i]; c {
		case '{':
			r.flush()
			if len(r.groups) < maxGroups {
				r.groups = append(r.groups, r.group)
			}
			r.drop, r.star = 0, false
			i++
		case '}':
			r.flush()
			if n := len(r.groups); n > 0 {
				r.group, r.groups = r.groups[n-1], r.groups[:n-1]
			}
			r.drop = 0
			i++
		case '\\':
			i = r.control(i + 1)
		case '\r', '\n':
			i++
		default:
			r.char(c)
			i++
		}
	}
	r.flush()
	return r.out.String()
}

// char adds one byte of text.
func (r *rtfText) char(c byte) {
	if r.drop > 0 {
		r.drop--
		return
	}
	if !r.group.skip && !r.omit {
		r.raw = append(r.raw, c)
	}
}

// flush decodes the 8-bit text.
func (r *rtfText) flush() {
	if len(r.raw) > 0 {
		r.write(decodeText(r.raw, r.label))
		r.raw = r.raw[:0]
	}
}

// write adds text. In a page it escapes the text as HTML.
func (r *rtfText) write(s string) {
	if r.page && !r.group.tag {
		s = html.EscapeString(s)
	}
	r.out.WriteString(s)
}

// control reads a control word or symbol at i and returns the position after
// it.
func (r *rtfText) control(i int) int {
	if i >= len(r.data) {
		return i
	}
	start := i
	for i < len(r.data) && (r.data[i]|0x20 >= 'a' && r.data[i]|0x20 <= 'z') && i-start < 32 {
		i++
	}
	if i == start {
		return r.symbol(i)
	}
	word := string(r.data[start:i])
	start = i
	if i < len(r.data) && r.data[i] == '-' {
		i++
	}
	for i < len(r.data) && r.data[i] >= '0' && r.data[i] <= '9' && i-start < 11 {
		i++
	}
	n, err := strconv.Atoi(string(r.data[start:i]))
	if i < len(r.data) && r.data[i] == ' ' {
		i++
	}
	if word == "bin" && err == nil && n > 0 {
		return min(len(r.data), i+n)
	}
	r.word(word, n, err == nil)
	return i
}

// symbol reads a control symbol at i.
func (r *rtfText) symbol(i int) int {
	switch c := r.data[i]; c {
	case '\'':
		if i+2 < len(r.data) {
			if hi, lo := unhex(r.data[i+1]), unhex(r.data[i+2]); hi >= 0 && lo >= 0 {
				r.char(byte(hi<<4 | lo))
				return i + 3
			}
		}
	case '*':
		r.star = true
	case '~':
		r.char(' ')
	case '_':
		r.char('-')
	case '\r', '\n':
		r.breaks("\n")
	case '\\', '{', '}':
		r.char(c)
	}
	return i + 1
}

// breaks adds a line break, except in a page, where it has no meaning.
func (r *rtfText) breaks(s string) {
	if !r.group.skip && !r.omit {
		r.flush()
		r.out.WriteString(s)
	}
}

// word applies a control word.
func (r *rtfText) word(word string, n int, hasNumber bool) {
	star := r.star
	r.star = false
	switch word {
	case "par", "sect", "page":
		r.breaks("\n")
		if !r.page && word != "par" {
			r.breaks("\n")
		}
	case "line", "row":
		r.breaks("\n")
	case "tab", "cell":
		r.breaks("\t")
	case "u":
		r.unicode(n)
	case "uc":
		r.group.uc = max(0, min(n, 8))
	case "ansicpg":
		if l := codePage(uint32(max(n, 0))); l != "" {
			r.label = l
		}
	case "htmlrtf":
		r.flush()
		r.omit = r.page && (!hasNumber || n != 0)
	case "htmltag":
		r.flush()
		r.group.tag, r.group.skip = true, !r.page
	case "mhtmltag":
		r.group.skip = true
	case "emdash", "endash":
		r.char('-')
	case "bullet":
		r.char('*')
	case "lquote", "rquote":
		r.char('\'')
	case "ldblquote", "rdblquote":
		r.char('"')
	default:
		if rtfDestinations[word] || star {
			r.flush()
			r.group.skip = true
		}
	}
}

// unicode adds a Unicode character or half of a surrogate pair.
func (r *rtfText) unicode(n int) {
	c := rune(uint16(n))
	r.drop = r.group.uc
	if r.group.skip || r.omit {
		return
	}
	r.flush()
	switch {
	case c >= 0xd800 && c < 0xdc00:
		r.high = c
	case c >= 0xdc00 && c < 0xe000:
		if r.high != 0 {
			r.write(string(((r.high-0xd800)<<10 | (c - 0xdc00)) + 0x10000))
		}
		r.high = 0
	default:
		r.write(string(c))
	}
}
