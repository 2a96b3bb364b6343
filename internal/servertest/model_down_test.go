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

// mortal is a model server that can hang, or be killed and come back at the same address.
type mortal struct {
	behind *httputil.ReverseProxy
	server *http.Server
	ended  chan error
	hangs  atomic.Pointer[http.HandlerFunc] // answers in place of the script; nil while the server works
}

// ServeHTTP answers a request.
func (m *mortal) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if hang := m.hangs.Load(); hang != nil {
		_, _ = io.Copy(io.Discard, r.Body) // the context then ends with the connection
		(*hang)(w, r)
		return
	}
	m.behind.ServeHTTP(w, r)
}

// mortalServer serves a scripted model at an address of its own.
func mortalServer(t *testing.T, model *llmtest.Server) (*mortal, string) {
	t.Helper()
	behind, err := url.Parse(strings.TrimSuffix(model.URL, "/v1"))
	if err != nil {
		t.Fatal(err)
	}
	m := &mortal{behind: httputil.NewSingleHostReverseProxy(behind)}
	m.behind.FlushInterval, m.behind.ErrorLog = -1, log.New(io.Discard, "", 0)
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
	m.server, m.ended = &http.Server{Handler: m, ErrorLog: m.behind.ErrorLog}, make(chan error, 1) //nolint:gosec // docent is its only client
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
	*site

	pages []page
}

const crowdHalf = 10

// gather starts a server whose model is at an address, and opens the pages of a crowd.
func gather(t *testing.T, model *llmtest.Server, at string, settings map[string]string) *crowd {
	t.Helper()
	settings = with(settings, with(map[string]string{"llm.url": "http://" + at + "/v1"}, scripted(model)))
	c := &crowd{site: &site{Server: servertest.Start(t, servertest.Config{Documents: []servertest.Document{pump}, Settings: settings})}}
	for i := range crowdHalf {
		c.pages = append(c.pages, openPage(t, c.URL, fmt.Sprintf("crowd%d", i)))
	}
	return c
}

// everywhere asks over each protocol, and lets check judge the answers.
func (c *crowd) everywhere(t *testing.T, when string, check func(answer string) bool) {
	t.Helper()
	for protocol, answer := range c.askAll(t, who{}, crowdQuestion) {
		if !check(answer) {
			t.Errorf("%s, over %s: %s", when, protocol, answer)
		}
	}
}

const crowdQuestion = "When does the feed pump stop?"

// The answers of a crowd: by the model, and without it.
const crowdWritten = "At noon, the feed pump stops [1]."

func written(answer string) bool {
	return strings.Contains(answer, crowdWritten) && !strings.Contains(answer, "right now")
}

func quoted(answer string) bool {
	return strings.Contains(answer, "does not answer right now") && strings.Contains(answer, "feed pump stops at noon")
}

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
	answers := make(chan string)
	for range crowdHalf {
		go func() {
			answers <- post(t.Context(), c.URL+"/api/ask", `{"question":"`+crowdQuestion+`"}`)
		}()
	}
	for _, p := range c.pages {
		p.say(frame(payload.UserMessage, `"`+crowdQuestion+`"`))
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
		return llmtest.Reply{Text: []string{"At noon, the feed ", "pump stops [1]."}, Wait: func(ctx context.Context, piece int) error {
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
	c := gather(t, model, at, nil)

	// Killed while all wait.
	hold.Store(true)
	pages, answers := c.ask(t, func() {
		eventually(t, "all questions have reached the model", func() bool { return waiting.Load() == 2*crowdHalf })
		front.kill(t)
	})
	for _, p := range pages {
		begun := strings.Contains(p, "broke off") && strings.Contains(p, `"stopped":true`) && strings.Contains(p, "At noon, the feed")
		if !begun && !quoted(p) {
			t.Errorf("killed, a page gets %s", p)
		}
	}
	for _, a := range answers {
		if !quoted(a) {
			t.Errorf("killed, a client gets %s", a)
		}
	}
	c.wantModel(t, "does not answer", 0)

	// Asked while it is away.
	before := asked.Load()
	pages, answers = c.ask(t, func() {})
	for _, a := range append(pages, answers...) {
		if !quoted(a) {
			t.Errorf("while the server is away: %s", a)
		}
	}
	c.everywhere(t, "while the server is away", quoted)
	if n := asked.Load(); n != before {
		t.Errorf("%d requests have reached a dead server", n-before)
	}

	// Written answers return by themselves.
	hold.Store(false)
	front.live(t, at)
	pages, answers = c.ask(t, func() {})
	for _, a := range append(pages, answers...) {
		if !written(a) {
			t.Errorf("after the return: %s", a)
		}
	}
	c.everywhere(t, "after the return", written)
	c.wantModel(t, "ok", 1)
}

// TestModelServerHangs: the model server takes requests, but does not answer, while twenty users ask. They get quotes when
// the limit ends. Others get them at once, over each protocol. Written answers return by themselves.
func TestModelServerHangs(t *testing.T) {
	t.Parallel()
	send := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			w.WriteHeader(http.StatusOK)
			_, _ = io.WriteString(w, text)
			if f, ok := w.(http.Flusher); ok {
				f.Flush()
			}
			<-r.Context().Done()
		}
	}
	for name, hang := range map[string]http.HandlerFunc{
		"no answer":             func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"headers":               send(""),
		"the next byte later":   send("d"), // a server that sends a byte in a minute looks like this until the limit
		"comments":              send(": still here\n\n"),
		"an event without text": send(`data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}` + "\n\n"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := llmtest.NewServer(func(int, llmtest.Request) llmtest.Reply { return llmtest.Say("At noon, the feed ", "pump stops [1].") })
			t.Cleanup(model.Close)
			front, at := mortalServer(t, model)
			c := gather(t, model, at, map[string]string{"llm.first-token": "4s"})
			front.hangs.Store(&hang)
			pages, answers := c.ask(t, func() {})
			for _, a := range append(pages, answers...) {
				if !quoted(a) {
					t.Errorf("while the server hangs: %s", a)
				}
			}
			c.wantModel(t, "does not answer", 0)
			c.everywhere(t, "while the server hangs", quoted)

			front.hangs.Store(nil)
			eventually(t, "the model answers again", func() bool {
				_, ready := (who{}).Request(t, http.MethodGet, c.URL+"/api/ready", "")
				return strings.Contains(ready, `"scripted":"ok"`)
			})
			c.everywhere(t, "after the return", written)
			c.wantModel(t, "ok", 1)
		})
	}
}

// wantModel checks what operators see of the model.
func (c *crowd) wantModel(t *testing.T, state string, up int) {
	t.Helper()
	if _, ready := (who{}).Request(t, http.MethodGet, c.URL+"/api/ready", ""); !strings.Contains(ready, `"scripted":"`+state+`"`) {
		t.Errorf("/api/ready says %s, want %s", ready, state)
	}
	_, metrics := who{}.Request(t, http.MethodGet, c.URL+"/metrics", "")
	if !strings.Contains(metrics, fmt.Sprintf("docent_model_up{model=%q} %d\n", "scripted", up)) {
		t.Errorf("docent_model_up is not %d", up)
	}
}
