// Package rtf reads Rich Text Format.
package rtf

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"unicode/utf16"

	"docent/ingest/extract/office/content"
	"docent/ingest/outline"
	"docent/internal/fault"
)

// Signature begins a document in Rich Text Format.
const Signature = `{\rtf`

// maxGroups bounds the nesting of groups.
const maxGroups = 2000

// Read reads Rich Text Format: paragraphs, headings by their styles, lists,
// tables, and notes, in the character sets of the fonts. It omits pictures,
// embedded files, comments, and deleted text.
func Read(ctx context.Context, _ string, data []byte) (*outline.Document, error) {
	r := &reader{
		data: data, b: outline.NewBuilder(len(data) / 4), codePage: 1252,
		fonts: map[int]int{}, names: map[int]string{}, styles: map[int]style{}, text: newBody(),
	}
	r.state = state{font: -1, skipped: 1}
	if err := r.read(ctx); err != nil {
		return nil, err
	}
	doc := r.b.Document(cmp.Or(content.OwnTitle(strings.TrimSpace(r.docTitle.String())), r.text.title))
	return doc.WithoutStruck(), nil
}

// destination is the place to which the text of a group goes.
type destination uint8

const (
	toBody destination = iota
	toNothing
	toFonts
	toStyles
	toTitle
	toNote
	toMarker // the mark or number of a list item
	toHeader
	toFooter
)

// state is the part of the state that a group inherits from its parent.
type state struct {
	dest    destination
	outer   destination // destination of a group with two versions of its text
	font    int
	script  int
	hidden  bool
	struck  bool
	skipped int // number of fallback bytes after a Unicode character
}

// reader is the state of reading a document.
type reader struct {
	data []byte
	at   int
	b    *outline.Builder

	state  state
	groups []state
	ignore bool // the next destination may be unknown
	skip   int  // number of fallback characters to skip

	codePage int
	fonts    map[int]int    // code pages of the fonts
	names    map[int]string // names of the fonts
	font     int            // the font that is being defined
	styles   map[int]style
	style    style // the style that is being defined
	styleID  int

	bytes    []byte // bytes of the current run that have not been decoded
	high     rune   // first half of a surrogate pair
	run      strings.Builder
	name     strings.Builder // name of the style
	docTitle strings.Builder
	text     *body
}

// style has the properties that a style gives to its paragraphs.
type style struct {
	level int
	title bool
	toc   bool
}

// read reads the whole document.
func (r *reader) read(ctx context.Context) error {
	for n := 0; r.at < len(r.data); n++ {
		if n%8192 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		c := r.data[r.at]
		r.at++
		switch c {
		case '{':
			r.flush()
			if len(r.groups) >= maxGroups {
				return fault.New(fault.Invalid, "nested_too_deeply", "damaged: it is nested too deeply")
			}
			r.groups = append(r.groups, r.state)
			r.skip = 0
		case '}':
			if r.endGroup(); len(r.groups) == 0 {
				r.at = len(r.data) // text after the document is ignored
			}
		case '\\':
			r.control()
		case '\r', '\n', 0:
		default:
			r.char(c)
		}
	}
	for len(r.groups) > 0 {
		r.endGroup()
	}
	r.flush()
	r.text.finish(r.b)
	return nil
}

// endGroup closes a group.
func (r *reader) endGroup() {
	r.flush()
	r.skip = 0
	n := len(r.groups)
	if n == 0 {
		return
	}
	inner, outer := r.state, r.groups[n-1]
	r.groups, r.state = r.groups[:n-1], outer
	r.ignore = false
	if inner.dest == outer.dest {
		if inner.dest == toStyles {
			r.endStyle()
		}
		return
	}
	r.text.endDestination(r.b, inner.dest)
}

// char handles a byte of text.
func (r *reader) char(c byte) {
	if r.skip > 0 {
		r.skip--
		return
	}
	if r.state.dest != toNothing && !r.state.hidden {
		r.bytes = append(r.bytes, c)
	}
}

// flush decodes the current run and sends it to its destination.
func (r *reader) flush() {
	r.decode()
	if r.run.Len() == 0 {
		return
	}
	text := r.run.String()
	r.run.Reset()
	switch r.state.dest {
	case toNothing:
	case toFonts:
		if name := r.names[r.font] + text; len(name) < maxFontName && len(r.names) < content.MaxStyles {
			r.names[r.font] = name
		}
	case toStyles:
		r.name.WriteString(text)
	case toTitle:
		if r.docTitle.Len() < 1<<10 {
			r.docTitle.WriteString(text)
		}
	default:
		text = content.Scripted(content.SymbolRun(r.fontName(), text), r.state.script)
		if r.state.struck {
			text = outline.Struck(text)
		}
		r.text.write(r.state.dest, text)
	}
}

// maxFontName bounds the name of a font, in bytes.
const maxFontName = 200

// fontName returns the name of the current font.
func (r *reader) fontName() string {
	name, _, _ := strings.Cut(r.names[r.state.font], ";")
	return strings.TrimSpace(name)
}

