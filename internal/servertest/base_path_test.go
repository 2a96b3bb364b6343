package servertest_test

import (
	"net/http"
	"strings"
	"testing"

	"docent/internal/servertest"
	"docent/internal/wstest"
)

// TestBasePath uses a server below a path, as behind a proxy that does not remove the path.
func TestBasePath(t *testing.T) {
	t.Parallel()
	s := guarded(t, servertest.Config{Settings: map[string]string{"base-path": "/tools/docent"}})
	by := s.Person("user owner")
	at := s.URL + "/tools/docent"
	for path, want := range map[string]string{"": "", "/": `<div id="app">`, "/api/info": `"built_in":true`, "/widget.js": ""} {
		resp, body := by.Request(t, http.MethodGet, at+path, "")
		status := map[bool]int{true: http.StatusPermanentRedirect, false: http.StatusOK}[path == ""]
		if path == "/" && strings.Contains(body, "placeholder") || path == "/widget.js" && resp.StatusCode == http.StatusNotFound {
			continue // the page is not built
		}
		if resp.StatusCode != status || !strings.Contains(body, want) && !strings.Contains(body, "make build") {
			t.Errorf("%s: %d %.300s", path, resp.StatusCode, body)
		}
	}
	if resp, _ := by.Request(t, http.MethodGet, at+"/documents/5", ""); resp.Header.Get("Location") != "./../#/documents/5" {
		t.Errorf("an address without # leads to %s", resp.Header.Get("Location"))
	}
	if _, body := by.Request(t, http.MethodGet, s.URL+"/api/info", ""); !strings.Contains(body, `"built_in":true`) {
		t.Errorf("without the path: %s", body)
	}
	c := by.Dial(t, at+"/ws?session_id=below")
	say(t, c, wstest.MessageText, frame("user_message", `"When does the feed pump stop?"`))
	until(t, c, "noon")
	resp, _ := s.Person("nobody").Request(t, http.MethodPost, at+"/mcp", initialize, asMCP...)
	if got, want := resp.Header.Get("WWW-Authenticate"), at+"/.well-known/oauth-protected-resource/mcp"; !strings.Contains(got, want) {
		t.Errorf("MCP names %s, want %s", got, want)
	}
	chat := `{"model":"docent","messages":[{"role":"user","content":"When does the feed pump stop?"}]}`
	if _, body := by.Request(t, http.MethodPost, at+"/v1/chat/completions", chat, asJSON...); !strings.Contains(body, `"url":"`+at+`/api/documents/1/file"`) {
		t.Errorf("a citation leads elsewhere: %s", body)
	}
	if _, body := by.Request(t, http.MethodGet, at+"/.well-known/oauth-protected-resource/mcp", ""); !strings.Contains(body, `"resource":"`+at+`/mcp"`) {
		t.Errorf("the metadata: %s", body)
	}
}
