package main

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestNobodyYet checks that a server without users and tokens prints how to add the
// first ones, and accepts the first token without a restart.
func TestNobodyYet(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, env []string) {
		_, open := serve(t, env)
		if resp, body := (who{}).Request(t, http.MethodGet, open+"/api/info", ""); resp.StatusCode != http.StatusOK || !strings.Contains(body, `"auth":false`) {
			t.Errorf("without authentication: %d %s", resp.StatusCode, body)
		}
		p, at := serve(t, env, "--auth")
		if said := p.log.String(); strings.Contains(said, "postgres://") || strings.Contains(strings.Join(env, " "), "DATABASE_URL=") != strings.Contains(said, "with the same DATABASE_URL") {
			t.Errorf("of the database it says %s", said)
		}
		if said := p.log.String(); !strings.Contains(said, "docent user create NAME") || !strings.Contains(said, "docent token create --name NAME") {
			t.Errorf("it says %s", said)
		}
		if resp, _ := (who{}).Request(t, http.MethodGet, at+"/api/documents", ""); resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("nobody gets %d", resp.StatusCode)
		}
		// The printed command works without DOCENT_DATA.
		_, rest, _ := strings.Cut(p.log.String(), "docent token create --name NAME")
		line, _, _ := strings.Cut(rest, "\n")
		args := append([]string{"token", "create", "--name", "first"}, strings.Fields(line)...)
		bare := slices.DeleteFunc(slices.Clone(env), func(pair string) bool { return strings.HasPrefix(pair, "DOCENT_DATA=") })
		token := strings.TrimSpace(docent(t, bare, 0, args...))
		w := who{Header: http.Header{"Authorization": {"Bearer " + token}}}
		if resp, body := w.Request(t, http.MethodGet, at+"/api/info", ""); resp.StatusCode != http.StatusOK || !strings.Contains(body, `"auth":true`) {
			t.Errorf("the first token gets %d %s", resp.StatusCode, body)
		}
		p, _ = serve(t, env, "--auth")
		if said := p.log.String(); strings.Contains(said, "nobody can sign in") {
			t.Errorf("it says %s", said)
		}
	})
}
