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

// sizedDictionary returns an empty dictionary with room for terms of the given
// number and total length.
func sizedDictionary(terms, length int) dictionary {
	d := dictionary{text: make([]byte, 0, length), ends: make([]uint32, 0, terms)}
	size := minTable
	for 4*terms > 3*size {
		size *= 2
	}
	d.table = make([]uint32, size)
	return d
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

// add gives a new term the next number. It never writes to the memory of a loaded index: appending moves slices without
// spare capacity, and own copies the table.
func (d *dictionary) add(term string) uint32 {
	n := uint32(len(d.ends))
	d.text = append(d.text, term...)
	d.ends = append(d.ends, uint32(len(d.text)))
	if 4*len(d.ends) > 3*len(d.table) {
		d.grow()
	} else {
		d.insert(n)
	}
	return n
}

// grow doubles the table.
func (d *dictionary) grow() {
	d.table = make([]uint32, max(minTable, 2*len(d.table)))
	for n := range d.ends {
		d.insert(uint32(n))
	}
}

func (d *dictionary) insert(n uint32) {
	mask := uint32(len(d.table) - 1)
	at := hashOf(string(d.term(n))) & mask
	for d.table[at] != 0 {
		at = (at + 1) & mask
	}
	d.table[at] = n + 1
}
