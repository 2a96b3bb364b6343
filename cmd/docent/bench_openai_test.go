package main

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// BenchmarkOpenAI measures questions below /v1 beside the same question over
// POST /api/ask. It uses SQLite and quotes. The figures added are the shares of the
// protocol in the median.
func BenchmarkOpenAI(b *testing.B) {
	const question, rounds = socketQuestion, 1500
	l := serveBench(b)
	ask := func(path, body string) {
		req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, l.URL+path, strings.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			b.Fatal(err)
		}
		defer resp.Body.Close()
		if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
			b.Fatal(resp.Status, err)
		}
	}
	for b.Loop() {
		var base, chat, responses times
		for range rounds {
			base.add(func() { ask("/api/ask", `{"question":"`+question+`"}`) })
			chat.add(func() {
				ask("/v1/chat/completions", `{"model":"docent","messages":[{"role":"user","content":"`+question+`"}]}`)
			})
			responses.add(func() { ask("/v1/responses", `{"model":"docent","input":"`+question+`"}`) })
		}
		base.report(b, "ask")
		for name, of := range map[string]times{"chat": chat, "responses": responses} {
			of.report(b, name)
			b.ReportMetric(float64(of.median())/float64(base.median())-1, "added_"+name)
		}
	}
	b.ReportMetric(0, "ns/op")
}
