package embed

import (
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"math"
	"math/bits"
	"strings"
	"sync"
)

//go:embed model/vocab.txt.gz
var vocabularyPacked string

// vocabularyFile is the built-in vocabulary in the format of newVocabulary. It
// is unpacked once per process.
var vocabularyFile = sync.OnceValues(func() (string, error) { return unpack(vocabularyPacked) })

// unpack returns the text in a gzip file.
func unpack(packed string) (string, error) {
	z, err := gzip.NewReader(strings.NewReader(packed))
	if err != nil {
		return "", fmt.Errorf("vocabulary: %w", err)
	}
	var b strings.Builder
	b.Grow(2*len(packed) + len(packed)/4) // it is compressed to about half
	if _, err := io.Copy(&b, z); err != nil {
		return "", fmt.Errorf("vocabulary: %w", err)
	}
	return b.String(), nil
}

const (
	// unknownToken stands for words that have no tokens.
	unknownToken = "[UNK]"
	// continuation marks tokens of the vocabulary that continue a word.
	continuation = "##"
	// maxTokenBytes bounds a token of the vocabulary without its continuation
	// mark. The longest token has 24 bytes.
	maxTokenBytes = 32
)

// vocabulary finds tokens by their bytes, in a hash table with linear probing. A
// slot holds the upper half of the hash and id+1; 0 is empty. The half of the
// hash detects most misses without a comparison of text.
type vocabulary struct {
	text  string   // the file: one token a line
	start []uint32 // start of each token, and the end of the last line
	slots []uint32
	shift uint8 // moves the hash's upper bits down to a slot number
	// longest is the length of the longest token, without its mark.
	longest int
	// unknown is the id of unknownToken.
	unknown uint16
	// marks are the tokens of the single ASCII characters, by character.
	marks [128]uint16
}

// newVocabulary reads a vocabulary with one token per line. The id of a token is
// its line number.
func newVocabulary(file string) (*vocabulary, error) {
	n := strings.Count(file, "\n")
	if n < 2 || n > math.MaxUint16 || file[len(file)-1] != '\n' {
		return nil, fmt.Errorf("vocabulary: %d whole lines, want 2 to %d", n, math.MaxUint16)
	}
	width := bits.Len(uint(2 * n)) // at most half full
	v := &vocabulary{text: file, start: make([]uint32, 1, n+1), slots: make([]uint32, 1<<width), shift: uint8(64 - width)}
	for at := 0; at < len(file); at = int(v.start[len(v.start)-1]) {
		token := file[at : at+strings.IndexByte(file[at:], '\n')]
		if err := v.add(token, uint16(len(v.start)-1)); err != nil {
			return nil, err
		}
		v.start = append(v.start, uint32(at+len(token)+1))
	}
	var ok bool
	if v.unknown, ok = v.lookup(unknownToken); !ok {
		return nil, fmt.Errorf("vocabulary: no token %s", unknownToken)
	}
	for c := range v.marks {
		v.marks[c] = v.unknown
		if id, ok := v.find(seedWord.add(byte(c)), string(rune(c)), 0); ok {
			v.marks[c] = id
		}
	}
	return v, nil
}

// add adds a token. Its key is its text without the prefix of continuations.
func (v *vocabulary) add(token string, id uint16) error {
	h, text := seedWord, token
	if len(token) > len(continuation) && strings.HasPrefix(token, continuation) {
		h, text = seedContinuation, token[len(continuation):]
	}
	if len(text) == 0 || len(text) > maxTokenBytes {
		return fmt.Errorf("vocabulary: token %d has %d bytes, want 1 to %d", id, len(text), maxTokenBytes)
	}
	v.longest = max(v.longest, len(text))
	for i := 0; i < len(text); i++ {
		h = h.add(text[i])
	}
	i, tag := h.slot(v.shift)
	for v.slots[i] != 0 {
		i = (i + 1) & uint32(len(v.slots)-1)
	}
	v.slots[i] = tag | uint32(id+1)
	return nil
}

// find returns the token with the given hash and text. skip is the length of its
// mark in the vocabulary.
func (v *vocabulary) find(h hash, text string, skip int) (uint16, bool) {
	mask := uint32(len(v.slots) - 1)
	for i, tag := h.slot(v.shift); v.slots[i] != 0; i = (i + 1) & mask {
		if v.slots[i]&0xffff0000 != tag {
			continue
		}
		id := uint16(v.slots[i]) - 1
		// Tags have 16 bits, so a continuation may collide with a token that is
		// shorter than the continuation mark.
		from, to := int(v.start[id])+skip, int(v.start[id+1])-1
		if from <= to && v.text[from:to] == text {
			return id, true
		}
	}
	return 0, false
}

// lookup returns the id of a token that begins a word.
func (v *vocabulary) lookup(token string) (uint16, bool) {
	h := seedWord
	for i := 0; i < len(token); i++ {
		h = h.add(token[i])
	}
	return v.find(h, token, 0)
}

// token returns the text of a token with its mark; empty without such a token.
func (v *vocabulary) token(id uint16) string {
	if int(id)+1 >= len(v.start) {
		return ""
	}
	return v.text[v.start[id] : v.start[id+1]-1]
}

// hash is FNV-1a over the bytes of a token. It is computed byte by byte, so the
// hashes of all prefixes of a word cost no more than the hash of the word.
type hash uint64

// Tokens that begin a word and tokens that continue one have different initial
// values.
const (
	seedWord         hash = 14695981039346656037
	seedContinuation hash = 0x9ae16a3b2f90404f
)

func (h hash) add(c byte) hash { return (h ^ hash(c)) * 1099511628211 }

// slot returns the first slot to look at and the tag to look for.
func (h hash) slot(shift uint8) (slot, tag uint32) {
	h ^= h >> 32
	h *= 0x9e3779b97f4a7c15
	return uint32(h >> shift), uint32(h) & 0xffff0000
}
