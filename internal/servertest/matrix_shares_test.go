package servertest_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"docent/auth/rights"
	"docent/internal/servertest"
)

// TestShares asks in random order about an open collection, about a restricted one, and about
// a private file. It shares each turn and each beginning of the conversation. Nobody may read
// words of the file or of the restricted collection without the right to do so.
func TestShares(t *testing.T) {
	t.Parallel()
	servertest.OnBothStores(t, func(t *testing.T, store servertest.Store) {
		s := guarded(t, servertest.Config{Store: store, Documents: []servertest.Document{vault}, Settings: map[string]string{"public-links": "true"}})
		for _, subject := range []string{"user:owner", "token:both"} {
			if err := s.DB.Rights.SetRight(t.Context(), "vault", rights.Grant{Subject: subject, Level: rights.Read}); err != nil {
				t.Fatal(err)
			}
		}
		owner := s.Person("user owner")
		s.attached(t, owner, "private") // turns 1 and 2
		kinds := []string{"", "attach", "file"}
		questions := map[string]string{"open": "When does the feed pump stop?", "vault": "When does the vault pump stop?", "file": privateQuestion, "list": "Which documents are there?"}
		for _, i := range rand.Perm(8) {
			kind := []string{"open", "vault", "file", "list"}[i%4]
			kinds = append(kinds, kind)
			_, body := owner.Request(t, http.MethodPost, s.URL+"/agui", fmt.Sprintf(
				`{"threadId":"private","runId":"r%d","messages":[{"role":"user","content":%q}]}`, s.asked.Add(1), questions[kind]), asJSON...)
			if !strings.Contains(body, "RUN_FINISHED") {
				t.Fatal(body)
			}
		}
		for turn := 1; turn < len(kinds); turn++ {
			for _, only := range []bool{true, false} {
				for _, files := range []bool{true, false} {
					s.shareTurn(t, turn, only, files, kinds)
				}
			}
		}
		if resp, body := owner.Request(t, http.MethodDelete, s.URL+"/api/sessions/private", ""); resp.StatusCode != http.StatusNoContent {
			t.Fatal(body)
		}
		if _, body := owner.Request(t, http.MethodGet, s.URL+"/api/shares", ""); strings.TrimSpace(body) != "[]" {
			t.Errorf("the deleted conversation has the links %s", body)
		}
	})
}

// shareTurn shares a turn, or the conversation up to it, and reads the link as everybody.
func (s *site) shareTurn(t *testing.T, turn int, only, files bool, kinds []string) {
	t.Helper()
	owner := s.Person("user owner")
	_, body := owner.Request(t, http.MethodPost, s.URL+"/api/shares", fmt.Sprintf(
		`{"session_id":"private","turn":%d,"only":%t,"files":%t,"public":true,"expires_at":%q}`, turn, only, files, time.Now().Add(time.Hour).Format(time.RFC3339)), asJSON...)
	var share struct{ ID string }
	if err := json.Unmarshal([]byte(body), &share); err != nil || share.ID == "" {
		t.Fatal(body)
	}
	for _, by := range s.People {
		resp, body := by.Request(t, http.MethodGet, s.URL+"/api/shared/"+share.ID, "", s.from()...)
		if by.Wrong {
			continue
		}
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %s", by.Name, resp.StatusCode, body)
		}
		what := fmt.Sprintf("a link to turn %d of %v, only %t, files %t", turn, kinds, only, files)
		if !files {
			wantSecret(t, by, what, body)
		}
		reads := by.ID == "user:owner" || by.ID == "token:both" || by.May("admin")
		if strings.Contains(body, "Zqmidnight") && !reads {
			t.Errorf("%s reads the vault by %s: %s", by.Name, what, body)
		}
		for kind, word := range map[string]string{"open": "noon", "vault": "Zqmidnight", "file": "zwanzigers"} {
			shown := kinds[turn] == kind && (kind == "open" || kind == "vault" && reads || kind == "file" && files)
			if shown && !strings.Contains(body, word) {
				t.Errorf("%s does not read %s by %s: %s", by.Name, word, what, body)
			}
		}
	}
	if resp, body := owner.Request(t, http.MethodDelete, s.URL+"/api/shares/"+share.ID, ""); resp.StatusCode != http.StatusNoContent {
		t.Errorf("revoking: %d %s", resp.StatusCode, body)
	}
}
