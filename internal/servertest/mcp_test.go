package servertest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"docent/auth/rights"
	"docent/internal/servertest"
)

// shown adds the credentials of somebody to each request.
type shown struct {
	http.RoundTripper

	who who
}

func (s shown) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, values := range s.who.Header {
		r.Header[name] = values
	}
	return s.RoundTripper.RoundTrip(r)
}

// mcpAs begins a session of MCP as somebody.
func (s *site) mcpAs(t *testing.T, w who) (*sdk.ClientSession, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), servertest.Patience)
	defer cancel()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, &sdk.StreamableClientTransport{
		Endpoint: s.URL + "/mcp", HTTPClient: &http.Client{Transport: shown{http.DefaultTransport, w}}, DisableStandaloneSSE: true,
	}, nil)
	if err == nil {
		t.Cleanup(func() { _ = session.Close() })
	}
	return session, err //nolint:wrapcheck // the test reads it
}

// useMCP uses every way to read documents and returns all that came back.
func useMCP(t *testing.T, s *sdk.ClientSession) string {
	t.Helper()
	var all strings.Builder
	keep := func(v any, err error) {
		text, _ := json.Marshal(v)
		fmt.Fprintln(&all, string(text), err)
	}
	for _, c := range []struct {
		tool string
		args map[string]any
	}{
		{"search", map[string]any{"query": "vault pump stop midnight"}},
		{"search", map[string]any{"query": "vault pump stop midnight", "collections": []string{"vault"}}},
		{"ask", map[string]any{"question": "When does the vault pump stop?"}},
		{"ask", map[string]any{"question": "When does the vault pump stop?", "collections": []string{"vault"}}},
		{"list_documents", nil},
		{"list_documents", map[string]any{"collection": "vault"}},
		{"fetch", map[string]any{"id": "docent://vault/1"}},
		{"fetch", map[string]any{"id": "docent://default/1"}},
		{"read_document", map[string]any{"id": "docent://vault/1"}},
	} {
		if c.args == nil {
			c.args = map[string]any{}
		}
		keep(s.CallTool(t.Context(), &sdk.CallToolParams{Name: c.tool, Arguments: c.args}))
	}
	keep(s.ListResources(t.Context(), nil))
	keep(s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "docent://vault/1"}))
	return all.String()
}

// TestMCPRights checks that a collection without a right looks like one that does not
// exist, and that a right counts at once in an open session.
func TestMCPRights(t *testing.T) {
	t.Parallel()
	servertest.OnBothStores(t, func(t *testing.T, store servertest.Store) {
		s := guarded(t, servertest.Config{Store: store, Documents: []servertest.Document{vault}})
		set := func(subject string, level rights.Level) {
			t.Helper()
			if err := s.DB.Rights.SetRight(t.Context(), "vault", rights.Grant{Subject: subject, Level: level}); err != nil {
				t.Fatal(err)
			}
		}
		set("user:root", rights.Manage) // so that the collection is restricted
		for _, name := range []string{"user both", "token owner"} {
			w := s.Person(name)
			session, err := s.mcpAs(t, w)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got := useMCP(t, session)
			// The request itself comes back in two errors, so only other texts of the vault count.
			if none(t, name, got, []string{"Zqmidnight", "vault.md", `"collection":"vault"`}); !strings.Contains(got, "noon") {
				t.Errorf("%s cannot read the other collection: %s", name, got)
			}
			missing, hidden := says(t, session, "nothing"), says(t, session, "vault")
			if missing != hidden {
				t.Errorf("a collection of others: %s, a missing one: %s", hidden, missing)
			}
			set(w.ID, rights.Read)
			if got := useMCP(t, session); strings.Count(got, "Zqmidnight") < 7 {
				t.Errorf("%s with the right: %s", name, got)
			}
			set(w.ID, rights.None)
			none(t, name, useMCP(t, session), []string{"Zqmidnight"})
		}
		for name, status := range map[string]string{"nobody": "Unauthorized", "bad token": "Unauthorized", "token site": "Forbidden", "token feeder": "Forbidden"} {
			if _, err := s.mcpAs(t, s.Person(name)); err == nil || !strings.Contains(err.Error(), status) {
				t.Errorf("%s: %v, want %s", name, err, status)
			}
		}
	})
}

// says returns what tools say about a collection, with NAME in place of its name.
func says(t *testing.T, s *sdk.ClientSession, collection string) string {
	t.Helper()
	var all strings.Builder
	for _, c := range []struct {
		tool string
		args map[string]any
	}{{"fetch", map[string]any{"id": "docent://" + collection + "/1"}}, {"search", map[string]any{"query": "x", "collections": []string{collection}}}} {
		result, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: c.tool, Arguments: c.args})
		if err != nil || !result.IsError {
			t.Fatalf("%s in %s: %+v, %v", c.tool, collection, result, err)
		}
		all.WriteString(result.Content[0].(*sdk.TextContent).Text)
	}
	return strings.ReplaceAll(all.String(), collection, "NAME")
}

// TestMCPChallenge checks that a refused client learns where the metadata is.
func TestMCPChallenge(t *testing.T) {
	t.Parallel()
	s := guarded(t, servertest.Config{})
	metadata := `resource_metadata="` + s.URL + `/.well-known/oauth-protected-resource/mcp"`
	for name, want := range map[string]string{"nobody": "Bearer " + metadata, "bad token": `Bearer error="invalid_token", ` + metadata} {
		resp, _ := s.Person(name).Request(t, http.MethodPost, s.URL+"/mcp", initialize, asMCP...)
		if got := resp.Header.Get("WWW-Authenticate"); resp.StatusCode != http.StatusUnauthorized || got != want {
			t.Errorf("%s: %d %s, want %s", name, resp.StatusCode, got, want)
		}
	}
	resp, _ := s.Person("nobody").Request(t, http.MethodGet, s.URL+"/api/documents", "")
	if got := resp.Header.Get("WWW-Authenticate"); got != "Bearer" {
		t.Errorf("another route: %s", got)
	}
	resp, body := s.Person("nobody").Request(t, http.MethodGet, s.URL+"/.well-known/oauth-protected-resource", "")
	if resp.StatusCode != http.StatusOK || !strings.Contains(body, `"resource":"`+s.URL+`/mcp"`) {
		t.Errorf("the metadata: %d %s", resp.StatusCode, body)
	}
}
