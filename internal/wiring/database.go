package wiring

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"docent/agent/session/journal"
	"docent/agent/session/replica"
	"docent/auth"
	"docent/auth/audit"
	"docent/auth/rights"
	"docent/backup"
	"docent/config"
	"docent/index/pgvector"
	"docent/index/pgwords"
	"docent/ingest"
	"docent/ingest/enrich"
	"docent/ingest/source"
	"docent/ingest/source/syncer"
	"docent/ingest/work"
	"docent/insight"
	"docent/insight/digest"
	"docent/insight/quality"
	"docent/internal/fault"
	"docent/internal/lease"
	"docent/internal/quota"
	"docent/profile"
	"docent/rag/corpus"
	"docent/rag/describe"
	"docent/rag/retrieve"
	"docent/settings"
	"docent/store/postgres"
	"docent/store/sqlite"
	"docent/webhook"
)

// Database is an open database in its roles. The package that uses a role
// declares it. All roles are the same store.
type Database struct {
	Schema
	// Kind is "postgres" or "sqlite".
	Kind string
	// MaxConns is the number of connections at most; 0 for SQLite.
	MaxConns int
	Corpus   corpus.Corpus
	Library  corpus.Library
	// Tags changes the tags of documents.
	Tags corpus.Tagger
	// Moves moves documents to other collections.
	Moves corpus.Mover
	// Titles renames documents.
	Titles corpus.Renamer
	// Collections changes the records of collections.
	Collections corpus.Collections
	Encodings   corpus.Encodings
	Snapshots   corpus.Snapshots
	Documents   ingest.Store
	// Enrichments stores and reads searchable text about chunks.
	Enrichments interface {
		enrich.Store
		retrieve.Enrichments
	}
	Sessions journal.Store
	Unused   journal.Unused
	// Vectors opens the vector index in the database, and Words opens the keyword index
	// with the data of the second stage; both are nil for SQLite.
	Vectors func(ctx context.Context, cfg pgvector.Config) (*pgvector.Index, error)
	Words   func(ctx context.Context, cfg pgwords.Config) (*pgwords.Index, error)
	// Replicas and Bus connect processes that share the database; nil for SQLite.
	Replicas  journal.Leases
	Bus       replica.Bus
	Feedbacks journal.Feedbacks
	Directory journal.Directory
	Shares    journal.Shares
	Versions  journal.Versions
	Memories  journal.Memories
	Triggers  journal.Triggers
	Traces    journal.Traces
	Prompts   profile.Prompts
	Choices   profile.Choices
	Tokens    auth.Tokens
	Users     auth.Users
	Logins    auth.Logins
	Links     auth.Links
	// Identities are those of users at providers.
	Identities auth.Identities
	Sources    source.Sources
	Items      source.Items
	Leases     source.Leases
	Rights     rights.Store
	Audit      audit.Store
	Insights   insight.Store
	Gaps       insight.Gaps
	Solutions  insight.Solutions
	Approved   insight.Approvals
	Kept       quality.Store
	Quotas     quota.Store
	Settings   settings.Store
	Webhooks   webhook.Store
	Backup     backup.Database
	Backups    backup.Runs
	Work       work.Store
	// Failures finds documents that can be read again.
	Failures work.Documents
	Jobs     lease.Jobs
	Digests  digest.Store
	// Secrets are all encrypted values.
	Secrets syncer.Secrets
	// Descriptions are those that models wrote about documents.
	Descriptions describe.Store
}

// Schema is the maintenance of a database.
type Schema interface {
	// Ping checks that the database answers.
	Ping(ctx context.Context) error
	// SchemaVersion returns the version of the tables, and the latest one that
	// this program knows.
	SchemaVersion(ctx context.Context) (current, latest int64, err error)
	// Size returns the size of the database on the disk, in bytes.
	Size(ctx context.Context) (int64, error)
	// Close closes the database.
	Close() error
}

// openDatabase opens the configured database and migrates its schema. It creates
// the data folder. dropped receives the number of messages that a full webhook lost.
func openDatabase(ctx context.Context, cfg config.Config, log *slog.Logger, dropped func(context.Context, int)) (*Database, error) {
	if err := os.MkdirAll(cfg.CacheDir(), 0o700); err != nil {
		return nil, fault.New(fault.Invalid, "cli_data_folder", "data folder: %w; choose another with --data DIR", err)
	}
	if cfg.DatabaseURL != "" {
		s, err := postgres.Open(ctx, postgres.Config{URL: cfg.DatabaseURL, Logger: log, Dropped: dropped})
		if err != nil {
			return nil, err
		}
		vectors := func(ctx context.Context, cfg pgvector.Config) (*pgvector.Index, error) {
			cfg.Pool, cfg.Fail = s.Connections()
			return pgvector.Open(ctx, cfg)
		}
		words := func(ctx context.Context, cfg pgwords.Config) (*pgwords.Index, error) {
			cfg.Pool, cfg.Fail = s.Connections()
			return pgwords.Open(ctx, cfg)
		}
		pool, _ := s.Connections()
		return &Database{
			Schema: s, Kind: "postgres", MaxConns: int(pool.Config().MaxConns),
			Corpus: s, Library: s, Collections: s, Tags: s, Moves: s, Titles: s, Encodings: s, Snapshots: s, Documents: s, Enrichments: s,
			Sessions: s, Unused: s, Feedbacks: s, Directory: s, Shares: s, Versions: s, Memories: s, Triggers: s, Traces: s, Prompts: s, Choices: s,
			Tokens: s, Users: s, Logins: s, Links: s, Identities: s, Sources: s, Items: s, Leases: s, Rights: s, Audit: s, Insights: s,
			Gaps: s, Solutions: s, Approved: s, Kept: s, Digests: s, Secrets: s,
			Quotas: s, Settings: s, Webhooks: s, Backup: s, Backups: s, Jobs: s, Work: s, Failures: s, Replicas: s, Bus: s,
			Descriptions: s, Vectors: vectors, Words: words,
		}, nil
	}
	s, err := sqlite.Open(ctx, sqlite.Config{Path: cfg.SQLitePath(), Dropped: dropped})
	if err != nil {
		return nil, err
	}
	return &Database{
		Schema: s, Kind: "sqlite",
		Corpus: s, Library: s, Collections: s, Tags: s, Moves: s, Titles: s, Encodings: s, Snapshots: s, Documents: s, Enrichments: s,
		Sessions: s, Unused: s, Feedbacks: s, Directory: s, Shares: s, Versions: s, Memories: s, Triggers: s, Traces: s, Prompts: s, Choices: s,
		Tokens: s, Users: s, Logins: s, Links: s, Identities: s,
		Sources: s, Items: s, Leases: s, Rights: s, Audit: s, Insights: s, Gaps: s, Solutions: s, Approved: s, Kept: s, Digests: s, Secrets: s,
		Quotas: s, Settings: s, Webhooks: s, Backup: s, Backups: s, Jobs: s, Work: s, Failures: s, Descriptions: s,
	}, nil
}

// Authenticator returns an authenticator that keeps users, tokens, and logins in
// the database. cfg has the other settings. The caller closes it.
func (d *Database) Authenticator(cfg auth.Config) (*auth.Authenticator, error) {
	cfg.Tokens, cfg.Users, cfg.Logins, cfg.Links, cfg.Identities = d.Tokens, d.Users, d.Logins, d.Links, d.Identities
	a, err := auth.New(cfg)
	if err != nil {
		return nil, fmt.Errorf("authentication: %w", err)
	}
	return a, nil
}
