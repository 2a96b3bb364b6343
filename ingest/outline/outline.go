// Package outline defines documents as text with structure. Extractors produce
// them, and the chunker cuts them. The text is one string. Blocks are byte ranges
// in it, so every chunk has a position in the text.
package outline

import (
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"docent/rag/corpus"
)

// Kind is the role of a block.
type Kind uint8

// The block kinds.
const (
	// Paragraph is running text.
	Paragraph Kind = iota
	// Heading opens a section. Level is its depth.
	Heading
	// Item is an item of a list, or one paragraph of it.
	Item
	// Code is source code or other text whose line breaks matter.
	Code
	// Header is the header row of a table.
	Header
	// Row is a row of a table.
	Row
)

// TermLevel is the Level of a Heading that is a term of a definition list. It is
// deeper than all real headings. Short definitions are joined with their
// neighbors.
const TermLevel = 16

// Block is a part of the text with one role.
type Block struct {
	// Kind is the role of the block.
	Kind Kind
	// Level is the depth of a heading. 1 is the outermost level, and TermLevel
	// and above are terms. Level is 0 for other blocks.
	Level int
	// Page counts from 0; -1 without pages.
	Page int
	// Start is the byte offset in the text.
	Start int
	// End is the exclusive byte offset.
	End int
	// Name is the text of a heading in heading paths, if that differs from the text
	// of the block. A Heading with a Name and an empty range opens a section whose
	// name is not in the text. A Heading with an empty range and no Name ends the
	// section before it.
	Name string
}

// Document is an extracted text with its structure.
type Document struct {
	// Title is the title in the source; "" without one.
	Title string
	// Date is when the document was written or last changed, as it states itself; zero if it does
	// not. See corpus.Document.
	Date time.Time
	// DateFrom names the part of the document that states Date.
	DateFrom corpus.DateFrom
	// Version is the version that the document states; "" if it states none.
	Version string
	// Tags are the tags that the document states, in the form of corpus.CleanTags.
	Tags []string
	// Text is valid UTF-8 without NUL.
	Text string
	// Blocks are in the order of the text and do not overlap.
	Blocks []Block
	// PageLabels are the printed page numbers, by page; nil without pages.
	PageLabels []string
	// Charset is the character set of the source. It is "" for UTF-8, ASCII,
	// and formats that are not text.
	Charset string
	// Truncated reports that the source has more text than MaxText. The rest is
	// missing.
	Truncated bool
	// Scanned are the pages, counted from 0, that are pictures without text.
	Scanned []int
	// Note describes missing content for readers, such as unreadable glyphs; "" if
	// nothing is missing.
	Note string
}

const (
	// maxBlocks is the number of blocks above which small blocks are joined. A
	// block takes more memory than a short line.
	maxBlocks = 1 << 18
	// joinedBytes is the size below which a block is then joined with the next
	// one.
	joinedBytes = 4 << 10
)

// Append appends a block. If there are very many blocks, it joins the block
// with the previous one and turns headings into text. This bounds the number of
// blocks.
func Append(blocks []Block, b Block) []Block {
	if len(blocks) < maxBlocks {
		return append(blocks, b)
	}
	if b.Start == b.End {
		return blocks
	}
	if b.Kind == Heading {
		b.Kind, b.Level, b.Name = Paragraph, 0, ""
	}
	last := &blocks[len(blocks)-1]
	if last.Kind != Heading && last.Kind != Header && last.Page == b.Page && last.End-last.Start < joinedBytes {
		last.End = b.End
		return blocks
	}
	return append(blocks, b)
}

// SetDate sets the date and its origin, unless the date is zero.
func (d *Document) SetDate(date time.Time, from corpus.DateFrom) {
	if !date.IsZero() {
		d.Date, d.DateFrom = date, from
	}
}

// HeadingName returns the text of a heading block on one line.
func (d *Document) HeadingName(b Block) string {
	if b.Name != "" {
		return b.Name
	}
	return strings.Join(strings.Fields(d.Text[b.Start:b.End]), " ")
}

// MaxText is the maximum size of a document's text, in bytes. A Builder drops
// further text and marks the document as Truncated.
const MaxText = 64 << 20

// Builder builds a document from its pieces.
type Builder struct {
	text      strings.Builder
	blocks    []Block
	truncated bool
	// Page is the page of the blocks added from now on. NewBuilder sets it to
	// -1.
	Page int
}

// NewBuilder returns a builder for a text of about size bytes.
func NewBuilder(size int) *Builder {
	b := &Builder{Page: -1}
	b.text.Grow(min(size, MaxText))
	return b
}

// Len returns the number of bytes so far.
func (b *Builder) Len() int { return b.text.Len() }

// Add appends a block. If there is text before it, Add first writes the
// separator. It removes the space around the text, but keeps the indentation of
// the first line of code. It ignores text that consists only of space.
func (b *Builder) Add(kind Kind, level int, separator, text string) {
	text = Clean(text)
	if kind == Code {
		text = strings.TrimRight(trimBlankLines(text), " \t\n\r\f\v")
	} else {
		text = strings.TrimSpace(text)
	}
	if text == "" || b.truncated {
		return
	}
	if b.text.Len()+len(separator)+len(text) > MaxText {
		b.truncated = true
		return
	}
	if b.text.Len() > 0 {
		b.text.WriteString(separator)
	}
	start := b.text.Len()
	b.text.WriteString(text)
	b.blocks = Append(b.blocks, Block{Kind: kind, Level: level, Page: b.Page, Start: start, End: b.text.Len()})
}

// AddParagraphs adds the paragraphs of a text. Blank lines separate them.
func (b *Builder) AddParagraphs(text string) {
	for part := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n") {
		b.Add(Paragraph, 0, "\n\n", part)
	}
}

// Close ends the sections of a level and of deeper levels. The following blocks
// belong to the enclosing section.
func (b *Builder) Close(level int) {
	n := b.text.Len()
	b.blocks = Append(b.blocks, Block{Kind: Heading, Level: level, Page: b.Page, Start: n, End: n})
}

// Document returns the finished document.
func (b *Builder) Document(title string) *Document {
	return &Document{Title: strings.Join(strings.Fields(Clean(title)), " "), Text: b.text.String(), Blocks: b.blocks, Truncated: b.truncated}
}

// trimBlankLines removes empty lines at the start.
func trimBlankLines(s string) string {
	for {
		i := strings.IndexByte(s, '\n')
		if i < 0 || strings.TrimSpace(s[:i]) != "" {
			return s
		}
		s = s[i+1:]
	}
}

// Clean returns s as valid UTF-8 without NUL and with LF line ends. It returns
// a clean s unchanged.
func Clean(s string) string {
	if strings.IndexByte(s, '\r') >= 0 {
		s = strings.ReplaceAll(s, "\r\n", "\n")
		s = strings.ReplaceAll(s, "\r", "\n")
	}
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "")
	}
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	return s
}

// NameTitle returns the title for a document without its own title. It is the
// file name on one line.
func NameTitle(name string) string {
	return strings.Join(strings.Fields(path.Base(strings.ReplaceAll(name, "\\", "/"))), " ")
}
