package main

import (
	"net/http"
	"strings"
	"testing"

	"docent/auth"
)

// TestTokensOfARunningServer: the commands take effect at once in a server in
// another process. The server's output contains no token.
func TestTokensOfARunningServer(t *testing.T) {
	t.Parallel()
	env := []string{"DOCENT_DATA=" + dataFolder(t), "DOCENT_LOG_LEVEL=debug"}
	server, url := serve(t, env, "--auth")
	server.log.line(t, "  docent token create")
	get := func(path string, header ...string) int {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i+1 < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		return resp.StatusCode
	}
	is := func(what string, got, want int) {
		t.Helper()
		if got != want {
			t.Errorf("%s: status %d, want %d", what, got, want)
		}
	}
	token := strings.TrimSpace(docent(t, env, 0, "token", "create", "--name", "ci", "--expires", "1d"))
	is("nobody", get("/api/documents"), 401)
	is("by header", get("/api/documents", "Authorization", "Bearer "+token), 200)
	is("by parameter", get("/api/documents?token="+token), 401)
	is("metrics without admin", get("/metrics", "Authorization", "Bearer "+token), 403)
	is("a wrong one", get("/api/documents", "Authorization", "Bearer "+token+"x"), 401)
	is("the page", get("/"), 200)
	socket := []string{
		"Connection", "Upgrade", "Upgrade", "websocket", "Sec-WebSocket-Version", "13", "Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==",
	}
	is("a socket of nobody", get("/", socket...), 401)
	is("a socket with a token", get("/?token="+token, socket...), 101)
	is("a socket with a wrong token", get("/", append(socket, "Sec-WebSocket-Protocol", auth.SubprotocolPrefix+"x")...), 401)
	page := dial(t, url+"/?protocol=docent.v1&token="+token+"x")
	if refused, _ := hear(t, page)["message"].(map[string]any); refused["code"] != "unauthorized" {
		t.Errorf("a page with a wrong token hears %v", refused)
	}
	docent(t, env, 0, "token", "revoke", "ci")
	is("revoked", get("/api/documents", "Authorization", "Bearer "+token), 401)
	if log := server.log.String(); strings.Contains(log, token) || strings.Contains(log, token[7:40]) {
		t.Errorf("the token is in the log:\n%s", log)
	}
}
