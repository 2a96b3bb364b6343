package main

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	spans "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"docent/internal/wstest"
	"docent/llm/llmtest"
)

// spanCollector keeps the bodies that it receives over OTLP.
type spanCollector struct {
	*httptest.Server
	mu     sync.Mutex
	bodies [][]byte
}

func collectSpans(t *testing.T) *spanCollector {
	t.Helper()
	c := &spanCollector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.URL.Path != "/v1/traces" {
			t.Errorf("%s: %v", r.URL.Path, err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.bodies = append(c.bodies, body)
	}))
	t.Cleanup(c.Close)
	return c
}

// all returns the spans, and the names of their services.
func (c *spanCollector) all(t *testing.T) (out []*spans.Span, services string) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, body := range c.bodies {
		var in collector.ExportTraceServiceRequest
		if err := proto.Unmarshal(body, &in); err != nil {
			t.Fatal(err)
		}
		for _, r := range in.GetResourceSpans() {
			services += r.GetResource().String()
			for _, s := range r.GetScopeSpans() {
				out = append(out, s.GetSpans()...)
			}
		}
	}
	return out, services
}

// The traces of the clients in TestTraces.
const (
	socketTrace = "0af7651916cd43dd8448eb211c80319c"
	askTrace    = "4bf92f3577b34da6a3ce929d0e0e4736"
)

// TestTraces: the spans of a message and of a request belong to the traces of their
// clients, reach the model, and contain no words.
func TestTraces(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, env []string) {
		m := searching(t)
		c := collectSpans(t)
		env = append(m.thinking(t, env), "OTEL_EXPORTER_OTLP_ENDPOINT="+c.URL, "OTEL_SERVICE_NAME=pumps")
		p, at := serve(t, env, "--agent", yamlAgent(t, thinker))
		socket, _, err := wstest.Dial(t.Context(), "ws"+strings.TrimPrefix(at, "http")+"/?session_id=S",
			&wstest.DialOptions{HTTPHeader: http.Header{"Traceparent": {"00-" + socketTrace + "-b7ad6b7169203331-01"}}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = socket.CloseNow() })
		say(t, socket, wstest.MessageText, `{"action":"user_message","message":"How much does the pump move?"}`)
		until(t, socket, "reasoning_finished")
		_ = socket.CloseNow()
		ask(t, at)
		if err := p.cmd.Process.Signal(os.Interrupt); err != nil || p.wait() != 0 {
			t.Fatalf("stop: %v\n%s", err, p.log)
		}
		all, services := c.all(t)
		if !strings.Contains(services, "pumps") {
			t.Errorf("the service is %s", services)
		}
		checkTrace(t, all, socketTrace, "invoke_agent thinker", "chat scripted", "execute_tool search_knowledge", "retrieve",
			"retrieve embed", "retrieve candidates", "retrieve features", "store open_session", "store receive", "store commit_turn")
		checkTrace(t, all, askTrace, "POST /api/ask", "retrieve", "chat scripted")
		for _, body := range c.bodies {
			for _, word := range []string{"pump move", "40 litres", "find it"} {
				if bytes.Contains(body, []byte(word)) {
					t.Errorf("the spans contain %q", word)
				}
			}
		}
		checkPassedOn(t, m.Requests(), all)
	})
}

// TestForeignTraces: the header of a request without a token does not count.
func TestForeignTraces(t *testing.T) {
	t.Parallel()
	c := collectSpans(t)
	s := guarded(t, []string{"DOCENT_DATA=" + dataFolder(t), "OTEL_EXPORTER_OTLP_ENDPOINT=" + c.URL})
	header := "00-" + askTrace + "-00f067aa0ba902b7-01"
	for name, want := range map[string]int{"nobody": http.StatusUnauthorized, "token owner": http.StatusOK} {
		resp, body := s.as(t, name).Request(t, http.MethodGet, s.at+"/api/documents", "", "Traceparent", header)
		if resp.StatusCode != want {
			t.Errorf("%s: %d %s", name, resp.StatusCode, body)
		}
	}
	if err := s.server.cmd.Process.Signal(os.Interrupt); err != nil || s.server.wait() != 0 {
		t.Fatalf("stop: %v\n%s", err, s.server.log)
	}
	all, _ := c.all(t)
	var got []string
	for _, span := range all {
		if hex.EncodeToString(span.GetTraceId()) == askTrace {
			got = append(got, fmt.Sprint(span.GetName(), span.GetAttributes()))
		}
	}
	if len(got) != 1 || !strings.HasPrefix(got[0], "GET /api/documents") || !strings.Contains(got[0], "int_value:200") {
		t.Errorf("the spans of the trace are %q", got)
	}
}

// searching is a model that answers, after a search if it has tools. It reports its
// tokens.
func searching(t *testing.T) *model {
	t.Helper()
	m := &model{Server: llmtest.NewServer(func(_ int, r llmtest.Request) llmtest.Reply {
		reply := llmtest.Say("The pump moves 40 litres per minute [1].")
		if len(r.Tools) > 0 && r.Messages[len(r.Messages)-1].Role != "tool" {
			reply = calling("search_knowledge", `{"query":"how much does the feed pump move?"}`)
		}
		reply.Usage = &llmtest.Usage{Prompt: 7, Completion: 3}
		return reply
	})}
	t.Cleanup(m.Close)
	return m
}

// ask asks a question over HTTP, within askTrace.
func ask(t *testing.T, at string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at+"/api/ask",
		strings.NewReader(`{"question":"How much does the feed pump move?"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Traceparent", "00-"+askTrace+"-00f067aa0ba902b7-01")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if _, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("POST /api/ask: %s, %v", resp.Status, err)
	}
}

// checkTrace checks that a trace has spans with these names, and that all their
// parents are in it or are the client's.
func checkTrace(t *testing.T, all []*spans.Span, trace string, names ...string) {
	t.Helper()
	got, ids := map[string]bool{}, map[string]bool{"b7ad6b7169203331": true, "00f067aa0ba902b7": true}
	for _, s := range all {
		if hex.EncodeToString(s.GetTraceId()) == trace {
			got[s.GetName()], ids[hex.EncodeToString(s.GetSpanId())] = true, true
		}
	}
	for _, name := range names {
		if !got[name] {
			t.Errorf("trace %s has no span %q, only %v", trace, name, got)
		}
	}
	for _, s := range all {
		if hex.EncodeToString(s.GetTraceId()) == trace && !ids[hex.EncodeToString(s.GetParentSpanId())] {
			t.Errorf("the parent of %q is not in the trace", s.GetName())
		}
	}
}

// checkPassedOn checks that each call of the model has the header of a span.
func checkPassedOn(t *testing.T, calls []llmtest.Request, all []*spans.Span) {
	t.Helper()
	known := map[string]bool{}
	for _, s := range all {
		if s.GetName() == "chat scripted" {
			if a := fmt.Sprint(s.GetAttributes()); !strings.Contains(a, "gen_ai.usage.input_tokens") || !strings.Contains(a, "int_value:7") {
				t.Errorf("the span of a call has no tokens: %s", a)
			}
			known["00-"+hex.EncodeToString(s.GetTraceId())+"-"+hex.EncodeToString(s.GetSpanId())+"-01"] = true
		}
	}
	if len(calls) < 3 {
		t.Errorf("the model was called %d times", len(calls))
	}
	for _, call := range calls {
		if h := call.Header.Get("Traceparent"); !known[h] {
			t.Errorf("the model got %q, which is no span", h)
		}
	}
}
