package sql_test

import (
	"path/filepath"
	"testing"
	"time"

	"docent/ingest/source"
	"docent/ingest/source/syncer"
	"docent/internal/storetest"
	"docent/settings"
	"docent/webhook"
)

// TestRotateKey changes the key of all encrypted values.
func TestRotateKey(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		file := filepath.Join(t.TempDir(), "secret.key")
		v, err := syncer.NewVault(file, "")
		storetest.OK(t, err)
		seal := func(purpose string) []byte {
			t.Helper()
			sealed, err := v.Seal(purpose, map[string]string{"secret": purpose})
			storetest.OK(t, err)
			return sealed
		}
		_, err = w.AddSource(t.Context(), source.Record{
			Name: "wiki", Kind: "web", Location: "https://x", Collection: "default", Schedule: "24h",
			Secret: seal(syncer.Purpose("web", "https://x")),
		})
		storetest.OK(t, err)
		_, err = w.AddSource(t.Context(), source.Record{Name: "open", Kind: "web", Location: "https://y", Collection: "default", Schedule: "24h"})
		storetest.OK(t, err)
		_, err = w.AddWebhook(t.Context(), webhook.Webhook{
			URL: "https://h", Events: webhook.Events, Secret: seal(webhook.Purpose("https://h")), CreatedAt: time.Now(),
		})
		storetest.OK(t, err)
		storetest.OK(t, w.ChangeSetting(t.Context(), settings.ModelsKey, func(*settings.Record) (*settings.Record, error) {
			return &settings.Record{Key: settings.ModelsKey, Value: "[]", Secret: seal(settings.ModelsKey)}, nil
		}))
		before, err := syncer.NewVault(file, "")
		storetest.OK(t, err)
		lost, err := before.Lost(t.Context(), w)
		storetest.OK(t, err)
		storetest.Want(t, "lost values", len(lost), 0)
		done, err := v.Rotate(t.Context(), w, "")
		storetest.OK(t, err)
		storetest.Want(t, "changed values", len(done.Changed), 3)
		lost, err = v.Lost(t.Context(), w)
		storetest.OK(t, err)
		storetest.Want(t, "lost values after the change", len(lost), 0)
		other, err := syncer.NewVault(filepath.Join(t.TempDir(), "other.key"), "")
		storetest.OK(t, err)
		lost, err = other.Lost(t.Context(), w)
		storetest.OK(t, err)
		storetest.Want(t, "lost values with another key", len(lost), 3)
	})
}
