package main

import (
	"context"
	"docent/agent/session/journal"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/VictoriaMetrics/metrics"
	"github.com/spf13/cobra"

	"docent/agent/definition"
	"docent/auth"
	"docent/config"
	"docent/embed"
	"docent/index/bm25"
	"docent/index/chromem"
	"docent/ingest"
	"docent/ingest/source"
	"docent/ingest/source/syncer"
	"docent/ingest/worker"
	"docent/internal/cores"
	"docent/internal/fault"
	"docent/llm"
	"docent/llm/speech"
	"docent/rag"
	"docent/rag/corpus"
	"docent/rag/retrieve"
	"docent/store/postgres"
	"docent/store/sqlite"
)

// closeTimeout bounds how long the end of a command may take.
const closeTimeout = 5 * time.Second

// database is what either store is to the program.
type database interface {
	corpus.Corpus
	corpus.Library
	ingest.Store
	journal.Store
	journal.Directory
	auth.Tokens
	auth.Users
	auth.Logins
	source.Sources
	source.Items
	source.Leases
	schema
}

// schema is how a store is looked after.
type schema interface {
	Ping(ctx context.Context) error
	SchemaVersion(ctx context.Context) (current, latest int64, err error)
	Close() error
}

// app is what commands are made of; each opens as much of it as it needs.
type app struct {
	cfg       config.Config
	log       *slog.Logger
	db        database
	static    *embed.Static
	embedder  embed.Embedder
	retriever *retrieve.Retriever
	model     *llm.OpenAI    // nil without a chat model
	speech    *speech.Client // nil if nobody listens or speaks
	rag       *rag.RAG
	readers   *worker.Pool // closed with the ingester
	ingester  *ingest.Ingester
	sources   *syncer.Manager
	// definition is the agent that is served, with what its tools work with.
	definition *definition.Definition
	// authenticator knows who asks; nil while authentication is off.
	authenticator *auth.Authenticator
	// cores bounds embedding and indexing in a server; nil in other commands.
	cores *cores.Pool
	// metrics is what everything counts in.
	metrics *metrics.Set
}

// openStore opens configuration, log and database.
func openStore(cmd *cobra.Command, std stdio) (*app, error) {
	cfg, err := load(cmd)
	if err != nil {
		return nil, err
	}
	a := &app{cfg: cfg, log: logger(std, cfg, cmd.Name() == "serve"), metrics: metrics.NewSet()}
	if err := os.MkdirAll(cfg.CacheDir(), 0o700); err != nil {
		return nil, fault.New(fault.Invalid, "cli_data_folder", "data folder: %w; choose another with --data DIR", err)
	}
	a.db, err = openDatabase(cmd.Context(), cfg, a.log)
	if err != nil {
		return nil, err
	}
	return a, nil
}

// openDatabase opens the configured database and brings its tables up to date.
func openDatabase(ctx context.Context, cfg config.Config, log *slog.Logger) (database, error) {
	if cfg.DatabaseURL != "" {
		return postgres.Open(ctx, postgres.Config{URL: cfg.DatabaseURL, Logger: log})
	}
	return sqlite.Open(ctx, sqlite.Config{Path: cfg.SQLitePath()})
}

// openEmbedder adds the embedders.
func openEmbedder(cmd *cobra.Command, std stdio) (*app, error) {
	a, err := openStore(cmd, std)
	if err != nil {
		return nil, err
	}
	if err := a.addEmbedder(cmd.Context()); err != nil {
		a.close()
		return nil, err
	}
	return a, nil
}

// openRetriever adds the indexes, loaded and up to date.
func openRetriever(cmd *cobra.Command, std stdio) (*app, error) {
	a, err := openEmbedder(cmd, std)
	if err != nil {
		return nil, err
	}
	if err := a.addRetriever(cmd.Context()); err != nil {
		a.close()
		return nil, err
	}
	return a, nil
}

// keepCores leaves half of the processor to people who wait for an answer:
// embedding and indexing share the other half.
func (a *app) keepCores() {
	a.cores = cores.New(runtime.GOMAXPROCS(0) / 2)
	a.static.UseCores(a.cores)
}

func (a *app) addRetriever(ctx context.Context) error {
	if err := a.newRetriever(); err != nil {
		return err
	}
	if err := a.retriever.Load(ctx); err != nil {
		return fmt.Errorf("load index: %w", err)
	}
	return nil
}

