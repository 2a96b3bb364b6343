package main

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"
)

// fillEnrichments adds 60 MB that compress badly, so that a backup takes a moment.
func fillEnrichments(t *testing.T, env []string) {
	t.Helper()
	driver, source := "sqlite", filepath.Join(strings.TrimPrefix(env[0], "DOCENT_DATA="), "docent.db")
	statement := `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
		INSERT INTO enrichment (key, text) SELECT 'k' || i, hex(randomblob(50000)) FROM n`
	if len(env) > 1 {
		driver, source = "pgx", strings.TrimPrefix(env[1], "DATABASE_URL=")
		statement = `INSERT INTO enrichment (key, text) SELECT 'k' || i, (SELECT string_agg(md5((i * j)::text), '') FROM generate_series(1, 3000) j)
			FROM generate_series(1, 600) i`
	}
	db, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

// backupFiles returns the complete and the incomplete backups of a folder.
func backupFiles(t *testing.T, folder string) (complete, incomplete []string) {
	t.Helper()
	complete, err := filepath.Glob(filepath.Join(folder, "docent-*.backup"))
	if err != nil {
		t.Fatal(err)
	}
	if incomplete, err = filepath.Glob(filepath.Join(folder, ".docent-*")); err != nil {
		t.Fatal(err)
	}
	return complete, incomplete
}

// TestKilledBackup kills a server while it makes the backup of its schedule. No file looks like a backup, and the next
// server makes one. It waits for the lease of the killed process, which takes 15 seconds.
func TestKilledBackup(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, env []string) {
		docs, folder := t.TempDir(), filepath.Join(t.TempDir(), "backups")
		write(t, docs, "pump.md", "The pump stops at noon.")
		docent(t, env, 0, "ingest", docs)
		fillEnrichments(t, env)
		env = append(env, "DOCENT_BACKUP_FOLDER="+folder, "DOCENT_BACKUP_EVERY=1d")
		server, _ := serve(t, env)
		eventually(t, "a backup has begun", func() bool {
			_, incomplete := backupFiles(t, folder)
			if len(incomplete) == 0 {
				return false
			}
			info, err := os.Stat(incomplete[0])
			return err == nil && info.Size() > 0
		})
		server.kill(t)
		if complete, incomplete := backupFiles(t, folder); len(complete) != 0 || len(incomplete) != 1 {
			t.Fatalf("after the kill, there are %v and %v", complete, incomplete)
		}
		serve(t, env)
		eventually(t, "the next server makes the backup", func() bool {
			complete, incomplete := backupFiles(t, folder)
			return len(complete) == 1 && len(incomplete) == 0
		})
		complete, _ := backupFiles(t, folder)
		if out := docent(t, env, 0, "restore", complete[0], "--dry-run"); !strings.Contains(out, "the backup is complete") {
			t.Error(out)
		}
	})
}
