// Package bm25 is the keyword index: an inverted index in memory that ranks chunks by BM25. It can describe matches in
// detail, and it loads from a file without decoding.
package bm25

import (
	"bytes"
	"context"
	"fmt"
	"sync"

	"docent/internal/fault"
	"docent/rag/retrieve"
	"docent/rag/retrieve/keyword"
)

// maxChunks limits the chunks, because postings have 24 bits for them.
const maxChunks = 1<<24 - 1

// posting is a term in a chunk: the chunk's slot, the count in heading and text (5 bits), and the count in the heading (3
// bits).
type posting uint32

func newPosting(slot uint32, c keyword.Count) posting {
	return posting(slot<<8 | uint32(c.HeadingTF)<<5 | uint32(c.TF))
}

func (p posting) slot() uint32      { return uint32(p) >> 8 }
func (p posting) tf() uint32        { return uint32(p) & keyword.MaxTF }
func (p posting) headingTF() uint32 { return uint32(p) >> 5 & keyword.MaxHeadingTF }

// Index is a keyword index. Create one with New. Searches and matches may run
// concurrently. Put and Delete run one at a time. They prepare their changes
// first, and block searches only while they add the changes to the index.
type Index struct {
	// writing is held while the index changes, from the analysis to the end.
	writing sync.Mutex
	// counter counts the terms of entries. newTerms are the terms that are not in
	// terms yet, numbered after them. writing guards both.
	counter  *keyword.Counter
	newTerms dictionary

	// mu guards the tables. They change only with both mutexes held, so a writer may read them with writing alone.
	mu sync.RWMutex
	tables
	scratch sync.Pool
	counts  counts
}

// tables are the data of an index.
type tables struct {
	terms vocabulary
	// saved are the postings in the file of a loaded index, and savedEnds are their ends by term.
	saved     []posting
	savedEnds []uint64
	// heads are the first postings of the other terms, because most terms of large tables occur once. The terms in the file
	// come before these terms.
	heads []posting
	// tails are the later postings of terms, by slot. tailOf has the numbers of the tails by term.
	tails  [][]posting
	tailOf map[uint32]uint32
	chunks chunkTable
	docs   documentTable
	// languages counts the live chunks of each language.
	languages, collections names
	// live is the number of live chunks, and length is the sum of their lengths.
	live    int
	length  int64
	heading int64
	// liveDocs counts documents with live chunks.
	liveDocs int
	// saturation is a table of tf's part of the score, by length and tf; see saturate.
	saturation []float32
}

var (
	_ retrieve.Words = (*Index)(nil)
	_ retrieve.Saver = (*Index)(nil)
)

// New makes an empty index.
func New() *Index {
	x := &Index{}
	x.scratch.New = func() any { return new(scratch) }
	x.reset()
	return x
}

// reset empties the index. The caller holds both mutexes, or is the only user of x.
func (x *Index) reset() {
	x.counter, x.newTerms = keyword.NewCounter(x.number), dictionary{}
	x.tables = tables{
		tailOf: map[uint32]uint32{}, chunks: chunkTable{slots: map[int64]uint32{}}, docs: documentTable{rows: map[int64]uint32{}},
		languages: newNames(nil), collections: newNames(nil),
	}
	x.saturate()
}

// replace replaces the tables with those of another index. The caller holds writing alone.
func (x *Index) replace(other *Index) {
	x.counter, x.newTerms = keyword.NewCounter(x.number), dictionary{}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.tables = other.tables
	x.counts.forget()
}

// Len implements retrieve.Mirror.
func (x *Index) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.live
}

// Put implements retrieve.Mirror.
func (x *Index) Put(ctx context.Context, entries []retrieve.Entry) error {
	for i := range entries {
		if entries[i].ID <= 0 {
			return fault.New(fault.Invalid, "keyword_index_chunk_id", "keyword index: chunk id %d is not positive", entries[i].ID)
		}
	}
	x.writing.Lock()
	defer x.writing.Unlock()
	if len(x.chunks.ids)+len(entries) > maxChunks {
		return fault.New(fault.Invalid, "keyword_index_full", "keyword index: more than %d chunks", maxChunks)
	}
	batch, err := x.analyze(ctx, entries)
	if err != nil {
		return err
	}
	x.link(entries, batch)
	x.tidy()
	return nil
}

