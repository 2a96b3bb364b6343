// Package boilerplate finds the blocks that most documents of a folder begin or
// end with, such as the menu and the footer of a web site, and leaves them out.
//
// It works on a stream of documents with bounded memory. Add a sample of a
// folder's documents to a Repeats first, then pass each document of the folder
// through Drop:
//
//	shared := boilerplate.New()
//	for doc := range sample { // up to SampleSize documents, spread over the folder
//		shared.Add(doc)
//	}
//	for doc := range all {
//		doc = shared.Drop(doc)
//	}
package boilerplate

import (
	"hash/maphash"
	"strings"
	"sync"

	"docent/ingest/outline"
)

const (
	// SampleSize is how many documents of a folder are enough to know its shared
	// blocks.
	SampleSize = 60
	// MinDocuments is how many documents must have been added before Drop leaves
	// out anything.
	MinDocuments = 8
)

const (
	// edge is how many blocks at the start and at the end of a document are
	// looked at.
	edge = 60
	// maxCounters bounds the blocks that are counted. A block that is in share of
	// the documents keeps its counter: each document brings at most 2*edge.
	maxCounters = 8192
	// share is the part of the documents that must have a block.
	share = 0.6
	// minWords and minBlocks are the size of a group of shared blocks: one
	// heading that all pages have, such as NAME, is none.
	minWords  = 8
	minBlocks = 3
	// maxBlock is the longest block, in bytes, that is counted.
	maxBlock = 4 << 10
	// maxDropped is the largest part of a document's text that may be left out.
	// Copies of one document are no boilerplate.
	maxDropped = 0.8
)

// Repeats counts the blocks at the edges of documents. It is safe for
// concurrent use.
type Repeats struct {
	seed maphash.Seed

	mu        sync.Mutex
	documents int
	counts    map[uint64]int
}

// New returns a Repeats without documents.
func New() *Repeats {
	return &Repeats{seed: maphash.MakeSeed(), counts: map[uint64]int{}}
}

// Add counts the blocks of a document.
func (r *Repeats) Add(doc *outline.Document) {
	seen := map[uint64]bool{}
	for i, b := range doc.Blocks {
		if key, ok := r.key(doc, i, b); ok {
			seen[key] = true
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.documents++
	for key := range seen {
		if _, ok := r.counts[key]; !ok && len(r.counts) >= maxCounters {
			r.shrink()
		}
		r.counts[key]++
	}
}

// shrink takes one from each counter until there is room: the counters of
// frequent blocks stay (Misra and Gries).
func (r *Repeats) shrink() {
	for len(r.counts) >= maxCounters {
		for key, n := range r.counts {
			if n == 1 {
				delete(r.counts, key)
			} else {
				r.counts[key] = n - 1
			}
		}
	}
}

// key is the hash of a block; ok is false for blocks that are not counted.
func (r *Repeats) key(doc *outline.Document, i int, b outline.Block) (key uint64, ok bool) {
	if i >= edge && i < len(doc.Blocks)-edge || b.End == b.Start || b.End-b.Start > maxBlock {
		return 0, false
	}
	return maphash.String(r.seed, doc.Text[b.Start:b.End]), true
}

// Drop returns a document without the blocks that most of the added documents
// share, or the document itself if there are none.
func (r *Repeats) Drop(doc *outline.Document) *outline.Document {
	shared := r.shared(doc)
	dropped := 0
	for i, b := range doc.Blocks {
		if shared[i] {
			dropped += b.End - b.Start
		}
	}
	if dropped == 0 || float64(dropped) > maxDropped*float64(len(doc.Text)) {
		return doc
	}
	return without(doc, shared)
}

// shared marks the blocks of a document that belong to a group of shared ones.
func (r *Repeats) shared(doc *outline.Document) []bool {
	out := make([]bool, len(doc.Blocks))
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.documents < MinDocuments {
		return out
	}
	for i := 0; i < len(doc.Blocks); i++ {
		end, words, blocks := i, 0, 0
		for ; end < len(doc.Blocks) && r.isShared(doc, end); end++ {
			b := doc.Blocks[end]
			words += len(strings.Fields(doc.Text[b.Start:b.End]))
			if b.Kind != outline.Heading {
				blocks++
			}
		}
		last := end
		if i < edge { // a heading that ends the group opens the content
			for last > i && doc.Blocks[last-1].Kind == outline.Heading {
				last--
			}
		}
		if words >= minWords || blocks >= minBlocks {
			for k := i; k < last; k++ {
				out[k] = true
			}
		}
		i = max(i, end)
	}
	return out
}

func (r *Repeats) isShared(doc *outline.Document, i int) bool {
	key, ok := r.key(doc, i, doc.Blocks[i])
	return ok && float64(r.counts[key]) >= share*float64(r.documents)
}

// without is a copy of a document without some of its blocks.
func without(doc *outline.Document, drop []bool) *outline.Document {
	out := *doc
	out.Blocks = make([]outline.Block, 0, len(doc.Blocks))
	var text strings.Builder
	text.Grow(len(doc.Text))
	before := 0 // where the block before ended in the document
	for i, b := range doc.Blocks {
		separator := doc.Text[before:b.Start]
		before = b.End
		if drop[i] {
			continue
		}
		if text.Len() > 0 && b.End > b.Start {
			text.WriteString(separator)
		}
		start := text.Len()
		text.WriteString(doc.Text[b.Start:b.End])
		b.Start, b.End = start, text.Len()
		out.Blocks = append(out.Blocks, b)
	}
	out.Text = text.String()
	return &out
}
