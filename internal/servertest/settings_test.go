package servertest_test

import (
	"net/http"
	"strings"
	"testing"

	"docent/internal/servertest"
	"docent/llm/llmtest"
	"docent/settings"
)

// changes are requests of an administrator who changes settings.
type changes struct {
	t    *testing.T
	s    *servertest.Server
	root servertest.Person
}

func (c changes) do(method, path, body string, want int) string {
	c.t.Helper()
	resp, got := c.root.Request(c.t, method, c.s.URL+path, body, asJSON...)
	if resp.StatusCode != want {
		c.t.Errorf("%s %s: %d, want %d: %s", method, path, resp.StatusCode, want, got)
	}
	return got
}

// written asks a question, and reports whether the model has written the answer.
func (c changes) written() bool {
	c.t.Helper()
	return strings.Contains(c.do(http.MethodPost, "/api/ask", `{"question":"When does the pump stop?"}`, http.StatusOK), "says the model")
}

// TestStoredSettings: a setting and a model apply to the next turn, also if another process stores them, and after a
// restart. Keys are never sent.
func TestStoredSettings(t *testing.T) {
	t.Parallel()
	servertest.OnBothStores(t, func(t *testing.T, store servertest.Store) {
		model := llmtest.NewServer(func(int, llmtest.Request) llmtest.Reply {
			return llmtest.Reply{Text: []string{"At noon, says the model [1]."}}
		})
		t.Cleanup(model.Close)
		s := servertest.Start(t, servertest.Config{
			Store: store, Auth: true, Settings: map[string]string{"history": "3"},
			Documents: []servertest.Document{{Name: "pump.md", Content: "The pump stops at noon."}},
		})
		c := changes{t, s, s.Person("user root")}
		if c.written() {
			t.Fatal("there is a model")
		}
		c.do(http.MethodPut, "/api/settings/history", `{"value":"2"}`, http.StatusConflict)
		c.do(http.MethodPut, "/api/settings/keep-questions", `{"value":"7"}`, http.StatusOK)
		if got := c.do(http.MethodPut, "/api/settings/k", `{"value":"1"}`, http.StatusOK); !strings.Contains(got, `"live":true,"pending":false`) {
			t.Errorf("k is %s", got)
		}
		if got := c.do(http.MethodGet, "/api/info", "", http.StatusOK); !strings.Contains(got, `"k":1`) {
			t.Errorf("the next turn does not use k: %s", got)
		}
		put := `{"url":"` + model.URL + `","key":"hush-hush","uses":["answers"]}`
		if got := c.do(http.MethodPost, "/api/models/test", `{"name":"fast",`+put[1:], http.StatusOK); !strings.Contains(got, `"ok":true`) {
			t.Errorf("the test says %s", got)
		}
		c.do(http.MethodPut, "/api/models/fast", put, http.StatusNoContent)
		if !c.written() {
			t.Error("the next turn does not use the model")
		}
		list := c.do(http.MethodGet, "/api/models", "", http.StatusOK)
		if !strings.Contains(list, `"has_key":true,"default":true`) || strings.Contains(list, "hush") {
			t.Errorf("the models are %s", list)
		}
		if log := c.do(http.MethodGet, "/api/admin/log", "", http.StatusOK); !strings.Contains(log, `"model.changed"`) || !strings.Contains(log, `"setting.changed"`) {
			t.Errorf("the audit log has %s", log)
		}
		c.wantLog()

		c.s.Restart()
		if !c.written() {
			t.Error("a restart has lost the model")
		}
		all := c.do(http.MethodGet, "/api/settings", "", http.StatusOK)
		if !strings.Contains(all, `"key":"history","value":"3"`) || !strings.Contains(all, `"origin":{"kind":"program"},"locked":true`) ||
			strings.Contains(all, `"pending":true`) {
			t.Errorf("the settings are %s", all)
		}

		// Another process removes the model.
		if err := s.DB.Settings.ChangeSetting(t.Context(), "models", func(*settings.Record) (*settings.Record, error) { return nil, nil }); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the server follows the change of another process", func() bool { return !c.written() })
	})
}

// wantLog filters and exports the audit log after changes of settings and models.
func (c changes) wantLog() {
	c.t.Helper()
	for _, path := range []string{"/api/admin/log", "/api/admin/log/export"} {
		found := c.do(http.MethodGet, path+"?actor=USER:ROOT&action=setting&action=token&since=2026-01-01T00:00:00Z", "", http.StatusOK)
		if !strings.Contains(found, `"setting.changed"`) || strings.Contains(found, `"model.changed"`) {
			c.t.Errorf("%s has %s", path, found)
		}
	}
	for _, filter := range []string{"actor=ann", "action=source", "until=2026-01-01T00:00:00Z"} {
		if found := c.do(http.MethodGet, "/api/admin/log/export?"+filter, "", http.StatusOK); found != "" {
			c.t.Errorf("%s exports %s", filter, found)
		}
	}
	if found := c.do(http.MethodGet, "/api/admin/log?action=log", "", http.StatusOK); strings.Count(found, `"log.exported"`) != 4 {
		c.t.Errorf("the exports are recorded as %s", found)
	}
}

// TestInsecureSettings: without authentication, others cannot change settings.
func TestInsecureSettings(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.Config{Settings: map[string]string{"addr": "0.0.0.0:0", "insecure": "true"}})
	s.URL = strings.Replace(s.URL, "[::]", "127.0.0.1", 1)
	c := changes{t, s, servertest.Person{}}
	c.do(http.MethodGet, "/api/settings", "", http.StatusOK)
	c.do(http.MethodPut, "/api/settings/k", `{"value":"1"}`, http.StatusForbidden)
	c.do(http.MethodPost, "/api/models/test", `{"name":"m","url":"http://127.0.0.1:9/v1"}`, http.StatusForbidden)
}
