package retrieve

import (
	"context"
	"math"
	"slices"
)

const (
	// maxQuestionTokens limits the distinct tokens of a question, for example of a pasted log.
	maxQuestionTokens = 64
	// nearToken is the similarity from which one token stands for another. Lower similarities are noise.
	nearToken = 0.3
)

// near is a token of the question that is similar to another token.
type near struct {
	token      uint8 // position in scoring.tokens
	similarity float32
}

// echo is the position of a candidate's token that is similar to a token of
// the question.
type echo struct {
	near
	position uint16
}

// scratch is the working memory of a second stage.
type scratch struct {
	// place maps a token to its position in tokens plus one. All values are 0 between uses.
	place []uint32
	// tokens are the distinct tokens of the candidates. near gives, by position in tokens, the end of the token's part of
	// nears.
	tokens []uint16
	near   []uint32
	nears  []near
	// weights maps a token to its IDF divided by the length of its row. Only the entries of the question and of tokens are
	// valid.
	weights []float32
	// echoes are the echoes of all candidates. echoEnds gives the end of each candidate's part.
	echoes   []echo
	echoEnds []int
	column   []float32
	counts   []int32
}

func newScratch(tokens int) *scratch {
	return &scratch{place: make([]uint32, tokens), weights: make([]float32, tokens)}
}

// echoesOf returns the echoes in candidate i, in the order of its tokens.
func (w *scratch) echoesOf(i int) []echo {
	start := 0
	if i > 0 {
		start = w.echoEnds[i-1]
	}
	return w.echoes[start:w.echoEnds[i]]
}

// prepare reads the question and the candidates: their tokens, how rare these
// are, and where the candidates echo the question. It compares each distinct
// token with the question once.
func (s *scoring) prepare(ctx context.Context, question string, features Features) error {
	w := s.scratch
	w.tokens = w.tokens[:0]
	for _, c := range s.candidates {
		for _, t := range c.Tokens {
			if w.place[t] == 0 {
				w.tokens = append(w.tokens, t)
				w.place[t] = uint32(len(w.tokens))
			}
		}
	}
	defer func() {
		for _, t := range w.tokens {
			w.place[t] = 0
		}
	}()
	asked := s.static.Tokenize(question)
	n := len(w.tokens)
	stats, err := features.Statistics(ctx, append(w.tokens[:n:n], asked...))
	if err != nil {
		return err
	}
	for i, t := range w.tokens {
		w.weights[t] = stats.idf(stats.Frequencies[i]) * s.static.InverseLength(t)
	}
	s.ask(asked, stats, stats.Frequencies[n:])
	s.compare()
	s.listen()
	return nil
}

// ask prepares the question: its static vector, its distinct tokens, and their
// rarity.
func (s *scoring) ask(tokens []uint16, stats Statistics, frequencies []uint32) {
	s.mean = stats.mean()
	for i, t := range tokens {
		idf := stats.idf(frequencies[i])
		s.scratch.weights[t] = idf * s.static.InverseLength(t)
		if len(s.tokens) < maxQuestionTokens && !slices.Contains(s.tokens, t) {
			s.tokens = append(s.tokens, t)
			s.idf = append(s.idf, idf)
		}
	}
	s.rare = make([]float32, s.static.Dimensions())
	s.static.AddRows(s.rare, tokens, s.scratch.weights)
}

// listen finds the echoes of the question in all candidates.
func (s *scoring) listen() {
	w := s.scratch
	w.echoes, w.echoEnds = w.echoes[:0], w.echoEnds[:0]
	for _, c := range s.candidates {
		for at, t := range c.Tokens {
			place := w.place[t]
			for _, n := range w.nears[w.near[place-1]:w.near[place]] {
				w.echoes = append(w.echoes, echo{n, uint16(at)})
			}
		}
		w.echoEnds = append(w.echoEnds, len(w.echoes))
	}
}

// compare fills near and nears: the tokens of the question that are similar to
// each of tokens.
func (s *scoring) compare() {
	w, n := s.scratch, len(s.scratch.tokens)
	w.column = slices.Grow(w.column[:0], n*len(s.tokens))[:n*len(s.tokens)]
	w.near = slices.Grow(w.near[:0], n+1)[:n+1]
	clear(w.near)
	for k, t := range s.tokens {
		column := w.column[k*n:][:n]
		s.static.Similarities(column, t, w.tokens)
		for i, similarity := range column {
			if similarity >= nearToken {
				w.near[i+1]++
			}
		}
	}
	for i := range n {
		w.near[i+1] += w.near[i]
	}
	total := int(w.near[n])
	w.nears = slices.Grow(w.nears[:0], total)[:total]
	w.counts = slices.Grow(w.counts[:0], n)[:n]
	clear(w.counts)
	for k := range s.tokens {
		for i, similarity := range w.column[k*n:][:n] {
			if similarity >= nearToken {
				w.nears[int(w.near[i])+int(w.counts[i])] = near{uint8(k), similarity}
				w.counts[i]++
			}
		}
	}
}

