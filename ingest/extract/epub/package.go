package epub

import (
	"encoding/xml"
	"strings"

	"docent/ingest/extract/metadata"
	"docent/ingest/extract/zipxml"
)

// maxMetadata bounds a title or an author.
const maxMetadata = 500

// packageFile reads the package of a book.
type packageFile struct {
	*book
	base  string
	order []string        // ids of the chapters in order
	left  map[string]bool // names of the cover and the table of contents, which are omitted
	text  *strings.Builder
	toc   string // id of the NCX file

	changes bool // the open element has the time of the last change
}

// token reads a token of the package.
func (p *packageFile) token(t xml.Token) error {
	switch e := t.(type) {
	case xml.StartElement:
		p.start(e)
	case xml.EndElement:
		if p.text == nil {
			return nil
		}
		text := strings.Join(strings.Fields(p.text.String()), " ")
		switch {
		case e.Name.Local == "title" && p.title == "":
			p.title = text
		case e.Name.Local == "creator" && text != "" && len(p.creators) < 20:
			p.creators = append(p.creators, text)
		case e.Name.Local == "meta" && p.changes: // dcterms:modified of EPUB 3
			p.changed = metadata.ParseDate(text)
		case e.Name.Local == "date" && p.created.IsZero():
			p.created = metadata.ParseDate(text)
		}
		p.text = nil
	case xml.CharData:
		if p.text != nil && p.text.Len() < maxMetadata {
			p.text.Write(e)
		}
	}
	return nil
}

// start reads an element.
func (p *packageFile) start(e xml.StartElement) {
	switch e.Name.Local {
	case "title", "creator", "date", "meta":
		p.changes = strings.HasSuffix(zipxml.Attr(e, "property"), ":modified")
		p.text = &strings.Builder{}
	case "item":
		if len(p.items) < 2*maxChapters {
			p.items[zipxml.Attr(e, "id")] = item{resolve(p.base, zipxml.Attr(e, "href")), zipxml.Attr(e, "media-type"), zipxml.Attr(e, "properties")}
		}
	case "spine":
		p.toc = zipxml.Attr(e, "toc")
	case "itemref":
		if len(p.order) < maxChapters {
			p.order = append(p.order, zipxml.Attr(e, "idref"))
		}
	case "reference":
		// A reference with a fragment points into a file that has other content
		// too.
		href := zipxml.Attr(e, "href")
		switch strings.ToLower(zipxml.Attr(e, "type")) {
		case "cover", "toc":
			if !strings.Contains(href, "#") {
				p.left[resolve(p.base, href)] = true
			}
		}
	}
}

// finish fills in the names of the chapters and of the table of contents.
func (p *packageFile) finish() {
	for id, it := range p.items {
		switch {
		case hasWord(it.properties, "nav"):
			p.nav = it.name
			p.left[it.name] = true
		case id == p.toc || it.media == "application/x-dtbncx+xml" && p.ncx == "":
			p.ncx = it.name
		}
	}
	seen := map[string]bool{}
	kept := 0
	for _, id := range p.order {
		it, ok := p.items[id]
		if !ok || seen[it.name] || strings.HasPrefix(it.media, "image/") {
			continue
		}
		seen[it.name] = true
		if !p.left[it.name] {
			kept++
		}
		p.spine = append(p.spine, it.name)
	}
	if kept == 0 {
		return // the book has one file, which its guide calls the table of contents
	}
	all := p.spine
	p.spine = nil
	for _, name := range all {
		if !p.left[name] {
			p.spine = append(p.spine, name)
		}
	}
}

// hasWord reports whether a space-separated list contains a word.
func hasWord(list, word string) bool {
	for w := range strings.FieldsSeq(list) {
		if w == word {
			return true
		}
	}
	return false
}
