package markup

import (
	"encoding/xml"
	"strconv"
	"strings"

	"docent/ingest/extract/blocks"
	"docent/ingest/outline"
)

// xmlRole says how an element is read.
type xmlRole uint8

// The roles of elements.
const (
	xmlBlock  xmlRole = iota // on lines of its own
	xmlInline                // is part of a paragraph
	xmlSkip
	xmlSection
	xmlTitle
	xmlCode
	xmlListed // a list
	xmlItem
	xmlTerm
	xmlDefinition
	xmlTerms // a list of terms
	xmlTable
	xmlHead // part of a table
	xmlRow
	xmlCell
	xmlNote // a footnote
	xmlAdmonition
	xmlQuote
	xmlBreak
)

// xmlRoles are the roles of the elements of DocBook, DITA, JATS, and HTML.
// roleOf decides about other elements.
var xmlRoles = roles(map[xmlRole]string{
	xmlBlock: `para simpara p formalpara bridgehead blockquote epigraph abstract subtitle example informalexample figure informalfigure mediaobject equation disp-formula disp-quote sec-meta author editor
		refnamediv refmeta refpurpose cmdsynopsis funcsynopsis funcprototype caption fig boxed-text
		shortdesc conbody taskbody refbody body section-div div stepresult info cmd context prereq result postreq
		step stepxmp choice example note-body qandaentry question answer revhistory address line verse-line speech
		statement verse-group attrib ack kwd-group contrib aff pub-date
		simplesect partintro dedication colophon toc textobject phrase-block abstract-body glossdef seglistitem
		segmentedlist seg simplelist-member member callout calloutlist legalnotice copyright releaseinfo date pubdate edition
		event stanza l lg head item-block paragraph text description summary remarks returns param ref mixed-citation-block abstractbody properties property msgentry msgexplan biblioentry bibliomixed personblurb abbrev-block`,
	xmlSkip: `indexterm primary secondary tertiary index processing-meta journal-meta article-id article-categories permissions history self-uri related-article counts funding-group custom-meta-group prolog metadata
		imagedata imageobject inlinemediaobject-object graphic-meta object-id anchor beginpage remark
		titleabbrev keywordset subjectset topicmeta related-links reltable tex-math alternatives-x script style
		sortas refmiscinfo itermset areaspec area colspec spanspec col colgroup elocation-id volume issue fpage lpage ext-link-x contrib-id email-x`,
	xmlSection: `book article part chapter appendix preface section sect1 sect2 sect3 sect4 sect5 simplesect-x refsection refsect1 refsect2 refsect3 refentry reference refsynopsisdiv glossary bibliography glossdiv
		sec app app-group topic concept task troubleshooting glossentry dita-x bodydiv-x sidebar-x ref-list back-x set procedure-x qandadiv boxed-text-x acknowledgements dedication-x div1 div2 div3`,
	xmlTitle: `title article-title glossterm-title refentrytitle-x refname-x fig-title`,
	xmlCode: `programlisting screen synopsis literallayout codeblock preformat code-block msgblock pre funcsynopsisinfo programlistingco screenco lines source classsynopsis fieldsynopsis methodsynopsis
		userinput-block address-x markup-x verse-x listing`,
	xmlListed:     `itemizedlist orderedlist ul ol list steps steps-unordered substeps procedure choices simplelist calloutlist-x sl`,
	xmlItem:       `listitem li list-item step substep choice callout sli member stepalternatives`,
	xmlTerms:      `variablelist dl def-list glosslist parml`,
	xmlTerm:       `term dt glossterm pt`,
	xmlDefinition: `dd def pd glossdef`,
	xmlTable:      `tgroup simpletable choicetable`,
	xmlHead:       `thead sthead chhead`,
	xmlRow:        `row tr strow chrow sthead-x seglistitem-x`,
	xmlCell:       `entry td th stentry choption chdesc choptionhd chdeschd`,
	xmlNote:       `footnote fn`,
	xmlAdmonition: `note warning caution tip important danger notice attention hazardstatement`,
	xmlQuote:      `quote q`,
	xmlBreak:      `br sbr linebreak break`,
})

// roles converts lists of names to a map.
func roles(lists map[xmlRole]string) map[string]xmlRole {
	out := map[string]xmlRole{}
	for role, names := range lists {
		for _, n := range strings.Fields(names) {
			if old, ok := out[n]; !ok || role > old {
				out[n] = role
			}
		}
	}
	return out
}

