package odf

import (
	"encoding/xml"
	"strconv"
	"strings"

	"docent/ingest/extract/office/content"
	"docent/ingest/extract/zipxml"
)

// outlineStyle is the key of the style that numbers headings.
const outlineStyle = "\x00outline"

// maxNumber is the longest number of an item or a heading, in bytes.
const maxNumber = 120

// numberLevel says how a level of a list or of the headings is numbered.
type numberLevel struct {
	format         string // of a number, as in content.Numeral; "" for none
	prefix, suffix string
	pattern        string // such as "%1%.%2%"; "" without one
	shown          int    // number of levels that are displayed
	start          int
	box            string // sign of a box for forms, instead of a number
}

// numberLevelOf returns a level as its style describes it.
func numberLevelOf(e xml.StartElement) numberLevel {
	l := numberLevel{
		format:  numeralFormat(zipxml.AttrIn(e, "style", "num-format")),
		prefix:  zipxml.AttrIn(e, "style", "num-prefix"),
		suffix:  zipxml.AttrIn(e, "style", "num-suffix"),
		pattern: zipxml.AttrIn(e, "loext", "num-list-format"),
		shown:   1, start: 1,
	}
	if n, err := strconv.Atoi(zipxml.AttrIn(e, "text", "display-levels")); err == nil {
		l.shown = n
	}
	if n, err := strconv.Atoi(zipxml.AttrIn(e, "text", "start-value")); err == nil {
		l.start = n
	}
	return l
}

// numeralFormat returns the format of content.Numeral for a format of OpenDocument.
func numeralFormat(format string) string {
	switch {
	case format == "a":
		return "lowerLetter"
	case format == "A":
		return "upperLetter"
	case format == "i":
		return "lowerRoman"
	case format == "I":
		return "upperRoman"
	case strings.HasPrefix(format, "01"):
		return "decimalZero"
	case strings.HasPrefix(format, "1st"):
		return "ordinal"
	case strings.HasPrefix(format, "①"):
		return "decimalEnclosedCircle"
	case strings.HasPrefix(format, "一"):
		return "chineseCounting"
	case strings.HasPrefix(format, "ア"):
		return "aiueo"
	case strings.HasPrefix(format, "а, б"):
		return "russianLower"
	case strings.HasPrefix(format, "А, Б"):
		return "russianUpper"
	case format == "":
		return ""
	}
	return "decimal"
}

// display returns the number of an item as displayed. numbers are those of the levels down to the item's.
func display(levels map[int]numberLevel, numbers []int) string {
	rank := len(numbers)
	l := levels[rank]
	switch {
	case l.box != "":
		return l.box
	case l.format == "" && l.pattern == "":
		return strings.TrimSpace(l.prefix + l.suffix)
	}
	part := func(k int) string {
		of, ok := levels[k]
		if k < 1 || k > rank || ok && of.format == "" {
			return ""
		}
		return content.Numeral(numbers[k-1], of.format)
	}
	var b strings.Builder
	if l.pattern == "" {
		b.WriteString(l.prefix)
		for k := max(rank-l.shown+1, 1); k <= rank; k++ {
			if n := part(k); n != "" {
				if b.Len() > len(l.prefix) {
					b.WriteByte('.')
				}
				b.WriteString(n)
			}
		}
		b.WriteString(l.suffix)
	}
	for rest := l.pattern; rest != "" && b.Len() < maxNumber; {
		before, after, found := strings.Cut(rest, "%")
		b.WriteString(before)
		if !found {
			break
		}
		number, behind, closed := strings.Cut(after, "%")
		k, err := strconv.Atoi(number)
		if !closed || err != nil {
			b.WriteByte('%')
			rest = after
			continue
		}
		b.WriteString(part(k))
		rest = behind
	}
	number := strings.Join(strings.Fields(b.String()), " ")
	return number[:min(len(number), maxNumber)]
}

// headingNumber counts a heading and returns its number with a space, or "".
func (d *reader) headingNumber(p *paragraph) string {
	levels := d.numbers[outlineStyle]
	if levels == nil || p.unnumbered || d.unnumbered(p.style) {
		return ""
	}
	if levels[p.level].format == "" {
		return ""
	}
	for len(d.headings) < p.level {
		d.headings = append(d.headings, levels[len(d.headings)+1].start-1)
	}
	d.headings = d.headings[:p.level]
	d.headings[p.level-1]++
	if p.start != nil {
		d.headings[p.level-1] = *p.start
	}
	shown := make([]int, p.level)
	for i, n := range d.headings {
		shown[i] = max(n, levels[i+1].start)
	}
	return withSpace(display(levels, shown))
}

// unnumbered reports whether a style takes its headings out of the numbering.
func (d *reader) unnumbered(name string) bool {
	for range 10 {
		s, ok := d.styles[name]
		if !ok {
			return false
		}
		if s.list != nil {
			return *s.list == ""
		}
		name = s.parent
	}
	return false
}

// itemNumber returns the number of the innermost item with a space, or "" without one.
func (d *reader) itemNumber() string {
	l := d.lists[len(d.lists)-1]
	if l.always > 0 {
		return strconv.Itoa(l.number) + ". "
	}
	numbers := make([]int, len(d.lists))
	for i, outer := range d.lists {
		numbers[i] = outer.number
	}
	number := display(d.numbers[l.style], numbers)
	if strings.Trim(number, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" && number != "" {
		number += "." // as in plain text, so that it is seen as a mark
	}
	return withSpace(number)
}

func withSpace(number string) string {
	if number == "" {
		return ""
	}
	return number + " "
}
