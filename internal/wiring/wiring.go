// Package wiring builds docent from its settings. Parts opens the parts that a
// command needs: database, embedder, indexes, chat model, readers, sources.
// Serve runs all of them behind one port. This is the only package that knows
// every concrete type.
package wiring

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"docent/agent/session/journal"
	"docent/agent/tool"
	"docent/auth"
	"docent/auth/rights"
	"docent/auth/rights/enforce"
	"docent/config"
	"docent/embed"
	"docent/embed/encoder"
	"docent/index/bm25"
	"docent/index/pgwords"
	"docent/ingest"
	"docent/ingest/encode"
	"docent/ingest/source/syncer"
	"docent/ingest/worker"
	"docent/internal/cores"
	"docent/internal/quota"
	"docent/internal/trace"
	"docent/llm"
	"docent/llm/speech"
	"docent/rag/corpus"
	"docent/rag/pipeline"
	"docent/rag/retrieve"
	"docent/webhook"
)

// closeTimeout bounds how long Close takes.
const closeTimeout = 5 * time.Second

// Parts are the parts of docent. New returns none of them. Each Add method opens
// one part from those before it: AddDatabase, AddEmbedder, then AddIngester or
// AddRetriever and AddRAG. Parts is not safe for concurrent use while parts are
// added.
type Parts struct {
	// Config holds the settings.
	Config config.Config
	// Log receives the messages of all parts.
	Log *slog.Logger
	// Progress receives messages about long work on indexes. New sets it to Log.
	Progress *slog.Logger
	// DB is nil before AddDatabase.
	DB *Database
	// Embedder is the configured embedder, or the built-in one.
	Embedder embed.Embedder
	// Retriever is loaded and up to date after AddRetriever. In a server with indexes
	// outside of the process, that is so after they are filled.
	Retriever *retrieve.Retriever
	// Searcher is the Retriever. In a server with authentication it applies the
	// rights of the reader.
	Searcher pipeline.Searcher
	// Library is the library of DB. In a server with authentication it applies the
	// rights of the reader.
	Library corpus.Library
	// Model is nil without a chat model.
	Model *llm.OpenAI
	// RAG answers questions.
	RAG *pipeline.Pipeline
	// Functions are the functions that agent files may call. A program sets them.
	Functions []tool.Tool
	// Ingester reads documents.
	Ingester *ingest.Ingester
	// Sources keeps sources in sync.
	Sources *syncer.Manager
	// Webhooks tells other programs about events. A server sends; other commands only store.
	Webhooks *webhook.Sender

	static *embed.Static
	rights *rights.Rights // nil while authentication is off
	quotas *quota.Quotas  // nil in commands
	// conversations applies the rights of the reader.
	conversations journal.Store
	// unused removes unused conversations; nil keeps them.
	unused journal.Unused
	// comparer compares texts by the encoders. It is nil without them.
	comparer *byLanguage
	// encoders are the models that embed chunks in the background. encodings is
	// their worker, nil outside of a server.
	encoders  []encode.Model
	encodings *encode.Worker
	speech    *speech.Client // nil without a speech server
	readers   *worker.Pool   // closed by Ingester
	cores     *cores.Pool    // bounds embedding and indexing in a server; nil in commands
	nearest   retrieve.Nearest
	words     *pgwords.Index // nil while words and rows are in memory
	metrics   *metrics.Set
	tracer    *trace.Tracer // nil while tracing is off
	vault     *syncer.Vault
}

// New returns Parts for the settings. No part is open yet.
func New(cfg config.Config, log *slog.Logger) *Parts {
	return &Parts{Config: cfg, Log: log, Progress: log, metrics: metrics.NewSet()}
}

// AddDatabase opens the database and creates the data folder.
func (p *Parts) AddDatabase(ctx context.Context) error {
	var err error
	if p.DB, err = openDatabase(ctx, p.Config, p.Log, func(ctx context.Context, n int) { p.Webhooks.Dropped(ctx, n) }); err != nil {
		return err
	}
	p.Library, p.conversations, p.unused = p.DB.Library, p.DB.Sessions, p.DB.Unused
	if p.vault, err = syncer.NewVault(filepath.Join(p.Config.Data, "secret.key"), p.Config.Sources.SecretKey); err != nil {
		return fmt.Errorf("encryption of secrets: %w", err)
	}
	p.Webhooks = newWebhooks(p)
	return nil
}

// AddRetriever adds the indexes, loaded and up to date.
func (p *Parts) AddRetriever(ctx context.Context) error {
	if err := openRetriever(ctx, p); err != nil {
		return err
	}
	if err := fillIndexes(ctx, p); err != nil {
		return err
	}
	return loadRetriever(ctx, p)
}

// loadRetriever loads the indexes in memory.
func loadRetriever(ctx context.Context, p *Parts) error {
	if err := p.Retriever.Load(ctx); err != nil {
		return fmt.Errorf("load index: %w", err)
	}
	return nil
}

// openRetriever opens the indexes as they are.
func openRetriever(ctx context.Context, p *Parts) error {
	reranker, share, err := p.newReranker()
	if err != nil {
		return err
	}
	if p.nearest, err = openNearest(ctx, p, false); err != nil {
		return err
	}
	if p.words, err = openWords(ctx, p); err != nil {
		return err
	}
	encoders, err := openEncoders(ctx, p)
	if err != nil {
		return err
	}
	cfg := retrieve.Config{
		Corpus:   p.DB.Corpus,
		Encoders: encoders, Encodings: p.DB.Encodings,
		Embedder: p.Embedder,
		Static:   p.static,
		Nearest:  p.nearest,
		Reranker: reranker, RerankShare: share,
		Enriched:  retrieve.Enriched{Source: p.DB.Enrichments, Words: bm25.New(), Nearest: newNearest(p.Config.Index, p.cores)},
		Snapshot:  filepath.Join(p.Config.CacheDir(), "index.bin"),
		Snapshots: p.DB.Snapshots,
		Cores:     p.cores,
		Log:       p.Log,
		Metrics:   p.metrics,
	}
	if p.words != nil {
		cfg.Words, cfg.Features = p.words, p.words
	} else {
		cfg.Words = bm25.New()
	}
	if p.Retriever, err = retrieve.New(cfg); err != nil {
		return fmt.Errorf("index: %w", err)
	}
	p.Searcher = p.Retriever
	return nil
}

