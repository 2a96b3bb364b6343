package ingest_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"docent/rag/corpus"

	"docent/ingest/intake"
	"docent/internal/fault"
)

// memory is a Store in memory.
type memory struct {
	mu     sync.Mutex
	last   int64
	puts   int // calls of PutDocuments
	docs   map[string]*stored
	before func() error // called at the start of PutDocuments
	asked  func()       // called at the start of Sources
}

type stored struct {
	doc     corpus.Document
	chunks  []corpus.Chunk
	vectors map[string][][]float32
	source  []byte
}

func newMemory() *memory { return &memory{docs: map[string]*stored{}} }

func key(collection, source string) string { return collection + "\x00" + source }

func (m *memory) Sources(_ context.Context, collection, embedder, one string) ([]intake.SourceState, error) {
	if m.asked != nil {
		m.asked()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []intake.SourceState
	for _, s := range m.docs {
		d := s.doc
		if d.Collection != collection || one != "" && d.Source != one && !strings.HasPrefix(d.Source, one+"#") {
			continue
		}
		out = append(out, intake.SourceState{
			ID: d.ID, Source: d.Source, Title: d.Title, SHA256: d.SHA256, Size: d.Size, Status: d.Status, Error: d.Error,
			Pipeline: d.Pipeline, Chunks: len(s.chunks), Embedded: len(s.vectors[embedder]),
		})
	}
	return out, nil
}

func (m *memory) PutDocuments(ctx context.Context, puts []intake.Put) ([]int64, error) {
	if m.before != nil {
		if err := m.before(); err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.puts++
	var ids []int64
	for _, p := range puts {
		k := key(p.Document.Collection, p.Document.Source)
		s := m.docs[k]
		if p.Replaces != 0 && (s == nil || s.doc.ID != p.Replaces) {
			return nil, fault.New(fault.NotFound, "test_sentence", "there is no document %d", p.Replaces)
		}
		if s == nil {
			m.last++
			s = &stored{doc: corpus.Document{ID: m.last}}
			m.docs[k] = s
		}
		id := s.doc.ID
		s.doc, s.chunks, s.source = p.Document, slices.Clone(p.Chunks), p.Original
		s.doc.ID = id
		for i := range s.chunks {
			m.last++
			s.chunks[i].ID, s.chunks[i].DocumentID = m.last, id
		}
		s.vectors = map[string][][]float32{p.Embedder: p.Vectors}
		ids = append(ids, id)
	}
	return ids, nil
}

func (m *memory) RemoveDocuments(_ context.Context, ids []int64) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for k, s := range m.docs {
		if slices.Contains(ids, s.doc.ID) {
			delete(m.docs, k)
			n++
		}
	}
	return n, nil
}

func (m *memory) Unembedded(_ context.Context, embedder string, after int64, limit int) ([]corpus.Passage, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []corpus.Passage
	for _, s := range m.docs {
		for i, c := range s.chunks {
			if c.ID > after && (len(s.vectors[embedder]) <= i || s.vectors[embedder][i] == nil) {
				d := s.doc
				d.Text = ""
				out = append(out, corpus.Passage{Chunk: c, Document: d})
			}
		}
	}
	slices.SortFunc(out, func(a, b corpus.Passage) int { return int(a.Chunk.ID - b.Chunk.ID) })
	return out[:min(len(out), limit)], nil
}

func (m *memory) PutEmbeddings(_ context.Context, embedder string, embeddings []intake.Embedding) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range embeddings {
		for _, s := range m.docs {
			for i, c := range s.chunks {
				if c.ID != e.ChunkID {
					continue
				}
				if s.vectors[embedder] == nil {
					s.vectors[embedder] = make([][]float32, len(s.chunks))
				}
				s.vectors[embedder][i] = e.Vector
			}
		}
	}
	return nil
}

// get returns the stored documents of a source in the default collection, or nil.
func (m *memory) get(source string) *stored {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.docs[key(corpus.DefaultCollection, source)]
}

// LeaseEncoder gives every process the lease.
func (m *memory) LeaseEncoder(context.Context, string, string, time.Time, time.Time) (bool, error) {
	return true, nil
}
