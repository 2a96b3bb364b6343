package bm25

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"math"

	"docent/internal/fault"
	"docent/internal/flat"
	"docent/rag/retrieve/keyword"
)

// A saved index is a flat stream. The method compact defines its order.
const (
	imageMagic   = "DBM5"
	imageVersion = 2
)

// Save writes the index without dead chunks.
func (x *Index) Save(w io.Writer) error {
	x.writing.Lock()
	defer x.writing.Unlock()
	if err := x.compact(w); err != nil {
		return fmt.Errorf("keyword index: save: %w", err)
	}
	return nil
}

// Load implements retrieve.Saver. Searches go on with the old contents until the new ones are ready.
func (x *Index) Load(data []byte) error {
	x.writing.Lock()
	defer x.writing.Unlock()
	fresh := New()
	err := fresh.load(data)
	if err != nil {
		fresh.reset()
		err = fault.Wrap(fault.Invalid, err, "keyword_index_unusable", "the saved keyword index cannot be used")
	}
	x.replace(fresh)
	return err
}

// compact writes the live part of the index. The caller holds writing.
func (x *Index) compact(to io.Writer) error {
	c := &x.chunks
	slots, docs := make([]uint32, len(c.ids)), make([]uint32, len(x.docs.ids))
	var out chunkTable
	var d documentTable
	for slot := range c.ids {
		if !c.alive(uint32(slot)) {
			continue
		}
		doc := c.docs[slot]
		if docs[doc] == 0 {
			d.ids = append(d.ids, x.docs.ids[doc])
			d.sources = append(d.sources, x.docs.sources[doc])
			docs[doc] = uint32(len(d.ids))
		}
		slots[slot] = uint32(len(out.ids)) + 1
		out.ids = append(out.ids, c.ids[slot])
		out.docs = append(out.docs, docs[doc]-1)
		out.ordinals = append(out.ordinals, c.ordinals[slot])
		out.lengths = append(out.lengths, c.lengths[slot])
		out.headings = append(out.headings, c.headings[slot])
		out.languages = append(out.languages, c.languages[slot])
		out.collections = append(out.collections, c.collections[slot])
	}
	w := flat.NewWriter(to, imageMagic, imageVersion)
	postings := x.putTerms(w)
	flat.PutAll(w, postings, x.compactPostings(slots))
	flat.Put(w, out.ids)
	flat.Put(w, out.docs)
	flat.Put(w, out.ordinals)
	flat.Put(w, out.lengths)
	flat.Put(w, out.headings)
	flat.Put(w, out.languages)
	flat.Put(w, out.collections)
	flat.Put(w, d.ids)
	for _, list := range [][]string{d.sources, x.languages.list, x.collections.list} {
		flat.PutStrings(w, list)
	}
	return w.Err()
}

// putTerms writes the terms of live chunks and the ends of their posting lists, and returns the number of postings. It
// reads the terms several times, so that only the table is in memory.
func (x *Index) putTerms(w *flat.Writer) (postings int) {
	terms, text := 0, 0
	for n, live := range x.liveTerms {
		terms, text, postings = terms+1, text+len(x.terms.term(n)), postings+live
	}
	flat.PutAll(w, text, func(yield func([]byte) bool) {
		for n := range x.liveTerms {
			if !yield(x.terms.term(n)) {
				return
			}
		}
	})
	flat.PutAll(w, terms, ends[uint32](func(yield func(int) bool) {
		for n := range x.liveTerms {
			if !yield(len(x.terms.term(n))) {
				return
			}
		}
	}))
	table, number := newTable(terms), uint32(0)
	for n := range x.liveTerms {
		insert(table, string(x.terms.term(n)), number)
		number++
	}
	flat.Put(w, table)
	flat.PutAll(w, terms, ends[uint64](func(yield func(int) bool) {
		for _, live := range x.liveTerms {
			if !yield(live) {
				return
			}
		}
	}))
	return postings
}

// liveTerms yields the numbers of the terms of live chunks, and the number of these chunks for each.
func (x *Index) liveTerms(yield func(n uint32, live int) bool) {
	for n := range uint32(x.terms.len()) {
		if live := x.count(n); live > 0 && !yield(n, live) {
			return
		}
	}
}

// ends yields the sums of the first lengths, in parts. Each part is valid until the next one.
func ends[T uint32 | uint64](lengths iter.Seq[int]) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		end, part := T(0), make([]T, 0, 1024)
		for length := range lengths {
			end += T(length)
			if part = append(part, end); len(part) == cap(part) {
				if !yield(part) {
					return
				}
				part = part[:0]
			}
		}
		yield(part)
	}
}

// compactPostings yields the postings of live chunks with the new slots, by term. The
// given slots are offset by one. Each yielded list is valid until the next one.
func (x *Index) compactPostings(slots []uint32) iter.Seq[[]posting] {
	return func(yield func([]posting) bool) {
		var live []posting
		for n := range uint32(x.terms.len()) {
			first, later := x.lists(n)
			for _, list := range [][]posting{first, later} {
				live = live[:0]
				for _, p := range list {
					if slot := slots[p.slot()]; slot > 0 {
						live = append(live, posting((slot-1)<<8)|p&0xff)
					}
				}
				if !yield(live) {
					return
				}
			}
		}
	}
}

