// Package chunk cuts a document into passages along its structure: sections,
// paragraphs, list items, table rows, and declarations. A passage is a byte
// range of the document's text. It never splits a word and never crosses a
// page. It stays within its section unless the section is tiny.
package chunk

import (
	"slices"
	"strings"

	"docent/ingest/outline"
	"docent/rag/corpus"
)

// sizes are the sizes of passages. They are in words, as counted by the function
// Words.
type sizes struct {
	// MaxWords bounds a passage of prose or table rows. 230 words are about 300 tokens.
	MaxWords int
	// MinWords is the minimum size of a section. Smaller sections are joined with
	// their neighbors.
	MinWords int
	// TermWords is MinWords for the entries of definition lists.
	TermWords int
	// MaxCodeWords bounds a passage of source code.
	MaxCodeWords int
	// MinCodeWords is the minimum size of a declaration. Smaller declarations are
	// joined with their neighbors.
	MinCodeWords int
}

// Cutter cuts documents. It is safe for concurrent use.
type Cutter struct {
	sizes  sizes // tests set other values
	tokens func(text string) int
}

// New returns a cutter. tokens counts the tokens of a text for Chunk.Tokens. With
// nil, a text has 4/3 as many tokens as words.
func New(tokens func(text string) int) *Cutter {
	if tokens == nil {
		tokens = func(text string) int { return Words(text) * 4 / 3 }
	}
	return &Cutter{
		sizes:  sizes{MaxWords: 230, MinWords: 25, TermWords: 120, MaxCodeWords: 250, MinCodeWords: 120},
		tokens: tokens,
	}
}

// Cut returns the passages of a document in order, numbered from 0. omitted is
// the number of bytes of encoded data, such as base64, that no passage contains.
func (c *Cutter) Cut(doc *outline.Document) (passages []corpus.Chunk, omitted int) {
	w := &work{
		sizes: c.sizes, tokens: c.tokens, doc: doc, source: isSource(doc),
		counts: make([]int, len(doc.Blocks)), names: map[int]string{},
	}
	for i, b := range doc.Blocks {
		w.counts[i] = Words(doc.Text[b.Start:b.End])
	}
	for _, g := range w.gather(w.sections()) {
		w.cut(g)
	}
	return w.out, w.omitted
}

// work is the state of cutting one document.
type work struct {
	sizes
	tokens func(text string) int
	doc    *outline.Document
	source bool  // the document is only source code
	counts []int // number of words by block
	out    []corpus.Chunk
	pieces []piece
	group  group // the group that is being cut
	limit  int   // the maximum size of its passages
	names  map[int]string
	// encoded counts the bytes of encoded data so far. omitted counts those of
	// them that no passage contains.
	encoded, omitted int
}

// piece is a part of the text that is not split further: a block, or a part of
// a block that is too long.
type piece struct {
	start, end int
	words      int
	kind       outline.Kind
	page       int
	header     int // index of the header block of the row's table; -1 without one
}

// isSource reports whether the document contains only source code.
func isSource(doc *outline.Document) bool {
	return !slices.ContainsFunc(doc.Blocks, func(b outline.Block) bool {
		return b.Kind != outline.Code && b.End > b.Start
	})
}

// cut turns a group of sections into passages.
func (w *work) cut(g group) {
	limit := w.MaxWords
	if w.source {
		limit = w.MaxCodeWords
	}
	w.group, w.limit = g, limit
	header := -1
	for i := g.from; i < g.to; i++ {
		b := w.doc.Blocks[i]
		switch b.Kind {
		case outline.Heading:
			if i == g.from && g.skipFirst || b.Start == b.End {
				continue
			}
		case outline.Header:
			header = i
		}
		row := b.Kind == outline.Row
		if !row && b.Kind != outline.Header {
			header = -1
		}
		p := piece{start: b.Start, end: b.End, words: w.counts[i], kind: b.Kind, page: b.Page, header: -1}
		room := limit
		if row && header >= 0 && w.counts[header] <= limit/3 {
			p.header = header
			room -= w.counts[header]
		}
		w.split(p, room)
	}
	w.pack(g, limit)
	w.pieces = w.pieces[:0]
}

