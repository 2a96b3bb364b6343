// Package join combines documents, such as the chapters of a book or the cells
// of a notebook.
package join

import (
	"strings"

	"docent/ingest/outline"
)

// Builder collects documents and blocks. Its zero value is ready to use.
type Builder struct {
	text      strings.Builder
	blocks    []outline.Block
	truncated bool
}

// Truncated reports whether the text reached outline.MaxText and the rest was
// omitted.
func (b *Builder) Truncated() bool { return b.truncated }

// Len returns the number of bytes so far.
func (b *Builder) Len() int { return b.text.Len() }

// space starts a paragraph and reports whether n more bytes fit.
func (b *Builder) space(n int) bool {
	if b.truncated || b.text.Len()+n+2 > outline.MaxText {
		b.truncated = true
		return false
	}
	if b.text.Len() > 0 && n > 0 {
		b.text.WriteString("\n\n")
	}
	return true
}

// Add appends a block. It ignores empty text.
func (b *Builder) Add(kind outline.Kind, level int, text string) {
	text = outline.Clean(text)
	if kind == outline.Code {
		text = strings.Trim(text, "\n")
	} else {
		text = strings.TrimSpace(text)
	}
	if strings.TrimSpace(text) == "" || !b.space(len(text)) {
		return
	}
	start := b.text.Len()
	b.text.WriteString(text)
	b.blocks = outline.Append(b.blocks, outline.Block{Kind: kind, Level: level, Page: -1, Start: start, End: b.text.Len()})
}

// Section opens a section whose name is not part of the text. Without a name, it
// ends the open sections of this level and of deeper levels.
func (b *Builder) Section(level int, name string) {
	n := b.text.Len()
	name = strings.Join(strings.Fields(outline.Clean(name)), " ")
	b.blocks = outline.Append(b.blocks, outline.Block{Kind: outline.Heading, Level: level, Page: -1, Start: n, End: n, Name: name})
}

// Append appends a document and moves its headings down by the given number of
// levels.
func (b *Builder) Append(doc *outline.Document, levels int) {
	b.truncated = b.truncated || doc.Truncated
	text := strings.TrimRight(doc.Text, " \t\n")
	if !b.space(len(text)) {
		return
	}
	base := b.text.Len()
	b.text.WriteString(text)
	for _, bl := range doc.Blocks {
		if bl.Kind == outline.Heading && bl.Level < outline.TermLevel {
			bl.Level = min(bl.Level+levels, outline.TermLevel-1)
		}
		bl.Start, bl.End = base+min(bl.Start, len(text)), base+min(bl.End, len(text))
		bl.Page = -1
		b.blocks = outline.Append(b.blocks, bl)
	}
}

// Document returns the combined document.
func (b *Builder) Document(title string) *outline.Document {
	return &outline.Document{
		Title:     strings.Join(strings.Fields(outline.Clean(title)), " "),
		Text:      b.text.String(),
		Blocks:    b.blocks,
		Truncated: b.truncated,
	}
}
