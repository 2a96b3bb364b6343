package bm25

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"unsafe"

	"docent/internal/fault"
)

// The layout of a saved index: the header, then the parts in the order of
// imageParts, each of little-endian numbers and beginning at a multiple of 8
// bytes, so that they can be used where they lie.
const (
	imageMagic   = "DBM5"
	imageVersion = 1
	// imageHeader is magic, version and the lengths of the parts, in elements.
	imageHeader = 8 + 8*imageParts
	imageParts  = 16
)

// Save writes the index without dead chunks.
func (x *Index) Save(w io.Writer) error {
	x.writing.Lock()
	defer x.writing.Unlock()
	x.mu.RLock()
	image := x.compact()
	x.mu.RUnlock()
	if _, err := w.Write(image); err != nil {
		return fmt.Errorf("keyword index: save: %w", err)
	}
	return nil
}

// Load replaces the index by a saved one; see rag.Matcher.
func (x *Index) Load(data []byte) error {
	x.writing.Lock()
	defer x.writing.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.load(data); err != nil {
		x.reset()
		return fault.Wrap(fault.Invalid, err, "the saved keyword index cannot be used")
	}
	return nil
}

// writer builds an image.
type writer struct {
	data  []byte
	parts int
}

// put appends a part.
func put[T number](w *writer, part []T) {
	binary.LittleEndian.PutUint64(w.data[8+8*w.parts:], uint64(len(part)))
	w.parts++
	for len(w.data)%8 != 0 {
		w.data = append(w.data, 0)
	}
	if len(part) == 0 {
		return
	}
	if littleEndian {
		w.data = append(w.data, unsafe.Slice((*byte)(unsafe.Pointer(&part[0])), len(part)*int(unsafe.Sizeof(part[0])))...)
		return
	}
	var err error
	if w.data, err = binary.Append(w.data, binary.LittleEndian, part); err != nil {
		panic("bm25: " + err.Error()) // numbers of fixed size can be written
	}
}

// number is what parts are made of.
type number interface {
	~uint8 | ~uint16 | ~uint32 | ~uint64 | ~int64
}

// littleEndian reports whether numbers in memory look as they do in an image.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// compact returns the image of the live part of the index.
func (x *Index) compact() []byte {
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
	terms, postings, ends := x.compactTerms(slots)
	w := &writer{data: append(make([]byte, 0, imageHeader+8*len(postings)), imageMagic...)}
	w.data = binary.LittleEndian.AppendUint32(w.data, imageVersion)
	w.data = w.data[:imageHeader]
	put(w, terms.text)
	put(w, terms.ends)
	put(w, terms.table)
	put(w, ends)
	put(w, postings)
	put(w, out.ids)
	put(w, out.docs)
	put(w, out.ordinals)
	put(w, out.lengths)
	put(w, out.headings)
	put(w, out.languages)
	put(w, out.collections)
	put(w, d.ids)
	for _, list := range [][]string{d.sources, x.languages.list, x.collections.list} {
		put(w, packStrings(list))
	}
	return w.data
}

// compactTerms returns the terms that live chunks have and their postings with
// the new slots, which are given plus one.
func (x *Index) compactTerms(slots []uint32) (terms dictionary, postings []posting, ends []uint64) {
	for n, list := range x.postings {
		before := len(postings)
		for _, p := range list {
			if slot := slots[p.slot()]; slot > 0 {
				postings = append(postings, posting((slot-1)<<8)|p&0xff)
			}
		}
		if len(postings) > before {
			terms.add(string(x.terms.term(uint32(n))))
			ends = append(ends, uint64(len(postings)))
		}
	}
	return terms, postings, ends
}

// packStrings writes strings with their lengths in front.
func packStrings(list []string) []byte {
	var out []byte
	for _, s := range list {
		out = binary.AppendUvarint(out, uint64(len(s)))
		out = append(out, s...)
	}
	return out
}

func unpackStrings(data []byte) ([]string, error) {
	var out []string
	for len(data) > 0 {
		n, size := binary.Uvarint(data)
		if size <= 0 || n > uint64(len(data)-size) {
			return nil, fmt.Errorf("string %d is cut off", len(out))
		}
		out = append(out, string(data[size:size+int(n)]))
		data = data[size+int(n):]
	}
	return out, nil
}

// reader takes an image apart.
type reader struct {
	data  []byte
	parts int
	at    int
	err   error
}

