package table

import (
	"context"
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"
	"sync"

	"docent/rag/corpus"
)

const (
	// maxDocumentBytes limits the text of a document whose tables are read. A part of a table would give wrong sums.
	maxDocumentBytes = 4 << 20
	// maxKeptBytes limits the text of the documents that a Reader keeps.
	maxKeptBytes = 32 << 20
	// chunkPage is the number of chunks that are read at once.
	chunkPage = 1000
)

// Chunks reads the chunks of documents. corpus.Library implements it. It is safe for concurrent use.
type Chunks interface {
	// DocumentChunks returns the document's chunks whose ordinal is greater than after, by ordinal.
	DocumentChunks(ctx context.Context, id int64, after, limit int) ([]corpus.Chunk, error)
}

// Document is a document with its tables.
type Document struct {
	// Document is the document without Text.
	Document corpus.Document
	// Tables are the tables, in the order of the text.
	Tables []Table
	chunks []corpus.Chunk
	bytes  int
}

// Reader reads the tables of documents from their chunks. It keeps the tables of the last documents. Callers must have the
// right to read a document. It is safe for concurrent use.
type Reader struct {
	chunks Chunks

	// mu guards the following fields.
	mu   sync.Mutex
	kept map[key]*Document
	// order has the keys of kept, the last used one at the end.
	order []key
	bytes int
}

// key identifies the stored state of a document.
type key struct{ id, revision int64 }

// NewReader returns a Reader.
func NewReader(chunks Chunks) *Reader { return &Reader{chunks: chunks, kept: map[key]*Document{}} }

// Read returns a document with its tables. A document that is too long has none.
func (r *Reader) Read(ctx context.Context, d corpus.Document) (*Document, error) {
	k := key{d.ID, d.Revision}
	if found := r.get(k); found != nil {
		return found, nil
	}
	out := &Document{Document: d}
	whole := true
	for after := -1; whole; {
		page, err := r.chunks.DocumentChunks(ctx, d.ID, after, chunkPage)
		if err != nil {
			return nil, fmt.Errorf("read the tables of document %d: %w", d.ID, err)
		}
		out.chunks = append(out.chunks, page...)
		if len(page) < chunkPage {
			break
		}
		after = page[len(page)-1].Ordinal
		whole = page[len(page)-1].End <= maxDocumentBytes
	}
	if text, ok := joined(out.chunks); ok && whole {
		out.Tables, out.bytes = Parse(text, d.Language), len(text)
	}
	if len(out.Tables) == 0 {
		out.chunks = nil
	}
	r.keep(k, out)
	return out, nil
}

func (r *Reader) get(k key) *Document {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.Index(r.order, k); i >= 0 {
		r.order = append(slices.Delete(r.order, i, i+1), k)
	}
	return r.kept[k]
}

// keep adds a document and drops those that were not used for the longest time.
func (r *Reader) keep(k key, d *Document) {
	const overhead = 1 << 10 // of a document without tables
	d.bytes += overhead
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kept[k] != nil {
		return
	}
	r.kept[k], r.order, r.bytes = d, append(r.order, k), r.bytes+d.bytes
	for r.bytes > maxKeptBytes && len(r.order) > 1 {
		r.bytes -= r.kept[r.order[0]].bytes
		delete(r.kept, r.order[0])
		r.order = r.order[1:]
	}
}

// joined returns the text of a document from its chunks, at the positions of the document's text. A chunk of rows may repeat
// the header in front. Line ends take the place of text that no chunk has.
func joined(chunks []corpus.Chunk) (string, bool) {
	end := 0
	for _, c := range chunks {
		if c.Start < 0 || c.End < c.Start || len(c.Text) < c.End-c.Start || c.End > maxDocumentBytes {
			return "", false
		}
		end = max(end, c.End)
	}
	out := []byte(strings.Repeat("\n", end))
	for _, c := range chunks {
		copy(out[c.Start:c.End], c.Text[len(c.Text)-(c.End-c.Start):])
	}
	return string(out), true
}

// Sources returns the tables with the words that name them.
func (d *Document) Sources() []Source {
	out := make([]Source, len(d.Tables))
	for i := range d.Tables {
		t := &d.Tables[i]
		source := strings.ReplaceAll(d.Document.Source, "\\", "/")
		title := []string{d.Document.Title, path.Base(source), path.Base(path.Dir(source))}
		if title[0] == "" {
			title = title[1:]
		}
		if c, ok := d.Passage(t.Rows[0]); ok {
			title = append(title, c.Headings...)
		}
		out[i] = Source{Table: t, Title: strings.Join(title, "\n")}
	}
	return out
}

// Passage returns the passage that has a row.
func (d *Document) Passage(row Row) (corpus.Passage, bool) {
	i := sort.Search(len(d.chunks), func(i int) bool { return d.chunks[i].End > row.Start })
	if i == len(d.chunks) || d.chunks[i].Start > row.Start {
		return corpus.Passage{}, false
	}
	return corpus.Passage{Chunk: d.chunks[i], Document: d.Document}, true
}
