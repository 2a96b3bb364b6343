package multilingual

import (
	"math"
	"strings"
	"unicode/utf8"

	"docent/embed/encoder"
)

// mark stands for a space in pieces.
const mark = '\u2581'

// maxText bounds how much of a text is divided, in bytes. The rest of a longer
// text does not count.
const maxText = 16 << 10

// unknownPenalty is the difference of an unknown character to the worst piece.
const unknownPenalty = 10

// pieces divides texts into the pieces of a vocabulary. It is read-only.
type pieces struct {
	text   string
	ends   []uint32 // of the pieces in text, after a 0
	scores []float32
	// replaced has the normalization of single characters.
	replaced map[rune]string
	first    int32 // begins each text
	last     int32 // ends each text
	unknown  int32
	// unknownScore is the score of an unknown character.
	unknownScore float32
	// table finds pieces by hash. It holds ids plus one, and 0 in free slots.
	table []uint32
	// begun has a bit for the hash of each beginning of a piece. It ends most
	// searches early.
	begun []uint64
	// longest is the length of the longest piece, in bytes.
	longest int
}

func (p *pieces) count() int { return len(p.scores) }

func (p *pieces) piece(id int) string { return p.text[p.ends[id]:p.ends[id+1]] }

// readPieces reads the vocabulary and the normalization. It sets c.err if they
// cannot be used.
func readPieces(c *cursor) *pieces {
	n := c.u32()
	p := &pieces{first: int32(c.u32()), last: int32(c.u32()), replaced: map[rune]string{}}
	c.u32() // <pad>
	p.unknown = int32(c.u32())
	length := c.number(8)
	p.ends = c.u32s(n + 1)
	bits := c.u32s(n)
	p.text = string(c.take(length))
	entries, size := c.u32(), c.u32()
	p.readReplaced(c, entries, size)
	if c.err != nil {
		return p
	}
	p.scores = make([]float32, n)
	least := float32(math.MaxFloat32)
	for i, b := range bits {
		p.scores[i] = math.Float32frombits(b)
		least = min(least, p.scores[i])
		if p.ends[i] > p.ends[i+1] || int(p.ends[i+1]) > len(p.text) {
			c.err = errCutOff
			return p
		}
	}
	if int(max(p.first, p.last, p.unknown)) >= n {
		c.err = errCutOff
		return p
	}
	p.unknownScore = least - unknownPenalty
	p.index()
	return p
}

func (p *pieces) readReplaced(c *cursor, entries, size int) {
	part := &cursor{rest: c.take(size)}
	for range entries {
		from := rune(part.u32())
		var to strings.Builder
		for range part.number(1) {
			to.WriteRune(rune(part.u32()))
		}
		if part.err != nil {
			c.err = part.err
			return
		}
		p.replaced[from] = to.String()
	}
}

// hash values continue byte by byte (FNV-1a).
const (
	hashStart  = 14695981039346656037
	hashFactor = 1099511628211
)

// begunBits is the number of bits of begun, a power of two.
const begunBits = 1 << 24

// spread returns a hash whose low bits depend on all bits of h.
func spread(h uint64) uint64 { return (h ^ h>>29) * 0x9e3779b97f4a7c15 >> 24 }

// index fills table and begun.
func (p *pieces) index() {
	size := 1024
	for size < 2*p.count() {
		size *= 2
	}
	p.table, p.begun = make([]uint32, size), make([]uint64, begunBits/64)
	for id := range p.count() {
		piece := p.piece(id)
		if piece == "" || int32(id) == p.unknown {
			continue
		}
		p.longest = max(p.longest, len(piece))
		h := uint64(hashStart)
		for i := range len(piece) {
			h = (h ^ uint64(piece[i])) * hashFactor
			at := spread(h) % begunBits
			p.begun[at/64] |= 1 << (at % 64)
		}
		at := spread(h) & uint64(size-1)
		for p.table[at] != 0 {
			at = (at + 1) & uint64(size-1)
		}
		p.table[at] = uint32(id) + 1
	}
}

// find returns the id of a piece with a hash.
func (p *pieces) find(piece string, h uint64) (int32, bool) {
	last := uint64(len(p.table) - 1)
	for at := spread(h) & last; p.table[at] != 0; at = (at + 1) & last {
		if id := int(p.table[at] - 1); p.piece(id) == piece {
			return int32(id), true
		}
	}
	return 0, false
}

// normalize replaces single characters and joins runs of spaces. Spaces become
// marks, and one is put before the text.
func (p *pieces) normalize(text string) string {
	var out strings.Builder
	out.Grow(len(text) + len(text)/4)
	space := false
	add := func(r rune) {
		if r == ' ' && space {
			return
		}
		if space = r == ' '; space {
			r = mark
		}
		out.WriteRune(r)
	}
	for _, r := range text {
		to, ok := p.replaced[r]
		if !ok {
			to = string(r)
		}
		for _, r := range to {
			if out.Len() == 0 && r != ' ' {
				out.WriteRune(mark)
			}
			add(r)
		}
	}
	if out.Len() == 0 {
		out.WriteRune(mark)
	}
	return out.String()
}

// step is the best division of the text up to a place.
type step struct {
	score float32
	id    int32
	from  int32 // place where the last piece begins
}

// tokens returns the ids of a text, between those of the marks at its ends.
func (p *pieces) tokens(text string) []int32 {
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "")
	}
	text = p.normalize(text)
	best := p.divide(text)
	var back []int32
	for at := len(text); at > 0; at = int(best[at].from) {
		back = append(back, best[at].id)
	}
	n := min(len(back), encoder.MaxTokens-2)
	ids := make([]int32, 0, n+2)
	ids = append(ids, p.first)
	for i := range n {
		ids = append(ids, back[len(back)-1-i])
	}
	return append(ids, p.last)
}

// divide returns the best step to each place of text.
func (p *pieces) divide(text string) []step {
	best := make([]step, len(text)+1)
	for i := range best {
		best[i].score = float32(math.Inf(-1))
	}
	best[0].score = 0
	for at := 0; at < len(text); {
		_, size := utf8.DecodeRuneInString(text[at:])
		before := best[at].score
		h := uint64(hashStart)
		for end := at; end < min(len(text), at+p.longest); {
			h = (h ^ uint64(text[end])) * hashFactor
			end++
			if bit := spread(h) % begunBits; p.begun[bit/64]>>(bit%64)&1 == 0 {
				break
			}
			if end < len(text) && !utf8.RuneStart(text[end]) {
				continue
			}
			if id, ok := p.find(text[at:end], h); ok && before+p.scores[id] > best[end].score {
				best[end] = step{before + p.scores[id], id, int32(at)}
			}
		}
		if s := before + p.unknownScore; s > best[at+size].score {
			best[at+size] = step{s, p.unknown, int32(at)}
		}
		at += size
	}
	return best
}
