package retrieve

import (
	"math"
	"strings"

	"docent/embed"
	"docent/rag/corpus"
	"docent/rag/text"
)

// rowDocument is what the retriever keeps of a document.
type rowDocument struct {
	id         int64
	source     string
	collection string
	// rows are its chunks.
	rows []*row
	// length is that of the sum of their vectors.
	length float32
}

// measure computes length.
func (d *rowDocument) measure() {
	var sum []float32
	for _, r := range d.rows {
		if sum == nil {
			sum = make([]float32, len(r.vector))
		}
		for i, f := range r.vector {
			sum[i] += f
		}
	}
	d.length = float32(math.Sqrt(float64(similarity(sum, sum))))
}

// row is what the retriever keeps of a chunk beside the indexes: enough for
// the second stage. Its text stays in the store.
type row struct {
	id      int64
	doc     *rowDocument
	ordinal int32
	kind    uint8
	// heading is how many of tokens are title and heading path.
	heading uint16
	// tokens are the static model's, heading first.
	tokens []uint16
	// sentences are the ends of the text's sentences in tokens.
	sentences []uint16
	// vector is the embedder's; nil if there is none.
	vector []float32
}

// text returns the tokens of the passage without its heading.
func (r *row) text() []uint16 { return r.tokens[r.heading:] }

// maxRowTokens bounds the tokens kept of a chunk, so that positions fit 16 bits.
const maxRowTokens = 4096

// kinds numbers the kinds of chunks as rows keep them.
var kinds = []corpus.Kind{corpus.Prose, corpus.Code, corpus.Table}

func kindNumber(k corpus.Kind) uint8 {
	for i, name := range kinds {
		if name == k {
			return uint8(i)
		}
	}
	return 0
}

// newRow tokenizes a chunk.
func newRow(static *embed.Static, doc *rowDocument, c *corpus.Chunk, heading string, vector []float32) *row {
	r := &row{id: c.ID, doc: doc, ordinal: int32(c.Ordinal), kind: kindNumber(c.Kind), vector: vector}
	buf := make([]uint16, 0, 256)
	buf = static.AppendTokens(buf, heading)
	buf = buf[:min(len(buf), maxRowTokens/4)]
	r.heading = uint16(len(buf))
	at := 0
	for _, end := range stretches(c.Text, c.Kind) {
		before := len(buf)
		buf = static.AppendTokens(buf, c.Text[at:end])
		at = end
		buf = buf[:min(len(buf), maxRowTokens)]
		if len(buf) > before {
			r.sentences = append(r.sentences, uint16(len(buf)))
		}
	}
	r.tokens = append(make([]uint16, 0, len(buf)), buf...)
	return r
}

// minStretch is how many words a sentence needs to be compared on its own.
const minStretch = 6

// stretches returns the ends, as byte offsets, of what the question is
// compared with on its own: sentences, those of few words joined to the next.
func stretches(body string, kind corpus.Kind) []int {
	var out []int
	start := 0
	for _, s := range text.Sentences(body, kind) {
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

// rows are all chunks that can be found.
type rows struct {
	byID       map[int64]*row
	byDocument map[int64][]*row
	// frequency counts, by token, the rows that have it.
	frequency []uint32
	seen      []uint32 // by token: the counting run that saw it last
	run       uint32
	// length counts the tokens of all rows.
	length int
}

func newRows(tokens int) rows {
	return rows{byID: map[int64]*row{}, byDocument: map[int64][]*row{}, frequency: make([]uint32, tokens), seen: make([]uint32, tokens)}
}

// replace gives a document new chunks and returns the ids of those that are
// gone.
func (r *rows) replace(document int64, fresh []*row) (gone []int64) {
	for _, old := range r.byDocument[document] {
		delete(r.byID, old.id)
		r.count(old, -1)
	}
	for _, n := range fresh {
		r.byID[n.id] = n
		r.count(n, 1)
	}
	for _, old := range r.byDocument[document] {
		if r.byID[old.id] == nil {
			gone = append(gone, old.id)
		}
	}
	if len(fresh) == 0 {
		delete(r.byDocument, document)
	} else {
		r.byDocument[document] = fresh
	}
	return gone
}

// count adds by to the frequency of each of a row's tokens.
func (r *rows) count(w *row, by int) {
	r.run++
	r.length += by * len(w.tokens)
	for _, t := range w.tokens {
		if r.seen[t] != r.run {
			r.seen[t] = r.run
			r.frequency[t] += uint32(by)
		}
	}
}
