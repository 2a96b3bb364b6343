package retrieve

import (
	"context"
	"fmt"
	"hash/maphash"
	"sync"

	"docent/embed"
	"docent/rag/corpus"
)

// maxKeptVectors bounds the vectors that a Similarity keeps. With 384
// dimensions they need 25 MB.
const maxKeptVectors = 16 << 10

// Similarity is a Reranker. The relevance of a passage is the cosine of its
// vector and the vector of the question. A Similarity keeps the vectors of the
// latest passages.
type Similarity struct {
	embedder embed.Embedder
	seed     maphash.Seed

	mu sync.Mutex
	// fresh has the latest vectors, by passage and content. When it is full, it
	// replaces kept.
	fresh, kept map[passageKey][]float32
}

// passageKey identifies the content of a passage.
type passageKey struct {
	id   int64
	text uint64 // hash of the text that is embedded
}

// NewSimilarity returns a Reranker that compares vectors of an embedder.
func NewSimilarity(embedder embed.Embedder) *Similarity {
	return &Similarity{embedder: embedder, seed: maphash.MakeSeed(), fresh: map[passageKey][]float32{}}
}

// Score implements Reranker.
func (s *Similarity) Score(ctx context.Context, question string, passages []corpus.Passage) ([]Score, error) {
	asked, err := s.embedder.EmbedQuery(ctx, question)
	if err != nil {
		return nil, fmt.Errorf("embed the question: %w", err)
	}
	keys, vectors := make([]passageKey, len(passages)), make([][]float32, len(passages))
	var missing []int
	var texts []string
	for i, p := range passages {
		text := embeddedText(p)
		keys[i] = passageKey{p.ID, maphash.String(s.seed, text)}
		if vectors[i] = s.vector(keys[i]); vectors[i] == nil {
			missing, texts = append(missing, i), append(texts, text)
		}
	}
	if len(missing) > 0 {
		made, err := s.embedder.EmbedDocuments(ctx, texts)
		if err != nil {
			return nil, fmt.Errorf("embed %d passages: %w", len(texts), err)
		}
		for n, i := range missing {
			vectors[i] = made[n]
			s.keep(keys[i], made[n])
		}
	}
	scores := make([]Score, len(passages))
	for i, v := range vectors {
		scores[i].Relevance = float64(embed.Dot(asked, v))
	}
	return scores, nil
}

// Compare returns the cosine of the question and each text. It keeps the vectors
// like those of passages.
func (s *Similarity) Compare(ctx context.Context, question string, texts []string) ([]float64, error) {
	passages := make([]corpus.Passage, len(texts))
	for i, text := range texts {
		passages[i].Text = text
	}
	scores, err := s.Score(ctx, question, passages)
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(scores))
	for i, x := range scores {
		out[i] = x.Relevance
	}
	return out, nil
}

// embeddedText returns the headings and the text of a passage.
func embeddedText(p corpus.Passage) string {
	return corpus.HeadingLine(p.Document.Title, p.Headings) + "\n" + p.Text
}

// vector returns the vector of a passage, or nil.
func (s *Similarity) vector(key passageKey) []float32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v := s.fresh[key]; v != nil {
		return v
	}
	v := s.kept[key]
	if v != nil {
		s.add(key, v)
	}
	return v
}

func (s *Similarity) keep(key passageKey, vector []float32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add(key, vector)
}

// add keeps a vector. The caller holds mu.
func (s *Similarity) add(key passageKey, vector []float32) {
	if len(s.fresh) >= maxKeptVectors/2 {
		s.fresh, s.kept = map[passageKey][]float32{}, s.fresh
	}
	s.fresh[key] = vector
}
