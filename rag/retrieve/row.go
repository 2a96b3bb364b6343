package retrieve

import (
	"strings"

	"docent/embed"
	"docent/rag/corpus"
	"docent/rag/text"
)

// text returns the tokens of the passage without its heading.
func (r *Row) text() []uint16 { return r.Tokens[r.Heading:] }

// maxRowTokens limits the tokens of a row, so that positions fit in 16 bits.
const maxRowTokens = 4096

// kinds numbers the kinds of chunks in snapshots.
var kinds = []corpus.Kind{corpus.Prose, corpus.Code, corpus.Table}

func kindNumber(k corpus.Kind) uint8 {
	for i, name := range kinds {
		if name == k {
			return uint8(i)
		}
	}
	return 0
}

// NewRow makes the row of a chunk. heading is the line above its text.
func NewRow(static *embed.Static, doc *RowDocument, c *corpus.Chunk, heading string, vector []float32) *Row {
	r := &Row{ID: c.ID, Document: doc, Ordinal: c.Ordinal, Kind: kinds[kindNumber(c.Kind)], Vector: vector}
	buf := make([]uint16, 0, 256)
	buf = static.AppendTokens(buf, heading)
	buf = buf[:min(len(buf), maxRowTokens/4)]
	r.Heading = uint16(len(buf))
	at := 0
	for _, end := range stretches(c.Text, c.Kind) {
		before := len(buf)
		buf = static.AppendTokens(buf, c.Text[at:end])
		at = end
		buf = buf[:min(len(buf), maxRowTokens)]
		if len(buf) > before {
			r.Sentences = append(r.Sentences, uint16(len(buf)))
		}
	}
	r.Tokens = append(make([]uint16, 0, len(buf)), buf...)
	return r
}

// minStretch is the number of words that a sentence needs to be compared
// alone.
const minStretch = 6

// stretches returns the ends, as byte offsets, of the parts that are compared
// with the question: sentences, with short sentences joined to the next.
func stretches(body string, kind corpus.Kind) []int {
	var out []int
	start := 0
	for _, s := range text.Sentences(body, kind == corpus.Code) {
		if len(strings.Fields(body[start:s.End])) >= minStretch {
			out = append(out, s.End)
			start = s.End
		}
	}
	switch {
	case len(out) == 0:
		return []int{len(body)}
	case start < len(body):
		out[len(out)-1] = len(body) // a short rest belongs to the last
	}
	return out
}

// rows are all searchable chunks.
type rows struct {
	byID       map[int64]*Row
	byDocument map[int64][]*Row
	// frequency counts, by token, the rows that contain it.
	frequency []uint32
	seen      []uint32 // by token: the counting run that saw it last
	run       uint32
	// length counts the tokens of all rows.
	length int
}

func newRows(tokens int) rows {
	return rows{byID: map[int64]*Row{}, byDocument: map[int64][]*Row{}, frequency: make([]uint32, tokens), seen: make([]uint32, tokens)}
}

// replace gives a document new chunks and returns the ids of the removed ones.
func (r *rows) replace(document int64, fresh []*Row) (gone []int64) {
	for _, old := range r.byDocument[document] {
		delete(r.byID, old.ID)
		r.count(old, -1)
	}
	for _, n := range fresh {
		r.byID[n.ID] = n
		r.count(n, 1)
	}
	for _, old := range r.byDocument[document] {
		if r.byID[old.ID] == nil {
			gone = append(gone, old.ID)
		}
	}
	if len(fresh) == 0 {
		delete(r.byDocument, document)
	} else {
		r.byDocument[document] = fresh
	}
	return gone
}

// count adds by to the frequency of each token of a row.
func (r *rows) count(w *Row, by int) {
	r.run++
	r.length += by * len(w.Tokens)
	for _, t := range w.Tokens {
		if r.seen[t] != r.run {
			r.seen[t] = r.run
			r.frequency[t] += uint32(by)
		}
	}
}
