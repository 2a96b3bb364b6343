package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"docent/llm/llmtest"
	loadtest "docent/tools/loadtest/load"
)

// mcpCall is the JSON-RPC message for a call of the tool ask.
const mcpCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{"question":"` + socketQuestion + `"}}}`

// caller sends requests to a server. It keeps the MCP session.
type caller struct {
	url, session string
	client       *http.Client
}

// firstText is the first text of an answer in a stream. The content of the chunk with the
// role is empty.
var firstText = regexp.MustCompile(`"content":"[^"]`)

// post returns the headers of a response, and the time of the first bytes that match
// until; nil matches any. It reads the whole response.
func (c *caller) post(ctx context.Context, path, body string, until *regexp.Regexp) (http.Header, time.Time, error) {
	var at time.Time
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+path, strings.NewReader(body))
	if err != nil {
		return nil, at, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if c.session != "" && path == "/mcp" {
		req.Header.Set("Mcp-Session-Id", c.session)
		req.Header.Set("Mcp-Protocol-Version", "2025-06-18")
	}
	resp, err := c.client.Do(req)
	if err != nil {
		return nil, at, err
	}
	defer resp.Body.Close()
	var all []byte
	piece := make([]byte, 32<<10)
	for err == nil {
		var n int
		n, err = resp.Body.Read(piece)
		if all = append(all, piece[:n]...); at.IsZero() && (until == nil || until.Match(all)) {
			at = time.Now()
		}
	}
	if !errors.Is(err, io.EOF) || resp.StatusCode >= http.StatusMultipleChoices || at.IsZero() {
		return nil, at, fmt.Errorf("%s: %s: %.300s: %w", path, resp.Status, all, err)
	}
	return resp.Header, at, nil
}

// initialize begins an MCP session.
func (c *caller) initialize(b *testing.B) {
	b.Helper()
	h, _, err := c.post(b.Context(), "/mcp",
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`, nil)
	if err != nil {
		b.Fatal(err)
	}
	c.session = h.Get("Mcp-Session-Id")
	if _, _, err := c.post(b.Context(), "/mcp", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkProtocols measures a question below /v1 and over MCP beside the same
// question over POST /api/ask, and a run of AG-UI beside a turn over a WebSocket. It
// uses SQLite and quotes. The figures added are the shares of the protocol in the
// median.
func BenchmarkProtocols(b *testing.B) {
	const question, rounds = socketQuestion, 1500
	l := serveBench(b)
	c := &caller{url: l.URL, client: http.DefaultClient}
	c.initialize(b)
	ask := func(path, body string) func() {
		return func() {
			if _, _, err := c.post(b.Context(), path, body, nil); err != nil {
				b.Fatal(err)
			}
		}
	}
	users, err := l.EnterAll(b.Context(), 1)
	if err != nil {
		b.Fatal(err)
	}
	defer users[0].Leave()
	for b.Loop() {
		var base, turn times
		added := []struct {
			name string
			over *times
			ask  func()
			took times
		}{
			{"chat", &base, ask("/v1/chat/completions", `{"model":"docent","messages":[{"role":"user","content":"`+question+`"}]}`), nil},
			{"responses", &base, ask("/v1/responses", `{"model":"docent","input":"`+question+`"}`), nil},
			{"mcp", &base, ask("/mcp", mcpCall), nil},
			{"agui", &turn, ask("/agui", `{"threadId":"bench-agui","runId":"1","messages":[{"role":"user","content":"`+question+`"}]}`), nil},
		}
		for range rounds {
			base.add(ask("/api/ask", `{"question":"`+question+`"}`))
			turn.add(func() {
				if _, _, err := users[0].Ask(b.Context(), question); err != nil {
					b.Fatal(err)
				}
			})
			for i := range added {
				added[i].took.add(added[i].ask)
			}
		}
		base.report(b, "ask")
		turn.report(b, "turn")
		for _, p := range added {
			p.took.report(b, p.name)
			b.ReportMetric(float64(p.took.median())/float64(p.over.median())-1, "added_"+p.name)
		}
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkStreams measures the time to the first text of an answer for streams of /v1 at
// once, and for as many users of WebSockets at once, alternating. There are 100 of them
// for quotes, and 10 for a model over HTTP that writes three sentences. Its words take
// 20 ms each.
func BenchmarkStreams(b *testing.B) {
	b.Run("quotes", func(b *testing.B) { benchStreams(b, 100, serveBench(b, "DOCENT_SEARCHES=100")) })
	b.Run("model", func(b *testing.B) {
		reply := llmtest.Say(strings.SplitAfter("The address is set by a flag or in the environment, as the documents say [1]. "+
			"Without them, docent listens on the loopback address of the machine, at its usual port [1]. "+
			"Other machines reach the server only if you choose another address for it [2].", " ")...)
		reply.Wait = func(ctx context.Context, _ int) error { return pause(ctx, 20*time.Millisecond) }
		model := llmtest.NewServer(llmtest.Script(reply))
		b.Cleanup(model.Close)
		benchStreams(b, 10, serveBench(b, "DOCENT_SEARCHES=100", "DOCENT_LLM_URL="+model.URL, "DOCENT_MODEL=scripted"))
	})
}

func benchStreams(b *testing.B, streams int, l *loadtest.Test) {
	b.Helper()
	const rounds, questions = 3, 5
	c := &caller{url: l.URL, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: streams}}}
	body := `{"model":"docent","stream":true,"messages":[{"role":"user","content":"` + socketQuestion + `"}]}`
	for b.Loop() {
		var socket, stream times
		for range rounds {
			first, _ := asked(b, l, streams, questions, 0)
			socket = append(socket, first...)
			took := make([]times, streams)
			group, ctx := errgroup.WithContext(b.Context())
			for i := range took {
				group.Go(func() error {
					for range questions + 1 {
						start := time.Now()
						_, at, err := c.post(ctx, "/v1/chat/completions", body, firstText)
						if err != nil {
							return err
						}
						took[i] = append(took[i], at.Sub(start))
					}
					return nil
				})
			}
			if err := group.Wait(); err != nil {
				b.Fatal(err)
			}
			for _, t := range took {
				stream = append(stream, t[1:]...)
			}
		}
		socket.report(b, "socket")
		stream.report(b, "stream")
		b.ReportMetric(float64(stream.median())/float64(socket.median()), "x_stream_socket")
	}
	b.ReportMetric(0, "ns/op")
}
