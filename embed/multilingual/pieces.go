package multilingual

import (
	"math"
	"strings"
	"unicode/utf8"

	"docent/embed/encoder"
	"docent/embed/unigram"
)

// pieces divides texts into the pieces of the vocabulary.
type pieces struct {
	*unigram.Pieces
	first, last int32 // begins and ends each text
}

// readPieces reads the vocabulary and the normalization. It sets c.err if they
// cannot be used.
func readPieces(c *cursor) pieces {
	n := c.u32()
	p := pieces{first: int32(c.u32()), last: int32(c.u32())}
	c.u32() // <pad>
	cfg := unigram.Config{Unknown: int32(c.u32())}
	length := c.number(8)
	cfg.Ends = c.u32s(n + 1)
	bits := c.u32s(n)
	cfg.Text = string(c.take(length))
	entries, size := c.u32(), c.u32()
	replaced := readReplaced(c, entries, size)
	if c.err == nil && (int(max(p.first, p.last)) >= n || min(p.first, p.last) < 0) {
		c.err = errCutOff
	}
	if c.err != nil {
		return p
	}
	cfg.Scores = make([]float32, n)
	for i, b := range bits {
		cfg.Scores[i] = math.Float32frombits(b)
	}
	cfg.Replace = func(text string) (string, int) {
		r, size := utf8.DecodeRuneInString(text)
		if to, ok := replaced[r]; ok {
			return to, size
		}
		return "", 0
	}
	p.Pieces, c.err = unigram.New(cfg)
	return p
}

func readReplaced(c *cursor, entries, size int) map[rune]string {
	part, replaced := &cursor{rest: c.take(size)}, map[rune]string{}
	for range entries {
		from := rune(part.u32())
		var to strings.Builder
		for range part.number(1) {
			to.WriteRune(rune(part.u32()))
		}
		if part.err != nil {
			c.err = part.err
			break
		}
		replaced[from] = to.String()
	}
	return replaced
}

// tokens returns the ids of a text, between those of the marks at its ends.
func (p pieces) tokens(text string) []int32 {
	return append(p.Append([]int32{p.first}, text, encoder.MaxTokens-2), p.last)
}