// roleOf returns the role of an element, by its name and the elements around
// it.
func (x *xmlProse) roleOf(name string) xmlRole {
	role, ok := xmlRoles[name]
	parent := x.parent(1)
	switch {
	case name == "table" || name == "informaltable" || name == "table-wrap":
		return xmlBlock
	case name == "title" && (parent == "citetitle" || parent == "biblioentry" || parent == "bibliomixed"):
		return xmlInline
	case name == "term" && x.within("def-item") || name == "term" && parent == "varlistentry":
		return xmlTerm
	case name == "listitem" && parent == "varlistentry":
		return xmlDefinition
	case (name == "glossterm" || name == "term") && parent != "glossentry" && parent != "varlistentry" && parent != "def-item":
		return xmlInline
	case parent == "citerefentry", name == "article-title" && x.within("ref"):
		return xmlInline
	case name == "article-title" && !x.within("title-group"), name == "info" && x.within("step"):
		return xmlBlock
	case name == "code" && (parent == "sec" || parent == "body" || parent == "app"):
		return xmlCode
	case name == "code" && x.inParagraph(), name == "text" || name == "ref" && parent != "ref-list":
		return xmlInline
	case name == "ref":
		return xmlItem
	case name == "subtitle", name == "refentrytitle", name == "manvolnum":
		return xmlBlock
	case !ok && !x.known && !x.inParagraph():
		return xmlBlock
	case !ok:
		return xmlInline
	}
	return role
}

// parent returns the name of an open element. 1 is the innermost.
func (x *xmlProse) parent(n int) string {
	if n > len(x.stack) {
		return ""
	}
	return x.stack[len(x.stack)-n].name
}

// within reports whether one of the innermost open elements has a name.
func (x *xmlProse) within(name string) bool {
	for n := 1; n <= min(len(x.stack), 8); n++ {
		if x.parent(n) == name {
			return true
		}
	}
	return false
}

// inParagraph reports whether the current paragraph has text. An unknown
// element is then part of it.
func (x *xmlProse) inParagraph() bool {
	return strings.TrimSpace(x.buf.String()[max(0, x.buf.Len()-64):]) != "" || x.parent(1) == "p" || x.parent(1) == "para"
}

// start opens an element.
func (x *xmlProse) start(t xml.StartElement) {
	name := strings.ToLower(t.Name.Local)
	role := x.roleOf(name)
	if x.note > 0 && role != xmlSkip { // a footnote is a single paragraph
		role = xmlInline
		x.noteBuf.WriteByte(' ')
	}
	x.stack = append(x.stack, xmlNode{name: name, role: role})
	if x.skip > 0 {
		return
	}
	switch role {
	case xmlSkip:
		x.skip = len(x.stack)
	case xmlBlock, xmlTitle:
		x.flush()
	case xmlSection:
		x.flush()
		x.sections++
		x.endItems()
	case xmlCode:
		x.flush()
		x.verbatim = len(x.stack)
	case xmlListed:
		x.flush()
		x.openList(name, t)
	case xmlItem:
		x.flush()
		x.openItem()
	case xmlTerms, xmlTerm:
		x.flush()
	case xmlDefinition:
		x.define()
	case xmlTable, xmlHead, xmlRow, xmlCell:
		x.openTable(role)
	case xmlNote:
		if x.note == 0 {
			x.note = len(x.stack)
			x.noteBuf.Reset()
		}
	case xmlAdmonition:
		x.flush()
		if kind := xmlAttr(t, "type"); kind != "" && kind != "other" {
			name = kind
		}
		x.Prefix = strings.ToUpper(name[:1]) + name[1:] + ": "
	case xmlQuote:
		x.chars("“")
	case xmlBreak:
		x.chars("\n")
	case xmlInline:
		if (name == "arg" || name == "group" || name == "paramdef" || name == "keycap") && x.buf.Len() > 0 {
			x.buf.WriteByte(' ')
		}
		if name == "manvolnum" {
			x.chars("(")
		}
	}
}

// xmlAttr returns an attribute by its name.
func xmlAttr(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return blocks.OneLine(a.Value)
		}
	}
	return ""
}

// openList opens a list.
func (x *xmlProse) openList(name string, t xml.StartElement) {
	kind := xmlAttr(t, "list-type")
	ordered := name == "orderedlist" || name == "ol" || name == "steps" || name == "procedure" || name == "substeps" || kind == "order" ||
		kind == "arabic"
	x.lists = append(x.lists, xmlList{ordered: ordered})
	x.Items++
	x.Marker = ""
}

// openItem begins an item.
func (x *xmlProse) openItem() {
	x.Marker = "- "
	if n := len(x.lists); n > 0 && x.lists[n-1].ordered {
		x.lists[n-1].next++
		x.Marker = strconv.Itoa(x.lists[n-1].next) + ". "
	}
}

// endItems closes the open lists.
func (x *xmlProse) endItems() { x.Items, x.Marker, x.lists = 0, "", nil }

// define opens the definition of the preceding terms.
func (x *xmlProse) define() {
	x.flush()
	if x.pending == "" {
		return
	}
	terms := x.pending
	x.pending = ""
	if x.Items > 0 || len(x.grids) > 0 {
		x.Marker = "- "
		x.Prefix = strings.ReplaceAll(terms, "\n", ", ") + ": "
		return
	}
	x.OpenTerm(terms)
	x.stack[len(x.stack)-1].attr = "open"
}

