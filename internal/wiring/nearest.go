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

// openNearest makes the vector index of passages. fillIndexes fills an index outside of
// this process. With checkOnly, it changes nothing, and only checks the extension pgvector.
func openNearest(ctx context.Context, p *Parts, checkOnly bool) (retrieve.Nearest, error) {
	if most, least := p.DB.MaxConns, minConns[p.Config.Index]; most > 0 && most < least {
		return nil, fault.New(fault.Invalid, "config_few_connections", "the index %s needs at least %d connections to Postgres, "+
			"and pool_max_conns allows %d; set pool_max_conns=%d in DATABASE_URL, or leave it out", p.Config.Index, least, most, least)
	}
	switch p.Config.Index {
	case config.IndexWeaviate:
		return openWeaviate(ctx, p)
	case config.IndexPGVector:
		return openPGVector(ctx, p, checkOnly)
	default:
		return newNearest(p.Config.Index, p.cores), nil
	}
}

// openWeaviate makes the index in a Weaviate cluster.
func openWeaviate(ctx context.Context, p *Parts) (retrieve.Nearest, error) {
	if len(p.Config.Weaviate) == 0 {
		return nil, fault.New(fault.Invalid, "config_weaviate_nodes",
			"the index weaviate needs the addresses of the nodes; set --weaviate URL,URL")
	}
	return weaviate.New(ctx, weaviate.Config{
		Nodes: p.Config.Weaviate, Key: p.Config.WeaviateKey, Corpus: p.DB.Corpus, Leases: p.DB.Encodings,
		Embedder: p.Embedder.Name(), Dimensions: p.Embedder.Dimensions(), Log: p.Progress,
	})
}

// openPGVector makes the index in Postgres.
func openPGVector(ctx context.Context, p *Parts, checkOnly bool) (retrieve.Nearest, error) {
	if p.DB.Vectors == nil {
		return nil, fault.New(fault.Invalid, "config_pgvector_database",
			"the index pgvector needs a Postgres database; set DATABASE_URL, or use another value of the setting index")
	}
	return p.DB.Vectors(ctx, pgvector.Config{
		Corpus: p.DB.Corpus, Embedder: p.Embedder.Name(), Dimensions: p.Embedder.Dimensions(), Log: p.Progress, CheckOnly: checkOnly,
	})
}

// CheckIndex checks the engine of an index outside of the process: each node of Weaviate, or
// the extension pgvector. It writes nothing, and returns a description for docent doctor.
func CheckIndex(ctx context.Context, p *Parts) (string, error) {
	nearest, err := openNearest(ctx, p, true)
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
// process. fillIndexes fills it. It returns nil if words and the data of the second stage
// are in memory.
func openWords(ctx context.Context, p *Parts) (*pgwords.Index, error) {
	if _, ok := p.nearest.(retrieve.Mirror); ok || p.DB.Words == nil {
		return nil, nil //nolint:nilnil // without an index, words are in memory
	}
	return p.DB.Words(ctx, pgwords.Config{
		Corpus: p.DB.Corpus, Embedder: p.Embedder.Name(), Dimensions: p.Embedder.Dimensions(), Static: p.static, Log: p.Progress,
	})
}

// fillIndexes applies all changes of the corpus to the indexes outside of this process.
// If no node of Weaviate answers, its index stays as it is.
func fillIndexes(ctx context.Context, p *Parts) error {
	switch x := p.nearest.(type) {
	case *pgvector.Index:
		if err := x.Refresh(ctx); err != nil {
			return fmt.Errorf("vector index: %w", err)
		}
	case *weaviate.Index:
		switch _, err := x.Refresh(ctx); {
		case fault.KindOf(err) == fault.Unavailable:
			p.Log.Error("the index in Weaviate is not up to date", "error", err)
		case err != nil:
			return fmt.Errorf("vector index: %w", err)
		}
	}
	if p.words == nil {
		return nil
	}
	if err := p.words.Refresh(ctx); err != nil {
		return fmt.Errorf("keyword index: %w", err)
	}
	return nil
}

// openEncoders makes the vectors of the encoders. They are where the vectors of passages
// are, except with Weaviate and SQLite: there, they are in memory.
func openEncoders(ctx context.Context, p *Parts) ([]retrieve.Encoder, error) {
	var out []retrieve.Encoder
	for _, m := range p.encoders {
		e := retrieve.Encoder{Embedder: m.Embedder, Languages: m.Languages}
		if p.words == nil {
			e.Index = flat.New(flat.Config{Cores: p.cores})
		} else {
			var err error
			if e.Vectors, err = openEncoder(ctx, p, m); err != nil {
				return nil, fmt.Errorf("vector index of the encoder: %w", err)
			}
		}
		out = append(out, e)
	}
	return out, nil
}

// openEncoder makes the vectors of an encoder outside of this process.
func openEncoder(ctx context.Context, p *Parts, m encode.Model) (retrieve.EncoderVectors, error) {
	name, dimensions := m.Embedder.Name(), m.Embedder.Dimensions()
	switch x := p.nearest.(type) {
	case *pgvector.Index:
		return x.OpenEncoder(ctx, pgvector.EncoderConfig{
			Model: name, Dimensions: dimensions, Languages: m.Languages, Encodings: p.DB.Encodings, Chunks: p.words.Chunks,
		})
	case *weaviate.Index:
		return x.OpenEncoder(weaviate.EncoderConfig{
			Model: name, Dimensions: dimensions, Languages: m.Languages, Encodings: p.DB.Encodings, Chunks: p.words.Chunks,
		})
	default:
		return nil, fmt.Errorf("%T has no vectors of encoders", x)
	}
}

// keywordIndex returns the name of the keyword index for /api/info.
func keywordIndex(p *Parts) string {
	if p.words != nil {
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
func engines(p *Parts) map[string]engine {
	all := map[string]engine{}
	if x, ok := p.nearest.(engine); ok {
		all["vector_index"] = x
	}
	if p.words != nil {
		all["keyword_index"] = p.words
	}
	return all
}

// followIndexes fills the indexes outside of this process and keeps them up to date. The
// retriever does so for indexes in memory.
func followIndexes(ctx context.Context, p *Parts) error {
	all, ctx := errgroup.WithContext(ctx)
	for _, x := range engines(p) {
		all.Go(func() error { return x.Follow(ctx) })
	}
	return all.Wait()
}

// DropEngine deletes the index of a temporary database from an engine that would keep it.
func DropEngine(ctx context.Context, p *Parts) error {
	if x, ok := p.nearest.(*weaviate.Index); ok {
		return x.Drop(ctx)
	}
	return nil
}

// readyChecks are the checks of /api/ready.
func (s *Server) readyChecks() map[string]func(context.Context) error {
	checks := map[string]func(context.Context) error{"database": s.DB.Ping}
	if x, ok := s.nearest.(*weaviate.Index); ok {
		checks["weaviate"] = x.Ping
	}
	for name, x := range engines(s.Parts) {
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
