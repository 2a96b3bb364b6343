package api

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"docent/api/edge"
	"docent/auth"
	"docent/internal/fault"
)

// patience bounds waiting that ends at once unless the machine is busy.
const patience = 60 * time.Second

// hang opens a connection to a server. Reads fail if the server does not close
// it within patience.
func hang(t *testing.T, c *client) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(c.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	tcp, _ := conn.(*net.TCPConn)
	return tcp
}

// front serves a handler behind a Front with a short stall timeout.
func front(t *testing.T, next http.Handler) (c *client, open *atomic.Int64) {
	t.Helper()
	const stall = 500 * time.Millisecond
	open = &atomic.Int64{}
	if next == nil {
		w := newWorld()
		var err error
		next, err = New(Config{
			RAG: w, Retriever: w, Library: w, Documents: w, Collections: managed{w}, Uploads: w, Directory: w, Memories: w, Prompts: w, Choices: w, Traces: w, Versions: w, Shares: w, Messages: w, Conversations: w, Embedder: w, Agents: []string{"docent"},
			StallTimeout: stall, bodyTimeout: stall,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return serve(t, edge.Front(edge.Config{Known: as, StallTimeout: stall})(next), nil, func(conn net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			open.Add(1)
			if tcp, ok := conn.(*net.TCPConn); ok {
				_ = tcp.SetWriteBuffer(1 << 10) // so that little data fills it
			}
		case http.StateClosed, http.StateHijacked:
			open.Add(-1)
		}
	}), open
}

// A body that never arrives does not keep a connection open, whichever handler
// responds.
func TestBodiesThatNeverCome(t *testing.T) {
	t.Parallel()
	c, open := front(t, nil)
	page, _ := front(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, strings.Repeat("page", 1<<16)) // more than net/http buffers
	}))
	silent, _ := front(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	aborted, _ := front(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	hung := map[string]net.Conn{}
	for name, at := range map[string]*client{"api": c, "page": page, "silent": silent, "aborted": aborted} {
		for _, request := range []string{
			"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n",
			"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n",
			"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n",
			"POST / HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 9\r\n\r\n",
			"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 9\r\n\r\n",
			"POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\n",
		} {
			conn := hang(t, at)
			if _, err := io.WriteString(conn, request); err != nil {
				t.Fatal(err)
			}
			hung[name+": "+request] = conn
		}
	}
	for what, conn := range hung {
		if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("the connection stays open: %q", what)
		}
	}
	wantNone(t, open)
}

// Responses that no client reads do not keep connections open.
func TestAnswersThatNobodyReads(t *testing.T) {
	t.Parallel()
	c, open := front(t, nil)
	for _, path := range []string{"/openapi.json", "/api/health"} {
		conn := hang(t, c)
		if err := conn.SetReadBuffer(1 << 10); err != nil {
			t.Fatal(err)
		}
		requests := strings.Repeat("GET "+path+" HTTP/1.1\r\nHost: localhost\r\n\r\n", 1000)
		for { // until the server closes the connection
			if _, err := io.WriteString(conn, requests); errors.Is(err, os.ErrDeadlineExceeded) {
				t.Fatalf("%s: the connection stays open", path)
			} else if err != nil {
				break
			}
		}
	}
	wantNone(t, open)
}

// A download that the client does not read is logged as the client's problem.
func TestDownloadThatNobodyReads(t *testing.T) {
	t.Parallel()
	w, log := newWorld(), &safeBuffer{}
	w.original[1] = strings.Repeat("quagga", 4<<20)
	next, err := New(Config{
		RAG: w, Retriever: w, Library: w, Documents: w, Collections: managed{w}, Uploads: w, Directory: w, Memories: w, Prompts: w, Choices: w, Traces: w, Versions: w, Shares: w, Messages: w, Conversations: w, Embedder: w, Agents: []string{"docent"},
		Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		t.Fatal(err)
	}
	c := serve(t, edge.Front(edge.Config{Known: as, StallTimeout: 100 * time.Millisecond})(next), log, nil)
	if _, err := io.WriteString(hang(t, c), "GET /api/documents/1/file HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(patience); !strings.Contains(log.String(), "msg=http"); <-time.After(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the download goes on")
		}
	}
	if got := log.String(); strings.Contains(got, "level=ERROR") || strings.Contains(got, "level=WARN") || !strings.Contains(got, "reason=canceled") {
		t.Errorf("the log says %s", got)
	}
}

// Clients that do not read their downloads take no slot that others need.
func TestSlowReaders(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.original[1] = strings.Repeat("quagga", 4<<20)
	c := w.serve(t)
	for range 2 * DefaultReads {
		conn := hang(t, c)
		if _, err := io.WriteString(conn, "GET /api/documents/1/file HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(conn, make([]byte, 1)); err != nil { // the download has begun
			t.Fatal(err)
		}
	}
	for _, path := range []string{"/api/documents/1/text", "/api/documents/1/file", "/api/sessions/s1/export"} {
		if resp, body := c.do("GET", path, ""); resp.StatusCode != 200 {
			t.Errorf("%s beside slow readers: %d %.200s", path, resp.StatusCode, body)
		}
	}
}

