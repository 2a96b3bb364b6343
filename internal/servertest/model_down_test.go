package servertest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"docent/internal/servertest"
	"docent/llm/llmtest"
	"docent/payload"
)

// mortal is a model server that can be killed, and come back at the same address.
type mortal struct {
	behind *url.URL
	server *http.Server
	ended  chan error
}

// mortalServer serves a scripted model at an address of its own.
func mortalServer(t *testing.T, model *llmtest.Server) (*mortal, string) {
	t.Helper()
	behind, err := url.Parse(strings.TrimSuffix(model.URL, "/v1"))
	if err != nil {
		t.Fatal(err)
	}
	m := &mortal{behind: behind}
	at := m.live(t, "127.0.0.1:0")
	t.Cleanup(func() { m.kill(t) })
	return m, at
}

// live serves at an address and returns it.
func (m *mortal) live(t *testing.T, at string) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(m.behind)
	proxy.FlushInterval, proxy.ErrorLog = -1, log.New(io.Discard, "", 0)
	m.server, m.ended = &http.Server{Handler: proxy, ErrorLog: proxy.ErrorLog}, make(chan error, 1) //nolint:gosec // docent is its only client
	go func(s *http.Server, ended chan<- error) { ended <- s.Serve(l) }(m.server, m.ended)
	return l.Addr().String()
}

// kill closes all connections at once, as the kernel does for a killed process.
func (m *mortal) kill(t *testing.T) {
	t.Helper()
	if m.server == nil {
		return
	}
	if err := m.server.Close(); err != nil {
		t.Error(err)
	}
	<-m.ended
	m.server = nil
}

// crowd are users who all ask at the same time: half of them on the page, half over HTTP.
type crowd struct {
	*servertest.Server

	pages []page
}

const crowdHalf = 10

// post sends JSON, and returns the body of the answer, or the error. Unlike Person.Request, it may run outside of the
// goroutine of the test.
func post(ctx context.Context, url, body string) string {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return err.Error()
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// ask lets all users ask. meanwhile runs before the answers are read.
func (c *crowd) ask(t *testing.T, meanwhile func()) (pages, clients []string) {
	t.Helper()
	const question = `When does the feed pump stop?`
	answers := make(chan string)
	for range crowdHalf {
		go func() {
			answers <- post(t.Context(), c.URL+"/api/ask", `{"question":"`+question+`"}`)
		}()
	}
	for _, p := range c.pages {
		p.say(frame(payload.UserMessage, `"`+question+`"`))
	}
	meanwhile()
	for _, p := range c.pages {
		var heard strings.Builder
		for {
			f := hear(t, p.c)
			text, err := json.Marshal(f)
			if err != nil {
				t.Fatal(err)
			}
			if heard.Write(text); f["action"] == string(payload.TurnFinishedAction) {
				break
			}
		}
		pages = append(pages, heard.String())
	}
	for range crowdHalf {
		clients = append(clients, <-answers)
	}
	return pages, clients
}

// TestModelServerKilledUnderLoad: the model server dies while twenty users wait for it or read, and comes back. Every
// question gets an answer: a written one, quotes, or the begun one with its error.
func TestModelServerKilledUnderLoad(t *testing.T) {
	t.Parallel()
	var waiting, asked atomic.Int64
	var hold atomic.Bool
	model := llmtest.NewServer(func(n int, _ llmtest.Request) llmtest.Reply {
		asked.Add(1)
		begins := n%2 == 0 // half of the users already read when the server dies
		return llmtest.Reply{Text: []string{"The feed pump stops ", "at noon [1]."}, Wait: func(ctx context.Context, piece int) error {
			if !hold.Load() || begins && piece == 0 {
				return nil
			}
			waiting.Add(1)
			<-ctx.Done()
			return ctx.Err()
		}}
	})
	t.Cleanup(model.Close)
	front, at := mortalServer(t, model)
	settings := with(map[string]string{"llm.url": "http://" + at + "/v1"}, scripted(model))
	c := &crowd{Server: servertest.Start(t, servertest.Config{Documents: []servertest.Document{pump}, Settings: settings})}
	for i := range crowdHalf {
		c.pages = append(c.pages, openPage(t, c.URL, fmt.Sprintf("crowd%d", i)))
	}
	const written, quoted = "The feed pump stops at noon [1].", "does not answer right now"

	// Killed while all wait.
	hold.Store(true)
	pages, answers := c.ask(t, func() {
		eventually(t, "all questions have reached the model", func() bool { return waiting.Load() == 2*crowdHalf })
		front.kill(t)
	})
	for _, p := range pages {
		switch {
		case strings.Contains(p, quoted):
		case strings.Contains(p, "broke off") && strings.Contains(p, `"stopped":true`) && strings.Contains(p, "The feed pump stops"):
		default:
			t.Errorf("killed, a page gets %s", p)
		}
	}
	for _, a := range answers {
		if !strings.Contains(a, quoted) || !strings.Contains(a, "stops at noon") {
			t.Errorf("killed, a client gets %s", a)
		}
	}
	c.wantModel(t, "does not answer", 0)

	// Asked while it is away.
	before := asked.Load()
	pages, answers = c.ask(t, func() {})
	for _, a := range append(pages, answers...) {
		if !strings.Contains(a, quoted) || !strings.Contains(a, "stops at noon") {
			t.Errorf("while the server is away: %s", a)
		}
	}
	if n := asked.Load(); n != before {
		t.Errorf("%d requests have reached a dead server", n-before)
	}

	// Written answers return by themselves.
	hold.Store(false)
	front.live(t, at)
	pages, answers = c.ask(t, func() {})
	for _, a := range append(pages, answers...) {
		if !strings.Contains(a, written) || strings.Contains(a, quoted) {
			t.Errorf("after the return: %s", a)
		}
	}
	c.wantModel(t, "ok", 1)
}

// wantModel checks what operators see of the model.
func (c *crowd) wantModel(t *testing.T, state string, up int) {
	t.Helper()
	if _, ready := (who{}).Request(t, http.MethodGet, c.URL+"/api/ready", ""); !strings.Contains(ready, `"`+state+`"`) {
		t.Errorf("/api/ready says %s, want %s", ready, state)
	}
	_, metrics := who{}.Request(t, http.MethodGet, c.URL+"/metrics", "")
	if !strings.Contains(metrics, fmt.Sprintf("docent_model_up{model=%q} %d\n", "scripted", up)) {
		t.Errorf("docent_model_up is not %d", up)
	}
}
