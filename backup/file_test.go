package backup_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"docent/backup"
	"docent/internal/fault"
)

// TestEachInterval: the progress is reported once per interval.
func TestEachInterval(t *testing.T) {
	t.Parallel()
	var got []int64
	now := time.Unix(0, 0)
	report := backup.EachInterval(time.Second, func() time.Time { return now }, func(p backup.Progress) { got = append(got, p.Rows) })
	for rows := range int64(10) {
		report(backup.Progress{Table: "chunk", Rows: rows})
		now = now.Add(400 * time.Millisecond)
	}
	if want := []int64{3, 6, 9}; !slices.Equal(got, want) {
		t.Errorf("reported at %v, want %v", got, want)
	}
}

// untouched is a database that nothing may read.
type untouched struct {
	backup.Database
	t *testing.T
}

// ReadTables implements backup.Database.
func (u untouched) ReadTables(context.Context, func(backup.View) error) error {
	u.t.Error("the database is read")
	return errors.New("read")
}

// TestTarget: a backup replaces only a regular file, and refuses other names before it reads
// the database.
func TestTarget(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	socket, err := net.Listen("unix", at("socket"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { socket.Close() })
	if err := errors.Join(os.WriteFile(at("old"), []byte("old"), 0o600), os.Symlink(at("old"), at("link")), os.Symlink(at("none"), at("dangling")),
		os.Mkdir(at("folder"), 0o700)); err != nil {
		t.Fatal(err)
	}
	create := func(file string, db backup.Database) error {
		_, err := backup.Create(t.Context(), file, "", db, backup.Header{Schema: 3}, 1<<20, func(backup.Progress) {})
		return err
	}
	for file, want := range map[string]string{
		"-": "backup_to_output", at("socket"): "backup_not_a_file", at("link"): "backup_not_a_file", at("dangling"): "backup_not_a_file",
		at("folder"): "backup_not_a_file", at("old/x"): "backup_not_written", at("missing/x"): "backup_not_written",
	} {
		if err := create(file, untouched{t: t}); fault.TextOf(err).ID != want {
			t.Errorf("%s: got %v, want %s", file, err, want)
		}
	}
	names, err := os.ReadDir(dir)
	if err != nil || len(names) != 5 {
		t.Errorf("the folder has %v: %v", names, err)
	}
	if info, err := os.Lstat(at("socket")); err != nil || info.Mode()&os.ModeSocket == 0 {
		t.Errorf("the socket is %v: %v", info, err)
	}
	db := openSQLite(t)
	for _, name := range []string{"old", "new"} {
		if err := create(at(name), db); err != nil {
			t.Error(err)
		}
		if info, err := os.Lstat(at(name)); err != nil || !info.Mode().IsRegular() || info.Size() < 100 {
			t.Errorf("%s is %v: %v", name, info, err)
		}
	}
}