func wantNone(t *testing.T, open *atomic.Int64) {
	t.Helper()
	ticks, end := time.NewTicker(10*time.Millisecond), time.After(patience)
	defer ticks.Stop()
	for open.Load() > 0 {
		select {
		case <-ticks.C:
		case <-end:
			t.Fatalf("%d connections are open", open.Load())
		}
	}
}

// Slow progress is not a stall, neither for a response in pieces nor for a slow
// response to a request with a body.
func TestFrontWaitsForWhatMoves(t *testing.T) {
	t.Parallel()
	const pause = 750 * time.Millisecond // longer than the stall timeout
	c, _ := front(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || string(body) != "question" {
			t.Errorf("the body is %q, %v", body, err)
		}
		for i := range 3 {
			select {
			case <-time.After(pause):
			case <-r.Context().Done():
				t.Error("the context ends while the handler works")
			}
			_, _ = fmt.Fprint(w, i)
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Error(err)
			}
		}
	}))
	for range 2 { // the second on the same connection
		if _, body := c.do("POST", "/", "question"); body != "012" {
			t.Errorf("the answer is %q", body)
		}
	}
}

// A hijacked connection has no deadline.
func TestFrontLetsGo(t *testing.T) {
	t.Parallel()
	c, _ := front(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		go func() {
			defer conn.Close()
			_, _ = io.Copy(conn, conn)
		}()
	}))
	conn := hang(t, c)
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	<-time.After(1500 * time.Millisecond) // three times the stall timeout
	if _, err := io.WriteString(conn, "still there\n"); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(conn).ReadString('\n'); line != "still there\n" {
		t.Errorf("it says %q, %v", line, err)
	}
}

// Front logs and counts the requests that Guard or authentication refuses, and
// refused WebSockets. The log has the address and the reason. It names the
// principal of each request.
func TestRefusalsAreLogged(t *testing.T) {
	t.Parallel()
	set := metrics.NewSet()
	w := newWorld()
	c := w.serve(t, func(cfg *Config) { cfg.Metrics, cfg.Logins = set, nobodyLogins{} })
	wants := func(what string, parts ...string) {
		t.Helper()
		for line := range strings.Lines(c.log.String()) {
			missing := false
			for _, part := range append(parts, "remote=127.0.0.1") {
				missing = missing || !strings.Contains(line, part)
			}
			if !missing {
				return
			}
		}
		t.Errorf("%s: there is no line with %q in\n%s", what, parts, c.log)
	}
	c.do("GET", "/api/sessions", "", "Host", "evil.example")
	wants("host", "level=INFO msg=refused", "reason=host", "status=403")
	c.do("DELETE", "/api/sessions", "", "Origin", "https://evil.example", "As", "user:ada ask")
	wants("origin", "msg=refused", "reason=origin")
	c.do("GET", "/api/sessions", "", "As", "!")
	wants("wrong token", "msg=refused", "status=401", "reason=Unauthorized")
	c.do("GET", "/api/sessions", "", "As", "-")
	wants("nobody", "msg=http", "status=401", "reason=unauthorized")
	c.do("GET", "/metrics", "", "As", "user:ada ask")
	wants("scope", "msg=http", "principal=user:ada", "status=403", "reason=forbidden")
	c.do("POST", "/api/login", `{"username":"quaggaguess","password":"quaggaguess"}`, "Content-Type", "application/json")
	wants("login", "msg=http", "status=401", "reason=unauthorized", "/api/login")
	if strings.Contains(c.log.String(), "quaggaguess") {
		t.Error("the log has what was tried")
	}
	var text strings.Builder
	set.WritePrometheus(&text)
	for _, want := range []string{`{route="none",method="GET",status="4xx"} 2`, `{route="none",method="DELETE",status="4xx"} 1`} {
		if !strings.Contains(text.String(), "docent_http_requests_total"+want) {
			t.Errorf("%s is not counted:\n%s", want, text.String())
		}
	}
	full := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	log := &safeBuffer{}
	socket := serve(t, edge.Front(edge.Config{
		Known: as, Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, Logger: slog.New(slog.NewTextHandler(log, nil)),
	})(full), log, nil)
	socket.do("GET", "/", "", "Upgrade", "websocket", "Connection", "Upgrade", "As", "user:ada ask", "X-Forwarded-For", "192.0.2.7")
	socket.do("GET", "/", "", "As", "user:ada ask")
	if got := log.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "principal=user:ada") || !strings.Contains(got, "websocket=true") || !strings.Contains(got, "remote=192.0.2.7") {
		t.Errorf("of a refused socket the log says %s", got)
	}
}

// nobodyLogins refuses everyone.
type nobodyLogins struct{ Logins }

// Password is always wrong.
func (nobodyLogins) Password(context.Context, string, string, string) (string, auth.Principal, error) {
	return "", auth.Principal{}, fault.New(fault.Unauthorized, "test_sentence", "user name or password is wrong")
}
