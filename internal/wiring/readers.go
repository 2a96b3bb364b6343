package wiring

import (
	"context"
	"fmt"

	"docent/ingest"
	"docent/ingest/source/syncer"
	"docent/ingest/work"
	"docent/ingest/worker"
)

// Readers read documents in worker processes.
type Readers struct {
	// Ingester reads documents into the database.
	Ingester *ingest.Ingester

	pool *worker.Pool // closed by Ingester
	base Base
}

// quickReaders is the number of documents that a server reads at once with tight
// limits.
const quickReaders = 2

// OpenReaders opens the reader of documents. The caller closes it before the Store.
func OpenReaders(s *Store, e *Embedders) (*Readers, error) { return openReaders(s, e, 0, service{}) }

// openReaders opens the reader of documents. A server also has quick workers, so
// that a user with a small document does not wait for large ones.
func openReaders(s *Store, e *Embedders, quick int, with service) (*Readers, error) {
	if err := worker.Sweep(); err != nil {
		s.Log.Warn("remove temporary files of earlier processes", "error", err)
	}
	recognizer, err := newVision(s.Base, with)
	if err != nil {
		return nil, err
	}
	r := &Readers{base: s.Base}
	r.pool, err = worker.NewPool(worker.PoolConfig{
		CacheDir: s.Config.CacheDir(), Quick: quick, Tools: worker.FindTools(),
		Recognizer: recognizer, Languages: s.Config.OCRLanguages,
	})
	if err != nil {
		return nil, fmt.Errorf("ingest: %w", err)
	}
	r.Ingester, err = ingest.New(ingest.Config{
		Store:       s.DB.Documents,
		Embedder:    e.Embedder,
		Reader:      r.pool,
		MaxFileSize: s.Config.MaxFileSize,
		Logger:      s.Log,
		Metrics:     s.metrics,
	})
	if err != nil {
		return nil, fmt.Errorf("ingest: %w", err)
	}
	return r, nil
}

// Close ends the workers and logs a failure.
func (r *Readers) Close(ctx context.Context) { r.base.closeParts(ctx, r.Ingester.Close) }

// OpenSources returns the manager of sources. readers is nil in commands that sync nothing.
func OpenSources(s *Store, readers *Readers) (*syncer.Manager, error) {
	var ingester *ingest.Ingester
	if readers != nil {
		ingester = readers.Ingester
	}
	manager, err := syncer.NewManager(syncer.Config{
		Sources: s.DB.Sources, Items: s.DB.Items, Leases: s.DB.Leases, Documents: s.DB.Documents,
		Ingester: ingester, Track: recordSync(work.NewKeeper(s.DB.Work, s.Log)),
		Vault: s.vault, Kinds: SourceKinds(s.Config), Logger: s.Log,
	})
	if err != nil {
		return nil, fmt.Errorf("sources: %w", err)
	}
	return manager, nil
}
