package servertest_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"docent/agent/session/journal"
	"docent/auth"
	"docent/internal/servertest"
)

// TestTeam runs the way of a team: an administrator invites a user, who sets a password, changes
// it, and is disabled and deleted. The audit log names each step.
func TestTeam(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.Config{Auth: true, Documents: []servertest.Document{pump}})
	root := s.Person("user root")
	ask := func(p servertest.Person, status int, method, path, body string, into any) *http.Response {
		t.Helper()
		resp, text := p.Request(t, method, s.URL+path, body, asJSON...)
		if resp.StatusCode != status {
			t.Fatalf("%s %s as %s: %d %s", method, path, p.Name, resp.StatusCode, text)
		}
		if into != nil {
			if err := json.Unmarshal([]byte(text), into); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
		}
		return resp
	}
	entered := func(resp *http.Response) servertest.Person {
		return servertest.Person{Name: "user ann", ID: "user:ann", Header: http.Header{"Cookie": {strings.Split(resp.Header.Get("Set-Cookie"), ";")[0]}}}
	}

	var link struct{ Link string }
	ask(root, 201, "POST", "/api/users", `{"name":"Ann","scopes":["ask"]}`, &link)
	nobody := servertest.Person{Name: "nobody"}
	var whose struct{ Name string }
	ask(nobody, 200, "POST", "/api/password-link", `{"link":"`+link.Link+`"}`, &whose)
	if whose.Name != "ann" {
		t.Errorf("the link is of %q", whose.Name)
	}
	use := `{"link":"` + link.Link + `","password":"a good password"}`
	ann := entered(ask(nobody, 200, "PUT", "/api/password-link", use, nil))
	ask(nobody, 401, "PUT", "/api/password-link", use, nil)

	ask(ann, 200, "POST", "/agui", `{"threadId":"mine","runId":"r","messages":[{"role":"user","content":"When does the pump stop?"}]}`, nil)
	var export struct {
		Account       struct{ Name string }
		Conversations []struct{ Messages []any }
	}
	ask(ann, 200, "GET", "/api/me/export", "", &export)
	if export.Account.Name != "ann" || len(export.Conversations) != 1 || len(export.Conversations[0].Messages) < 2 {
		t.Errorf("the export is %+v", export)
	}

	ask(root, 204, "POST", "/api/groups", `{"name":"staff"}`, nil)
	ask(root, 204, "PUT", "/api/groups/staff/members", `{"member":"ann","is":true}`, nil)
	ask(root, 204, "PUT", "/api/collections/default/rights", `{"subject":"group:staff","right":"read"}`, nil)
	var seen []struct {
		Collection, Right string
		Through           []string
	}
	ask(root, 200, "GET", "/api/users/ann/access", "", &seen)
	if len(seen) != 1 || seen[0].Right != "read" || !slices.Equal(seen[0].Through, []string{"group:staff"}) {
		t.Errorf("ann sees %+v", seen)
	}
	ask(root, 200, "GET", "/api/users/other/access", "", &seen)
	if len(seen) != 0 {
		t.Errorf("other sees %+v", seen)
	}

	changed := entered(ask(ann, 200, "PUT", "/api/me/password", `{"old":"a good password","password":"a better password"}`, nil))
	ask(ann, 401, "GET", "/api/me", "", nil)
	var users []struct {
		Name              string
		Groups            []string
		Disabled, Invited bool
		Seen              *string `json:"last_seen_at"`
	}
	ask(root, 200, "GET", "/api/users", "", &users)
	if u := users[0]; u.Name != "ann" || u.Invited || u.Seen == nil || !slices.Equal(u.Groups, []string{"staff"}) {
		t.Errorf("the user is %+v", u)
	}
	ask(root, 204, "DELETE", "/api/users/ann/sign-ins", "", nil)
	ask(changed, 401, "GET", "/api/me", "", nil)
	ask(root, 204, "PATCH", "/api/users/ann", `{"disabled":true}`, nil)
	login := `{"username":"ann","password":"a better password"}`
	ask(nobody, 401, "POST", "/api/login", login, nil)
	ask(root, 204, "PATCH", "/api/users/ann", `{"disabled":false,"scopes":["ask","ingest"]}`, nil)
	ann = entered(ask(nobody, 200, "POST", "/api/login", login, nil))
	ask(ann, 403, "POST", "/api/me/delete", `{"password":"wrong","conversations":true}`, nil)
	ask(ann, 204, "POST", "/api/me/delete", `{"password":"a better password","conversations":true}`, nil)
	ask(ann, 401, "GET", "/api/me", "", nil)
	ask(root, 409, "DELETE", "/api/users/root", "", nil)

	recorded(t, s, root, []string{
		"user:root user.invited user:ann", "user:ann user.password_changed user:ann", "user:ann account.exported user:ann",
		"user:root group.created staff", "user:root group.member_set staff", "user:root right.set default",
		"user:ann user.password_changed user:ann", "user:root user.signed_out user:ann", "user:root user.changed user:ann",
		"user:root user.changed user:ann", "user:ann user.signed_in ", "user:ann user.deleted user:ann",
	})
	if left, err := s.DB.Directory.Sessions(t.Context(), journal.SessionFilter{Owner: "user:ann", Limit: 10}); err != nil || len(left) > 0 {
		t.Errorf("conversations of ann: %v, %v", left, err)
	}
	if _, err := s.DB.Users.User(t.Context(), auth.UserName("Ann")); err == nil {
		t.Error("ann exists")
	}
}

// recorded checks the acts of the audit log, oldest first.
func recorded(t *testing.T, s *servertest.Server, admin who, want []string) {
	t.Helper()
	var log struct {
		Records []struct{ Actor, Action, Object string }
	}
	_, text := admin.Request(t, "GET", s.URL+"/api/admin/log", "")
	if err := json.Unmarshal([]byte(text), &log); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	acts := []string{}
	for _, r := range slices.Backward(log.Records) {
		acts = append(acts, r.Actor+" "+r.Action+" "+r.Object)
	}
	if !slices.Equal(acts, want) {
		t.Errorf("the log is\n%s\nwant\n%s", strings.Join(acts, "\n"), strings.Join(want, "\n"))
	}
}
