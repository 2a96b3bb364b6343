package html

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"docent/ingest/outline"
)

// maxControls bounds the controls of panels in a page.
const maxControls = 10_000

// panels are the parts of a page that open and close, such as the tabs and the answers of
// a list of questions. They are content. Menus and dialogs open and close too, and are not.
type panels struct {
	controls map[string]*html.Node // by the id of the panel
	byID     map[string]*html.Node // labels of panels
}

// panels returns the panels of a page. The first call searches the whole page.
func (t *tree) panelsOf(n *html.Node) *panels {
	if t.panels != nil {
		return t.panels
	}
	t.panels = &panels{controls: map[string]*html.Node{}, byID: map[string]*html.Node{}}
	root := n
	for root.Parent != nil {
		root = root.Parent
	}
	for c := range root.Descendants() {
		t.visits++
		if c.Type != html.ElementNode || len(t.panels.controls) >= maxControls {
			continue
		}
		if id := attr(c, "id"); id != "" && isLabel(c) {
			t.panels.byID[id] = c
		}
		if isControl(c) {
			for id := range strings.FieldsSeq(controlled(c)) {
				if _, ok := t.panels.controls[id]; !ok {
					t.panels.controls[id] = c
				}
			}
		}
	}
	return t.panels
}

// isLabel reports whether an element can be the label of a panel.
func isLabel(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Button, atom.A, atom.Summary, atom.Label, atom.Li, atom.Span, atom.Div:
		return n.DataAtom == atom.Button || attr(n, "role") == "tab" || attr(n, "role") == "button"
	}
	return false
}

// controlled returns the ids of the parts that an element opens.
func controlled(n *html.Node) string {
	ids := attr(n, "aria-controls")
	for _, name := range []string{"data-target", "data-bs-target", "href"} {
		if id, ok := strings.CutPrefix(attr(n, name), "#"); ok && (name != "href" || attr(n, "role") == "tab" || hasToggle(n)) {
			ids += " " + id
		}
	}
	return ids
}

// hasToggle reports whether scripts of Bootstrap and others open a part at a click.
func hasToggle(n *html.Node) bool {
	switch attr(n, "data-toggle") + attr(n, "data-bs-toggle") {
	case "collapse", "tab", "pill", "list":
		return true
	}
	return false
}

// isControl reports whether an element opens a panel and not a menu or dialog.
func isControl(n *html.Node) bool {
	if popup := attr(n, "aria-haspopup"); popup != "" && popup != "false" {
		return false
	}
	switch attr(n, "data-toggle") + attr(n, "data-bs-toggle") {
	case "modal", "dropdown", "offcanvas", "tooltip", "popover":
		return false
	}
	if hasName(n, overlayWords) {
		return false
	}
	return hasAttr(n, "aria-controls") || hasAttr(n, "data-target") || hasAttr(n, "data-bs-target") || attr(n, "role") == "tab" || hasToggle(n)
}

// overlayWords are words in the classes of menus, dialogs, and other parts that lie over a
// page. panelWords are those of panels.
var (
	overlayWords = strings.Fields("menu nav dropdown modal dialog popup popover tooltip cookie consent offcanvas drawer search lightbox " +
		"overlay toast spinner hamburger sr-only visually-hidden share")
	panelWords = strings.Fields("accordion collaps tabpanel tab-pane tab_panel tabcontent tab-content faq panel expand toggle-content disclosure")
)

