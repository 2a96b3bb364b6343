package ebook

import (
	"encoding/binary"

	"docent/internal/fault"
)

// The limits of unpacking: the bytes of one record, and the levels of phrases.
const (
	maxRecord  = 1 << 20
	maxPhrases = 32
)

// unpacker returns the function that unpacks the records of the text.
func (b *mobi) unpacker() (func([]byte) ([]byte, error), error) {
	switch b.u16(0) {
	case 1:
		return func(record []byte) ([]byte, error) { return record, nil }, nil
	case 2:
		return palmDoc, nil
	case 17480:
		h, err := b.huffman()
		if err != nil {
			return nil, err
		}
		return func(record []byte) ([]byte, error) {
			var out []byte
			err := h.unpack(record, &out, 0)
			return out, err
		}, nil
	}
	return nil, fault.New(fault.Invalid, "mobi_compression", "the book has an unknown compression; convert it to EPUB with Calibre")
}

// palmDoc unpacks a record of PalmDoc, a form of LZ77.
func palmDoc(in []byte) ([]byte, error) {
	out := make([]byte, 0, 4096)
	for i := 0; i < len(in); {
		c := in[i]
		i++
		switch {
		case c >= 1 && c <= 8:
			n := min(int(c), len(in)-i)
			out = append(out, in[i:i+n]...)
			i += n
		case c < 0x80:
			out = append(out, c)
		case c >= 0xC0:
			out = append(out, ' ', c^0x80)
		default:
			if i >= len(in) {
				return out, nil
			}
			pair := int(c)<<8 | int(in[i])
			i++
			back, n := pair>>3&0x7ff, pair&7+3
			if back == 0 || back > len(out) {
				return nil, damaged()
			}
			for range n {
				out = append(out, out[len(out)-back])
			}
		}
		if len(out) > maxRecord {
			return nil, damaged()
		}
	}
	return out, nil
}

// huffman is the code of a book with Huffman compression. Its symbols are phrases, which
// may be packed themselves.
type huffman struct {
	short    [256]code // by the first 8 bits
	min, max [33]uint64
	phrases  []phrase
}

type code struct {
	length int
	whole  bool // no further bits
	max    uint64
}

type phrase struct {
	text   []byte
	packed bool
	open   bool // it is being unpacked
}

// huffman reads the code from the records of the book.
func (b *mobi) huffman() (*huffman, error) {
	first, count := b.u32(112), b.u32(116)
	if first <= 0 || count < 2 || count > 1000 || first+count > len(b.records) {
		return nil, damaged()
	}
	h := &huffman{}
	r := b.records[first]
	if len(r) < 16 || string(r[:4]) != "HUFF" {
		return nil, damaged()
	}
	one, two := int(binary.BigEndian.Uint32(r[8:])), int(binary.BigEndian.Uint32(r[12:]))
	if one+4*256 > len(r) || two+4*64 > len(r) {
		return nil, damaged()
	}
	for i := range h.short {
		v := binary.BigEndian.Uint32(r[one+4*i:])
		length := int(v & 0x1f)
		if length == 0 {
			return nil, damaged()
		}
		h.short[i] = code{length, v&0x80 != 0, (uint64(v>>8)+1)<<(32-length) - 1}
	}
	for i := 1; i <= 32; i++ {
		least, most := binary.BigEndian.Uint32(r[two+8*(i-1):]), binary.BigEndian.Uint32(r[two+8*(i-1)+4:])
		h.min[i], h.max[i] = uint64(least)<<(32-i), (uint64(most)+1)<<(32-i)-1
	}
	for _, r := range b.records[first+1 : first+count] {
		if len(r) < 16 || string(r[:4]) != "CDIC" {
			return nil, damaged()
		}
		total, bits := int(binary.BigEndian.Uint32(r[8:])), binary.BigEndian.Uint32(r[12:])
		if bits > 16 || total > 1<<20 {
			return nil, damaged()
		}
		for i := range min(1<<bits, total-len(h.phrases)) {
			if 18+2*i > len(r) {
				return nil, damaged()
			}
			at := 16 + int(binary.BigEndian.Uint16(r[16+2*i:]))
			if at+2 > len(r) {
				return nil, damaged()
			}
			n := int(binary.BigEndian.Uint16(r[at:]))
			if at+2+n&0x7fff > len(r) {
				return nil, damaged()
			}
			h.phrases = append(h.phrases, phrase{text: r[at+2 : at+2+n&0x7fff], packed: n&0x8000 == 0})
		}
	}
	return h, nil
}

// unpack appends the text of a record or of a phrase.
func (h *huffman) unpack(in []byte, out *[]byte, depth int) error {
	if depth > maxPhrases {
		return damaged()
	}
	left := 8 * len(in)
	padded := append(append(make([]byte, 0, len(in)+8), in...), 0, 0, 0, 0, 0, 0, 0, 0)
	at, n := 0, 32
	window := binary.BigEndian.Uint64(padded)
	for {
		if n <= 0 {
			if at += 4; at+8 > len(padded) {
				return nil
			}
			window = binary.BigEndian.Uint64(padded[at:])
			n += 32
		}
		bits := window >> n & 0xffffffff
		c := h.short[bits>>24]
		length, most := c.length, c.max
		if !c.whole {
			for length < 32 && bits < h.min[length] {
				length++
			}
			most = h.max[length]
		}
		n -= length
		if left -= length; left < 0 {
			return nil
		}
		if most < bits {
			return damaged()
		}
		i := (most - bits) >> (32 - length)
		if i >= uint64(len(h.phrases)) {
			return damaged()
		}
		p := &h.phrases[i]
		if p.packed {
			if p.open {
				return damaged()
			}
			p.open = true
			var text []byte
			if err := h.unpack(p.text, &text, depth+1); err != nil {
				return err
			}
			*p = phrase{text: text}
		}
		if *out = append(*out, p.text...); len(*out) > maxRecord {
			return damaged()
		}
	}
}
