package odf

import (
	"cmp"
	"encoding/xml"
	"strconv"
	"strings"

	"docent/ingest/extract/office/content"
	"docent/ingest/extract/zipxml"
)

// style has the properties that an OpenDocument style gives to an element.
type style struct {
	name   string
	parent string
	title  bool
	hidden bool // the sheet or slide is hidden
	script int  // above 0 is raised, below 0 is lowered
	struck bool
	font   string
	list   *string // name of the list style; nil for that of the parent
}

// resolve returns a style with the properties of its parents.
func (d *reader) resolve(name string) style {
	s := d.styles[name]
	for up, n := s, 0; n < 10 && !s.title; n++ {
		if name == "Title" || up.name == "Title" {
			s.title = true
		}
		name = up.parent
		var ok bool
		if up, ok = d.styles[name]; !ok && name != "Title" {
			break
		}
	}
	return s
}

// startStyle opens an element of a style.
func (d *reader) startStyle(e xml.StartElement) func() {
	switch e.Name.Local {
	case "style":
		name := zipxml.AttrIn(e, "style", "name")
		d.style = &style{name: zipxml.AttrIn(e, "style", "display-name"), parent: zipxml.AttrIn(e, "style", "parent-style-name")}
		for _, a := range e.Attr {
			if a.Name.Local == "list-style-name" {
				d.style.list = &a.Value
			}
		}
		return func() {
			if d.style != nil && len(d.styles) < content.MaxStyles {
				d.styles[name] = *d.style
			}
			d.style = nil
		}
	case "text-properties", "properties":
		if d.style != nil {
			d.style.font = cmp.Or(zipxml.AttrIn(e, "style", "font-name"), zipxml.AttrIn(e, "fo", "font-family"))
			d.style.script = textPosition(zipxml.AttrIn(e, "style", "text-position"))
			for _, name := range []string{"text-line-through-style", "text-line-through-type", "text-crossing-out"} {
				v := zipxml.AttrIn(e, "style", name)
				d.style.struck = d.style.struck || v != "" && v != "none"
			}
		}
	case "table-properties", "drawing-page-properties":
		if d.style != nil {
			d.style.hidden = zipxml.AttrIn(e, "table", "display") == "false" || zipxml.AttrIn(e, "presentation", "visibility") == "hidden"
		}
	case "header", "header-first", "header-left", "footer", "footer-first", "footer-left":
		return d.startRunning(strings.HasPrefix(e.Name.Local, "header"))
	case "master-page":
		return func() { d.open = d.open[:0] }
	}
	return nil
}

// textPosition returns a number above 0 for raised and below 0 for lowered
// text.
func textPosition(s string) int {
	first, _, _ := strings.Cut(s, " ")
	switch first {
	case "super":
		return 1
	case "sub":
		return -1
	}
	n, _ := strconv.ParseFloat(strings.TrimSuffix(first, "%"), 64)
	return int(n)
}

// startRunning opens a header or footer. Each distinct text is stored once.
func (d *reader) startRunning(header bool) func() {
	if d.runs != nil {
		return nil
	}
	var texts []string
	d.runs = &texts
	return func() {
		d.runs = nil
		text := strings.TrimSpace(strings.Join(texts, "\n"))
		if content.IsPageLabel(text) || len(d.running[header]) >= content.MaxRunning {
			return
		}
		for _, known := range d.running[header] {
			if known == text {
				return
			}
		}
		d.running[header] = append(d.running[header], text)
	}
}

// startListStyle records the numbered levels of a list style, and of the headings.
func (d *reader) startListStyle(e xml.StartElement) func() {
	switch e.Name.Local {
	case "list-style", "outline-style":
		d.list = zipxml.AttrIn(e, "style", "name")
		if e.Name.Local == "outline-style" {
			d.list = outlineStyle
		}
		if len(d.numbers) < content.MaxStyles {
			d.numbers[d.list] = map[int]numberLevel{}
		}
		return func() { d.list = "" }
	}
	level, err := strconv.Atoi(zipxml.AttrIn(e, "text", "level"))
	levels := d.numbers[d.list]
	if levels == nil || err != nil || level > content.MaxListDepth {
		return nil
	}
	switch e.Name.Local {
	case "list-level-style-number", "outline-level-style":
		if l := numberLevelOf(e); l.format != "" || l.pattern != "" {
			levels[level] = l
		}
	case "list-level-style-bullet":
		if sign := zipxml.AttrIn(e, "text", "bullet-char"); sign == content.Empty || sign == content.Ticked {
			levels[level] = numberLevel{box: sign}
		}
	}
	return nil
}

// list is an open list.
type list struct {
	style  string
	always int // 1: always numbered, -1: never, 0: depends on the style
	number int // number of the last item
	fresh  bool
	item   bool
}

// startList opens a list. A nested list without a style inherits the style of
// the outer list.
func (d *reader) startList(e xml.StartElement) {
	l := &list{style: zipxml.AttrIn(e, "text", "style-name")}
	switch e.Name.Local {
	case "ordered-list":
		l.always = 1
	case "unordered-list":
		l.always = -1
	}
	if n := len(d.lists); l.style == "" && n > 0 {
		l.style = d.lists[n-1].style
	}
	depth := len(d.lists)
	if zipxml.AttrIn(e, "text", "continue-numbering") == "true" || zipxml.AttrIn(e, "text", "continue-list") != "" {
		if counts := d.counts[l.style]; depth < len(counts) {
			l.number = counts[depth]
		}
	}
	if start := d.numbers[l.style][depth+1].start; l.number == 0 && start > 1 {
		l.number = start - 1
	}
	d.lists = append(d.lists, l)
}

// startItem opens an item of the innermost list.
func (d *reader) startItem(e xml.StartElement) {
	n := len(d.lists)
	if n == 0 {
		return
	}
	l := d.lists[n-1]
	l.fresh, l.item = true, true
	l.number++
	if v, err := strconv.Atoi(zipxml.AttrIn(e, "text", "start-value")); err == nil {
		l.number = v
	}
	if n > content.MaxListDepth || len(d.counts) > content.MaxStyles {
		return
	}
	counts := d.counts[l.style]
	for len(counts) < n {
		counts = append(counts, 0)
	}
	counts[n-1] = l.number
	d.counts[l.style] = counts[:n]
}

// isOrdered reports whether the innermost list is numbered.
func (d *reader) isOrdered() bool {
	n := len(d.lists)
	if n == 0 {
		return false
	}
	l := d.lists[n-1]
	_, numbered := d.numbers[l.style][n]
	return l.always > 0 || l.always == 0 && numbered
}

// marker returns the mark or number of a paragraph and whether the paragraph is
// in a list. Later paragraphs of an item have no mark.
func (d *reader) marker() (front string, item bool) {
	n := len(d.lists)
	if n == 0 {
		return "", false
	}
	l := d.lists[n-1]
	switch {
	case !l.item:
		return "", false // a list header
	case !l.fresh:
		return "", true
	}
	l.fresh = false
	if d.isOrdered() {
		return d.itemNumber(), true
	}
	return "- ", true
}
