package ooxml

import (
	"encoding/xml"
	"strings"
	"unicode/utf8"

	"docent/ingest/extract/office/content"
	"docent/ingest/extract/zipxml"
)

// Formula converts Office equations (OMML) to one line of text. Its zero value
// is ready to use.
type Formula struct {
	open  []*term // innermost last; empty outside of equations
	size  int     // number of elements and bytes of text in the equation
	inRun bool
}

// maxFormula bounds the text of one equation, because each level copies the
// text below it.
const maxFormula = 64 << 10

// term is an element of an equation.
type term struct {
	name  string
	parts []part
	text  strings.Builder // text of runs and of elements without a special form
	chars map[string]string
}

// part is the text of a child element of a term.
type part struct{ name, text string }

// Start handles a start tag and reports whether it belongs to an equation.
func (f *Formula) Start(e xml.StartElement) bool {
	if len(f.open) == 0 && (e.Name.Space != "m" || e.Name.Local != "oMath") {
		return false
	}
	if len(f.open) == 0 {
		f.size = 0
	}
	if e.Name.Space == "m" {
		f.inRun = e.Name.Local == "t"
		switch e.Name.Local {
		case "chr", "begChr", "endChr", "sepChr", "degHide":
			f.property(e)
		}
	}
	f.size++
	f.open = append(f.open, &term{name: e.Name.Space + ":" + e.Name.Local})
	return true
}

// property stores a character that a property element sets for its owner.
func (f *Formula) property(e xml.StartElement) {
	if n := len(f.open); n >= 2 {
		owner := f.open[n-2]
		if owner.chars == nil {
			owner.chars = map[string]string{}
		}
		owner.chars[e.Name.Local] = zipxml.Attr(e, "val")
	}
}

// Text handles character data and reports whether it belongs to an equation.
func (f *Formula) Text(t []byte) bool {
	if len(f.open) == 0 {
		return false
	}
	if f.size += len(t); f.inRun && f.size <= maxFormula {
		f.open[len(f.open)-1].text.Write(t)
	}
	return true
}

// End handles an end tag and reports whether it belongs to an equation. At the
// end of the equation it returns the text.
func (f *Formula) End(_ xml.Name) (text string, ok bool) {
	n := len(f.open)
	if n == 0 {
		return "", false
	}
	f.inRun = false
	t := f.open[n-1]
	f.open = f.open[:n-1]
	text = t.render()
	if n == 1 {
		return text, true
	}
	parent := f.open[n-2]
	switch strings.TrimPrefix(t.name, "m:") {
	case "num", "den", "e", "sup", "sub", "deg", "fName", "lim", "mr":
		if f.size > maxFormula {
			return "", true
		}
		parent.parts = append(parent.parts, part{strings.TrimPrefix(t.name, "m:"), text})
	default:
		parent.text.WriteString(text)
	}
	return "", true
}

// part returns the text of the first part with a name.
func (t *term) part(name string) string {
	for _, p := range t.parts {
		if p.name == name {
			return p.text
		}
	}
	return ""
}

// join joins the texts of all parts with a name.
func (t *term) join(name, separator string) string {
	var texts []string
	for _, p := range t.parts {
		if p.name == name {
			texts = append(texts, p.text)
		}
	}
	return strings.Join(texts, separator)
}

// char returns a character that the term sets, or the default.
func (t *term) char(name, usual string) string {
	if c, ok := t.chars[name]; ok {
		return c
	}
	return usual
}

// render returns the text of a term.
func (t *term) render() string {
	switch t.name {
	case "m:f":
		return group(t.part("num")) + "/" + group(t.part("den"))
	case "m:sSup", "m:sSub", "m:sSubSup", "m:sPre":
		return t.part("e") + raised(t.part("sub"), -1) + raised(t.part("sup"), 1)
	case "m:rad":
		return raised(t.part("deg"), 1) + "√" + group(t.part("e"))
	case "m:nary":
		return t.char("chr", "∫") + raised(t.part("sub"), -1) + raised(t.part("sup"), 1) + " " + t.part("e")
	case "m:d":
		return t.char("begChr", "(") + t.join("e", t.char("sepChr", "|")) + t.char("endChr", ")")
	case "m:func":
		return t.part("fName") + " " + t.part("e")
	case "m:limLow":
		return t.part("e") + raised(t.part("lim"), -1)
	case "m:limUpp":
		return t.part("e") + raised(t.part("lim"), 1)
	case "m:mr":
		return t.join("e", ", ")
	case "m:m":
		return "[" + t.join("mr", "; ") + "]"
	case "m:eqArr":
		return t.join("e", "; ")
	default:
		var b strings.Builder
		b.WriteString(t.text.String())
		for _, p := range t.parts {
			b.WriteString(p.text)
		}
		return b.String()
	}
}

// group puts brackets around a term with several signs.
func group(s string) string {
	if utf8.RuneCountInString(s) < 2 || !strings.ContainsAny(s, " +-−=/·×,±") || enclosed(s) {
		return s
	}
	return "(" + s + ")"
}

// enclosed reports whether one pair of brackets encloses all of s.
func enclosed(s string) bool {
	if !strings.HasPrefix(s, "(") || !strings.HasSuffix(s, ")") {
		return false
	}
	depth := 0
	for i, r := range s {
		switch r {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 && i < len(s)-1 {
				return false
			}
		}
	}
	return depth == 0
}

// raised formats a superscript (up > 0) or subscript. It uses small digits and
// signs if they exist, and otherwise the prefix ^ or _.
func raised(s string, up int) string {
	if s == "" {
		return ""
	}
	if out := content.Scripted(s, up); out != s && !strings.HasPrefix(out, "^") && !strings.HasPrefix(out, "_") {
		return out
	}
	sign := "_"
	if up > 0 {
		sign = "^"
	}
	if utf8.RuneCountInString(s) == 1 {
		return sign + s
	}
	if enclosed(s) {
		return sign + s
	}
	return sign + "(" + s + ")"
}
