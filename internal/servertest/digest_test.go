package servertest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"docent/auth/rights"
	"docent/ingest/source/syncer"
	"docent/insight/digest/digesttest"
	"docent/internal/servertest"
	"docent/webhook"
)

// digestOf is the weekly digest as an administrator sees it.
type digestOf struct {
	Mail          bool
	Recipients    int
	Next          *time.Time
	Subject, Text string
	Sent          []struct {
		Recipient string
		Problem   *struct{ ID, Message string }
	}
}

// TestDigest: an administrator turns the digest on, sends it, and learns who did not get it. A manager gets the digest
// of their collections.
func TestDigest(t *testing.T) {
	t.Parallel()
	servertest.OnBothStores(t, func(t *testing.T, store servertest.Store) {
		mail := digesttest.Start(t)
		s := guarded(t, servertest.Config{Store: store, Documents: []servertest.Document{vault}, Settings: map[string]string{
			"smtp.url": mail.URL, "smtp.password": mail.Password, "smtp.from": "docent@example.com",
		}})
		if err := s.DB.Rights.SetRight(t.Context(), "default", rights.Grant{Subject: "user:both", Level: rights.Manage}); err != nil {
			t.Fatal(err)
		}
		hook := hookOf(t, s)
		root := s.Person("user root")
		request := func(method, path, body string, want int) (out digestOf) {
			t.Helper()
			resp, text := root.Request(t, method, s.URL+path, body, asJSON...)
			if resp.StatusCode != want {
				t.Fatalf("%s %s: %d %s", method, path, resp.StatusCode, text)
			}
			if strings.HasSuffix(path, "/digest") && want == http.StatusOK {
				if err := json.Unmarshal([]byte(text), &out); err != nil {
					t.Fatal(err)
				}
			}
			return out
		}
		request(http.MethodPut, "/api/settings/digest.recipients", `{"value":"nobody"}`, http.StatusBadRequest)
		request(http.MethodPut, "/api/settings/digest.recipients", `{"value":"ops@example.com, Both <both@example.com>, kim <kim@example.com>"}`, http.StatusOK)
		eventually(t, "the recipients", func() bool { return request(http.MethodGet, "/api/system/digest", "", http.StatusOK).Recipients == 3 })
		if d := request(http.MethodGet, "/api/system/digest", "", http.StatusOK); d.Next != nil || !d.Mail || !strings.Contains(d.Text, "docent has made no backup") {
			t.Errorf("the digest is %+v", d)
		}
		if resp, body := s.Person("user both").Request(t, http.MethodPost, s.URL+"/api/system/digest", "", asJSON...); resp.StatusCode != http.StatusForbidden {
			t.Errorf("a manager sends the digest: %s", body)
		}

		d := request(http.MethodPost, "/api/system/digest", "", http.StatusOK)
		if len(d.Sent) != 4 || d.Sent[0].Problem != nil || d.Sent[1].Problem != nil || d.Sent[2].Problem == nil || d.Sent[3].Problem != nil {
			t.Fatalf("sent: %+v", d.Sent)
		}
		letters := mail.Take()
		if len(letters) != 2 || letters[0].To != "both@example.com" || letters[1].To != "ops@example.com" {
			t.Fatalf("the letters are %+v", letters)
		}
		if text := letters[0].Text; !strings.Contains(text, "in your collections: default") || strings.Contains(text, "backup") {
			t.Errorf("the manager gets %s", text)
		}
		if !strings.Contains(letters[1].Text, "docent has made no backup") {
			t.Errorf("the administrator gets %s", letters[1].Text)
		}
		var m struct {
			Type string
			Data struct{ Subject, Text string }
		}
		if err := json.Unmarshal(<-hook, &m); err != nil || m.Type != "digest.weekly" || m.Data.Text != letters[1].Text {
			t.Errorf("the webhook gets %+v, %v", m, err)
		}

		// Another day than today, so that the test alone sends.
		day := strings.ToLower(time.Now().AddDate(0, 0, 3).Weekday().String())
		request(http.MethodPut, "/api/settings/digest.day", `{"value":"`+day+`"}`, http.StatusOK)
		kinds := func() string {
			_, body := root.Request(t, http.MethodGet, s.URL+"/api/today", "")
			return body
		}
		eventually(t, "the mail to kim in the list", func() bool { return strings.Contains(kinds(), `"kind":"mail"`) })
		if body := kinds(); !strings.Contains(body, "kim@example.com") {
			t.Errorf("today: %s", body)
		}
		if _, body := root.Request(t, http.MethodGet, s.URL+"/api/admin/log", ""); !strings.Contains(body, "digest.refused") || !strings.Contains(body, "digest.sent") {
			t.Errorf("the log is %s", body)
		}
		request(http.MethodPut, "/api/settings/digest.recipients", `{"value":"ops@example.com"}`, http.StatusOK)
		eventually(t, "the end of the problem", func() bool { return !strings.Contains(kinds(), `"kind":"mail"`) })
	})
}

// hookOf adds a webhook for digests to a server, and returns the received messages.
func hookOf(t *testing.T, s *site) <-chan []byte {
	t.Helper()
	received := make(chan []byte, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		received <- body
	}))
	t.Cleanup(receiver.Close)
	vault, err := syncer.NewVault(filepath.Join(s.Data, "secret.key"), "")
	if err != nil {
		t.Fatal(err)
	}
	hooks := webhook.New(webhook.Config{Store: s.DB.Webhooks, Vault: vault})
	hook := webhook.Webhook{URL: receiver.URL, Events: []webhook.Event{webhook.DigestWeekly}, Private: true}
	if _, _, err := hooks.Add(t.Context(), hook); err != nil {
		t.Fatal(err)
	}
	return received
}