// softCount is BM25 that also counts similar tokens, each by its similarity.
func softCount(s *scoring, out []float32) {
	counts := make([]float32, len(s.tokens))
	for i, c := range s.candidates {
		clear(counts)
		for _, e := range s.scratch.echoesOf(i) {
			counts[e.token] += e.similarity
		}
		norm := softK1 * (1 - softB + softB*float32(len(c.Tokens))/max(s.mean, 1))
		var sum float32
		for k, n := range counts {
			sum += s.idf[k] * n * (softK1 + 1) / (n + norm)
		}
		out[i] = sum
	}
}

// The parameters of softCount, BM25's usual ones.
const (
	softK1 = 1.2
	softB  = 0.75
)

// softSentence adds up, over the tokens of the question, the similarity of the
// nearest token in one sentence or in the heading, weighted by rarity. The
// best sentence counts. This is late interaction with static vectors.
func softSentence(s *scoring, out []float32) {
	heading, best := make([]float32, len(s.tokens)), make([]float32, len(s.tokens))
	for i, c := range s.candidates {
		echoes := s.scratch.echoesOf(i)
		clear(heading)
		echoes = nearest(heading, echoes, c.Heading)
		out[i] = 0
		for _, end := range c.Sentences {
			copy(best, heading)
			echoes = nearest(best, echoes, end)
			var sum float32
			for k, similarity := range best {
				sum += s.idf[k] * similarity
			}
			out[i] = max(out[i], sum)
		}
	}
}

// nearest reads the echoes before position end. It sets each entry of best to
// the highest similarity so far, and returns the echoes from end on.
func nearest(best []float32, echoes []echo, end uint16) []echo {
	for len(echoes) > 0 && echoes[0].position < end {
		e := echoes[0]
		best[e.token] = max(best[e.token], e.similarity)
		echoes = echoes[1:]
	}
	return echoes
}

// pairWindow is the maximum distance of two tokens that count as a pair.
const pairWindow = 8

// closePairs adds up, over pairs of the question's tokens, the best similarity
// and closeness in the candidate, weighted by the rarity of the more common
// token.
func closePairs(s *scoring, out []float32) {
	n := len(s.tokens)
	best := make([]float32, n*n)
	for i := range s.candidates {
		clear(best)
		echoes := s.scratch.echoesOf(i)
		for at, e := range echoes {
			for before := at - 1; before >= 0; before-- {
				o := echoes[before]
				d := int(e.position - o.position)
				if d > pairWindow {
					break
				}
				if o.token == e.token {
					continue
				}
				pair := &best[int(min(o.token, e.token))*n+int(max(o.token, e.token))]
				*pair = max(*pair, e.similarity*o.similarity*closeness[d])
			}
		}
		out[i] = 0
		for a := range n {
			for b := a + 1; b < n; b++ {
				if best[a*n+b] > 0 {
					out[i] += best[a*n+b] * min(s.idf[a], s.idf[b])
				}
			}
		}
	}
}

// closeness is 1/√distance. A token is not close to itself.
var closeness = func() (t [pairWindow + 1]float32) {
	for d := 1; d <= pairWindow; d++ {
		t[d] = float32(1 / math.Sqrt(float64(d)))
	}
	return t
}()

// bestSentence is the best cosine of the question with a sentence. Both are
// means of their tokens' vectors, weighted by rarity.
func bestSentence(s *scoring, out []float32) {
	vector := make([]float32, s.static.Dimensions())
	for i, c := range s.candidates {
		best, start := float32(-1), c.Heading
		for _, end := range c.Sentences {
			clear(vector)
			s.static.AddRows(vector, c.Tokens[start:end], s.scratch.weights)
			if square := similarity(vector, vector); square > 0 {
				best = max(best, similarity(s.rare, vector)/float32(math.Sqrt(float64(square))))
			}
			start = end
		}
		out[i] = best
	}
}
