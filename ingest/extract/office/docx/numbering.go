package docx

import (
	"cmp"
	"context"
	"encoding/xml"
	"strconv"
	"strings"

	"docent/ingest/extract/office/content"
	"docent/ingest/extract/zipxml"
)

// listLevel is a level of a list: how its items are numbered.
type listLevel struct {
	format  string // of a number, such as lowerLetter
	text    string // text of a number, such as "%1.%2"
	start   int
	restart int    // the level whose items restart this one, from 1; 0 for never
	legal   bool   // all numbers are decimal
	style   string // id of the paragraph style that has the level
}

// abstractList is the definition of lists that count together.
type abstractList struct {
	levels   [content.MaxListDepth]listLevel
	link     string // id of the style that has the definition
	counters [content.MaxListDepth]int
	counted  [content.MaxListDepth]bool
}

// numberedList is a list that paragraphs refer to.
type numberedList struct {
	abstract *abstractList
	levels   map[int]listLevel // that differ from the definition
	starts   map[int]int       // numbers with which the list begins anew
}

// maxLists bounds the lists of a document.
const maxLists = 100_000

// numbering are the lists of a document.
type numbering struct {
	lists    map[string]*numberedList
	abstract map[string]*abstractList

	// The state of reading.
	list     *abstractList
	num      *numberedList
	rank     int
	override bool // inside a level that a list replaces
}

// readNumbering reads the lists by id. It returns those before a damage.
func readNumbering(ctx context.Context, data []byte) *numbering {
	n := &numbering{lists: map[string]*numberedList{}, abstract: map[string]*abstractList{}}
	_ = zipxml.Tokens(ctx, data, func(t xml.Token) error {
		switch t := t.(type) {
		case xml.StartElement:
			if t.Name.Local == "num" && t.Name.Space != "w" {
				return nil
			}
			n.start(t)
		case xml.EndElement:
			switch t.Name.Local {
			case "abstractNum":
				n.list = nil
			case "num":
				n.num = nil
			case "lvlOverride":
				n.override = false
			}
		}
		return nil
	})
	return n
}

func (n *numbering) start(e xml.StartElement) {
	value := zipxml.Attr(e, "val")
	number, err := strconv.Atoi(value)
	switch e.Name.Local {
	case "abstractNum":
		n.list = &abstractList{}
		for i := range n.list.levels {
			n.list.levels[i] = listLevel{format: "decimal", start: 1, restart: i}
		}
		if len(n.abstract) < maxLists {
			n.abstract[zipxml.Attr(e, "abstractNumId")] = n.list
		}
	case "num":
		n.num = &numberedList{levels: map[int]listLevel{}, starts: map[int]int{}}
		if len(n.lists) < maxLists {
			n.lists[zipxml.Attr(e, "numId")] = n.num
		}
	case "abstractNumId":
		if n.num != nil {
			n.num.abstract = n.abstract[value]
		}
	case "numStyleLink":
		if n.list != nil {
			n.list.link = value
		}
	case "lvl", "lvlOverride":
		n.rank, err = strconv.Atoi(zipxml.Attr(e, "ilvl"))
		if err != nil || n.rank < 0 || n.rank >= content.MaxListDepth {
			n.rank = content.MaxListDepth - 1
		}
		n.override = n.override || e.Name.Local == "lvlOverride"
		if e.Name.Local == "lvl" && n.num != nil && n.num.abstract != nil {
			n.num.levels[n.rank] = n.num.abstract.levels[n.rank]
		}
	case "startOverride":
		if n.num != nil && err == nil {
			n.num.starts[n.rank] = number
		}
	default:
		n.property(e, value, number)
	}
}

// property applies a property of a level.
func (n *numbering) property(e xml.StartElement, value string, number int) {
	var l listLevel
	switch {
	case n.num != nil:
		l = n.num.levels[n.rank]
	case n.list != nil:
		l = n.list.levels[n.rank]
	default:
		return
	}
	switch e.Name.Local {
	case "start":
		l.start = number
	case "numFmt":
		l.format = cmp.Or(value, "decimal")
		if pattern := zipxml.Attr(e, "format"); value == "custom" && strings.HasPrefix(pattern, "0") {
			l.format = "decimalZero"
		}
	case "lvlText":
		l.text = value
	case "lvlRestart":
		l.restart = number
	case "isLgl":
		l.legal = isOn(e)
	case "pStyle":
		l.style = value
	case "rFonts":
		if text := content.SymbolRun(zipxml.Attr(e, "ascii"), l.text); l.format == "bullet" && (text == content.Empty || text == content.Ticked) {
			l.text = text
		}
	default:
		return
	}
	if n.num != nil {
		if n.override {
			n.num.levels[n.rank] = l
		}
		return
	}
	n.list.levels[n.rank] = l
}

// find returns the list with an id. nil means that it is unknown.
func (n *numbering) find(id string, styles map[string]style) *numberedList {
	list := n.lists[id]
	if list == nil || list.abstract == nil {
		return nil
	}
	if link := list.abstract.link; link != "" { // the definition is that of a style
		if to := n.lists[styles[link].num]; to != nil && to.abstract != nil {
			return to
		}
	}
	return list
}

// level returns a level of the list.
func (l *numberedList) level(rank int) listLevel {
	if own, ok := l.levels[rank]; ok {
		return own
	}
	return l.abstract.levels[rank]
}

// rankOf returns the level of the list that belongs to a style.
func (l *numberedList) rankOf(style string) (int, bool) {
	for i := range l.abstract.levels {
		if l.level(i).style == style {
			return i, true
		}
	}
	return 0, false
}

// next counts an item and returns its number as displayed. It returns "" for a level
// without a number and bullet for an unnumbered one.
func (l *numberedList) next(rank int) (number string, bullet bool) {
	a := l.abstract
	if start, ok := l.starts[rank]; ok { // the first item of a list that begins anew
		delete(l.starts, rank)
		a.counters[rank], a.counted[rank] = start, true
	} else if a.counted[rank] {
		a.counters[rank]++
	} else {
		a.counters[rank], a.counted[rank] = l.level(rank).start, true
	}
	for i := rank + 1; i < content.MaxListDepth; i++ {
		if restart := l.level(i).restart; restart > rank {
			a.counted[i] = false
		}
	}
	level := l.level(rank)
	switch {
	case level.format == "bullet" && (level.text == content.Empty || level.text == content.Ticked):
		return level.text, false
	case level.format == "bullet":
		return "", true
	}
	return l.display(level), false
}

// display fills the numbers of the levels into the text of a level.
func (l *numberedList) display(level listLevel) string {
	var b strings.Builder
	text := level.text
	for i := 0; i < len(text) && b.Len() < maxNumber; i++ {
		if text[i] != '%' || i+1 == len(text) || text[i+1] < '1' || text[i+1] > '9' {
			b.WriteByte(text[i])
			continue
		}
		i++
		rank := int(text[i] - '1')
		of := l.level(rank)
		n := of.start
		if l.abstract.counted[rank] {
			n = l.abstract.counters[rank]
		}
		switch {
		case of.format == "none":
		case level.legal && of.format != "decimalZero":
			b.WriteString(strconv.Itoa(n))
		default:
			b.WriteString(content.Numeral(n, of.format))
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// maxNumber is the longest number of an item, in bytes.
const maxNumber = 120
