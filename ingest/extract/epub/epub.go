// Package epub reads electronic books (EPUB). It reads the chapters in reading
// order, with the headings of the table of contents.
package epub

import (
	"cmp"
	"context"
	"encoding/xml"
	"net/url"
	"path"
	"strings"
	"time"

	"docent/ingest/extract/charset"
	"docent/ingest/extract/html"
	"docent/ingest/extract/join"
	"docent/ingest/extract/zipxml"
	"docent/ingest/outline"
	"docent/internal/fault"
	"docent/rag/corpus"
)

const (
	containerPart  = "META-INF/container.xml"
	encryptionPart = "META-INF/encryption.xml"
	// maxChapters bounds the files of a book.
	maxChapters = 10000
)

// Is reports whether a ZIP file is an EPUB book.
func Is(a *zipxml.Archive) bool {
	if !a.Has("mimetype") {
		return a.Has(containerPart)
	}
	kind, err := a.Part("mimetype")
	return err == nil && strings.TrimSpace(string(kind)) == "application/epub+zip"
}

// Read reads a book: its title, its authors, and its chapters in the order of
// the spine. It omits the cover and the table of contents.
func Read(ctx context.Context, _ string, data []byte) (*outline.Document, error) {
	a, err := zipxml.Open(data)
	if err != nil {
		return nil, err
	}
	b := &book{archive: a, entries: map[string]entry{}}
	if err := b.open(ctx); err != nil {
		return nil, err
	}
	if err := b.checkEncryption(ctx); err != nil {
		return nil, err
	}
	b.contents(ctx)
	var out join.Builder
	if len(b.creators) > 0 {
		out.Add(outline.Paragraph, 0, strings.Join(b.creators, ", "))
	}
	for _, name := range b.spine {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := b.chapter(ctx, &out, name); err != nil {
			return nil, err
		}
		if out.Truncated() {
			break
		}
	}
	if b.missing > 0 && b.missing == len(b.spine) {
		return nil, fault.New(fault.Invalid,
			"epub_without_chapters", "damaged: none of its chapters is in the file; download the book again")
	}
	doc := out.Document(b.title)
	doc.SetDate(cmp.Or(b.created, b.changed), corpus.Properties)
	return doc, nil
}

// book is an open book.
type book struct {
	archive  *zipxml.Archive
	title    string
	creators []string
	// The dates of the file and of the publication.
	changed, created time.Time
	items            map[string]item // files of the manifest by id
	spine            []string        // names of the chapters in order
	nav              string          // the EPUB 3 table of contents
	ncx              string          // the EPUB 2 table of contents
	entries          map[string]entry
	missing          int // number of chapters whose file is missing
}

// item is a file of the book.
type item struct{ name, media, properties string }

// resolve returns the name of a part that another part refers to.
func resolve(base, href string) string {
	href, _, _ = strings.Cut(href, "#")
	if u, err := url.PathUnescape(href); err == nil {
		href = u
	}
	if strings.HasPrefix(href, "/") {
		return strings.TrimPrefix(path.Clean(href), "/")
	}
	return strings.TrimPrefix(path.Join(path.Dir(base), href), "/")
}

// open reads the container and the package file.
func (b *book) open(ctx context.Context) error {
	opf, err := b.packageName(ctx)
	if err != nil {
		return err
	}
	data, err := b.archive.Part(opf)
	if err != nil {
		return err
	}
	if data == nil {
		return fault.New(fault.Invalid, "epub_without_package", "damaged: the book has no package file; download it again")
	}
	p := &packageFile{book: b, base: opf, left: map[string]bool{}}
	b.items = map[string]item{}
	// A truncated package still names the chapters before the damage.
	if err := zipxml.Tokens(ctx, data, p.token); err != nil && (ctx.Err() != nil || len(p.order) == 0) {
		return err
	}
	p.finish()
	return nil
}