// take returns the next part, which lies in the image if it can.
func take[T number](r *reader) []T {
	if r.err != nil {
		return nil
	}
	var zero T
	size := int(unsafe.Sizeof(zero))
	n := binary.LittleEndian.Uint64(r.data[8+8*r.parts:])
	r.parts++
	r.at = (r.at + 7) &^ 7
	if r.at > len(r.data) || n > uint64(len(r.data)-r.at)/uint64(size) {
		r.err = fmt.Errorf("part %d is cut off", r.parts)
		return nil
	}
	raw := r.data[r.at : r.at+int(n)*size]
	r.at += len(raw)
	if n == 0 {
		return nil
	}
	if littleEndian && uintptr(unsafe.Pointer(&raw[0]))%uintptr(size) == 0 {
		return unsafe.Slice((*T)(unsafe.Pointer(&raw[0])), int(n))
	}
	out := make([]T, n)
	if _, err := binary.Decode(raw, binary.LittleEndian, out); err != nil {
		r.err = fmt.Errorf("part %d: %w", r.parts, err)
	}
	return out
}

// load replaces the index by an image; both mutexes are held. On an error the
// index is in no usable state.
func (x *Index) load(data []byte) error {
	x.reset()
	if len(data) < imageHeader || string(data[:4]) != imageMagic || binary.LittleEndian.Uint32(data[4:]) != imageVersion {
		return fmt.Errorf("image: no %s header of version %d", imageMagic, imageVersion)
	}
	r := &reader{data: data, at: imageHeader}
	x.terms = dictionary{text: take[byte](r), ends: take[uint32](r), table: take[uint32](r)}
	ends, postings := take[uint64](r), take[posting](r)
	c := &x.chunks
	c.ids, c.docs, c.ordinals = take[int64](r), take[uint32](r), take[uint32](r)
	c.lengths, c.headings = take[uint16](r), take[uint8](r)
	c.languages, c.collections = take[uint16](r), take[uint16](r)
	x.docs.ids = take[int64](r)
	var err error
	for _, list := range []*[]string{&x.docs.sources, &x.languages.list, &x.collections.list} {
		if *list, err = unpackStrings(take[byte](r)); err != nil && r.err == nil {
			r.err = err
		}
	}
	if r.err == nil {
		r.err = x.check(ends, postings)
	}
	if r.err != nil {
		return fmt.Errorf("image: %w", r.err)
	}
	return x.derive(ends, postings)
}

// check makes sure that no number of an image leads out of a table.
func (x *Index) check(ends []uint64, postings []posting) error {
	n, docs := len(x.chunks.ids), len(x.docs.ids)
	c := &x.chunks
	for what, got := range map[string]int{"documents": len(c.docs), "ordinals": len(c.ordinals), "lengths": len(c.lengths),
		"headings": len(c.headings), "languages": len(c.languages), "collections": len(c.collections)} {
		if got != n || n > maxChunks {
			return fmt.Errorf("%d %s for %d chunks", got, what, n)
		}
	}
	if len(x.docs.sources) != docs {
		return fmt.Errorf("%d sources for %d documents", len(x.docs.sources), docs)
	}
	for slot := range n {
		if int(c.docs[slot]) >= docs || int(c.languages[slot]) >= len(x.languages.list) ||
			int(c.collections[slot]) >= len(x.collections.list) || c.lengths[slot] > maxLength || uint16(c.headings[slot]) > c.lengths[slot] {
			return fmt.Errorf("chunk %d is out of range", slot)
		}
	}
	for i, p := range postings {
		if int(p.slot()) >= n || p.tf() == 0 {
			return fmt.Errorf("posting %d is out of range", i)
		}
	}
	return x.terms.check(ends, len(postings))
}

// check makes sure that a loaded dictionary can be used.
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

// derive computes what an image leaves out.
func (x *Index) derive(ends []uint64, postings []posting) error {
	x.postings = make([][]posting, len(ends))
	start := uint64(0)
	for i, end := range ends {
		x.postings[i] = postings[start:end:end]
		start = end
	}
	// What grows in place must not write to the image.
	d, c := &x.terms, &x.chunks
	d.text, d.ends, d.table = clip(d.text), clip(d.ends), append([]uint32(nil), d.table...)
	c.ids, c.docs, c.ordinals, c.lengths = clip(c.ids), clip(c.docs), clip(c.ordinals), clip(c.lengths)
	c.headings, c.languages, c.collections = clip(c.headings), clip(c.languages), clip(c.collections)
	x.docs.ids = clip(x.docs.ids)
	x.docs.lengths, x.docs.chunks = make([]uint32, len(x.docs.ids)), make([]uint32, len(x.docs.ids))
	x.docs.rows = make(map[int64]uint32, len(x.docs.ids))
	x.languages.count, x.collections.count = make([]int, len(x.languages.list)), make([]int, len(x.collections.list))
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

func clip[T any](s []T) []T { return s[:len(s):len(s)] }
