package rag

import (
	"math"
	"slices"
)

// scratch is memory a second stage works in; see Retriever.scratch.
type scratch struct {
	vector []float32
	// place is, by token, its position in tokens plus one; 0 between uses.
	place []uint32
	// tokens are the distinct tokens of the candidates.
	tokens []uint16
	// similarities are by token and, within it, by token of the question.
	similarities []float32
	column, best []float32
}

func newScratch(tokens int) *scratch {
	return &scratch{vector: make([]float32, 256), place: make([]uint32, tokens)}
}

// maxQuestionTokens bounds the distinct tokens of a question that are compared
// one by one; pasted logs have more.
const maxQuestionTokens = 64

// bestSentence compares the question with each sentence.
func bestSentence(s *scoring, out []float32) {
	for i, c := range s.candidates {
		best, start := float32(-1), c.heading
		for _, end := range c.sentences {
			s.static.Mean(s.scratch.vector, c.tokens[start:end])
			best = max(best, similarity(s.plain, s.scratch.vector))
			start = end
		}
		out[i] = best
	}
}

// headingDense compares the question with title and headings, each once.
func headingDense(s *scoring, out []float32) {
	done := map[string]float32{}
	for i, c := range s.candidates {
		heading := c.tokens[:c.heading]
		key := tokenKey(heading)
		score, ok := done[key]
		if !ok {
			s.static.Mean(s.scratch.vector, heading)
			score = similarity(s.plain, s.scratch.vector)
			done[key] = score
		}
		out[i] = score
	}
}

// tokenKey makes tokens comparable.
func tokenKey(tokens []uint16) string {
	b := make([]byte, 0, 2*len(tokens))
	for _, t := range tokens {
		b = append(b, byte(t), byte(t>>8))
	}
	return string(b)
}

// softMatch adds up, over the question's tokens, how near the nearest token of
// the chunk comes, weighted by rarity: late interaction with static vectors.
func softMatch(s *scoring, out []float32) {
	q := len(s.tokens)
	if q == 0 {
		clear(out)
		return
	}
	w := s.scratch
	similarities := w.compare(s)
	w.best = slices.Grow(w.best[:0], q)[:q]
	for i, c := range s.candidates {
		best := w.best
		for k := range best {
			best[k] = -1
		}
		for _, t := range c.tokens {
			at := int(w.place[t]-1) * q
			for k, sim := range similarities[at : at+q] {
				if sim > best[k] {
					best[k] = sim
				}
			}
		}
		var sum float32
		for k, idf := range s.idf {
			sum += idf * best[k]
		}
		out[i] = sum
	}
	for _, t := range w.tokens {
		w.place[t] = 0
	}
}

// compare computes the similarity of each token of the candidates with each of
// the question, once.
func (w *scratch) compare(s *scoring) []float32 {
	q := len(s.tokens)
	w.tokens = w.tokens[:0]
	for _, c := range s.candidates {
		for _, t := range c.tokens {
			if w.place[t] == 0 {
				w.tokens = append(w.tokens, t)
				w.place[t] = uint32(len(w.tokens))
			}
		}
	}
	n := len(w.tokens)
	w.similarities = slices.Grow(w.similarities[:0], n*q)[:n*q]
	w.column = slices.Grow(w.column[:0], n)[:n]
	for k, t := range s.tokens {
		s.static.Similarities(w.column, t, w.tokens)
		for i, sim := range w.column {
			w.similarities[i*q+k] = sim
		}
	}
	return w.similarities
}

// tokenIDF is the rarity of a token that n of total rows have.
func tokenIDF(n uint32, total int) float32 {
	return float32(math.Log(1 + (float64(total)-float64(n)+0.5)/(float64(n)+0.5)))
}
