package bm25

// dictionary numbers terms from 0. It is a hash table over one byte slice, so a saved file can be used in place.
type dictionary struct {
	// text holds all terms, one after the other.
	text []byte
	// ends are the ends of the terms in text.
	ends []uint32
	// table holds term numbers plus one, and 0 in free slots. Its length is a power of two.
	table []uint32
}

// minTable is the length of the smallest table.
const minTable = 1024

// hashOf is FNV-1a with a final mix, because the table uses the low bits.
func hashOf(term string) uint32 {
	h := uint32(2166136261)
	for i := 0; i < len(term); i++ {
		h = (h ^ uint32(term[i])) * 16777619
	}
	h ^= h >> 15
	h *= 0x2c1b3c6d
	return h ^ h>>13
}

// newTable returns an empty table for a number of terms.
func newTable(terms int) []uint32 {
	size := minTable
	for 4*terms > 3*size {
		size *= 2
	}
	return make([]uint32, size)
}

func (d *dictionary) len() int { return len(d.ends) }

// term returns the term with a number. The caller must not change the bytes.
func (d *dictionary) term(n uint32) []byte {
	start := uint32(0)
	if n > 0 {
		start = d.ends[n-1]
	}
	return d.text[start:d.ends[n]]
}

// find returns the number of a term.
func (d *dictionary) find(term string) (uint32, bool) {
	if len(d.table) == 0 {
		return 0, false
	}
	mask := uint32(len(d.table) - 1)
	for at := hashOf(term) & mask; ; at = (at + 1) & mask {
		n := d.table[at]
		if n == 0 {
			return 0, false
		}
		if string(d.term(n-1)) == term {
			return n - 1, true
		}
	}
}

// add gives a new term the next number.
func (d *dictionary) add(term string) uint32 {
	n := uint32(len(d.ends))
	d.text = append(d.text, term...)
	d.ends = append(d.ends, uint32(len(d.text)))
	if 4*len(d.ends) > 3*len(d.table) {
		d.grow()
	} else {
		insert(d.table, string(d.term(n)), n)
	}
	return n
}

// grow doubles the table.
func (d *dictionary) grow() {
	d.table = make([]uint32, max(minTable, 2*len(d.table)))
	for n := range d.ends {
		insert(d.table, string(d.term(uint32(n))), uint32(n))
	}
}

// insert adds the number of a new term to a table with a free slot.
func insert(table []uint32, term string, n uint32) {
	mask := uint32(len(table) - 1)
	at := hashOf(term) & mask
	for table[at] != 0 {
		at = (at + 1) & mask
	}
	table[at] = n + 1
}

// vocabulary numbers the terms of an index: those of a loaded file, which stay there, and then later ones.
type vocabulary struct{ saved, later dictionary }

func (v *vocabulary) len() int { return v.saved.len() + v.later.len() }

// term returns the term with a number. The caller must not change the bytes.
func (v *vocabulary) term(n uint32) []byte {
	if saved := uint32(v.saved.len()); n >= saved {
		return v.later.term(n - saved)
	}
	return v.saved.term(n)
}

// find returns the number of a term.
func (v *vocabulary) find(term string) (uint32, bool) {
	if n, ok := v.saved.find(term); ok {
		return n, true
	}
	n, ok := v.later.find(term)
	return n + uint32(v.saved.len()), ok
}
