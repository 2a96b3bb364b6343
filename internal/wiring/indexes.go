package wiring

import (
	"context"
	"fmt"
	"path/filepath"

	"docent/index/bm25"
	"docent/index/pgwords"
	"docent/ingest/encode"
	"docent/rag/corpus"
	"docent/rag/retrieve"
)

// Indexes find passages.
type Indexes struct {
	// Retriever searches the indexes.
	Retriever *retrieve.Retriever

	nearest retrieve.Nearest
	words   *pgwords.Index // nil while words and rows are in memory
	// comparer compares texts by the encoders. It is nil without them.
	comparer *byLanguage
}

// OpenIndexes opens the indexes, loads them, and brings them up to date. If that fails, it may
// return Indexes that can only be dropped.
func OpenIndexes(ctx context.Context, s *Store, e *Embedders) (*Indexes, error) {
	x, err := openIndexes(ctx, s, e, nil, service{})
	if err != nil {
		return nil, err
	}
	if err := x.fill(ctx, s); err != nil {
		return x, err
	}
	return x, x.load(ctx)
}

// load loads the indexes in memory.
func (x *Indexes) load(ctx context.Context) error {
	if err := x.Retriever.Load(ctx); err != nil {
		return fmt.Errorf("load index: %w", err)
	}
	return nil
}

// openIndexes opens the indexes as they are. encodings receives vectors that a question
// needed; it may be nil.
func openIndexes(ctx context.Context, s *Store, e *Embedders, encodings *encode.Worker, with service) (*Indexes, error) {
	x := &Indexes{}
	vectors := storedVectors{x, encodings}
	x.comparer = newByLanguage(e, vectors)
	reranker, share, err := x.newReranker(s.Config)
	if err != nil {
		return nil, err
	}
	if x.nearest, err = openNearest(ctx, s, e, with.cores, false); err != nil {
		return nil, err
	}
	if x.words, err = openWords(ctx, s, e, x.nearest); err != nil {
		return nil, err
	}
	encoders, err := openEncoders(ctx, s, e, x, with.cores)
	if err != nil {
		return nil, err
	}
	cfg := retrieve.Config{
		Corpus:   s.DB.Corpus,
		Encoders: encoders, Encodings: s.DB.Encodings,
		Embedder: e.Embedder,
		Static:   e.static,
		Nearest:  x.nearest,
		Reranker: reranker, RerankShare: share,
		Enriched:  retrieve.Enriched{Source: s.DB.Enrichments, Words: bm25.New(), Nearest: newNearest(s.Config.Index, with.cores)},
		Snapshot:  filepath.Join(s.Config.CacheDir(), "index.bin"),
		Snapshots: s.DB.Snapshots,
		Cores:     with.cores,
		Log:       s.Log,
		Metrics:   s.metrics,
	}
	if x.words != nil {
		cfg.Words, cfg.Features = x.words, x.words
	} else {
		cfg.Words = bm25.New()
	}
	if x.Retriever, err = retrieve.New(cfg); err != nil {
		return nil, fmt.Errorf("index: %w", err)
	}
	return x, nil
}

// storedVectors gives the vectors of the retriever to a Reranker, and new ones
// to the worker of a server.
type storedVectors struct {
	indexes *Indexes
	worker  *encode.Worker // nil outside of a server
}

func (v storedVectors) Stored(ctx context.Context, model string, ids []int64) ([][]float32, error) {
	return v.indexes.Retriever.Stored(ctx, model, ids)
}

func (v storedVectors) Computed(model string, passages []corpus.Passage, vectors [][]float32) {
	if v.worker != nil {
		v.worker.Computed(model, passages, vectors)
	}
}

// encoderShare returns the share of the encoders' similarity in the score of a
// passage. language is that of the question. The share of the built-in encoder
// was chosen on the question sets pgdocs and pgxcode. It knows only English: on
// the German and Spanish questions of XQuAD, a share of .4 lowers R@1 by .010 and
// .012. Once the features use its vectors, it has no further share.
func (x *Indexes) encoderShare(language string, passage corpus.Passage) float64 {
	switch {
	case x.comparer.others != nil && (foreign(language) || foreign(passage.Document.Language)):
		return x.languageShare(language, passage)
	case foreign(passage.Document.Language), x.Retriever.Encoded(x.comparer.englishName):
		return 0
	case passage.Kind == corpus.Code:
		return .2
	default:
		return .4
	}
}
