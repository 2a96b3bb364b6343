package servertest_test

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"docent/internal/servertest"
)

// TestUpgrade starts a server on the database of each earlier version of the schema, which an old
// program wrote; see testdata/upgrade/README.md. The user can sign in, the documents answer a
// question, and the conversation is complete.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	dumps, err := filepath.Glob("testdata/upgrade/*.sql.gz")
	if err != nil || len(dumps) == 0 {
		t.Fatalf("there are no dumps: %v", err)
	}
	for _, path := range dumps {
		name := strings.TrimSuffix(filepath.Base(path), ".sql.gz")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, number, _ := strings.Cut(name, "-")
			s := servertest.Start(t, servertest.Config{
				Store: servertest.Store(store), Dump: unzip(t, path),
				Settings: map[string]string{"auth": "true", "read-conversations": "true"},
			})
			ann := servertest.Person{Name: "ann"}
			get := func(method, path, body string, into any) http.Header {
				t.Helper()
				resp, text := ann.Request(t, method, s.URL+path, body, asJSON...)
				if resp.StatusCode != http.StatusOK {
					t.Fatalf("%s %s: %d %s", method, path, resp.StatusCode, text)
				}
				if err := json.Unmarshal([]byte(text), into); err != nil {
					t.Fatalf("%s: %v", text, err)
				}
				return resp.Header
			}
			var any struct{}
			cookie := get("POST", "/api/login", `{"username":"ann","password":"correct horse battery"}`, &any).Get("Set-Cookie")
			ann.Header = http.Header{"Cookie": {strings.Split(cookie, ";")[0]}}

			if version, err := strconv.Atoi(number); err != nil || version >= 10 {
				var groups []struct {
					Name    string
					Members []string
				}
				get("GET", "/api/groups", "", &groups)
				if len(groups) != 1 || groups[0].Name != "staff" || !slices.Equal(groups[0].Members, []string{"user:ann"}) {
					t.Errorf("groups: %+v", groups)
				}
			}
			var list struct{ Documents []struct{ Source string } }
			get("GET", "/api/documents", "", &list)
			if len(list.Documents) != 3 {
				t.Errorf("documents: %+v", list.Documents)
			}
			var answer struct{ Answer string }
			get("POST", "/api/ask", `{"question":"Why does my guest network stop every day?"}`, &answer)
			if !strings.Contains(answer.Answer, "Firmware 3.1.2 fixes this") {
				t.Errorf("the answer: %q", answer.Answer)
			}
			var said struct {
				Messages []struct {
					IsUser bool `json:"is_user"`
				}
			}
			get("GET", "/api/admin/conversations/fixture/messages", "", &said)
			asked := 0
			for _, m := range said.Messages {
				if m.IsUser {
					asked++
				}
			}
			if asked != 3 || len(said.Messages) < 6 {
				t.Errorf("%d questions among %d messages", asked, len(said.Messages))
			}
		})
	}
}

// unzip returns the text of a gzip file.
func unzip(t *testing.T, path string) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
