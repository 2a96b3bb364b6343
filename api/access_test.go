package api

import (
	"slices"
	"strings"
	"testing"

	"docent/agent/session/journal"
	"docent/internal/fault"
)

// TestEveryRouteIsDeclared checks that the access table lists exactly the routes
// of the contract.
func TestEveryRouteIsDeclared(t *testing.T) {
	t.Parallel()
	var rows []string
	for _, a := range Routes() {
		rows = append(rows, a.Route)
	}
	want := append([]string{"GET /openapi.json", "GET /ws", "GET /metrics"}, contract...)
	slices.Sort(rows)
	slices.Sort(want)
	if !slices.Equal(rows, want) {
		t.Errorf("the rows are\n%s\nthe routes are\n%s", strings.Join(rows, "\n"), strings.Join(want, "\n"))
	}
}

func TestSessionsHaveOwners(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.sessions = []journal.SessionRecord{
		{RowID: 7, Key: journal.SessionKey{Agent: "docent", ID: "ada's"}, Owner: "user:ada", Username: "ada", Seq: 3},
		{RowID: 8, Key: journal.SessionKey{Agent: "docent", ID: "bob's"}, Owner: "user:bob", Username: "ada"},
		{RowID: 9, Key: journal.SessionKey{Agent: "docent", ID: "old"}},
	}
	c := w.serve(t)
	list := func(path, as string) string {
		t.Helper()
		_, body := c.do("GET", path, "", "As", as)
		var ids []string
		for _, id := range []string{"ada's", "bob's", "old"} {
			if strings.Contains(body, `"session_id":"`+id+`"`) {
				ids = append(ids, id)
			}
		}
		return strings.Join(ids, " ")
	}
	for path, want := range map[string][4]string{
		"/api/sessions":                           {"ada's", "bob's", "", "ada's bob's old"},
		"/api/sessions?username=ada":              {"ada's", "bob's", "", "ada's bob's"},
		"/api/sessions?owner=user:ada":            {"ada's", "", "", "ada's"},
		"/api/sessions?username=eve&owner=user:x": {"", "", "", ""},
	} {
		for i, as := range []string{"user:ada ask", "user:bob ask ingest", "token:root admin", ""} { // "" without authentication
			if got := list(path, as); got != want[i] {
				t.Errorf("%s as %s: %q, want %q", path, as, got, want[i])
			}
		}
	}
	for _, request := range [][3]string{
		{"GET", "/messages", ""}, {"GET", "/export", ""}, {"PATCH", "", `{"session_name":"x"}`}, {"DELETE", "", ""},
	} {
		method, path, body := request[0], request[1], request[2]
		for _, session := range []string{"ada's", "old", "none"} {
			for _, as := range []string{"user:bob ask ingest", "token:root admin"} {
				c.wantError(404, fault.NotFound, "there is no such session", method, "/api/sessions/"+session+path, body, "As", as)
			}
		}
		c.wantError(401, fault.Unauthorized, "sign in", method, "/api/sessions/old"+path, body, "As", "-")
		c.wantError(403, fault.Forbidden, "scope ask", method, "/api/sessions/ada's"+path, body, "As", "user:ada ingest")
	}
	c.wantError(404, fault.NotFound, "there is no such session", "DELETE", "/api/sessions?session_id=ada's", "", "As", "user:bob ask")
	c.want(204, "", "PATCH", "/api/sessions/ada's", `{"session_name":"x"}`, "As", "user:ada ask")
	c.want(204, "", "DELETE", "/api/sessions?session_id=ada's", "", "As", "user:ada ask")
	c.want(204, "", "DELETE", "/api/sessions/old", "") // without authentication
}

func TestErrorsSayHowToAuthenticate(t *testing.T) {
	t.Parallel()
	c := newWorld().serve(t)
	resp, _ := c.do("GET", "/api/documents", "", "As", "-")
	if got := resp.Header.Get("WWW-Authenticate"); got != "Bearer" {
		t.Errorf("WWW-Authenticate is %q", got)
	}
	resp, _ = c.do("GET", "/api/documents", "", "As", "x ingest")
	if got := resp.Header.Get("WWW-Authenticate"); got != "" || resp.StatusCode != 403 {
		t.Errorf("%d, WWW-Authenticate is %q", resp.StatusCode, got)
	}
}