// decode decodes the pending bytes and adds them to the run.
func (r *reader) decode() {
	if len(r.bytes) == 0 {
		return
	}
	page := r.codePage
	if p, ok := r.fonts[r.state.font]; ok && p != 0 {
		page = p
	}
	r.run.WriteString(decodePage(page, r.bytes))
	r.bytes = r.bytes[:0]
	r.high = 0
}

// control reads a control word or symbol after a backslash.
func (r *reader) control() {
	if r.at >= len(r.data) {
		return
	}
	c := r.data[r.at]
	if c|0x20 < 'a' || c|0x20 > 'z' {
		r.at++
		r.symbol(c)
		return
	}
	start := r.at
	for r.at < len(r.data) && r.at-start < 32 && r.data[r.at]|0x20 >= 'a' && r.data[r.at]|0x20 <= 'z' {
		r.at++
	}
	word := string(r.data[start:r.at])
	start = r.at
	if r.at < len(r.data) && r.data[r.at] == '-' {
		r.at++
	}
	for r.at < len(r.data) && r.at-start < 11 && r.data[r.at] >= '0' && r.data[r.at] <= '9' {
		r.at++
	}
	n, err := strconv.Atoi(string(r.data[start:r.at]))
	given := err == nil
	if r.at < len(r.data) && r.data[r.at] == ' ' {
		r.at++
	}
	if word == "bin" {
		if given && n > 0 {
			r.at += min(n, len(r.data)-r.at)
		}
		return
	}
	r.word(word, n, given)
}

// symbol reads a control symbol.
func (r *reader) symbol(c byte) {
	switch c {
	case '\'':
		if r.at+2 <= len(r.data) {
			if n, err := strconv.ParseUint(string(r.data[r.at:r.at+2]), 16, 8); err == nil {
				r.at += 2
				r.char(byte(n))
			}
		}
	case '{', '}', '\\':
		r.char(c)
	case '~':
		r.put("\u00a0")
	case '_':
		r.put("-")
	case '*':
		r.ignore = true
	case '\r', '\n':
		r.word("par", 0, false)
	}
}

// put adds text that is already decoded.
func (r *reader) put(s string) {
	if r.skip > 0 {
		r.skip--
		return
	}
	if r.state.dest != toNothing && !r.state.hidden {
		r.decode()
		r.run.WriteString(s)
	}
}

// unicodeChar adds a Unicode character. The fallback characters after it are
// skipped.
func (r *reader) unicodeChar(n int) {
	r.skip = 0
	c := rune(uint16(n)) //nolint:gosec // negative numbers mean the upper half
	if n > 0xffff {
		c = rune(min(n, 0x10ffff)) //nolint:gosec // bounded
	}
	switch {
	case utf16.IsSurrogate(c) && c < 0xdc00:
		r.decode()
		r.high = c
	case utf16.IsSurrogate(c):
		high := r.high
		if pair := utf16.DecodeRune(high, c); high != 0 {
			r.put(string(pair))
		}
		r.high = 0
	case c >= 0xf020 && c <= 0xf0ff: // a letter of a symbol font
		if s, ok := content.Symbol(r.fontName(), c); ok {
			r.put(s)
		} else {
			r.put(content.SymbolText(byte(c - 0xf000)))
		}
	case c != 0:
		r.put(string(c))
	}
	r.skip = r.state.skipped
}

// symbols maps control words to text.
var symbols = map[string]string{
	"line": "\n", "tab": " ", "emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "bullet": "•",
	"emspace": " ", "enspace": " ", "qmspace": " ", "nestcell": " ", "nestrow": "\n", "softline": "\n", "lbr": "\n",
}

// destinations maps control words to the destination of their group.
var destinations = map[string]destination{
	"fonttbl": toFonts, "stylesheet": toStyles, "title": toTitle, "footnote": toNote, "listtext": toMarker, "pntext": toMarker,
	"header": toHeader, "headerl": toHeader, "headerr": toHeader, "headerf": toHeader,
	"footer": toFooter, "footerl": toFooter, "footerr": toFooter, "footerf": toFooter,
	"info": toNothing, "pict": toNothing, "object": toNothing, "colortbl": toNothing, "fldinst": toNothing, "nonshppict": toNothing,
	"shppict": toNothing, "listtable": toNothing, "listoverridetable": toNothing, "revtbl": toNothing, "ftnsep": toNothing,
	"ftnsepc": toNothing,
	"aftnsep": toNothing, "aftnsepc": toNothing, "annotation": toNothing, "atnid": toNothing, "atnauthor": toNothing, "xe": toNothing,
	"tc": toNothing,
	"sp": toNothing, "template": toNothing, "fchars": toNothing, "lchars": toNothing, "nonesttables": toNothing, "nesttableprops": toNothing,
	"shptxt": toBody, "result": toBody, "fldrslt": toBody, "shpinst": toBody, "txfieldtext": toBody,
}
