package wiring

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"docent/auth"
	"docent/config"
	"docent/ingest/source/syncer"
	"docent/internal/fault"
	"docent/settings"
	"docent/webhook"
)

// Store is the database, with the webhooks that it holds.
type Store struct {
	Base

	// DB is the database.
	DB *Database
	// Webhooks tells other programs about events. A server sends; other commands only store.
	Webhooks *webhook.Sender

	// Settings are the settings in the database. Config has them already.
	Settings *settings.Settings

	stored config.Stored // the settings that Config has
	vault  *syncer.Vault
}

// OpenStore opens the database, creates the data folder, and adds the stored settings to Config. The caller closes the Store.
func OpenStore(ctx context.Context, b Base) (*Store, error) {
	s := &Store{Base: b}
	var err error
	if s.DB, err = openDatabase(ctx, b.Config, b.Log, func(ctx context.Context, n int) { s.Webhooks.Dropped(ctx, n) }); err != nil {
		return nil, err
	}
	if s.vault, err = syncer.NewVault(filepath.Join(b.Config.Data, "secret.key"), b.Config.Sources.SecretKey); err != nil {
		return nil, errors.Join(fmt.Errorf("encryption of secrets: %w", err), s.DB.Close())
	}
	s.Settings = settings.New(settings.Config{
		Store: s.DB.Settings, Sealer: s.vault, Outside: b.Config,
		Administered: func(ctx context.Context) (bool, error) { return auth.Administered(ctx, s.DB.Users) },
	})
	if s.stored, err = s.Settings.Load(ctx); err != nil {
		return nil, errors.Join(err, s.DB.Close())
	}
	s.Config = s.with(s.stored)
	s.Webhooks = newWebhooks(s)
	return s, nil
}

// RotateKey encrypts all stored secrets with a new key. old is a file with an earlier key, or ""; see syncer.Vault.Rotate.
func (s *Store) RotateKey(ctx context.Context, old string) (syncer.Rotated, error) {
	return s.vault.Rotate(ctx, s.DB.Secrets, old)
}

// with returns the configuration with stored settings, and logs those that do not fit.
func (s *Store) with(stored config.Stored) config.Config {
	cfg, ignored := s.Settings.With(stored)
	for _, i := range ignored {
		s.Log.Warn("a stored setting is ignored", "key", i.Key, "reason", fault.Message(i.Err))
	}
	return cfg
}

// Close closes the database and logs a failure.
func (s *Store) Close(ctx context.Context) { s.closeParts(ctx, s.close) }

func (s *Store) close(context.Context) error { return s.DB.Close() }
