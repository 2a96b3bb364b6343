package wiring

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"docent/config"
	"docent/index"
	"docent/index/chromem"
	"docent/index/flat"
	"docent/index/pgvector"
	"docent/index/pgwords"
	"docent/index/weaviate"
	"docent/ingest/encode"
	"docent/internal/cores"
	"docent/internal/disk"
	"docent/internal/fault"
	"docent/rag/retrieve"
)

// maxChromem is the number of passages up to which chromem-go searches vectors by
// default. Both indexes are fast there.
const maxChromem = 4000

// minConns are the connections to Postgres that an index outside of the process needs. A
// writer of an index holds a connection, with a transaction or a list of changes, while it
// takes a second one. If all writers hold the first one, one connection must be left:
//
//   - pgvector: the writers are the followers of the vector index and the keyword index
//   - weaviate: the writers are these followers, and a search, which can write vectors of
//     an encoder
//
// Other parts of docent use one connection at a time.
var minConns = map[string]int{config.IndexPGVector: 3, config.IndexWeaviate: 4}

// openNearest makes the vector index of passages. Indexes.fill fills an index outside of
// this process. With checkOnly, it changes nothing, and only checks the extension pgvector.
func openNearest(ctx context.Context, s *Store, e *Embedders, pool *cores.Pool, checkOnly bool) (retrieve.Nearest, error) {
	if most, least := s.DB.MaxConns, minConns[s.Config.Index]; most > 0 && most < least {
		return nil, fault.New(fault.Invalid, "config_few_connections", "the index %s needs at least %d connections to Postgres, "+
			"and pool_max_conns allows %d; set pool_max_conns=%d in DATABASE_URL, or leave it out", s.Config.Index, least, most, least)
	}
	switch s.Config.Index {
	case config.IndexWeaviate:
		return openWeaviate(ctx, s, e)
	case config.IndexPGVector:
		return openPGVector(ctx, s, e, checkOnly)
	default:
		return newNearest(s.Config.Index, pool), nil
	}
}

// openWeaviate makes the index in a Weaviate cluster.
func openWeaviate(ctx context.Context, s *Store, e *Embedders) (retrieve.Nearest, error) {
	if len(s.Config.Weaviate) == 0 {
		return nil, fault.New(fault.Invalid, "config_weaviate_nodes",
			"the index weaviate needs the addresses of the nodes; set --weaviate URL,URL")
	}
	return weaviate.New(ctx, weaviate.Config{
		Nodes: s.Config.Weaviate, Key: s.Config.WeaviateKey, Corpus: s.DB.Corpus, Leases: s.DB.Encodings,
		Embedder: e.Embedder.Name(), Dimensions: e.Embedder.Dimensions(), Log: s.Progress,
	})
}

// openPGVector makes the index in Postgres.
func openPGVector(ctx context.Context, s *Store, e *Embedders, checkOnly bool) (retrieve.Nearest, error) {
	if s.DB.Vectors == nil {
		return nil, fault.New(fault.Invalid, "config_pgvector_database",
			"the index pgvector needs a Postgres database; set DATABASE_URL, or use another value of the setting index")
	}
	return s.DB.Vectors(ctx, pgvector.Config{
		Corpus: s.DB.Corpus, Embedder: e.Embedder.Name(), Dimensions: e.Embedder.Dimensions(), Log: s.Progress, CheckOnly: checkOnly,
	})
}

// CheckIndex checks the engine of an index outside of the process: each node of Weaviate, or
// the extension pgvector. It writes nothing, and returns a description for docent doctor.
func CheckIndex(ctx context.Context, s *Store, e *Embedders) (string, error) {
	nearest, err := openNearest(ctx, s, e, nil, true)
	if err != nil {
		return "", err
	}
	switch x := nearest.(type) {
	case *pgvector.Index:
		return "pgvector: the database has the extension or can create it", nil
	case *weaviate.Index:
		if err := x.CheckNodes(ctx); err != nil {
			return "", err
		}
		found, err := "weaviate: each node answers", x.Filled(ctx)
		if text := fault.TextOf(err); text.ID == "index_filling" {
			return found + "; " + text.Message + " (docent serve does the rest)", nil
		}
		return found, err
	default:
		return "in memory", nil
	}
}

// openWords makes the keyword index in Postgres, if the vectors are outside of this
// process. Indexes.fill fills it. It returns nil if words and the data of the second stage
// are in memory.
func openWords(ctx context.Context, s *Store, e *Embedders, nearest retrieve.Nearest) (*pgwords.Index, error) {
	if _, ok := nearest.(retrieve.Mirror); ok || s.DB.Words == nil {
		return nil, nil //nolint:nilnil // without an index, words are in memory
	}
	return s.DB.Words(ctx, pgwords.Config{
		Corpus: s.DB.Corpus, Embedder: e.Embedder.Name(), Dimensions: e.Embedder.Dimensions(), Static: e.static, Log: s.Progress,
	})
}