// link adds analyzed entries.
func (x *Index) link(entries []retrieve.Entry, batch *batch) {
	x.mu.Lock()
	defer x.mu.Unlock()
	defer x.counts.forget()
	for n := range uint32(x.newTerms.len()) {
		x.terms.later.add(string(x.newTerms.term(n)))
		x.heads = append(x.heads, 0)
	}
	x.newTerms = dictionary{}
	counts := batch.counts
	for i := range entries {
		e, row := &entries[i], batch.rows[i]
		x.kill(e.ID)
		slot := x.addChunk(e, row)
		for _, c := range counts[:row.terms] {
			x.addPosting(c.Term, newPosting(slot, c))
		}
		counts = counts[row.terms:]
	}
	x.saturate()
}

// addPosting adds the next posting of a term.
func (x *Index) addPosting(term uint32, p posting) {
	if at := int(term) - len(x.savedEnds); at >= 0 && x.heads[at] == 0 {
		x.heads[at] = p
		return
	}
	at, ok := x.tailOf[term]
	if !ok {
		at = uint32(len(x.tails))
		x.tails, x.tailOf[term] = append(x.tails, nil), at
	}
	x.tails[at] = append(x.tails[at], p)
}

// lists returns the postings of a term, which are in two lists or one.
func (x *Index) lists(term uint32) (first, later []posting) {
	if at, ok := x.tailOf[term]; ok {
		later = x.tails[at]
	}
	if at := int(term) - len(x.savedEnds); at >= 0 {
		return x.heads[at : at+1], later
	}
	start := uint64(0)
	if term > 0 {
		start = x.savedEnds[term-1]
	}
	return x.saved[start:x.savedEnds[term]], later
}

// count counts the live chunks with a term.
func (x *Index) count(term uint32) int {
	first, later := x.lists(term)
	return len(first) + len(later) - x.chunks.deadAmong(first) - x.chunks.deadAmong(later)
}

// addChunk gives an entry a slot.
func (x *Index) addChunk(e *retrieve.Entry, row batchRow) uint32 {
	slot := uint32(len(x.chunks.ids))
	doc, ok := x.docs.rows[e.DocumentID]
	if !ok {
		doc = uint32(len(x.docs.ids))
		x.docs.rows[e.DocumentID] = doc
		x.docs.ids = append(x.docs.ids, e.DocumentID)
		x.docs.sources = append(x.docs.sources, e.Source)
		x.docs.lengths = append(x.docs.lengths, 0)
		x.docs.chunks = append(x.docs.chunks, 0)
	}
	if x.docs.chunks[doc] == 0 {
		x.liveDocs++
	}
	x.docs.sources[doc] = e.Source
	x.docs.chunks[doc]++
	x.docs.lengths[doc] += uint32(row.All - row.Heading)
	c := &x.chunks
	c.slots[e.ID] = slot
	c.ids = append(c.ids, e.ID)
	c.docs = append(c.docs, doc)
	c.ordinals = append(c.ordinals, uint32(e.Ordinal))
	c.lengths = append(c.lengths, uint16(row.All))
	c.headings = append(c.headings, uint8(row.Heading))
	c.languages = append(c.languages, x.languages.add(keyword.NormalLanguage(e.Language)))
	c.collections = append(c.collections, x.collections.add(e.Collection))
	if int(slot)/64 >= len(c.dead) {
		c.dead = append(c.dead, 0)
	}
	x.live++
	x.length += int64(row.All)
	x.heading += int64(row.Heading)
	return slot
}

// Delete implements retrieve.Mirror.
func (x *Index) Delete(_ context.Context, ids []int64) error {
	x.writing.Lock()
	defer x.writing.Unlock()
	x.unlink(ids)
	x.tidy()
	return nil
}

// unlink removes chunks from results.
func (x *Index) unlink(ids []int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, id := range ids {
		x.kill(id)
	}
	x.counts.forget()
	x.saturate()
}

