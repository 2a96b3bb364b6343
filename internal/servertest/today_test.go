package servertest_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"
	"time"

	"docent/auth/rights"
	"docent/backup"
	"docent/internal/servertest"
)

// wantList waits until the kinds of things to do are as wanted.
func wantList(t *testing.T, what string, list func() []string, want ...string) {
	t.Helper()
	eventually(t, "the list "+what, func() bool { return slices.Equal(list(), want) })
}

// TestToday: administrators see the whole installation, and managers only the questions of their collections.
func TestToday(t *testing.T) {
	t.Parallel()
	servertest.OnBothStores(t, func(t *testing.T, store servertest.Store) {
		s := guarded(t, servertest.Config{Store: store, Documents: []servertest.Document{vault}})
		set := func(collection string, level rights.Level) {
			t.Helper()
			if err := s.DB.Rights.SetRight(t.Context(), collection, rights.Grant{Subject: "user:both", Level: level}); err != nil {
				t.Fatal(err)
			}
		}
		set("default", rights.Manage)
		root, manager := s.Person("user root"), s.Person("user both")
		const question = `{"question":"How much does a parking permit cost?","collections":["default"]}`
		if resp, body := root.Request(t, http.MethodPost, s.URL+"/api/ask", question, asJSON...); resp.StatusCode != http.StatusOK {
			t.Fatalf("ask: %s", body)
		}
		type answer struct {
			Things []struct {
				Kind             string
				Questions, Count int64
				Since            *time.Time
			}
			Days []struct{ Questions int64 }
		}
		list := func(w who) (kinds []string, questions int64) {
			t.Helper()
			var a answer
			_, body := w.Request(t, http.MethodGet, s.URL+"/api/today", "")
			if err := json.Unmarshal([]byte(body), &a); err != nil || len(a.Days) != 30 {
				t.Fatalf("today: %s", body)
			}
			for _, d := range a.Things {
				kinds = append(kinds, d.Kind)
			}
			return kinds, a.Days[29].Questions + a.Days[28].Questions // a test around midnight in UTC
		}
		wantList(t, "of an administrator", func() []string { kinds, _ := list(root); return kinds }, "backup", "gaps_open")
		wantList(t, "of the manager", func() []string { kinds, _ := list(manager); return kinds }, "gaps_open")
		if _, n := list(manager); n != 1 {
			t.Errorf("the manager sees %d questions", n)
		}
		set("default", rights.Read)
		set("vault", rights.Manage)
		wantList(t, "of the manager of another collection", func() []string { kinds, _ := list(manager); return kinds })
		if _, n := list(manager); n != 0 {
			t.Errorf("the manager of another collection sees %d questions", n)
		}
		if err := s.DB.Backups.AddBackup(t.Context(), backup.Run{At: time.Now()}); err != nil {
			t.Fatal(err)
		}
		wantList(t, "after a backup", func() []string { kinds, _ := list(root); return kinds }, "gaps_open")
	})
}
