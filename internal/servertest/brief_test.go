package servertest_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"docent/auth/rights"
	"docent/internal/servertest"
)

// TestBriefRights writes the same brief for readers with and without a right on a collection. Only those with the right get its
// passages, in the outline, in the steps, and in the brief.
func TestBriefRights(t *testing.T) {
	t.Parallel()
	s := guarded(t, servertest.Config{Documents: []servertest.Document{vault}})
	if err := s.DB.Rights.SetRight(t.Context(), "vault", rights.Grant{Subject: "user:both", Level: rights.Read}); err != nil {
		t.Fatal(err)
	}
	for name, readable := range map[string]bool{"user both": true, "user other": false} {
		w := s.Person(name)
		task := `{"task":"When does the vault pump stop?"`
		_, outline := w.Request(t, http.MethodPost, s.URL+"/api/briefs/outline", task+"}", asJSON...)
		if strings.Contains(outline, "Vault") != readable {
			t.Errorf("%s: outline %s", name, outline)
		}
		resp, body := w.Request(t, http.MethodPost, s.URL+"/api/briefs", task+`,"headings":["Stop","Vault"]}`, asJSON...)
		var brief struct {
			SessionID string `json:"session_id"`
		}
		if err := json.Unmarshal([]byte(body), &brief); err != nil || resp.StatusCode != http.StatusAccepted {
			t.Fatalf("%s: %d %s", name, resp.StatusCode, body)
		}
		all := ""
		for until := time.Now().Add(servertest.Patience); !strings.Contains(all, `"type":"rag_answer"`); {
			if time.Now().After(until) {
				t.Fatalf("%s: no brief: %s", name, all)
			}
			_, all = w.Request(t, http.MethodGet, s.URL+"/api/sessions/"+brief.SessionID+"/messages", "")
		}
		if strings.Contains(all, "Zqmidnight") != readable {
			t.Errorf("%s: %s", name, all)
		}
	}
}