// packageName is the name of the package file.
func (b *book) packageName(ctx context.Context) (string, error) {
	data, err := b.archive.Part(containerPart)
	if err != nil {
		return "", err
	}
	var name string
	err = zipxml.Tokens(ctx, data, func(t xml.Token) error {
		if e, ok := t.(xml.StartElement); ok && e.Name.Local == "rootfile" && name == "" {
			name = strings.TrimPrefix(path.Clean(zipxml.Attr(e, "full-path")), "/")
		}
		return nil
	})
	if name != "" && b.archive.Has(name) {
		return name, nil
	}
	for _, n := range b.archive.Names() {
		if strings.EqualFold(path.Ext(n), ".opf") {
			return n, nil
		}
	}
	if err != nil {
		return "", err
	}
	return "", fault.New(fault.Invalid, "epub_without_package", "damaged: the book has no package file; download it again")
}

// fontAlgorithms are algorithms that only obfuscate fonts.
var fontAlgorithms = map[string]bool{"http://www.idpf.org/2008/embedding": true, "http://ns.adobe.com/pdf/enc#RC": true}

// checkEncryption returns an error for a book whose chapters are encrypted.
func (b *book) checkEncryption(ctx context.Context) error {
	data, err := b.archive.Part(encryptionPart)
	if err != nil || data == nil {
		return err
	}
	chapters := make(map[string]bool, len(b.spine))
	for _, n := range b.spine {
		chapters[n] = true
	}
	var algorithm string
	encrypted := false
	err = zipxml.Tokens(ctx, data, func(t xml.Token) error {
		e, ok := t.(xml.StartElement)
		switch {
		case !ok:
		case e.Name.Local == "EncryptionMethod":
			algorithm = zipxml.Attr(e, "Algorithm")
		case e.Name.Local == "CipherReference":
			encrypted = encrypted || !fontAlgorithms[algorithm] && chapters[resolve("", zipxml.Attr(e, "URI"))]
		}
		return nil
	})
	if encrypted {
		return fault.New(fault.Invalid,
			"epub_protected", "encrypted: the book is protected against copying (DRM); add a copy without protection")
	}
	if ctx.Err() != nil {
		return err
	}
	return nil
}

// chapter appends a chapter. A chapter without a heading gets its heading from
// the table of contents.
func (b *book) chapter(ctx context.Context, out *join.Builder, name string) error {
	data, err := b.archive.Part(name)
	if err != nil {
		return err
	}
	if data == nil {
		b.missing++
		return nil
	}
	var doc *outline.Document
	text, _, err := charset.DecodePage(closeEmpty(data))
	if err == nil {
		doc, err = html.Read(ctx, text)
	}
	if err != nil {
		return fault.Wrap(fault.Invalid, err, "epub_chapter_unreadable", "damaged: its chapter %s cannot be read", path.Base(name))
	}
	if strings.TrimSpace(doc.Text) == "" {
		return nil
	}
	if e, ok := b.entries[name]; ok && !startsWithHeading(doc) {
		out.Section(e.level, e.label)
		shift := 0
		if top := topLevel(doc); top > 0 && top <= e.level {
			shift = e.level + 1 - top
		}
		out.Append(doc, shift)
		return nil
	}
	out.Append(doc, 0)
	return nil
}

// startsWithHeading reports whether a chapter begins with a heading. One short
// line, such as a number, may precede it.
func startsWithHeading(doc *outline.Document) bool {
	for i, bl := range doc.Blocks {
		if bl.Kind == outline.Heading && bl.Level < outline.TermLevel {
			return true
		}
		if i >= 2 || bl.End-bl.Start > 80 {
			break
		}
	}
	return false
}

// topLevel returns the level of the chapter's outermost heading, or 0.
func topLevel(doc *outline.Document) int {
	top := 0
	for _, bl := range doc.Blocks {
		if bl.Kind == outline.Heading && bl.Level < outline.TermLevel && (top == 0 || bl.Level < top) {
			top = bl.Level
		}
	}
	return top
}
