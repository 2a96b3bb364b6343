package wiring

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"docent/ingest/source/syncer"
	"docent/webhook"
)

// Store is the database, with the webhooks that it holds.
type Store struct {
	Base

	// DB is the database.
	DB *Database
	// Webhooks tells other programs about events. A server sends; other commands only store.
	Webhooks *webhook.Sender

	vault *syncer.Vault
}

// OpenStore opens the database and creates the data folder. The caller closes the Store.
func OpenStore(ctx context.Context, b Base) (*Store, error) {
	s := &Store{Base: b}
	var err error
	if s.DB, err = openDatabase(ctx, b.Config, b.Log, func(ctx context.Context, n int) { s.Webhooks.Dropped(ctx, n) }); err != nil {
		return nil, err
	}
	if s.vault, err = syncer.NewVault(filepath.Join(b.Config.Data, "secret.key"), b.Config.Sources.SecretKey); err != nil {
		return nil, errors.Join(fmt.Errorf("encryption of secrets: %w", err), s.DB.Close())
	}
	s.Webhooks = newWebhooks(s)
	return s, nil
}

// Close closes the database and logs a failure.
func (s *Store) Close(ctx context.Context) { s.closeParts(ctx, s.close) }

func (s *Store) close(context.Context) error { return s.DB.Close() }
