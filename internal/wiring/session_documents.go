package wiring

import (
	"bytes"
	"context"
	"fmt"
	"iter"

	"docent/agent"
	"docent/api/uploads"
	"docent/embed"
	"docent/index/bm25"
	"docent/index/flat"
	"docent/ingest"
	"docent/ingest/intake"
	"docent/internal/fault"
	"docent/llm"
	"docent/payload"
	"docent/rag"
	"docent/rag/corpus"
	"docent/rag/pipeline"
	"docent/rag/retrieve"
)

// sessionRAG answers from all documents. It implements agent.DocumentRAG, so it also
// answers from the documents of a session.
type sessionRAG struct {
	*pipeline.Pipeline
	reader ingest.Reader
	shared uploads.Ingester
	// refresh makes added documents available at once.
	refresh func(context.Context) error
	static  *embed.Static
}

// newSessionRAG returns the RAG of a runtime, with all models and those of the agent. Users
// choose only among those of a.RAG. readers may be nil.
func newSessionRAG(a *Answers, readers *Readers, models map[string]llm.Model) agent.RAG {
	all, _ := a.byName()
	answers := a.RAG.With(all).With(models)
	if readers == nil {
		return answers
	}
	return sessionRAG{
		Pipeline: answers, reader: readers.pool, static: a.embedders.static,
		shared: countedUploads{a.with.quotas, readers.Ingester}, refresh: a.refresh,
	}
}

// ReadDocument reads a file in a worker.
func (r sessionRAG) ReadDocument(ctx context.Context, session string, file payload.File) (agent.SessionDocument, error) {
	data, err := file.Bytes()
	if err != nil {
		return agent.SessionDocument{}, fmt.Errorf("read %s: %w", file.Name, err)
	}
	ctx = intake.WithClient(ctx, intake.Client{Key: "session:" + session})
	read, err := r.reader.Read(ctx, intake.Source{Name: file.Name, Data: data})
	if err != nil {
		return agent.SessionDocument{}, fmt.Errorf("read %s: %w", file.Name, err)
	}
	return agent.SessionDocument{
		Title: read.Title, Source: file.Name, Media: read.Media, Language: read.Language, Chunks: read.Chunks,
		Date: read.Date, DateFrom: read.DateFrom, Version: read.Version,
	}, nil
}

// AddDocument reads a file into a collection. Its source is that of an upload with this name.
func (r sessionRAG) AddDocument(ctx context.Context, collection string, file payload.File) error {
	data, err := file.Bytes()
	if err != nil {
		return fmt.Errorf("add %s: %w", file.Name, err)
	}
	results, err := r.shared.Read(ctx, collection, "upload:"+file.Name, bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("add %s: %w", file.Name, err)
	}
	for _, result := range results {
		if result.Status == ingest.Failed {
			return fault.New(fault.Invalid, "shared_document_unreadable", "%s cannot be added: %s", file.Name, result.Reason)
		}
	}
	if err := r.refresh(ctx); err != nil {
		return fmt.Errorf("find %s: %w", file.Name, err)
	}
	return nil
}

// OverDocuments returns a RAG that answers from the documents alone.
func (r sessionRAG) OverDocuments(ctx context.Context, own []agent.SessionDocument) (agent.RAG, error) {
	retriever, err := r.index(ctx, own)
	if err != nil {
		return nil, err
	}
	return overSession{r.Over(retriever), own, true}, nil
}

// DocumentsFirst returns a RAG that searches the documents before the library.
func (r sessionRAG) DocumentsFirst(ctx context.Context, own []agent.SessionDocument) (agent.RAG, error) {
	retriever, err := r.index(ctx, own)
	if err != nil {
		return nil, err
	}
	return overSession{r.First(retriever), own, false}, nil
}

// index indexes the documents with the built-in embedding model, which needs no server.
func (r sessionRAG) index(ctx context.Context, own []agent.SessionDocument) (sessionIndex, error) {
	documents, chunks, vectors := make([]corpus.Document, len(own)), make([][]corpus.Chunk, len(own)), make([][][]float32, len(own))
	for i, d := range own {
		documents[i] = corpus.Document{
			Collection: corpus.DefaultCollection, Title: d.Title, Source: d.Source, MediaType: d.Media, Language: d.Language,
			Date: d.Date, DateFrom: d.DateFrom, Version: d.Version,
		}
		chunks[i] = d.Chunks
		texts := make([]string, len(d.Chunks))
		for n, c := range d.Chunks {
			texts[n] = corpus.IndexText(d.Title, c)
		}
		var err error
		if vectors[i], err = r.static.EmbedDocuments(ctx, texts); err != nil {
			return sessionIndex{}, fmt.Errorf("embed the documents of the session: %w", err)
		}
	}
	fixed := corpus.NewFixed(documents, chunks, vectors)
	retriever, err := retrieve.New(retrieve.Config{
		Corpus: fixed, Embedder: r.static, Static: r.static, Words: bm25.New(),
		Nearest: flat.New(flat.Config{Float32: true}),
	})
	if err != nil {
		return sessionIndex{}, fmt.Errorf("index the documents of the session: %w", err)
	}
	if err := retriever.Load(ctx); err != nil {
		return sessionIndex{}, fmt.Errorf("index the documents of the session: %w", err)
	}
	return sessionIndex{retriever, fixed}, nil
}

// sessionIndex searches the documents of a session. It implements table.Chunks, so answers can read their tables.
type sessionIndex struct {
	*retrieve.Retriever
	documents *corpus.Fixed
}

// DocumentChunks implements table.Chunks.
func (s sessionIndex) DocumentChunks(ctx context.Context, id int64, after, limit int) ([]corpus.Chunk, error) {
	return s.documents.DocumentChunks(ctx, id, after, limit)
}

// overSession answers from the documents of a session.
type overSession struct {
	*pipeline.Pipeline
	own []agent.SessionDocument
	// alone reports that all passages are from these documents. Otherwise, only those with negative
	// ids are; see pipeline.First.
	alone bool
}

// Stream removes the ids of the session's documents and of their chunks, which would name
// documents of the library.
func (r overSession) Stream(ctx context.Context, req rag.Request) iter.Seq2[rag.Part, error] {
	if r.alone {
		req.Collections, req.Documents, req.Place = nil, nil, corpus.Place{}
	}
	return func(yield func(rag.Part, error) bool) {
		for part, err := range r.Pipeline.Stream(ctx, req) {
			if begun := part.Begun; begun != nil {
				part.Begun = func(text string) rag.Answer { return r.withoutIDs(begun(text)) }
			}
			if part.Answer != nil {
				answer := r.withoutIDs(*part.Answer)
				part.Answer = &answer
			}
			if !yield(part, err) {
				return
			}
		}
	}
}

// withoutIDs returns the answer without the ids of the session's documents and of their chunks.
func (r overSession) withoutIDs(a rag.Answer) rag.Answer {
	passages := make([]rag.Passage, len(a.Passages))
	for i, p := range a.Passages {
		if !r.alone && p.DocumentID < 0 {
			p.File = r.own[-p.DocumentID-1].Turn
		}
		if r.alone || p.DocumentID < 0 {
			p.ID, p.DocumentID, p.Document.ID = 0, 0, 0
		}
		passages[i] = p
	}
	a.Passages = passages
	return a
}
