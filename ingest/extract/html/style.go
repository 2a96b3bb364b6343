package html

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"docent/internal/lazyregexp"
)

// style is the format that the style sheet of a page gives the text in a class.
type style struct {
	struck bool
	format string // of the numbers in a list
}

const (
	// maxSheets bounds the bytes of style sheets that are read.
	maxSheets = 1 << 20
	// maxClasses bounds the classes of an element whose styles are searched.
	maxClasses = 16
)

var (
	cssComment = lazyregexp.New(`(?s)/\*.*?\*/`)
	cssRule    = lazyregexp.New(`([^{}]+)\{([^{}]*)\}`)
	// cssClass matches a selector of one class, which may name an element. Others depend on the elements around.
	cssClass = lazyregexp.New(`^(?:[a-z][a-z0-9]*)?\.([A-Za-z_][\w-]*)$`)
)

// stylesOf returns the styles of an element's classes. The first call reads the style sheets in the page, as
// programs for texts write them when they export a document.
func (t *tree) stylesOf(n *html.Node) []style {
	if t.styles == nil {
		t.styles = map[string]style{}
		root := n
		for root.Parent != nil {
			root = root.Parent
		}
		left := maxSheets
		for c := range root.Descendants() {
			t.visits++
			if c.DataAtom == atom.Style && c.FirstChild != nil {
				sheet := c.FirstChild.Data[:min(len(c.FirstChild.Data), left)]
				left -= len(sheet)
				t.addStyles(sheet)
			}
		}
	}
	if len(t.styles) == 0 {
		return nil
	}
	var out []style
	classes, count := attr(n, "class"), 0
	for class := range strings.FieldsSeq(classes[:min(len(classes), maxClass)]) {
		if s, ok := t.styles[class]; ok {
			out = append(out, s)
		}
		if count++; count >= maxClasses {
			break
		}
	}
	return out
}

// addStyles adds the rules of a style sheet that say something about the text.
func (t *tree) addStyles(sheet string) {
	if !strings.Contains(sheet, "line-through") && !strings.Contains(sheet, "list-style") {
		return
	}
	for _, rule := range cssRule.FindAllStringSubmatch(cssComment.ReplaceAllString(sheet, ""), -1) {
		s := style{struck: strings.Contains(rule[2], "line-through"), format: styledFormat(rule[2])}
		if !s.struck && s.format == "" {
			continue
		}
		for selector := range strings.SplitSeq(rule[1], ",") {
			if m := cssClass.FindStringSubmatch(strings.TrimSpace(selector)); m != nil {
				t.styles[m[1]] = s
			}
		}
	}
}