// addRights makes the later parts apply the rights of readers, if authentication
// is on.
func (p *Parts) addRights(context.Context) error {
	if !p.Config.Auth {
		return nil
	}
	scopes, err := p.issuerScopes()
	if err != nil {
		return err
	}
	p.rights = rights.New(rights.Config{
		Store: p.DB.Rights, IssuerAdmin: auth.Principal{Scopes: scopes}.May(auth.Admin),
	})
	p.Searcher, p.Library = enforce.NewRetriever(p.rights, p.Retriever), enforce.NewLibrary(p.rights, p.DB.Library)
	p.conversations = enforce.NewConversations(p.rights, p.DB.Sessions, p.DB.Feedbacks)
	return nil
}

// encoderShare returns the share of the encoders' similarity in the score of a
// passage. language is that of the question. The share of the built-in encoder
// was chosen on the question sets pgdocs and pgxcode. It knows only English: on
// the German and Spanish questions of XQuAD, a share of .4 lowers R@1 by .010 and
// .012. Once the features use its vectors, it has no further share.
func (p *Parts) encoderShare(language string, passage corpus.Passage) float64 {
	switch {
	case p.comparer.others != nil && (foreign(language) || foreign(passage.Document.Language)):
		return p.languageShare(language, passage)
	case foreign(passage.Document.Language), p.Retriever.Encoded(encoder.Name):
		return 0
	case passage.Kind == corpus.Code:
		return .2
	default:
		return .4
	}
}

// AddRAG adds the chat model, if one is configured, and the answering.
func (p *Parts) AddRAG(ctx context.Context) error {
	if err := p.AddModel(ctx); err != nil {
		return err
	}
	cfg := pipeline.Config{Retriever: p.Searcher, Static: p.static, Shelf: p.Library, Logger: p.Log, Metrics: p.metrics}
	cfg.Answered = answeredNotice(p)
	if p.comparer != nil {
		cfg.Comparer = p.comparer
	}
	cfg.Models, cfg.DefaultModel = p.models()
	cfg.Prompts, cfg.SecondQuery = p.Config.LLM.Prompts, pipeline.SecondQuery(p.Config.LLM.SecondQuery)
	var err error
	cfg.MinEvidence, cfg.MinShown = p.Config.MinEvidence, p.Config.MinShown
	if p.RAG, err = pipeline.New(cfg); err != nil {
		return fmt.Errorf("answering: %w", err)
	}
	return nil
}

// quickReaders is the number of documents that a server reads at once with tight
// limits.
const quickReaders = 2

// AddIngester adds the reader of documents. It reads in worker processes.
func (p *Parts) AddIngester(context.Context) error { return p.addIngester(0) }

// addIngester adds the reader of documents. A server also has quick workers, so
// that a user with a small document does not wait for large ones.
func (p *Parts) addIngester(quick int) error {
	if err := worker.Sweep(); err != nil {
		p.Log.Warn("remove temporary files of earlier processes", "error", err)
	}
	recognizer, err := p.newVision()
	if err != nil {
		return err
	}
	p.readers, err = worker.NewPool(worker.PoolConfig{
		CacheDir: p.Config.CacheDir(), Quick: quick, Tools: worker.FindTools(),
		Recognizer: recognizer, Languages: p.Config.OCRLanguages,
	})
	if err != nil {
		return fmt.Errorf("ingest: %w", err)
	}
	p.Ingester, err = ingest.New(ingest.Config{
		Store:       p.DB.Documents,
		Embedder:    p.Embedder,
		Reader:      p.readers,
		MaxFileSize: p.Config.MaxFileSize,
		Logger:      p.Log,
		Metrics:     p.metrics,
	})
	if err != nil {
		return fmt.Errorf("ingest: %w", err)
	}
	return nil
}

// AddSources adds the manager of sources. It may run without AddIngester in
// commands that sync nothing.
func (p *Parts) AddSources(context.Context) error {
	var err error
	p.Sources, err = syncer.NewManager(syncer.Config{
		Sources: p.DB.Sources, Items: p.DB.Items, Leases: p.DB.Leases, Documents: p.DB.Documents,
		Ingester: p.Ingester, // nil in commands that sync nothing
		Vault:    p.vault, Kinds: SourceKinds(p.Config), Logger: p.Log,
	})
	if err != nil {
		return fmt.Errorf("sources: %w", err)
	}
	return nil
}

// keepCores leaves half of the processor to answers. Embedding and indexing share
// the other half.
func (p *Parts) keepCores() {
	p.cores = cores.New(runtime.GOMAXPROCS(0) / 2)
	p.static.UseCores(p.cores)
}

// Close closes the open parts and logs failures. It also works if ctx has ended.
func (p *Parts) Close(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	var errs []error
	if p.Ingester != nil {
		errs = append(errs, p.Ingester.Close(ctx))
	}
	if p.DB != nil {
		errs = append(errs, p.DB.Close())
	}
	errs = append(errs, p.tracer.Close(ctx))
	if err := errors.Join(errs...); err != nil {
		p.Log.Warn("close", "error", err)
	}
}