// openTable opens a table, a row, or a cell. A table begins with its first part
// and ends with the end tag of the table element.
func (x *xmlProse) openTable(role xmlRole) {
	if len(x.grids) == 0 {
		x.flush()
		x.grids = append(x.grids, xmlGrid{})
		owner := len(x.stack) - 1
		for i := len(x.stack) - 1; i >= max(0, len(x.stack)-6); i-- {
			if n := x.stack[i].name; n == "table" || n == "informaltable" || xmlRoles[n] == xmlTable {
				owner = i
				break
			}
		}
		if owner == len(x.stack)-1 && role != xmlTable && owner > 0 {
			owner--
		}
		x.stack[owner].attr = "table"
	}
	switch role {
	case xmlHead:
		x.grids[0].head = true
	case xmlCell:
		x.buf.Reset()
	}
}

// close closes the innermost element of a name and the elements within it.
func (x *xmlProse) close(name string) {
	name = strings.ToLower(name)
	for n := len(x.stack) - 1; n >= 0; n-- {
		if x.stack[n].name != name {
			continue
		}
		for len(x.stack) > n {
			x.end()
		}
		return
	}
}

// end closes the innermost element.
func (x *xmlProse) end() {
	node := x.stack[len(x.stack)-1]
	depth := len(x.stack)
	defer func() { x.stack = x.stack[:len(x.stack)-1] }()
	if x.skip > 0 {
		if x.skip == depth {
			x.skip = 0
		}
		return
	}
	switch node.role {
	case xmlBlock, xmlAdmonition:
		x.flush()
	case xmlSection:
		x.flush()
		x.endItems()
		x.sections--
	case xmlTitle:
		x.titleEnd()
	case xmlCode:
		x.codeEnd()
	case xmlListed:
		x.flush()
		x.Items, x.Marker = max(0, x.Items-1), ""
		x.lists = x.lists[:max(0, len(x.lists)-1)]
	case xmlItem:
		x.flush()
		x.Marker = ""
	case xmlTerm:
		x.termEnd()
	case xmlDefinition:
		x.flush()
		x.Prefix = ""
		if node.attr == "open" {
			x.CloseTerm()
		}
	case xmlNote:
		if x.note == depth {
			x.note = 0
			x.notes = append(x.notes, blocks.OneLine(x.noteBuf.String()))
		}
	case xmlQuote:
		x.chars("”")
	case xmlTable, xmlHead, xmlRow, xmlCell:
		x.tableEnd(node)
	case xmlInline:
		if node.name == "manvolnum" {
			x.chars(")")
		}
	case xmlSkip, xmlBreak, xmlTerms:
	}
	if node.attr == "table" && len(x.grids) > 0 {
		g := x.grids[0].Grid
		x.grids = nil
		x.buf.Reset()
		x.Table(g)
	}
}

// titleEnd adds the title of the document, a section, a table, or a figure.
func (x *xmlProse) titleEnd() {
	text := blocks.OneLine(x.buf.String())
	if len(x.grids) > 0 {
		return
	}
	x.buf.Reset()
	if text == "" {
		return
	}
	owner := x.parent(2)
	if strings.HasSuffix(owner, "info") || owner == "title-group" {
		owner = x.parent(3)
		if x.parent(2) == "title-group" {
			owner = "article"
		}
	}
	if !x.titled {
		x.titled, x.Writer.Title = true, text
	}
	if xmlRoles[owner] == xmlSection || owner == "abstract" || owner == "map" || owner == "bookmap" || !x.known {
		x.Heading(min(max(x.sections, 1), outline.TermLevel-1), text)
		return
	}
	x.Para(text)
}

// codeEnd adds a listing.
func (x *xmlProse) codeEnd() {
	if x.verbatim != len(x.stack) {
		return
	}
	x.verbatim = 0
	if len(x.grids) > 0 {
		return
	}
	text := x.buf.String()
	x.buf.Reset()
	x.Code(strings.Trim(text, "\n"))
	x.flush()
}

// termEnd adds a term.
func (x *xmlProse) termEnd() {
	if len(x.grids) > 0 {
		return
	}
	text := blocks.OneLine(x.buf.String())
	x.buf.Reset()
	if text == "" || len(x.pending) > 2000 {
		return
	}
	if x.pending != "" {
		x.pending += "\n"
	}
	x.pending += text
}

// tableEnd closes a part of a table.
func (x *xmlProse) tableEnd(node xmlNode) {
	if len(x.grids) == 0 {
		return
	}
	g := &x.grids[0]
	switch node.role {
	case xmlCell:
		if len(g.row) < blocks.MaxColumns {
			g.row = append(g.row, blocks.OneLine(x.buf.String()))
		}
		x.buf.Reset()
	case xmlRow, xmlHead:
		if len(g.row) > 0 {
			g.Rows = append(g.Rows, g.row)
			if g.head && len(g.Rows) <= 3 {
				g.Headers = len(g.Rows)
			}
		}
		g.row = nil
		if node.role == xmlHead {
			g.head = false
		}
	}
}
