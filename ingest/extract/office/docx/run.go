package docx

import (
	"encoding/xml"

	"docent/ingest/extract/office/content"
	"docent/ingest/extract/zipxml"
)

// run has the properties of the current run of text.
type run struct {
	script int    // above 0 is raised, below 0 is lowered
	hidden bool   // it is not shown
	struck bool   // it is struck out
	font   string // "" for the font of the paragraph
}

// struck counts struck-out text. Such text is left out, because a document states the rest.
// If most of a document is struck out, that is its point, and the text is marked.
type struck struct {
	mark      bool
	out, kept int // bytes
}

// dominates reports whether most of the text is struck out.
func (s struck) dominates() bool { return s.out > s.kept }

// runProperty applies a property of the run.
func (w *word) runProperty(e xml.StartElement) {
	switch {
	case e.Name.Local == "vanish":
		w.run.hidden = isOn(e)
	case e.Name.Local == "strike", e.Name.Local == "dstrike":
		w.run.struck = isOn(e)
	case e.Name.Local == "rStyle":
		w.run.struck = w.run.struck || w.styles[zipxml.Attr(e, "val")].struck
	case e.Name.Local == "rFonts":
		w.run.font = zipxml.Attr(e, "ascii")
	case zipxml.Attr(e, "val") == "superscript":
		w.run.script = 1
	case zipxml.Attr(e, "val") == "subscript":
		w.run.script = -1
	}
}

// writeRun adds text of the run.
func (w *word) writeRun(text string) {
	if w.run.hidden || w.box.replace(w) {
		return
	}
	if !w.run.struck {
		w.struck.kept += len(text)
		w.write(content.Scripted(content.SymbolRun(w.run.font, text), w.run.script))
		return
	}
	w.struck.out += len(text)
	if w.struck.mark {
		w.write("~~" + text + "~~")
	}
}

// writeSymbol adds a character of a symbol font.
func (w *word) writeSymbol(font string, r rune) {
	if w.run.hidden || w.run.struck || w.box.replace(w) {
		return
	}
	text, ok := content.Symbol(font, r)
	switch {
	case ok:
	case r >= 0xf000 && r <= 0xf0ff:
		text = content.SymbolText(byte(r - 0xf000))
	case r > 0xff:
		text = string(r)
	default:
		text = content.SymbolText(byte(r))
	}
	w.write(text)
}