// hasName reports whether a class or the id of an element contains one of the words.
func hasName(n *html.Node, words []string) bool {
	name := strings.ToLower(attr(n, "class") + " " + attr(n, "id"))
	name = name[:min(len(name), maxClass)]
	for _, word := range words {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// isOverlay reports whether an element is a menu, a dialog, or a part that is only for
// the program of the page.
func isOverlay(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Dialog, atom.Nav, atom.Form:
		return true
	}
	switch attr(n, "role") {
	case "dialog", "alertdialog", "menu", "menubar", "listbox", "tooltip", "status", "alert", "navigation", "search":
		return true
	}
	return hasName(n, overlayWords)
}

// isClosedPanel reports whether a hidden element is a panel that readers can open.
func (p *page) isClosedPanel(n *html.Node) bool {
	if isOverlay(n) {
		return false
	}
	if attr(n, "role") == "tabpanel" || attr(n, "hidden") == "until-found" {
		return true
	}
	named := false
	if id := attr(n, "id"); id != "" {
		named = p.tree.panelsOf(n).controls[id] != nil
	}
	return (named || hasName(n, panelWords)) && p.linkShare(n) <= 0.8
}

// isHidden reports whether an element is not displayed, or hidden from screen readers, and
// readers cannot open it.
func (p *page) isHidden(n *html.Node) bool {
	switch {
	case hasAttr(n, "hidden"), attr(n, "aria-hidden") == "true":
		return !p.isClosedPanel(n)
	case n.DataAtom == atom.Dialog && !hasAttr(n, "open"):
		return true
	}
	return false
}

// variants reads a part of a sentence of which a script shows one of several forms, such as that for the reader's
// system: an element in a line with only hidden elements in it. It adds all of them, as in "Preferences / Options". It
// returns false for other elements.
func (p *page) variants(n *html.Node) bool {
	const most = 16
	var all []*html.Node
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		p.tree.visits++
		switch {
		case c.Type == html.TextNode && strings.TrimSpace(c.Data) == "", c.Type == html.CommentNode:
		case c.Type == html.ElementNode && inlineElements[c.DataAtom] && hasAttr(c, "hidden") && !isOverlay(c) && len(all) < most:
			all = append(all, c)
		default:
			return false
		}
	}
	if len(all) < 2 {
		return false
	}
	separate := false
	for _, c := range all {
		if strings.TrimSpace(p.tree.textOf(c)) == "" {
			continue
		}
		if separate {
			p.text(" / ")
		}
		p.children(c)
		separate = true
	}
	return true
}

// panelLabel returns the label of a panel that the page shows only on its control: the
// text of a tab, or of a button outside of headings.
func (p *page) panelLabel(n *html.Node) string {
	id := attr(n, "id")
	if id == "" && attr(n, "role") != "tabpanel" {
		return ""
	}
	all := p.tree.panelsOf(n)
	label := all.byID[attr(n, "aria-labelledby")]
	if label == nil {
		label = all.controls[id]
	}
	if label == nil || isOverlay(n) {
		return ""
	}
	for up, k := label, 0; up != nil && k < 4; up, k = up.Parent, k+1 {
		switch up.DataAtom {
		case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Summary, atom.Dt:
			return "" // the page shows it as text
		}
	}
	text, ok := p.tree.labelText(label)
	if !ok {
		return ""
	}
	return text
}

// labelText returns the text of a short label on one line.
func (t *tree) labelText(n *html.Node) (string, bool) {
	const most, mostNodes = 200, 64
	var b strings.Builder
	looked := 0
	for c := range n.Descendants() {
		t.visits++
		if looked++; looked > mostNodes || b.Len() > most {
			return "", false
		}
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " "), b.Len() <= most
}

// labeled reads an element whose label is not in its text. The label opens a section of the
// lowest level.
func (p *page) labeled(label string, read func()) {
	p.flush()
	p.b.Add(outline.Heading, outline.TermLevel, "\n\n", label)
	read()
	p.flush()
	p.b.Close(outline.TermLevel)
}

// isQuestion reports whether a button without a panel of its own shows the heading of the
// text below it, as in a simple accordion.
func (p *page) isQuestion(n *html.Node) bool {
	if p.cell || p.kind == outline.Item || !hasName(n, []string{"accordion", "collapsible", "faq"}) || !isControlless(n) {
		return false
	}
	next := n.NextSibling
	for next != nil && next.Type != html.ElementNode {
		next = next.NextSibling
	}
	return next != nil && next.DataAtom == atom.Div
}

// isControlless reports whether no attribute of a button names its panel.
func isControlless(n *html.Node) bool { return controlled(n) == "" && !hasName(n, overlayWords) }