// fill applies all changes of the corpus to the indexes outside of this process.
// If no node of Weaviate answers, its index stays as it is.
func (x *Indexes) fill(ctx context.Context, s *Store) error {
	switch nearest := x.nearest.(type) {
	case *pgvector.Index:
		if err := nearest.Refresh(ctx); err != nil {
			return fmt.Errorf("vector index: %w", err)
		}
	case *weaviate.Index:
		switch _, err := nearest.Refresh(ctx); {
		case fault.KindOf(err) == fault.Unavailable:
			s.Log.Error("the index in Weaviate is not up to date", "error", err)
		case err != nil:
			return fmt.Errorf("vector index: %w", err)
		}
	}
	if x.words == nil {
		return nil
	}
	if err := x.words.Refresh(ctx); err != nil {
		return fmt.Errorf("keyword index: %w", err)
	}
	return nil
}

// openEncoders makes the vectors of the encoders. They are where the vectors of passages
// are, except with Weaviate and SQLite: there, they are in memory.
func openEncoders(ctx context.Context, s *Store, e *Embedders, x *Indexes, pool *cores.Pool) ([]retrieve.Encoder, error) {
	var out []retrieve.Encoder
	for _, m := range e.encoders {
		one := retrieve.Encoder{Embedder: m.Embedder, Languages: m.Languages}
		if x.words == nil {
			one.Index = flat.New(flat.Config{Cores: pool})
		} else {
			var err error
			if one.Vectors, err = openEncoder(ctx, s, x, m); err != nil {
				return nil, fmt.Errorf("vector index of the encoder: %w", err)
			}
		}
		out = append(out, one)
	}
	return out, nil
}

// openEncoder makes the vectors of an encoder outside of this process.
func openEncoder(ctx context.Context, s *Store, x *Indexes, m encode.Model) (retrieve.EncoderVectors, error) {
	name, dimensions := m.Embedder.Name(), m.Embedder.Dimensions()
	switch nearest := x.nearest.(type) {
	case *pgvector.Index:
		return nearest.OpenEncoder(ctx, pgvector.EncoderConfig{
			Model: name, Dimensions: dimensions, Languages: m.Languages, Encodings: s.DB.Encodings, Chunks: x.words.Chunks,
		})
	case *weaviate.Index:
		return nearest.OpenEncoder(weaviate.EncoderConfig{
			Model: name, Dimensions: dimensions, Languages: m.Languages, Encodings: s.DB.Encodings, Chunks: x.words.Chunks,
		})
	default:
		return nil, fmt.Errorf("%T has no vectors of encoders", nearest)
	}
}

// keywordIndex returns the name of the keyword index for /api/info.
func (x *Indexes) keywordIndex() string {
	if x.words != nil {
		return "postgres"
	}
	return "bm25"
}

// engine is an index outside of this process.
type engine interface {
	Follow(ctx context.Context) error
	Filled(ctx context.Context) error
}

// engines are the indexes outside of this process, by their names in /api/ready.
func (x *Indexes) engines() map[string]engine {
	all := map[string]engine{}
	if nearest, ok := x.nearest.(engine); ok {
		all["vector_index"] = nearest
	}
	if x.words != nil {
		all["keyword_index"] = x.words
	}
	return all
}

// follow fills the indexes outside of this process and keeps them up to date. The
// retriever does so for indexes in memory.
func (x *Indexes) follow(ctx context.Context) error {
	all, ctx := errgroup.WithContext(ctx)
	for _, one := range x.engines() {
		all.Go(func() error { return one.Follow(ctx) })
	}
	return all.Wait()
}

// Drop deletes the index of a temporary database from an engine that would keep it. x may be nil.
func (x *Indexes) Drop(ctx context.Context) error {
	if x == nil {
		return nil
	}
	if nearest, ok := x.nearest.(*weaviate.Index); ok {
		return nearest.Drop(ctx)
	}
	return nil
}

// readyChecks are the checks of /api/ready.
func (s *Server) readyChecks() map[string]func(context.Context) error {
	checks := map[string]func(context.Context) error{
		"database": s.DB.Ping,
		"disk":     func(context.Context) error { return disk.Check(s.Config.Data, disk.Least) },
	}
	if x, ok := s.nearest.(*weaviate.Index); ok {
		checks["weaviate"] = x.Ping
	}
	for name, x := range s.engines() {
		checks[name] = x.Filled
	}
	return checks
}

// newNearest makes the vector index in memory of a setting.
func newNearest(setting string, pool *cores.Pool) retrieve.VectorMirror {
	switch setting {
	case config.IndexChromem:
		return chromem.New()
	case config.IndexFlat:
		return flat.New(flat.Config{Cores: pool})
	default:
		return index.NewSized(maxChromem, chromem.New(), flat.New(flat.Config{Cores: pool}))
	}
}

// vectorIndex returns the name of a vector index for /api/info: the value of the
// setting that always uses it.
func vectorIndex(nearest retrieve.Nearest) string {
	switch x := nearest.(type) {
	case *flat.Index:
		return config.IndexFlat
	case *pgvector.Index:
		return config.IndexPGVector
	case *weaviate.Index:
		return config.IndexWeaviate
	case *index.Sized:
		if x.Grown() {
			return config.IndexFlat
		}
	}
	return config.IndexChromem
}
