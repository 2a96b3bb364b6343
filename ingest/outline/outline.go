// Package outline holds a text together with its structure: what an extractor
// returns and the chunker cuts. The text is one string; blocks are byte ranges
// in it, so whatever is cut from it can be pointed at in it.
package outline

import (
	"path"
	"strings"
	"unicode/utf8"
)

// Kind is the role of a block.
type Kind uint8

// The block kinds.
const (
	// Paragraph is running text.
	Paragraph Kind = iota
	// Heading opens a section; Level says how deep.
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

// TermLevel is the Level of a Heading that is a term of a definition list: it
// names what follows, below every real heading, and gathers with its neighbours
// where they are short.
const TermLevel = 16

// Block is a piece of the text with one role.
type Block struct {
	// Kind is its role.
	Kind Kind
	// Level is a heading's depth: 1 is the outermost, TermLevel and above are
	// terms. It is 0 for the others.
	Level int
	// Page counts from 0; -1 where there are no pages.
	Page int
	// Start is the byte offset in the text.
	Start int
	// End is the exclusive byte offset.
	End int
	// Name, if set, is the heading as a path shows it, where that differs from
	// the block's text. A Heading with a Name and an empty range opens a
	// section that the text itself does not announce; without a Name it ends
	// the section before it.
	Name string
}

// Document is an extracted text with its structure.
type Document struct {
	// Title is what the source calls itself; "" if it does not say.
	Title string
	// Text is valid UTF-8 without NUL.
	Text string
	// Blocks are in the order of the text and do not overlap.
	Blocks []Block
	// PageLabels are the pages as printed, by page; nil where there are none.
	PageLabels []string
	// Charset is the character set of the source; "" for UTF-8, ASCII and formats
	// that are not text.
	Charset string
	// Truncated is set if the source has more than MaxText of text: the rest is
	// missing.
	Truncated bool
	// Scanned are the pages, counted from 0, that are pictures without text.
	Scanned []int
	// Note is what a reader should know of the extraction, such as glyphs that
	// could not be read; "" if there is nothing.
	Note string
}

const (
	// maxBlocks is how many blocks a document has before small ones are joined:
	// a block takes more memory than a short line.
	maxBlocks = 1 << 18
	// joinedBytes is the size under which a block is then joined with the next.
	joinedBytes = 4 << 10
)

// Append appends a block. Where there are very many of them it is joined with
// the one before, and headings become text, so that their number is bounded by
// the length of the text over some thousand.
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

// HeadingName is the text of a heading block in one line.
func (d *Document) HeadingName(b Block) string {
	if b.Name != "" {
		return b.Name
	}
	return strings.Join(strings.Fields(d.Text[b.Start:b.End]), " ")
}

// MaxText is the most text a document has, in bytes. What a Builder is given
// beyond it is dropped, and the document is marked as Truncated.
const MaxText = 64 << 20

// Builder puts a document together from its pieces.
type Builder struct {
	text      strings.Builder
	blocks    []Block
	truncated bool
	// Page is given to the blocks added from now on; New sets it to -1.
	Page int
}

// NewBuilder returns a builder for a text of about size bytes.
func NewBuilder(size int) *Builder {
	b := &Builder{Page: -1}
	b.text.Grow(min(size, MaxText))
	return b
}

// Len is the number of bytes so far.
func (b *Builder) Len() int { return b.text.Len() }

// Add appends a block: a separator if there is text before it, then the text
// without the space around it (code keeps its first line's indentation). Text
// of space alone adds nothing.
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

// AddParagraphs adds the paragraphs of a text, which blank lines divide.
func (b *Builder) AddParagraphs(text string) {
	for part := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n") {
		b.Add(Paragraph, 0, "\n\n", part)
	}
}

// Close ends the sections of a level and below: what follows belongs to the
// section above them.
func (b *Builder) Close(level int) {
	n := b.text.Len()
	b.blocks = Append(b.blocks, Block{Kind: Heading, Level: level, Page: b.Page, Start: n, End: n})
}

// Document returns what was built.
func (b *Builder) Document(title string) *Document {
	return &Document{Title: strings.Join(strings.Fields(Clean(title)), " "), Text: b.text.String(), Blocks: b.blocks, Truncated: b.truncated}
}

// trimBlankLines removes empty lines from the front.
func trimBlankLines(s string) string {
	for {
		i := strings.IndexByte(s, '\n')
		if i < 0 || strings.TrimSpace(s[:i]) != "" {
			return s
		}
		s = s[i+1:]
	}
}

// Clean returns s as valid UTF-8 without NUL and with plain line ends; a clean
// s is returned as it is.
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

// NameTitle is the title of a document without one: the name of its file.
func NameTitle(name string) string {
	return path.Base(strings.ReplaceAll(name, "\\", "/"))
}
