package rtf

import (
	"cmp"
	"strings"

	"docent/ingest/extract/office/content"
)

// word handles a control word with its parameter.
func (r *reader) word(word string, n int, given bool) {
	if r.destination(word) {
		return
	}
	if s, ok := symbols[word]; ok {
		r.put(s)
		return
	}
	switch word {
	case "u":
		r.unicodeChar(n)
	case "uc":
		r.state.skipped = min(max(n, 0), 16)
	case "ansicpg":
		r.codePage = n
	case "mac":
		r.codePage = 10000
	case "pc":
		r.codePage = 437
	case "pca":
		r.codePage = 850
	case "upr": // the group has the text twice
		r.flush()
		r.state.outer, r.state.dest = r.state.dest, toNothing
	case "f", "fcharset", "cpg", "plain", "super", "sub", "nosupersub", "up", "dn", "v", "deleted", "strike", "striked":
		r.format(word, n, given)
	case "s", "outlinelevel", "pard":
		r.paragraph(word, n)
	default:
		if r.state.dest != toNothing && r.state.dest != toFonts && r.state.dest != toStyles {
			r.flushFor(word)
			r.text.word(r.b, r, word)
		}
	}
}

// flushFor ends the run before words that end a paragraph or cell.
func (r *reader) flushFor(word string) {
	switch word {
	case "par", "sect", "page", "cell", "row":
		r.skip = 0
		r.flush()
	}
}

// destination starts a group with another destination. It reports whether the
// word is one that does so.
func (r *reader) destination(word string) bool {
	unknown := r.ignore
	r.ignore = false
	if word == "ud" {
		r.flush()
		r.state.dest = r.state.outer
		return true
	}
	dest, ok := destinations[word]
	if !ok {
		if unknown {
			r.flush()
			r.state.dest = toNothing
		}
		return unknown
	}
	inBody := r.state.dest == toBody || r.state.dest == toNote
	switch {
	case dest == toTitle: // only inside the group with the document's metadata
		if r.state.dest != toNothing {
			return true
		}
	case word == "result" && r.state.dest == toNothing: // the visible result of an object
		dest = toBody
	case r.state.dest == toNothing, dest == toBody && !inBody:
		return true
	case dest == toBody:
		return true
	case dest == toMarker && r.state.dest != toBody:
		dest = toNothing
	}
	r.flush()
	r.state.dest = dest
	r.text.startDestination(dest)
	return true
}

// format handles words for characters.
func (r *reader) format(word string, n int, given bool) {
	r.flush()
	off := given && n == 0
	switch word {
	case "f":
		r.state.font = n
		if r.state.dest == toFonts {
			r.font = n
		}
	case "fcharset":
		if page, ok := charsetPages[n]; ok && r.state.dest == toFonts && len(r.fonts) < content.MaxStyles {
			r.fonts[r.font] = page
		}
	case "cpg":
		if r.state.dest == toFonts && len(r.fonts) < content.MaxStyles {
			r.fonts[r.font] = n
		}
	case "plain":
		r.state.script, r.state.hidden, r.state.struck = 0, false, false
	case "super":
		r.state.script = map[bool]int{true: 0, false: 1}[off]
	case "sub":
		r.state.script = map[bool]int{true: 0, false: -1}[off]
	case "nosupersub":
		r.state.script = 0
	case "up":
		r.state.script = min(n, 1)
	case "dn":
		r.state.script = max(-n, -1)
	case "strike", "striked":
		r.state.struck = !off
	case "v", "deleted":
		r.state.hidden = !off
	}
}

// paragraph handles words for paragraphs, in the text and in styles.
func (r *reader) paragraph(word string, n int) {
	if r.state.dest == toStyles {
		switch word {
		case "s":
			r.styleID = n
		case "outlinelevel":
			if n >= 0 && n < 9 {
				r.style.level = n + 1
			}
		}
		return
	}
	if r.state.dest != toBody {
		return
	}
	p := &r.text.para
	switch word {
	case "s":
		s := r.styles[n]
		p.level, p.title, p.toc = s.level, s.title, s.toc
	case "outlinelevel":
		if n >= 0 && n < 9 {
			p.level = n + 1
		}
	case "pard":
		p.level, p.title, p.toc, p.inTable = 0, false, false, false
	}
}

// endStyle stores the style at the end of its group.
func (r *reader) endStyle() {
	name := strings.ToLower(strings.TrimSuffix(strings.TrimSpace(r.name.String()), ";"))
	r.name.Reset()
	level, title, toc := content.StyleName(strings.Split(name, ";")[0])
	toc = toc || strings.HasPrefix(name, "contents ") && name != "contents heading"
	found := style{level: cmp.Or(level, r.style.level), title: title, toc: toc}
	if len(r.styles) < content.MaxStyles {
		r.styles[r.styleID] = found
	}
	r.style, r.styleID = style{}, 0
}
