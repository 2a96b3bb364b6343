// Package boilerplate removes repeated blocks from the documents of a folder,
// such as the menu and the footer of a web site. It finds the blocks at the start
// or end of most documents.
//
// Several processes read the documents, so the package identifies blocks by their
// hashes. A Repeats counts the hashes at the edges of a sample of documents. Drop
// then removes the shared blocks from each document of the folder.
package boilerplate

import (
	"hash/fnv"
	"slices"
	"strings"

	"docent/ingest/outline"
)

const (
	// SampleSize is the number of documents in the sample of a folder.
	SampleSize = 60
	// MinDocuments is the number of added documents below which Shared finds no
	// shared blocks.
	MinDocuments = 8
)

const (
	// edge is the number of blocks considered at the start and at the end of a
	// document.
	edge = 60
	// maxCounters bounds the number of counted blocks. A block that occurs in
	// share of the documents keeps its counter, because each document adds at
	// most 2*edge blocks.
	maxCounters = 8192
	// share is the minimum fraction of documents that contain a shared block.
	share = 0.6
	// minWords and minBlocks are the minimum size of a group of shared blocks.
	// A single heading that all pages have, such as NAME, is too small.
	minWords  = 8
	minBlocks = 3
	// maxBlock bounds the length of a counted block, in bytes.
	maxBlock = 4 << 10
	// maxDropped is the maximum fraction of a document's text that Drop
	// removes. Copies of one document are not boilerplate.
	maxDropped = 0.8
)

// Repeats counts the blocks at the edges of documents. It is not safe for
// concurrent use.
type Repeats struct {
	documents int
	counts    map[uint64]int
}

// New returns a Repeats without documents.
func New() *Repeats { return &Repeats{counts: map[uint64]int{}} }

// Edges returns the hashes of the blocks near the start and the end of a
// document, without duplicates.
func Edges(doc *outline.Document) []uint64 {
	seen := map[uint64]bool{}
	var keys []uint64
	for i, b := range doc.Blocks {
		if key, ok := keyOf(doc, i, b); ok && !seen[key] {
			seen[key] = true
			keys = append(keys, key)
		}
	}
	return keys
}

// Add adds the edges of a document to the counts.
func (r *Repeats) Add(edges []uint64) {
	r.documents++
	for _, key := range edges[:min(len(edges), 2*edge)] {
		if _, ok := r.counts[key]; !ok && len(r.counts) >= maxCounters {
			r.shrink()
		}
		r.counts[key]++
	}
}

// Shared returns the hashes of the blocks that most of the documents share. It
// returns none for fewer than MinDocuments.
func (r *Repeats) Shared() []uint64 {
	var shared []uint64
	for key, n := range r.counts {
		if r.documents >= MinDocuments && float64(n) >= share*float64(r.documents) {
			shared = append(shared, key)
		}
	}
	slices.Sort(shared)
	return shared
}

// shrink decrements all counters until there is room for another block.
// Frequent blocks keep their counters (Misra and Gries).
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

// keyOf returns the hash of a block. ok is false for blocks that are not
// counted.
func keyOf(doc *outline.Document, i int, b outline.Block) (key uint64, ok bool) {
	if i >= edge && i < len(doc.Blocks)-edge || b.End == b.Start || b.End-b.Start > maxBlock {
		return 0, false
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(doc.Text[b.Start:b.End])) // Write never fails
	return h.Sum64(), true
}

// Drop returns a document without the blocks that it shares with most of its
// folder. Without such blocks it returns the document itself.
func Drop(doc *outline.Document, sharedBlocks []uint64) *outline.Document {
	if len(sharedBlocks) == 0 {
		return doc
	}
	shared := mark(doc, sharedBlocks)
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

// mark marks the blocks of a document that belong to a group of shared ones.
func mark(doc *outline.Document, shared []uint64) []bool {
	out := make([]bool, len(doc.Blocks))
	isShared := func(i int) bool {
		key, ok := keyOf(doc, i, doc.Blocks[i])
		if !ok {
			return false
		}
		_, found := slices.BinarySearch(shared, key)
		return found
	}
	for i := 0; i < len(doc.Blocks); i++ {
		end, words, blocks := i, 0, 0
		for ; end < len(doc.Blocks) && isShared(end); end++ {
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

// without copies a document without the marked blocks.
func without(doc *outline.Document, drop []bool) *outline.Document {
	out := *doc
	out.Blocks = make([]outline.Block, 0, len(doc.Blocks))
	var text strings.Builder
	text.Grow(len(doc.Text))
	before := 0 // end of the previous block in the original document
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
