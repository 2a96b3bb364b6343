package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// TestNoUI checks that --no-ui turns off the page with its files, and nothing else.
func TestNoUI(t *testing.T) {
	t.Parallel()
	const said = "The page is off"
	env := []string{"DOCENT_DATA=" + dataFolder(t)}
	with, page := serve(t, env)
	if resp, body := (who{}).Request(t, http.MethodGet, page+"/", ""); resp.StatusCode != http.StatusOK || !strings.Contains(body, "<!doctype html>") {
		t.Errorf("by default, the page is %d %.100s", resp.StatusCode, body)
	}
	if strings.Contains(with.log.String(), said) {
		t.Errorf("by default it says %s", with.log)
	}
	for name, start := range map[string]func() (*program, string){
		"flag": func() (*program, string) { return serve(t, []string{"DOCENT_DATA=" + dataFolder(t)}, "--no-ui") },
		"environment": func() (*program, string) {
			return serve(t, []string{"DOCENT_DATA=" + dataFolder(t), "DOCENT_NO_UI=true"})
		},
	} {
		p, at := start()
		if !strings.Contains(p.log.String(), said) {
			t.Errorf("%s: it says %s", name, p.log)
		}
		for _, path := range []string{
			"/", "/index.html", "/placeholder.html", "/c/some-session", "/documents", "/theme.js", "/favicon.svg", "/widget.js", "/manifest.webmanifest",
			"/icon-192.png", "/assets/", "/assets/index.js",
		} {
			resp, body := (who{}).Request(t, http.MethodGet, at+path, "")
			var e struct{ Code, Message string }
			if err := json.Unmarshal([]byte(body), &e); err != nil || resp.StatusCode != http.StatusNotFound || e.Code != "not_found" || e.Message == "" {
				t.Errorf("%s: GET %s: %d %.100s", name, path, resp.StatusCode, body)
			}
		}
		for path, holds := range map[string]string{"/api/info": `"version"`, "/api/ready": "", "/openapi.json": `"openapi"`, "/metrics": "docent_", "/api/documents": `"documents"`} {
			if resp, body := (who{}).Request(t, http.MethodGet, at+path, ""); resp.StatusCode != http.StatusOK || !strings.Contains(body, holds) {
				t.Errorf("%s: GET %s: %d %.100s", name, path, resp.StatusCode, body)
			}
		}
		for _, path := range []string{"/", "/ws", "/agent_websocket"} {
			conn, resp, err := (who{}).TryDial(t, at+path)
			if err != nil {
				t.Errorf("%s: the WebSocket at %s: %v, %v", name, path, err, resp)
				continue
			}
			_ = conn.CloseNow()
		}
	}
}
