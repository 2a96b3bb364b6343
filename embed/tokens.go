package embed

import (
	"fmt"
	"math"
	"unsafe"
)

// similarityBatch is the number of rows that Similarities compares at a time.
const similarityBatch = 256

// Tokens is the number of tokens. All token ids are smaller.
func (s *Static) Tokens() int { return s.table.n }

// Token returns the text of a token. The text begins with "##" if the token
// continues a word. It is empty if the token does not exist.
func (s *Static) Token(id uint16) string { return s.vocab.token(id) }

// Tokenize returns the token ids of text, in order. They fit 16 bits.
func (s *Static) Tokenize(text string) []uint16 { return s.AppendTokens(nil, text) }

// AppendTokens appends the token ids of text to dst.
func (s *Static) AppendTokens(dst []uint16, text string) []uint16 {
	t := s.tokenizers.Get().(*tokenizer)
	own := t.dst
	t.dst = dst
	t.append(text)
	dst, t.dst = t.dst, own
	s.release(t)
	return dst
}

// Mean writes the vector of the given tokens to dst, which has Dimensions
// elements. EmbedQuery returns the same vector for a text with these tokens. Mean
// panics if an id is not below Tokens.
func (s *Static) Mean(dst []float32, ids []uint16) {
	v := (*[dimensions]float32)(dst)
	clear(v[:])
	s.check(ids)
	s.table.sum(v, ids)
	normalize(v)
}

// AddRows adds the rows of ids to dst, which has Dimensions elements. The rows
// are the integers of the table, each multiplied by weights[id]. Callers can use
// other weights than the model's own this way. AddRows panics if an id is not
// below Tokens or weights is shorter than Tokens.
func (s *Static) AddRows(dst []float32, ids []uint16, weights []float32) {
	s.check(ids)
	weights = weights[:s.table.n]
	acc := (*[dimensions]float32)(dst)
	switch {
	case len(ids) == 0:
	case useAVX2:
		sumRowsAVX2(acc, unsafe.StringData(s.table.rows), (*byte)(unsafe.Pointer(&weights[0])), &ids[0], len(ids))
	default:
		for _, id := range ids {
			row, w := s.table.row(id), weights[id]
			for i := range acc {
				acc[i] += float32(w * float32(int8(row[i])))
			}
		}
	}
}

// InverseLength returns the weight that scales a token's row in AddRows to length
// 1. It is 0 for a row of zeros.
func (s *Static) InverseLength(id uint16) float32 {
	s.check([]uint16{id})
	return s.inverseNorm(id)
}

// Weight returns the length of a token's row in Mean. The longer the row, the
// more the token influences the mean. Common tokens such as "the" have almost no
// influence.
func (s *Static) Weight(id uint16) float32 {
	inverse := s.InverseLength(id)
	if inverse == 0 {
		return 0
	}
	return s.table.scale(id) / inverse
}

// Similarity returns the cosine similarity of two tokens.
func (s *Static) Similarity(a, b uint16) float32 {
	var out [1]float32
	s.Similarities(out[:], a, []uint16{b})
	return out[0]
}

// Similarities writes the cosine similarities of token q and each of ids to dst,
// which is at least as long as ids. It panics if an id is not below Tokens.
func (s *Static) Similarities(dst []float32, q uint16, ids []uint16) {
	s.check(ids)
	inv := s.inverseNorm(q)
	var dots [similarityBatch]int32
	for len(ids) > 0 {
		n := min(len(ids), similarityBatch)
		s.table.dots(dots[:n], q, ids[:n])
		for i, id := range ids[:n] {
			dst[i] = float32(dots[i]) * (inv * s.inverseNorm(id))
		}
		dst, ids = dst[n:], ids[n:]
	}
}

// check panics for ids without a row, because the kernels do not check them.
func (s *Static) check(ids []uint16) {
	var top uint16
	for _, id := range ids {
		top = max(top, id)
	}
	if int(top) >= s.table.n {
		panic(fmt.Sprintf("embed: token %d of %d", top, s.table.n))
	}
}

// inverseNorm returns 1/length of a token's int8 row, 0 for a row of zeros.
func (s *Static) inverseNorm(id uint16) float32 {
	if bits := s.norms[id].Load(); bits != 0 {
		return math.Float32frombits(bits)
	}
	square := s.table.square(id)
	if square == 0 {
		return 0
	}
	inv := float32(1 / math.Sqrt(float64(square)))
	s.norms[id].Store(math.Float32bits(inv))
	return inv
}

// Count returns the number of tokens in text.
func (s *Static) Count(text string) int {
	t := s.tokenizers.Get().(*tokenizer)
	defer s.release(t)
	n := 0
	for len(text) > 0 {
		end := windowEnd(text)
		t.dst = t.dst[:0]
		t.append(text[:end])
		n += len(t.dst)
		text = text[end:]
	}
	return n
}