// kill removes a chunk from results. Its postings stay until tidy runs.
func (x *Index) kill(id int64) {
	c := &x.chunks
	slot, ok := c.slots[id]
	if !ok {
		return
	}
	delete(c.slots, id)
	c.dead[slot/64] |= 1 << (slot % 64)
	c.killed++
	doc := c.docs[slot]
	x.docs.chunks[doc]--
	x.docs.lengths[doc] -= uint32(c.lengths[slot]) - uint32(c.headings[slot])
	if x.docs.chunks[doc] == 0 {
		x.liveDocs--
	}
	x.languages.remove(c.languages[slot])
	x.collections.remove(c.collections[slot])
	x.live--
	x.length -= int64(c.lengths[slot])
	x.heading -= int64(c.headings[slot])
}

const (
	// minKilled is the minimum number of dead chunks for a cleanup.
	minKilled = 256
	// killedShare is the number of dead chunks per live one for a cleanup. A cleanup copies the live part of a loaded index
	// into memory, so it waits until this part is small. Usually, the index is saved and loaded again before.
	killedShare = 2
)

// tidy removes dead chunks if there are many. Searches go on meanwhile. The caller holds writing alone.
func (x *Index) tidy() {
	if x.chunks.killed < max(minKilled, killedShare*x.live) {
		return
	}
	var image bytes.Buffer
	fresh := New()
	err := x.compact(&image)
	if err == nil {
		err = fresh.load(image.Bytes())
	}
	if err != nil {
		// An image of a sound index always loads.
		panic(fmt.Sprintf("bm25: tidy: %v", err))
	}
	x.replace(fresh)
}

// saturate computes tf's part of the score for each length and each tf up to rowTFs: tf*(k1+1)/(tf+norm(length)). The
// term's weight is not included.
func (x *Index) saturate() {
	mean := x.meanLength()
	if x.saturation == nil {
		x.saturation = make([]float32, (keyword.MaxLength+1)*rowTFs)
	}
	for length := range keyword.MaxLength + 1 {
		norm := keyword.Norm(float32(length), mean, keyword.B)
		for tf := range rowTFs {
			x.saturation[length*rowTFs+tf] = keyword.Saturated(float32(tf+1), norm)
		}
	}
}

// rowTFs is the number of term counts per length in the saturation table. It is a power of two.
const rowTFs = 4

func (x *Index) meanLength() float32 {
	return float32(x.length) / float32(max(x.live, 1))
}

// chunkTable has a row per slot. A replaced or deleted chunk leaves a dead slot.
type chunkTable struct {
	ids         []int64
	docs        []uint32 // row in documentTable
	ordinals    []uint32
	lengths     []uint16 // terms of heading and text, stop words not counted
	headings    []uint8  // terms of the heading alone
	languages   []uint32
	collections []uint32
	dead        []uint64         // a bit per slot
	killed      int              // dead slots
	slots       map[int64]uint32 // of live chunks
}

func (c *chunkTable) alive(slot uint32) bool { return c.dead[slot/64]>>(slot%64)&1 == 0 }

// deadAmong counts the dead chunks of a posting list.
func (c *chunkTable) deadAmong(list []posting) int {
	if c.killed == 0 {
		return 0
	}
	n := 0
	for _, p := range list {
		n += int(c.dead[p.slot()/64] >> (p.slot() % 64) & 1)
	}
	return n
}

// documentTable has a row per document.
type documentTable struct {
	ids     []int64
	sources []string
	lengths []uint32 // terms of its live chunks' texts
	chunks  []uint32 // live chunks
	rows    map[int64]uint32
}

// names numbers strings and counts their uses.
type names struct {
	list    []string
	count   []int
	numbers map[string]uint32
}

// newNames returns names without uses, in the order of list.
func newNames(list []string) names {
	n := names{list: list, count: make([]int, len(list)), numbers: make(map[string]uint32, len(list))}
	for i, name := range list {
		n.numbers[name] = uint32(i)
	}
	return n
}

// add counts one more use of a name.
func (n *names) add(name string) uint32 {
	i, ok := n.numbers[name]
	if !ok {
		i = uint32(len(n.list))
		n.list, n.count, n.numbers[name] = append(n.list, name), append(n.count, 0), i
	}
	n.count[i]++
	return i
}

func (n *names) remove(i uint32) { n.count[i]-- }

// words64 returns the number of 64-bit words for n bits.
func words64(n int) int { return (n + 63) / 64 }