// maxPieces bounds the number of pieces that wait to be packed. A piece takes
// more memory than its text.
const maxPieces = 4096

// add appends a piece of the group that is being cut. It omits the piece if
// there is too much encoded data.
func (w *work) add(p piece) {
	omit := isEncoded(w.doc.Text[p.start:p.end])
	if omit {
		w.encoded += p.end - p.start
		omit = w.encoded > maxEncoded
	}
	if omit || len(w.pieces) == maxPieces {
		w.pack(w.group, w.limit)
		w.pieces = w.pieces[:0]
	}
	if omit {
		w.omitted += p.end - p.start
		return
	}
	w.pieces = append(w.pieces, p)
}

// pack joins pieces to passages of even size. It makes as few passages as the
// limit allows, and keeps each as close to the average as the pieces permit.
func (w *work) pack(g group, limit int) {
	rest := w.pieces
	for len(rest) > 0 {
		n := w.page(rest)
		total := 0
		for _, p := range rest[:n] {
			total += p.words
		}
		for page := rest[:n]; len(page) > 0; {
			k, words := w.take(page, total, limit)
			w.emit(g, page[:k])
			page = page[k:]
			total -= words
		}
		rest = rest[n:]
	}
}

// page counts the leading pieces that are on the page of the first piece.
func (w *work) page(pieces []piece) int {
	n := slices.IndexFunc(pieces, func(p piece) bool { return p.page != pieces[0].page })
	if n < 0 {
		return len(pieces)
	}
	return n
}

// take returns the number of pieces of the next passage and their words. total
// is the number of words left.
func (w *work) take(pieces []piece, total, limit int) (k, words int) {
	if h := pieces[0].header; h >= 0 {
		limit -= w.counts[h]
	}
	if total <= limit {
		return len(pieces), total
	}
	parts := (total + limit - 1) / limit
	target := total / parts
	for k < len(pieces) && (k == 0 || words+pieces[k].words <= limit && words < target) {
		words += pieces[k].words
		k++
	}
	// A line that announces the next one ("for example:") stays with it.
	if k > 1 && k < len(pieces) {
		last := pieces[k-1]
		if last.kind == outline.Header || last.words <= limit/4 && pieces[k].kind != outline.Paragraph &&
			last.kind == outline.Paragraph && strings.HasSuffix(w.doc.Text[last.start:last.end], ":") {
			k--
			words -= last.words
		}
	}
	return k, words
}

// emit appends the passage that the pieces form.
func (w *work) emit(g group, pieces []piece) {
	first, last := pieces[0], pieces[len(pieces)-1]
	text := w.doc.Text[first.start:last.end]
	if h := first.header; h >= 0 {
		b := w.doc.Blocks[h]
		text = w.doc.Text[b.Start:b.End] + "\n" + text
	}
	c := corpus.Chunk{
		Ordinal: len(w.out), Kind: kindOf(pieces), Text: text, Headings: g.names,
		Start: first.start, End: last.end, Tokens: w.tokens(text),
	}
	if first.page >= 0 {
		page := first.page
		c.Page = &page
		if page < len(w.doc.PageLabels) {
			c.PageLabel = w.doc.PageLabels[page]
		}
	}
	w.out = append(w.out, c)
}

// kindOf returns the kind of text that most words of the pieces belong to.
func kindOf(pieces []piece) corpus.Kind {
	var code, table, all int
	for _, p := range pieces {
		all += p.words
		switch p.kind {
		case outline.Code:
			code += p.words
		case outline.Row, outline.Header:
			table += p.words
		}
	}
	switch {
	case code*2 > all:
		return corpus.Code
	case table*2 > all:
		return corpus.Table
	default:
		return corpus.Prose
	}
}
