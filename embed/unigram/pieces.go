// Package unigram divides texts into the pieces of a SentencePiece vocabulary of the
// kind unigram. The division with the highest sum of scores wins.
package unigram

import (
	"errors"
	"math"
	"strings"
	"unicode/utf8"
)

// mark stands for a space in pieces.
const mark = '\u2581'

// maxText bounds how much of a text is divided, in bytes. The rest of a longer
// text does not count.
const maxText = 16 << 10

// maxNormal bounds the normalized text. A damaged vocabulary may have long replacements.
const maxNormal = 4 * maxText

// unknownPenalty is the difference of an unknown character to the worst piece.
const unknownPenalty = 10

// Config describes a vocabulary.
type Config struct {
	// Text has all pieces, one after the other.
	Text string
	// Ends are the ends of the pieces in Text, after a 0.
	Ends []uint32
	// Scores are those of the pieces.
	Scores []float32
	// Unknown is the id of unknown characters.
	Unknown int32
	// JoinUnknown makes one token of several unknown characters in a row.
	JoinUnknown bool
	// Replace returns the normalization of the beginning of a text, which is not
	// empty, and the length of this beginning. The length 0 means that the first
	// character stays as it is.
	Replace func(text string) (to string, size int)
}

// Pieces divides texts into the pieces of a vocabulary. It is read-only.
type Pieces struct {
	Config
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

// New checks a vocabulary and prepares the search for its pieces.
func New(cfg Config) (*Pieces, error) {
	n := len(cfg.Scores)
	if len(cfg.Ends) != n+1 || cfg.Unknown < 0 || int(cfg.Unknown) >= n {
		return nil, errors.New("the vocabulary is incomplete")
	}
	p := &Pieces{Config: cfg}
	least := float32(math.MaxFloat32)
	for i, score := range cfg.Scores {
		if cfg.Ends[i] > cfg.Ends[i+1] || int(cfg.Ends[i+1]) > len(cfg.Text) || math.IsNaN(float64(score)) {
			return nil, errors.New("the vocabulary is damaged")
		}
		least = min(least, score)
	}
	p.unknownScore = least - unknownPenalty
	p.index()
	return p, nil
}

// Count returns the number of pieces. Ids are below it.
func (p *Pieces) Count() int { return len(p.Scores) }

// Piece returns the text of a piece.
func (p *Pieces) Piece(id int) string { return p.Text[p.Ends[id]:p.Ends[id+1]] }

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
func (p *Pieces) index() {
	size := 1024
	for size < 2*p.Count() {
		size *= 2
	}
	p.table, p.begun = make([]uint32, size), make([]uint64, begunBits/64)
	for id := range p.Count() {
		piece := p.Piece(id)
		if piece == "" || int32(id) == p.Unknown {
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
func (p *Pieces) find(piece string, h uint64) (int32, bool) {
	last := uint64(len(p.table) - 1)
	for at := spread(h) & last; p.table[at] != 0; at = (at + 1) & last {
		if id := int(p.table[at] - 1); p.Piece(id) == piece {
			return int32(id), true
		}
	}
	return 0, false
}

// normalize replaces single characters and joins runs of spaces. Spaces become
// marks, and one is put before the text.
func (p *Pieces) normalize(text string) string {
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
	for text != "" && out.Len() < maxNormal {
		to, size := p.Replace(text)
		if size == 0 {
			var r rune
			r, size = utf8.DecodeRuneInString(text)
			to = string(r)
		}
		text = text[size:]
		for _, r := range to[:min(len(to), maxNormal)] {
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

// Append appends at most limit ids of a text to dst.
func (p *Pieces) Append(dst []int32, text string, limit int) []int32 {
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "")
	}
	text = p.normalize(text)
	best := p.divide(text)
	var back []int32
	for at := len(text); at > 0; at = int(best[at].from) {
		if id := best[at].id; id != p.Unknown || !p.JoinUnknown || len(back) == 0 || back[len(back)-1] != id {
			back = append(back, id)
		}
	}
	for i := range min(len(back), limit) {
		dst = append(dst, back[len(back)-1-i])
	}
	return dst
}

// divide returns the best step to each place of text.
func (p *Pieces) divide(text string) []step {
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
			if id, ok := p.find(text[at:end], h); ok && before+p.Scores[id] > best[end].score {
				best[end] = step{before + p.Scores[id], id, int32(at)}
			}
		}
		if s := before + p.unknownScore; s > best[at+size].score {
			best[at+size] = step{s, p.Unknown, int32(at)}
		}
		at += size
	}
	return best
}
