package servertest_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docent/auth/audit"
	"docent/backup"
	"docent/internal/servertest"
)

// TestSystem: administrators see the checks of docent doctor, and the sizes of the database.
func TestSystem(t *testing.T) {
	t.Parallel()
	servertest.OnBothStores(t, func(t *testing.T, store servertest.Store) {
		s := guarded(t, servertest.Config{Store: store, Documents: []servertest.Document{vault}})
		var got struct {
			Version, Reader string
			Checks          []struct {
				Name    string
				OK      bool
				Problem *struct{ Message string }
			}
			Database struct {
				Kind          string
				Bytes, Schema int64
			}
			Documents, Passages int
			Vectors             []struct{ Done, Total int }
			Disk                *struct{ Total uint64 }
			Replicas            []struct{ Self bool }
		}
		_, body := s.Person("user root").Request(t, http.MethodGet, s.URL+"/api/system", "")
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Fatalf("%v: %s", err, body)
		}
		names := map[string]bool{}
		for _, c := range got.Checks {
			if names[c.Name] = true; !c.OK {
				t.Errorf("the check %s fails: %v", c.Name, c.Problem)
			}
		}
		if !names["data"] || !names["database"] || !names["model"] || names["port"] {
			t.Errorf("the checks are %v", names)
		}
		d := got.Database
		if d.Kind != string(store) || d.Bytes < 100_000 || d.Schema < 75 || got.Documents != 2 || got.Passages < 2 {
			t.Errorf("the database: %s", body)
		}
		if len(got.Vectors) == 0 || got.Vectors[0].Done != got.Passages || got.Disk == nil || got.Disk.Total == 0 || got.Reader == "" {
			t.Errorf("vectors, disk, and reader: %s", body)
		}
		if want := map[servertest.Store]int{servertest.Postgres: 1}[store]; len(got.Replicas) != want || want > 0 && !got.Replicas[0].Self {
			t.Errorf("the replicas: %s", body)
		}
	})
}

// backupsOf are the backups as an administrator sees them.
type backupsOf struct {
	Folder  string
	Running bool
	Next    *string
	Runs    []struct{ Name, Path, State, Problem string }
}

func listBackups(t *testing.T, s *site) (out backupsOf) {
	t.Helper()
	_, body := s.Person("user root").Request(t, http.MethodGet, s.URL+"/api/system/backups", "")
	if err := json.Unmarshal([]byte(body), &out); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return out
}

// TestBackups: an administrator makes backups in the folder of the server. docent keeps as many as configured.
func TestBackups(t *testing.T) {
	t.Parallel()
	servertest.OnBothStores(t, func(t *testing.T, store servertest.Store) {
		folder := filepath.Join(t.TempDir(), "backups")
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		const half, old, other = ".docent-20200102-030405.backup-123", "docent-20200102-030405.backup", "mine.backup"
		for _, name := range []string{half, old, other} {
			if err := os.WriteFile(filepath.Join(folder, name), []byte("half"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s := guarded(t, servertest.Config{Store: store, Settings: map[string]string{"backup.folder": folder, "backup.keep": "1"}})
		root := s.Person("user root")
		if resp, body := root.Request(t, http.MethodPost, s.URL+"/api/system/backups", "", asJSON...); resp.StatusCode != http.StatusAccepted {
			t.Fatalf("start a backup: %d %s", resp.StatusCode, body)
		}
		var list backupsOf
		eventually(t, "the backup is made", func() bool { list = listBackups(t, s); return len(list.Runs) == 1 && !list.Running })
		if list.Runs[0].State != "kept" || filepath.Dir(list.Runs[0].Path) != folder || list.Next != nil {
			t.Errorf("the backups are %+v", list)
		}
		in, err := backup.Open(list.Runs[0].Path, "")
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		if _, rows, err := backup.Verify(t.Context(), in, 1<<30, func(backup.Progress) {}); err != nil || rows == 0 {
			t.Errorf("the backup has %d rows: %v", rows, err)
		}
		for name, want := range map[string]bool{half: false, old: false, other: true} {
			if _, err := os.Stat(filepath.Join(folder, name)); (err == nil) != want {
				t.Errorf("%s: %v", name, err)
			}
		}
		records, err := s.DB.Audit.Records(t.Context(), audit.Query{Limit: 10, Actions: []string{"backup"}})
		if err != nil || len(records) != 1 || records[0].Action != audit.BackupStarted || records[0].Actor != "user:root" {
			t.Errorf("the log has %+v, %v", records, err)
		}
		// The schedule makes one when it is turned on, because none was made at its last time.
		if err := os.Remove(list.Runs[0].Path); err != nil {
			t.Fatal(err)
		}
		if list = listBackups(t, s); list.Runs[0].State != "missing" {
			t.Errorf("a removed backup is %+v", list.Runs[0])
		}
	})
}

// TestScheduledBackups: a schedule makes an overdue backup, and records a failure.
func TestScheduledBackups(t *testing.T) {
	t.Parallel()
	servertest.OnBothStores(t, func(t *testing.T, store servertest.Store) {
		folder := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(folder, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		s := guarded(t, servertest.Config{Store: store, Settings: map[string]string{"backup.folder": folder}})
		c := changes{t, s.Server, s.Person("user root")}
		c.do(http.MethodPut, "/api/settings/backup.every", `{"value":"90m"}`, http.StatusBadRequest)
		c.do(http.MethodPut, "/api/settings/backup.at", `{"value":"25:00"}`, http.StatusBadRequest)
		c.do(http.MethodPut, "/api/settings/backup.folder", `{"value":"/tmp"}`, http.StatusNotFound)
		c.do(http.MethodPut, "/api/settings/backup.every", `{"value":"24h"}`, http.StatusOK)
		if got := c.do(http.MethodGet, "/api/settings", "", http.StatusOK); !strings.Contains(got, `"key":"backup.every","value":"1d"`) {
			t.Errorf("the settings are %s", got)
		}
		var list backupsOf
		eventually(t, "the backup fails", func() bool { list = listBackups(t, s); return len(list.Runs) == 1 })
		if list.Runs[0].State != "failed" || list.Runs[0].Problem == "" || list.Next == nil {
			t.Errorf("the backups are %+v", list)
		}
		if err := os.Remove(folder); err != nil {
			t.Fatal(err)
		}
		c.do(http.MethodPost, "/api/system/backups", "", http.StatusAccepted)
		eventually(t, "the backup is made", func() bool { list = listBackups(t, s); return len(list.Runs) == 2 })
		if list.Runs[0].State != "kept" {
			t.Errorf("then the backups are %+v", list)
		}
	})
}
