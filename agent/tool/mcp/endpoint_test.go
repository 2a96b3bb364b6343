//go:build unix

package mcp

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"docent/internal/fault"
)

// site is a streamable HTTP server that can be changed while it runs.
type site struct {
	*httptest.Server
	handler atomic.Pointer[http.Handler]
}

func (s *site) set(h http.Handler) { s.handler.Store(&h) }

func newSite(t *testing.T, h http.Handler) *site {
	t.Helper()
	s := &site{}
	s.set(h)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*s.handler.Load()).ServeHTTP(w, r) }))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

func (s *site) config() Config {
	return Config{Name: "test", URL: s.URL, Timeout: ample, retry: quick}
}

// streamable is the SDK's server over HTTP. The sessions end with the test.
func streamable(t *testing.T, server *sdk.Server) http.Handler {
	t.Helper()
	t.Cleanup(func() {
		for session := range server.Sessions() {
			session.Close()
		}
	})
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
}

// old refuses the newest protocol version, so that the server uses sessions.
func old(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		if bytes.Contains(data, []byte(`"server/discover"`)) {
			http.Error(w, "what?", http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(data))
		next.ServeHTTP(w, r)
	})
}

func TestEndpoint(t *testing.T) {
	t.Parallel()
	t.Run("newest", func(t *testing.T) {
		t.Parallel()
		testTools(t, connect(t, newSite(t, streamable(t, newServer(nil))).config()))
	})
	t.Run("with sessions", func(t *testing.T) {
		t.Parallel()
		s := connect(t, newSite(t, old(streamable(t, newServer(nil)))).config())
		if s.link.session.ID() == "" {
			t.Error("there is no session")
		}
		testTools(t, s)
	})
}

// TestLargeResponse checks that a response above the limit is an error and does
// not affect the next call.
func TestLargeResponse(t *testing.T) {
	t.Parallel()
	for name, asJSON := range map[string]bool{"events": false, "JSON": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newServer(nil)
			h := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{JSONResponse: asJSON})
			s := connect(t, newSite(t, h).config())
			if got := invoke(t.Context(), t, s, "test_monstrous", ""); !got.IsError {
				t.Errorf("got %d bytes", len(got.Content))
			}
			expect(t, s, "test_echo", "after", "you said\nafter")
		})
	}
}

func TestEndpointCancel(t *testing.T) {
	t.Parallel()
	for name, wrap := range map[string]func(http.Handler) http.Handler{
		"newest": func(h http.Handler) http.Handler { return h }, "with sessions": old,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said := make(chan string, 2)
			s := connect(t, newSite(t, wrap(streamable(t, newServer(said)))).config())
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() {
				if <-said == "started" {
					cancel()
				}
			}()
			if got := invoke(ctx, t, s, "test_slow", ""); got.Content != "ERROR: ToolError: Tool 'test_slow' was stopped" {
				t.Errorf("got %q", got.Content)
			}
			if word := <-said; word != "cancelled" {
				t.Error(word)
			}
		})
	}
}

// TestSessionLost restarts a server, which then does not know the session. A new
// session is opened and the call is repeated, because the server did not start
// it.
func TestSessionLost(t *testing.T) {
	t.Parallel()
	web := newSite(t, old(streamable(t, newServer(nil))))
	s := connect(t, web.config())
	expect(t, s, "test_echo", "before", "you said\nbefore")
	for range 3 {
		web.set(old(streamable(t, newServer(nil))))
		expect(t, s, "test_echo", "after", "you said\nafter")
	}
}

// TestEndpointDown checks that calls fail at once while the server is down, and
// work again when it is back.
func TestEndpointDown(t *testing.T) {
	t.Parallel()
	for name, wrap := range map[string]func(http.Handler) http.Handler{
		"newest": func(h http.Handler) http.Handler { return h }, "with sessions": old,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			web := newSite(t, wrap(streamable(t, newServer(nil))))
			s := connect(t, web.config())
			expect(t, s, "test_echo", "before", "you said\nbefore")
			web.set(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusBadGateway)
			}))
			if got := invoke(t.Context(), t, s, "test_echo", ""); !strings.HasPrefix(got.Content, `ERROR: the MCP server "test" did not answer the call`) {
				t.Errorf("got %q", got.Content)
			}
			web.set(wrap(streamable(t, newServer(nil))))
			expect(t, s, "test_echo", "after", "you said\nafter")
		})
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	var without atomic.Int64
	h := old(streamable(t, newServer(nil)))
	web := newSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret" {
			without.Add(1)
		}
		h.ServeHTTP(w, r)
	}))
	cfg := web.config()
	cfg.Headers = map[string]string{"Authorization": "Bearer secret"}
	s := connect(t, cfg)
	expect(t, s, "test_echo", "", "you said")
	s.Close()
	if n := without.Load(); n > 0 {
		t.Errorf("%d requests without the header", n)
	}
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	target := streamable(t, newServer(nil))
	var unexpected atomic.Int64
	other := newSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		unexpected.Add(1)
		target.ServeHTTP(w, r)
	}))
	web := newSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/mcp", http.StatusTemporaryRedirect)
		case "/mcp":
			target.ServeHTTP(w, r)
		default:
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		}
	}))
	var log buffer
	cfg := web.config()
	cfg.Logger = slog.New(slog.NewTextHandler(&log, nil))
	cfg.URL += "/elsewhere?key=secret"
	_, err := Connect(t.Context(), cfg)
	if fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "redirected to another host") {
		t.Errorf("got %v", err)
	}
	if text := log.String() + err.Error(); strings.Contains(text, "secret") {
		t.Errorf("the log or the error contains the key: %s", text)
	}
	if n := unexpected.Load(); n > 0 {
		t.Errorf("%d requests went to another host", n)
	}
	cfg.URL = web.URL + "/moved"
	expect(t, connect(t, cfg), "test_echo", "", "you said")
}

// TestBadEndpoints checks that connecting ends, whatever the server does.
func TestBadEndpoints(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	hang := func(r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-release:
		}
	}
	for name, h := range map[string]http.HandlerFunc{
		"silent":    func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body); hang(r) },
		"not found": http.NotFound,
		"page":      func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>Welcome</html>") },
		"broken JSON": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"jsonrpc":`)
		},
		"endless": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for r.Context().Err() == nil {
				if _, err := w.Write(bytes.Repeat([]byte(" "), 1<<16)); err != nil {
					return
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := newSite(t, h).config()
			cfg.Timeout = time.Second
			ctx, cancel := context.WithTimeout(t.Context(), soon)
			defer cancel()
			_, err := Connect(ctx, cfg)
			if fault.KindOf(err) != fault.Unavailable {
				t.Errorf("got %v", err)
			}
			if ctx.Err() != nil {
				t.Error("Connect does not keep its timeout")
			}
		})
	}
}

// TestSilentStream checks that docent can use a server that never opens its
// stream of notifications.
func TestSilentStream(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	good := old(streamable(t, newServer(nil)))
	cfg := newSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			good.ServeHTTP(w, r)
			return
		}
		select {
		case <-r.Context().Done():
		case <-release:
		}
	})).config()
	s := connect(t, cfg)
	expect(t, s, "test_echo", "hello", "you said\nhello")
}
