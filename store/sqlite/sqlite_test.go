package sqlite_test

import (
	"context"
	"testing"

	"go.uber.org/goleak"

	"docent/agent/session/sessiontest"
	"docent/auth/audit"
	"docent/auth/audit/audittest"
	"docent/auth/authtest"
	"docent/auth/rights/rightstest"
	"docent/ingest/ingesttest"
	"docent/ingest/source/sourcetest"
	"docent/internal/quota"
	"docent/internal/quota/quotatest"
	"docent/internal/sqlitetest"
	"docent/internal/storetest"
	"docent/profile/profiletest"
	"docent/settings"
	"docent/settings/settingstest"
	"docent/store/sqlite"
	"docent/webhook/webhooktest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open opens a store that is closed when the test ends.
func open(t testing.TB, config sqlite.Config) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// fresh returns a new database, and opens it for a suite that tests a part of the store.
func fresh[S any](t *testing.T, part func(*sqlite.Store) S) storetest.Database[S] {
	t.Helper()
	config := sqlite.Config{Path: sqlitetest.Path(t)}
	return storetest.NewDatabase(func(t *testing.T) *sqlite.Store { return open(t, config) }, part)
}

func TestAccounts(t *testing.T) {
	t.Parallel()
	authtest.Run(t, func(t *testing.T) authtest.Database {
		return fresh(t, func(s *sqlite.Store) authtest.Store {
			return authtest.Store{Tokens: s, Users: s, Logins: s, Links: s, Identities: s}
		})
	})
}

func TestRights(t *testing.T) {
	t.Parallel()
	rightstest.Run(t, func(t *testing.T) rightstest.Store {
		s := open(t, sqlite.Config{Path: sqlitetest.Path(t)})
		return rightstest.Store{Store: s, Tokens: s, Users: s}
	})
}

func TestAudit(t *testing.T) {
	t.Parallel()
	audittest.Run(t, func(t *testing.T) (audit.Store, func(int64)) {
		s := open(t, sqlite.Config{Path: sqlitetest.Path(t)})
		return s, func(id int64) {
			if err := s.FillAudit(t.Context(), id); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestSettings(t *testing.T) {
	t.Parallel()
	settingstest.Run(t, func(t *testing.T) settings.Store {
		return open(t, sqlite.Config{Path: sqlitetest.Path(t)})
	})
}

func TestProfiles(t *testing.T) {
	t.Parallel()
	profiletest.Run(t, func(t *testing.T) profiletest.Store {
		s := open(t, sqlite.Config{Path: sqlitetest.Path(t)})
		return profiletest.Store{Prompts: s, Choices: s, Users: s, Tokens: s}
	})
}

func TestQuota(t *testing.T) {
	t.Parallel()
	quotatest.Run(t, func(t *testing.T) quota.Store {
		return open(t, sqlite.Config{Path: sqlitetest.Path(t)})
	})
}

func TestWebhooks(t *testing.T) {
	t.Parallel()
	webhooktest.Run(t, func(t *testing.T, dropped func(context.Context, int)) webhooktest.Store {
		s := open(t, sqlite.Config{Path: sqlitetest.Path(t), Dropped: dropped})
		return webhooktest.Store{Webhooks: s, Documents: s}
	})
}

func TestSources(t *testing.T) {
	t.Parallel()
	sourcetest.RunStore(t, func(t *testing.T) sourcetest.Database {
		return fresh(t, func(s *sqlite.Store) sourcetest.Store { return sourcetest.Store{Sources: s, Items: s, Leases: s} })
	})
}

// documents returns the part of a store that stores documents.
func documents(s *sqlite.Store) ingesttest.Store {
	return ingesttest.Store{
		Corpus: s, Library: s, Shelf: s, Store: s, Enrichments: s, Encodings: s, Snapshots: s,
		SourceRecords: s, SourceItems: s, SourceLeases: s,
	}
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	ingesttest.Run(t, func(t *testing.T) ingesttest.Database { return fresh(t, documents) })
}

func TestSessions(t *testing.T) {
	t.Parallel()
	sessiontest.RunDatabase(t, func(t *testing.T) sessiontest.Database { return fresh(t, sessions) })
}

// sessions returns the part of a store that stores sessions.
func sessions(s *sqlite.Store) sessiontest.Store {
	return sessiontest.Store{Store: s, Unused: s, Directory: s, Feedbacks: s, Shares: s, Memories: s, Versions: s, Traces: s}
}
