package retrieve

import (
	"context"
	"fmt"
	"sync"

	"docent/embed"
	"docent/rag/corpus"
)

// Encoder is a model that embeds chunks in the background.
type Encoder struct {
	// Embedder is the model.
	Embedder embed.Embedder
	// Languages selects the documents that the model takes. It also selects the
	// questions, if another model takes the others.
	Languages corpus.Languages
	// Vectors has the vectors of the model outside of this process. Default: nil,
	// the retriever keeps them in the snapshot and in memory, and finds them with
	// Index.
	Vectors EncoderVectors
	// Index finds chunks by the vectors of the model. It must be empty; the
	// retriever owns it. Required without Vectors.
	Index VectorMirror
}

// EncoderVectors has the vectors of an encoder for the chunks that the encoder
// takes. Chunks with a zero vector count as encoded, but no search finds them. It is
// safe for concurrent use.
type EncoderVectors interface {
	Nearest
	// Vectors returns the vectors of the given chunks, in that order. It returns nil
	// for a chunk without one.
	Vectors(ctx context.Context, ids []int64) ([][]float32, error)
	// Refresh applies all changes of the corpus and of the stored vectors. It then
	// counts the chunks with a vector, and those that the encoder takes.
	Refresh(ctx context.Context) (done, total int, err error)
}

// VectorMirror is a vector index in memory.
type VectorMirror interface {
	Nearest
	Mirror
}

// EncoderProgress says how many chunks have a vector of an encoder.
type EncoderProgress struct {
	// Model is the name of the encoder.
	Model string
	// Done counts the chunks with a vector.
	Done int
	// Total counts the chunks that the encoder takes.
	Total int
}

// encoded is an encoder with its progress.
type encoded struct {
	Encoder

	mu sync.RWMutex // guards the following fields
	// done and total are the counts of the last Refresh.
	done, total int
}

// missingShare divides the number of chunks. If more chunks than the quotient
// lack a vector, searches do not use the encoder.
const missingShare = 20

func (e *encoded) progress() EncoderProgress {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return EncoderProgress{Model: e.Embedder.Name(), Done: e.done, Total: e.total}
}

// refresh updates the vectors and the progress.
func (e *encoded) refresh(ctx context.Context) error {
	done, total, err := e.Vectors.Refresh(ctx)
	if err != nil {
		return fmt.Errorf("retriever: vectors by %s: %w", e.Embedder.Name(), err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.done, e.total = done, total
	return nil
}

// ready reports whether searches use the encoder.
func (e *encoded) ready() bool {
	p := e.progress()
	return p.Done > 0 && p.Total-p.Done <= p.Total/missingShare
}

// encoders are the encoders of a retriever.
type encoders []*encoded

// pending reports whether a chunk lacks a vector of its encoder.
func (es encoders) pending() bool {
	for _, e := range es {
		if p := e.progress(); p.Done < p.Total {
			return true
		}
	}
	return false
}

// asked is a question for one encoder.
type asked struct {
	*encoded
	vector []float32
	// known are the vectors of candidates, nil for those without one.
	known map[int64][]float32
}

// read makes the vectors of chunks known.
func (a *asked) read(ctx context.Context, ids []int64) error {
	var missing []int64
	for _, id := range ids {
		if _, ok := a.known[id]; !ok {
			a.known[id] = nil
			missing = append(missing, id)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	vectors, err := a.Vectors.Vectors(ctx, missing)
	for i, v := range vectors {
		a.known[missing[i]] = v
	}
	return err
}

// read makes the vectors of chunks known to the asked encoders.
func (q question) read(ctx context.Context, ids []int64) error {
	for _, e := range q.encoders {
		if err := e.read(ctx, ids); err != nil {
			return fmt.Errorf("vectors by %s: %w", e.Embedder.Name(), err)
		}
	}
	return nil
}

// ask embeds a question for the encoders that are ready and know its language. If
// none does, it asks those that are ready. It skips those that have no further
// documents.
func (es encoders) ask(ctx context.Context, q Query, question, language string, features Features) ([]*asked, error) {
	if q.Mode != Full && q.Mode != Hybrid {
		return nil, nil
	}
	var ready, able encoders
	for _, e := range es {
		if !e.ready() {
			continue
		}
		ready = append(ready, e)
		if e.Languages.Accept(language) {
			able = append(able, e)
		}
	}
	if len(able) == 0 {
		able = ready
	}
	var out []*asked
	for _, e := range able {
		if len(out) > 0 {
			corpus, err := features.Statistics(ctx, nil)
			if err != nil {
				return nil, fmt.Errorf("retrieve: %w", err)
			}
			if out[len(out)-1].progress().Total >= corpus.Chunks {
				break
			}
		}
		vector, err := e.Embedder.EmbedQuery(ctx, question)
		if err != nil {
			return nil, fmt.Errorf("retrieve: embed the question with %s: %w", e.Embedder.Name(), err)
		}
		out = append(out, &asked{e, vector, map[int64][]float32{}})
	}
	return out, nil
}

// encoderFor returns the first of the asked encoders that takes documents in a
// language, or nil. Only its scores count for them.
func (q question) encoderFor(language string) *asked {
	for _, e := range q.encoders {
		if e.Languages.Accept(language) {
			return e
		}
	}
	return nil
}

// encoderScore replaces the similarities in out, those by the embedder, with the
// similarities by the encoders. The scores of each encoder are normalized over
// all candidates that have one, so that the scores of two encoders can be
// compared. A candidate has the score of the first encoder that takes it.
// Candidates without a vector keep the score of the embedder.
func (s *scoring) encoderScore(out []float32) {
	if len(s.asking.encoders) == 0 {
		return
	}
	normalize(out)
	for _, e := range s.asking.encoders {
		var known []float32
		for _, c := range s.candidates {
			if v := e.known[c.ID]; v != nil {
				known = append(known, embed.Dot(e.vector, v))
			}
		}
		normalize(known)
		for i, c := range s.candidates {
			if e.known[c.ID] == nil {
				continue
			}
			if s.asking.encoderFor(c.Document.Language) == e {
				out[i] = known[0]
			}
			known = known[1:]
		}
	}
}
