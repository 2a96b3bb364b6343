package docx

import (
	"encoding/xml"
	"strconv"
	"strings"

	"docent/ingest/extract/office/content"
	"docent/ingest/extract/zipxml"
)

// field is an open link or field of a paragraph.
type field struct {
	kind    string // name of the element
	code    string
	address string
	start   int // length of the paragraph's text at the start of the shown text
}

const (
	// maxFields bounds the open fields.
	maxFields = 64
	// maxCode bounds the code of a field, in bytes.
	maxCode = 4 << 10
)

// box is the state of a check box or drop-down list in a form.
type box struct {
	in      bool // inside a check box
	ticked  bool
	entries []string
	chosen  int
	control string // sign that replaces the text of a content control
	written bool
	depth   int // number of open contents of controls inside the check box
}

// replace reports whether the sign of a check box replaces the text of its control. It
// writes the sign once.
func (b *box) replace(w *word) bool {
	if b.depth == 0 {
		return false
	}
	if !b.written {
		w.write(b.control)
		b.written = true
	}
	return true
}

// length returns the length of the innermost paragraph's text.
func (w *word) length() int {
	if n := len(w.open); n > 0 {
		return w.open[n-1].text.Len()
	}
	return 0
}

// startField opens an element of a link, field, or form.
func (w *word) startField(e xml.StartElement) {
	switch e.Name.Local {
	case "hyperlink":
		w.openField(field{kind: "hyperlink", address: w.links[zipxml.AttrIn(e, "r", "id")], start: w.length()})
	case "fldSimple":
		w.openField(field{kind: "fldSimple", address: linkOf(zipxml.Attr(e, "instr")), start: w.length()})
	case "fldChar":
		w.fieldMark(zipxml.Attr(e, "fldCharType"))
	case "checkBox":
		w.box.in, w.box.ticked = true, false
	case "default", "checked":
		if w.box.in {
			w.box.ticked = isOn(e)
		}
	case "result":
		w.box.chosen, _ = strconv.Atoi(zipxml.Attr(e, "val"))
	case "listEntry":
		if len(w.box.entries) < content.MaxRunning {
			w.box.entries = append(w.box.entries, zipxml.Attr(e, "val"))
		}
	case "sdtContent":
		if w.box.control != "" || w.box.depth > 0 {
			w.box.depth++
		}
	}
}

// startControl notes the state of a check box that is a content control.
func (w *word) startControl(e xml.StartElement) {
	switch e.Name.Local {
	case "checkbox":
		w.box.control, w.box.written = content.Empty, false
	case "checked":
		if w.box.control != "" {
			w.box.control = content.Box(isOn(e))
		}
	}
}

func (w *word) openField(f field) {
	if len(w.fields) < maxFields {
		w.fields = append(w.fields, f)
	}
}

// fieldMark handles the begin, the separator, and the end of a field.
func (w *word) fieldMark(kind string) {
	n := len(w.fields)
	switch kind {
	case "begin":
		w.openField(field{kind: "fldChar", start: w.length()})
	case "separate":
		if n > 0 && w.fields[n-1].kind == "fldChar" {
			w.fields[n-1].start = w.length()
			w.fields[n-1].address = linkOf(w.fields[n-1].code)
		}
	case "end":
		w.closeField("fldChar")
	}
}

// fieldCode adds to the code of the innermost field.
func (w *word) fieldCode(code string) {
	if n := len(w.fields); n > 0 && len(w.fields[n-1].code)+len(code) <= maxCode {
		w.fields[n-1].code += code
	}
}

// closeField closes the innermost field and writes the address of a link after its text.
func (w *word) closeField(kind string) {
	n := len(w.fields)
	if n == 0 || w.fields[n-1].kind != kind {
		return
	}
	f := w.fields[n-1]
	w.fields = w.fields[:n-1]
	if f.address == "" || len(w.open) == 0 || f.start > w.length() {
		return
	}
	shown := strings.TrimRight(w.open[len(w.open)-1].text.String()[f.start:], " \t\n")
	w.write(strings.TrimPrefix(content.Linked(shown, f.address), shown))
}

// endField closes an element of a link, field, or form.
func (w *word) endField(name string) {
	switch name {
	case "hyperlink", "fldSimple":
		w.closeField(name)
	case "checkBox":
		w.write(content.Box(w.box.ticked))
		w.box.in = false
	case "ddList":
		if i := w.box.chosen; i >= 0 && i < len(w.box.entries) {
			w.write(w.box.entries[i])
		}
		w.box.entries, w.box.chosen = nil, 0
	case "sdtContent":
		if w.box.depth > 0 {
			if w.box.depth--; w.box.depth == 0 {
				w.box.control = ""
			}
		}
	}
}

// linkOf returns the address in the code of a link, or "".
func linkOf(code string) string {
	words := strings.Fields(code)
	if len(words) < 2 || !strings.EqualFold(words[0], "HYPERLINK") {
		return ""
	}
	if address := strings.Trim(words[1], `"`); !strings.HasPrefix(words[1], `\`) {
		return address
	}
	return ""
}