// load fills an empty index that nobody uses with an image. After an error the index is unusable.
func (x *Index) load(data []byte) error {
	r := flat.NewReader(data, imageMagic, imageVersion)
	x.terms.saved = dictionary{text: flat.Take[byte](r), ends: flat.Take[uint32](r), table: flat.Take[uint32](r)}
	ends, postings := flat.Take[uint64](r), flat.Take[posting](r)
	c := &x.chunks
	c.ids, c.docs, c.ordinals = flat.Take[int64](r), flat.Take[uint32](r), flat.Take[uint32](r)
	c.lengths, c.headings = flat.Take[uint16](r), flat.Take[uint8](r)
	c.languages, c.collections = flat.Take[uint32](r), flat.Take[uint32](r)
	x.docs.ids = flat.Take[int64](r)
	x.docs.sources = flat.TakeStrings(r)
	x.languages, x.collections = newNames(flat.TakeStrings(r)), newNames(flat.TakeStrings(r))
	err := r.Err()
	if err == nil {
		err = x.check(ends, postings)
	}
	if err != nil {
		return fmt.Errorf("image: %w", err)
	}
	return x.derive(ends, postings)
}

// check verifies that all positions in an image are within their tables.
func (x *Index) check(ends []uint64, postings []posting) error {
	n, docs := len(x.chunks.ids), len(x.docs.ids)
	c := &x.chunks
	for what, got := range map[string]int{
		"documents": len(c.docs), "ordinals": len(c.ordinals), "lengths": len(c.lengths),
		"headings": len(c.headings), "languages": len(c.languages), "collections": len(c.collections),
	} {
		if got != n || n > maxChunks {
			return fmt.Errorf("%d %s for %d chunks", got, what, n)
		}
	}
	if len(x.docs.sources) != docs {
		return fmt.Errorf("%d sources for %d documents", len(x.docs.sources), docs)
	}
	for slot := range n {
		if int(c.docs[slot]) >= docs || int(c.languages[slot]) >= len(x.languages.list) ||
			int(c.collections[slot]) >= len(x.collections.list) ||
			c.lengths[slot] > keyword.MaxLength || uint16(c.headings[slot]) > c.lengths[slot] {
			return fmt.Errorf("chunk %d is out of range", slot)
		}
	}
	for i, p := range postings {
		if int(p.slot()) >= n || p.tf() == 0 {
			return fmt.Errorf("posting %d is out of range", i)
		}
	}
	return x.terms.saved.check(ends, len(postings))
}

// check verifies a loaded dictionary.
func (d *dictionary) check(ends []uint64, postings int) error {
	n := len(d.ends)
	if len(ends) != n || n >= math.MaxUint32/2 {
		return fmt.Errorf("%d posting lists for %d terms", len(ends), n)
	}
	var text uint32
	var list uint64
	for i := range n {
		if d.ends[i] < text || ends[i] < list {
			return fmt.Errorf("term %d ends before it begins", i)
		}
		text, list = d.ends[i], ends[i]
	}
	if int(text) != len(d.text) || list != uint64(postings) {
		return fmt.Errorf("%d bytes of terms and %d postings, want %d and %d", len(d.text), postings, text, list)
	}
	if size := len(d.table); size&(size-1) != 0 || n > 0 && n >= size {
		return fmt.Errorf("table of %d for %d terms", size, n)
	}
	used := 0
	for _, e := range d.table {
		if int(e) > n {
			return fmt.Errorf("table entry %d of %d terms", e, n)
		}
		if e > 0 {
			used++
		}
	}
	if used != n {
		return fmt.Errorf("table of %d entries for %d terms", used, n)
	}
	return nil
}

// derive computes the parts that an image omits.
func (x *Index) derive(ends []uint64, postings []posting) error {
	x.saved, x.savedEnds = postings, ends
	c := &x.chunks
	x.docs.lengths, x.docs.chunks = make([]uint32, len(x.docs.ids)), make([]uint32, len(x.docs.ids))
	x.docs.rows = make(map[int64]uint32, len(x.docs.ids))
	c.dead, c.killed = make([]uint64, words64(len(c.ids))), 0
	c.slots = make(map[int64]uint32, len(c.ids))
	for slot, id := range c.ids {
		c.slots[id] = uint32(slot)
		doc := c.docs[slot]
		x.docs.lengths[doc] += uint32(c.lengths[slot]) - uint32(c.headings[slot])
		x.docs.chunks[doc]++
		x.languages.count[c.languages[slot]]++
		x.collections.count[c.collections[slot]]++
		x.length += int64(c.lengths[slot])
		x.heading += int64(c.headings[slot])
	}
	for row, id := range x.docs.ids {
		x.docs.rows[id] = uint32(row)
		if x.docs.chunks[row] > 0 {
			x.liveDocs++
		}
	}
	if len(c.slots) != len(c.ids) || len(x.docs.rows) != len(x.docs.ids) {
		return errors.New("image: an id is there twice")
	}
	x.live = len(c.ids)
	x.saturate()
	return nil
}
