package hub

import (
	"bytes"
	"encoding/binary"
	"errors"
	"unicode"
	"unicode/utf8"
)

// charsmap is the normalization of a SentencePiece tokenizer: a double-array trie of
// texts, and their replacements.
type charsmap struct {
	units []uint32
	// texts has the replacements, each ended by a zero byte.
	texts []byte
}

// readCharsmap reads the length of the trie in bytes (uint32), the trie, and the
// replacements.
func readCharsmap(raw []byte) (charsmap, error) {
	if len(raw) == 0 {
		return charsmap{}, nil
	}
	if len(raw) < 4 {
		return charsmap{}, errors.New("the normalization is cut off")
	}
	n := binary.LittleEndian.Uint32(raw)
	raw = raw[4:]
	if int64(n) > int64(len(raw)) || n%4 != 0 {
		return charsmap{}, errors.New("the normalization is damaged")
	}
	c := charsmap{units: make([]uint32, n/4), texts: raw[n:]}
	for i := range c.units {
		c.units[i] = binary.LittleEndian.Uint32(raw[4*i:])
	}
	return c, nil
}

// replace returns the replacement of the longest beginning of text that the trie has,
// and the length of that beginning. White space without an entry becomes a space.
func (c charsmap) replace(text string) (to string, size int) {
	if at, n := c.longest(text); n > 0 {
		if end := bytes.IndexByte(c.texts[at:], 0); end >= 0 {
			return string(c.texts[at:][:end]), n
		}
	}
	if r, n := utf8.DecodeRuneInString(text); unicode.IsSpace(r) {
		return " ", n
	}
	return "", 0
}

// longest returns the place of a replacement, and the length of the text that it
// replaces. The length is 0 without one.
func (c charsmap) longest(text string) (at, size int) {
	if len(c.units) == 0 {
		return 0, 0
	}
	// offset is the distance of a unit to its children (Darts-clone).
	offset := func(unit uint32) uint32 { return unit >> 10 << (unit & (1 << 9) >> 6) }
	node := offset(c.units[0])
	for i := range len(text) {
		node ^= uint32(text[i])
		if int64(node) >= int64(len(c.units)) || text[i] == 0 {
			return at, size
		}
		unit := c.units[node]
		if unit&(1<<31|0xff) != uint32(text[i]) {
			return at, size
		}
		node ^= offset(unit)
		if unit>>8&1 == 1 && int64(node) < int64(len(c.units)) {
			if value := int64(c.units[node] & (1<<31 - 1)); value < int64(len(c.texts)) {
				at, size = int(value), i+1
			}
		}
	}
	return at, size
}