// The indexes that newRetriever makes, as /api/info names them.
const (
	keywordIndex = "bm25"
	vectorIndex  = "chromem"
)

func (a *app) newRetriever() error {
	var err error
	a.retriever, err = retrieve.New(retrieve.Config{
		Corpus:   a.db,
		Embedder: a.embedder,
		Static:   a.static,
		Words:    bm25.New(),
		Nearest:  chromem.New(),
		Snapshot: filepath.Join(a.cfg.CacheDir(), "index.bin"),
		Cores:    a.cores,
		Log:      a.log,
		Metrics:  a.metrics,
	})
	if err != nil {
		return fmt.Errorf("index: %w", err)
	}
	return nil
}

// openRAG adds the chat model, if one is configured, and the answering.
func openRAG(cmd *cobra.Command, std stdio) (*app, error) {
	a, err := openRetriever(cmd, std)
	if err != nil {
		return nil, err
	}
	if err := a.addRAG(); err != nil {
		a.close()
		return nil, err
	}
	return a, nil
}

func (a *app) addModel() error {
	l := a.cfg.LLM
	if !l.Enabled() {
		return nil
	}
	cfg := llm.Config{BaseURL: l.URL, APIKey: l.Key, Model: l.Model, MaxTokens: l.MaxTokens, Timeout: l.Timeout, Logger: a.log, Metrics: a.metrics}
	cfg.Settings = llm.Settings{URL: "DOCENT_LLM_URL", Key: "OPENAI_API_KEY", Model: "DOCENT_MODEL", Timeout: "DOCENT_LLM_TIMEOUT"}
	if l.Temperature >= 0 {
		cfg.Temperature = &l.Temperature
	}
	var err error
	if a.model, err = llm.NewOpenAI(cfg); err != nil {
		return fmt.Errorf("chat model: %w", err)
	}
	return nil
}

func (a *app) addRAG() error {
	if err := a.addModel(); err != nil {
		return err
	}
	cfg := rag.Config{Retriever: a.retriever, Static: a.static, Shelf: a.db, Logger: a.log, Metrics: a.metrics}
	if a.model != nil {
		cfg.Models = map[string]llm.Model{a.model.Name(): a.model}
		cfg.DefaultModel = a.model.Name()
	}
	var err error
	if a.rag, err = rag.New(cfg); err != nil {
		return fmt.Errorf("answering: %w", err)
	}
	return nil
}

// openIngest opens what reading documents needs.
func openIngest(cmd *cobra.Command, std stdio) (*app, error) {
	a, err := openEmbedder(cmd, std)
	if err != nil {
		return nil, err
	}
	if err := a.addIngester(0); err != nil {
		a.close()
		return nil, err
	}
	return a, nil
}

// quickReaders is how many documents a server reads at once with tight limits.
const quickReaders = 2

// addIngester adds the reading of documents in worker processes: with quick
// workers for a server, whose users wait for each other, and none for a command.
func (a *app) addIngester(quick int) error {
	if err := worker.Sweep(); err != nil {
		a.log.Warn("remove temporary files of earlier processes", "error", err)
	}
	recognizer, err := a.newVision()
	if err != nil {
		return err
	}
	cfg := worker.PoolConfig{CacheDir: a.cfg.CacheDir(), Quick: quick, Tools: worker.FindTools(), Recognizer: recognizer, Languages: a.cfg.OCRLanguages}
	if a.readers, err = worker.NewPool(cfg); err != nil {
		return fmt.Errorf("ingest: %w", err)
	}
	a.ingester, err = ingest.New(ingest.Config{
		Store:       a.db,
		Embedder:    a.embedder,
		Reader:      a.readers,
		MaxFileSize: a.cfg.MaxFileSize,
		Logger:      a.log,
		Metrics:     a.metrics,
	})
	if err != nil {
		return fmt.Errorf("ingest: %w", err)
	}
	return nil
}

// close releases what was opened, newest first.
func (a *app) close() {
	// What is released is not undone by the interruption that ended the command.
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	var errs []error
	if a.definition != nil {
		errs = append(errs, a.definition.Close())
	}
	if a.authenticator != nil {
		a.authenticator.Close()
	}
	if a.ingester != nil {
		errs = append(errs, a.ingester.Close(ctx))
	}
	if a.db != nil {
		errs = append(errs, a.db.Close())
	}
	if err := errors.Join(errs...); err != nil {
		a.log.Warn("close", "error", err)
	}
}
