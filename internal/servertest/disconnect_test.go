package servertest_test

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"docent/internal/servertest"
	"docent/llm/llmtest"
)

// TestDisconnect leaves each HTTP protocol while the model answers. The server neither
// panics nor counts an error of its own.
func TestDisconnect(t *testing.T) {
	t.Parallel()
	asked, free := make(chan struct{}), make(chan struct{})
	model := llmtest.NewServer(func(int, llmtest.Request) llmtest.Reply {
		return llmtest.Reply{Text: []string{"At ", "noon [1]."}, Wait: func(ctx context.Context, piece int) error {
			if piece == 0 {
				return nil
			}
			asked <- struct{}{}
			select {
			case <-ctx.Done():
			case <-free:
			}
			return ctx.Err()
		}}
	})
	t.Cleanup(model.Close)
	server := servertest.Start(t, servertest.Config{Documents: []servertest.Document{pump}, Settings: scripted(model)})
	at := server.URL
	visitor := who{}
	begun, _ := visitor.Request(t, http.MethodPost, at+"/mcp", initialize, asMCP...)
	const question = "When does the feed pump stop?"
	const chat = `{"model":"docent","messages":[{"role":"user","content":"` + question + `"}]`
	for _, r := range []struct{ path, body string }{
		{"/api/ask", `{"question":"` + question + `"}`},
		{"/v1/chat/completions", chat + `}`},
		{"/v1/chat/completions", chat + `,"stream":true}`},
		{"/v1/responses", `{"model":"docent","input":"` + question + `"}`},
		{"/v1/responses", `{"model":"docent","stream":true,"input":"` + question + `"}`},
		{"/mcp", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask","arguments":{"question":"` + question + `"}}}`},
		{"/agui", `{"threadId":"left","runId":"1","messages":[{"role":"user","content":"` + question + `"}]}`},
	} {
		ctx, leave := context.WithCancel(t.Context())
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, at+r.path, strings.NewReader(r.body))
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(asMCP); i += 2 {
			req.Header.Set(asMCP[i], asMCP[i+1])
		}
		req.Header.Set("Mcp-Session-Id", begun.Header.Get("Mcp-Session-Id"))
		left := make(chan struct{})
		go func() {
			defer close(left)
			if resp, err := http.DefaultClient.Do(req); err == nil {
				for err == nil { // reads until the client leaves
					_, err = resp.Body.Read(make([]byte, 1024))
				}
				_ = resp.Body.Close()
			}
		}()
		<-asked
		leave()
		<-left
	}
	close(free) // a run of AG-UI goes on
	var metrics string
	eventually(t, "all requests are counted", func() bool {
		_, metrics = visitor.Request(t, http.MethodGet, at+"/metrics", "")
		n := 0
		for _, line := range regexp.MustCompile(`docent_http_requests_total\{route="/(?:api/ask|v1/[a-z/]+|mcp|agui)",[^}]*\} (\d)`).FindAllStringSubmatch(metrics, -1) {
			n += int(line[1][0] - '0')
		}
		return n == 8 // MCP also begins a session
	})
	if strings.Contains(metrics, `status="5xx"`) || strings.Contains(server.Log(), "panic") {
		t.Errorf("the metrics are\n%s\nthe log is\n%s", metrics, server.Log())
	}
}
