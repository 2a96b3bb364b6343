package rerank

import (
	"context"
	"fmt"
	"hash/maphash"
	"sync"

	"docent/embed"
	"docent/rag/corpus"
	"docent/rag/retrieve"
)

// maxKeptVectors bounds the vectors that a Similarity keeps. With 384
// dimensions they need 25 MB.
const maxKeptVectors = 16 << 10

// Similarity is a [retrieve.Reranker]. The relevance of a passage is the cosine of its
// vector and the vector of the question. A Similarity keeps the vectors of the
// latest passages.
type Similarity struct {
	embedder embed.Embedder
	stored   StoredVectors // nil without
	seed     maphash.Seed

	mu sync.Mutex
	// fresh has the latest vectors, by passage and content. When it is full, it
	// replaces kept.
	fresh, kept map[passageKey][]float32
}

// StoredVectors has vectors of passages. It is safe for concurrent use.
type StoredVectors interface {
	// Stored returns the vectors of a model, in the order of the chunk ids. It
	// returns nil for those that it does not have.
	Stored(ctx context.Context, model string, ids []int64) ([][]float32, error)
	// Computed receives vectors that it did not have.
	Computed(model string, passages []corpus.Passage, vectors [][]float32)
}

// passageKey identifies the content of a passage.
type passageKey struct {
	id   int64
	text uint64 // hash of the text that is embedded
}

// NewSimilarity returns a Similarity that compares vectors of an embedder. It takes
// vectors from stored, unless that is nil.
func NewSimilarity(embedder embed.Embedder, stored StoredVectors) *Similarity {
	return &Similarity{embedder: embedder, stored: stored, seed: maphash.MakeSeed(), fresh: map[passageKey][]float32{}}
}

// Score implements [retrieve.Reranker].
func (s *Similarity) Score(ctx context.Context, question string, passages []corpus.Passage) ([]retrieve.Score, error) {
	return s.score(ctx, question, passages, s.stored)
}

func (s *Similarity) score(
	ctx context.Context, question string, passages []corpus.Passage, stored StoredVectors,
) ([]retrieve.Score, error) {
	asked, err := s.embedder.EmbedQuery(ctx, question)
	if err != nil {
		return nil, fmt.Errorf("embed the question: %w", err)
	}
	vectors, err := s.vectors(ctx, passages, stored)
	if err != nil {
		return nil, err
	}
	scores := make([]retrieve.Score, len(passages))
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
	scores, err := s.score(ctx, question, passages, nil)
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(scores))
	for i, x := range scores {
		out[i] = x.Relevance
	}
	return out, nil
}

// vectors returns the vectors of passages. It takes them from stored, unless that is nil.
func (s *Similarity) vectors(ctx context.Context, passages []corpus.Passage, stored StoredVectors) ([][]float32, error) {
	keys, vectors := make([]passageKey, len(passages)), make([][]float32, len(passages))
	if stored != nil {
		ids := make([]int64, len(passages))
		for i, p := range passages {
			ids[i] = p.ID
		}
		var err error
		if vectors, err = stored.Stored(ctx, s.embedder.Name(), ids); err != nil {
			return nil, fmt.Errorf("read the vectors of %d passages: %w", len(ids), err)
		}
	}
	var missing []int
	var texts []string
	var computed []corpus.Passage
	for i, p := range passages {
		if vectors[i] != nil {
			continue
		}
		text := corpus.IndexText(p.Document.Title, p.Chunk)
		keys[i] = passageKey{p.ID, maphash.String(s.seed, text)}
		if vectors[i] = s.vector(keys[i]); vectors[i] == nil {
			missing, texts, computed = append(missing, i), append(texts, text), append(computed, p)
		}
	}
	if len(missing) == 0 {
		return vectors, nil
	}
	made, err := s.embedder.EmbedDocuments(ctx, texts)
	if err != nil {
		return nil, fmt.Errorf("embed %d passages: %w", len(texts), err)
	}
	for n, i := range missing {
		vectors[i] = made[n]
		s.keep(keys[i], made[n])
	}
	if stored != nil {
		stored.Computed(s.embedder.Name(), computed, made)
	}
	return vectors, nil
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
