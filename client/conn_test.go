package client_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"docent/client"
	"docent/internal/fault"
	"docent/internal/wstest"
	"docent/payload"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience bounds every wait in these tests.
const patience = 60 * time.Second

// other is a server with an independent library. It hands over each connection
// with its handshake.
type other struct {
	url      string
	requests chan *http.Request
	conns    chan *wstest.Conn
	roots    *x509.CertPool
}

func serve(t *testing.T, secure bool) *other {
	t.Helper()
	o := &other{requests: make(chan *http.Request, 10), conns: make(chan *wstest.Conn, 10)}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := wstest.Accept(w, r) // refuses foreign origins
		if err != nil {
			return
		}
		conn.SetReadLimit(-1)
		o.requests <- r
		o.conns <- conn
	})
	var h *httptest.Server
	if secure {
		h = httptest.NewTLSServer(handler)
		o.roots = x509.NewCertPool()
		o.roots.AddCert(h.Certificate())
	} else {
		h = httptest.NewServer(handler)
	}
	o.url = "ws" + strings.TrimPrefix(h.URL, "http")
	t.Cleanup(h.Close)
	return o
}

// accepted returns the next connection.
func (o *other) accepted(t *testing.T) (*wstest.Conn, *http.Request) {
	t.Helper()
	select {
	case conn := <-o.conns:
		t.Cleanup(func() { _ = conn.CloseNow() })
		return conn, <-o.requests
	case <-time.After(patience):
		t.Fatal("nobody connected")
		return nil, nil
	}
}

func dial(t *testing.T, cfg client.Config) *client.Conn {
	t.Helper()
	conn, err := client.Dial(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// heard has the results of a loop over the frames of a connection.
type heard struct {
	frames chan payload.Frame
	err    chan error // of the loop's end; nil if Close ended it
}

func listen(c *client.Conn) heard {
	h := heard{frames: make(chan payload.Frame, 100), err: make(chan error, 1)}
	go func() {
		var last error
		for f, err := range c.Frames() {
			if last = err; err == nil {
				h.frames <- f
			}
		}
		h.err <- last
	}()
	return h
}

func (h heard) next(t *testing.T) payload.Frame {
	t.Helper()
	select {
	case f := <-h.frames:
		return f
	case err := <-h.err:
		t.Fatalf("the connection ended: %v", err)
	case <-time.After(patience):
		t.Fatal("no frame came")
	}
	return payload.Frame{}
}

func (h heard) end(t *testing.T) error {
	t.Helper()
	select {
	case err := <-h.err:
		return err
	case <-time.After(patience):
		t.Fatal("the loop went on")
		return nil
	}
}

func say(t *testing.T, conn *wstest.Conn, frame string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := conn.Write(ctx, wstest.MessageText, []byte(frame)); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, conn *wstest.Conn) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	_, data, err := conn.Read(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// The handshake is that of a BAF agent, with the id of the session.
func TestHandshake(t *testing.T) {
	t.Parallel()
	o := serve(t, false)
	host := strings.TrimPrefix(o.url, "ws://")
	for name, tc := range map[string]struct {
		cfg                    client.Config
		query, origin, authors string
	}{
		"plain":             {client.Config{URL: o.url}, "", "http://" + host, ""},
		"session":           {client.Config{URL: o.url + "/agent", SessionID: "a b"}, "session_id=a+b", "http://" + host, ""},
		"query kept":        {client.Config{URL: o.url + "/?token=x%2By&a", SessionID: "s"}, "token=x%2By&a&session_id=s", "http://" + host, ""},
		"session in URL":    {client.Config{URL: o.url + "/?session_id=mine", SessionID: "s"}, "session_id=mine", "http://" + host, ""},
		"user":              {client.Config{URL: "ws://ada:secret@" + host + "/#part"}, "", "http://" + host, "Basic YWRhOnNlY3JldA=="},
		"header and origin": {client.Config{URL: o.url, Origin: "http://" + host, Header: http.Header{"Authorization": {"Bearer t"}}}, "", "http://" + host, "Bearer t"},
	} {
		t.Run(name, func(t *testing.T) {
			c := dial(t, tc.cfg)
			_, r := o.accepted(t)
			if r.URL.RawQuery != tc.query || r.Header.Get("Origin") != tc.origin || r.Header.Get("Authorization") != tc.authors {
				t.Errorf("query %q, origin %q, authorization %q", r.URL.RawQuery, r.Header.Get("Origin"), r.Header.Get("Authorization"))
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	o := serve(t, true)
	if _, err := client.Dial(t.Context(), client.Config{URL: o.url}); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("a server of an unknown authority: %v", err)
	}
	c := dial(t, client.Config{URL: o.url, TLS: &tls.Config{RootCAs: o.roots}})
	conn, r := o.accepted(t)
	if got := r.Header.Get("Origin"); got != "https"+strings.TrimPrefix(o.url, "wss") {
		t.Errorf("origin %q", got)
	}
	h := listen(c)
	say(t, conn, `{"action":"agent_reply_str","message":"hi"}`)
	h.next(t)
}

// Frames come in order with the keys of agents. Unreadable and too long frames
// are skipped. BAF's own frames and binary frames are understood.
func TestFrames(t *testing.T) {
	t.Parallel()
	o := serve(t, false)
	c := dial(t, client.Config{URL: o.url, ReadLimit: 1000})
	conn, _ := o.accepted(t)
	h := listen(c)
	for _, frame := range []string{
		`{"action": "agent_reply_str", "message": "B gr\u00fc\u00dft", "history": false, "timestamp": "2026-11-21 07:30:15"}`,
		`not JSON`, `[]`, `{"message":"no action"}`, ``,
		`{"action":"agent_reply_str","message":"` + strings.Repeat("x", 1000) + `"}`,
		`{"action":"agent_reply_str","message":{"request":"do"},"correlation":"c1","hops":3}`,
	} {
		say(t, conn, frame)
	}
	if err := conn.Write(t.Context(), wstest.MessageBinary, []byte(`{"action":"new_one"}`)); err != nil {
		t.Fatal(err)
	}
	if f := h.next(t); f.Action != payload.ReplyStr || string(f.Message) != `"B gr\u00fc\u00dft"` {
		t.Errorf("got %s %s", f.Action, f.Message)
	}
	if f := h.next(t); f.Correlation != "c1" || f.Hops != 3 || string(f.Message) != `{"request":"do"}` {
		t.Errorf("got %+v", f)
	}
	if f := h.next(t); f.Action != "new_one" {
		t.Errorf("got %+v", f)
	}
}

// Sent frames have BAF's four keys, and the keys of agents if they are set.
func TestSend(t *testing.T) {
	t.Parallel()
	o := serve(t, false)
	c := dial(t, client.Config{URL: o.url})
	conn, _ := o.accepted(t)
	for want, f := range map[string]payload.Frame{
		`{"action":"agent_reply_str","message":"hello","history":false,"timestamp":null}`: {Action: payload.ReplyStr, Message: json.RawMessage(`"hello"`)},
		`{"action":"agent_reply_str","message":{"a":1},"history":false,"timestamp":null,"correlation":"c1","hops":2}`: {
			Action: payload.ReplyStr, Message: json.RawMessage(`{"a":1}`), Correlation: "c1", Hops: 2,
		},
	} {
		if err := c.Send(t.Context(), f); err != nil {
			t.Fatal(err)
		}
		if got := read(t, conn); got != want {
			t.Errorf("sent %s, want %s", got, want)
		}
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Send(canceled, payload.Frame{Action: payload.ReplyStr}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	if err := c.Send(t.Context(), payload.Frame{Action: payload.ReplyStr}); err != nil {
		t.Errorf("a canceled Send broke the connection: %v", err)
	}
}

// A server that does not read blocks a writer for at most WriteTimeout or the
// writer's own timeout. Then the connection is lost.
func TestWriteTimeout(t *testing.T) {
	t.Parallel()
	large := payload.Frame{Action: payload.ReplyStr, Message: json.RawMessage(`"` + strings.Repeat("x", 32<<20) + `"`)}
	for name, long := range map[string]bool{"WriteTimeout": false, "context": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := serve(t, false)
			cfg := client.Config{URL: o.url, WriteTimeout: 50 * time.Millisecond}
			if long {
				cfg.WriteTimeout = time.Hour
			}
			c := dial(t, cfg)
			o.accepted(t) // and does not read
			send := func() error {
				if !long {
					return c.Send(t.Context(), large)
				}
				for {
					ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
					err := c.Send(ctx, large)
					cancel()
					if !errors.Is(err, context.DeadlineExceeded) { // otherwise ctx ended before the writing began
						return err
					}
				}
			}
			sent := make(chan error, 1)
			go func() { sent <- send() }()
			select {
			case err := <-sent:
				if fault.KindOf(err) != fault.Unavailable {
					t.Errorf("sent: %v", err)
				}
			case <-time.After(patience):
				t.Fatal("the writer is held")
			}
			if err := c.Send(t.Context(), payload.Frame{Action: payload.ReplyStr}); fault.KindOf(err) != fault.Unavailable {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

// Pings are answered, and the client's own pings keep a quiet connection alive.
func TestHeartbeat(t *testing.T) {
	t.Parallel()
	o := serve(t, false)
	// A busy machine may stand still for longer than a short silence, but not always.
	for silence := time.Second; !survives(t, o, silence); silence *= 4 {
		if silence > patience/4 {
			t.Fatalf("the connection ended after %s", silence)
		}
	}
}

// survives reports whether a quiet connection lasts longer than the silence that ends it.
func survives(t *testing.T, o *other, silence time.Duration) bool {
	t.Helper()
	c := dial(t, client.Config{URL: o.url, PingEvery: 20 * time.Millisecond, Silence: silence})
	conn, _ := o.accepted(t)
	h := listen(c)
	go func() { // answers pings, until the connection ends
		for {
			if _, _, err := conn.Read(t.Context()); err != nil {
				return
			}
		}
	}()
	for range 3 {
		if err := conn.Ping(t.Context()); err != nil {
			t.Logf("ping: %v", err)
			return false
		}
	}
	select {
	case err := <-h.err:
		t.Logf("the connection ended: %v", err)
		return false
	case <-time.After(silence + silence/2):
		return true
	}
}

// A server that disappears silently is noticed.
func TestSilence(t *testing.T) {
	t.Parallel()
	o := serve(t, false)
	c := dial(t, client.Config{URL: o.url, PingEvery: 20 * time.Millisecond, Silence: 100 * time.Millisecond})
	o.accepted(t) // and does not read, so that pings are not answered
	h := listen(c)
	if err := h.end(t); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("ended with %v", err)
	}
	if err := c.Send(t.Context(), payload.Frame{Action: payload.ReplyStr}); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("Send on a dead connection: %v", err)
	}
}

// A server that closes ends the loop with an error; Send fails afterwards.
func TestServerGoes(t *testing.T) {
	t.Parallel()
	o := serve(t, false)
	for name, leave := range map[string]func(*wstest.Conn){
		"close frame": func(c *wstest.Conn) { _ = c.Close(wstest.StatusGoingAway, "") },
		"cut":         func(c *wstest.Conn) { _ = c.CloseNow() },
	} {
		t.Run(name, func(t *testing.T) {
			c := dial(t, client.Config{URL: o.url})
			conn, _ := o.accepted(t)
			h := listen(c)
			leave(conn)
			if err := h.end(t); fault.KindOf(err) != fault.Unavailable {
				t.Errorf("ended with %v", err)
			}
			if err := c.Send(t.Context(), payload.Frame{Action: payload.ReplyStr}); fault.KindOf(err) != fault.Unavailable {
				t.Errorf("Send: %v", err)
			}
		})
	}
}

// Close sends a close frame after the last message, and ends the loop without an
// error.
func TestClose(t *testing.T) {
	t.Parallel()
	o := serve(t, false)
	c := dial(t, client.Config{URL: o.url})
	conn, _ := o.accepted(t)
	h := listen(c)
	say(t, conn, `{"action":"agent_reply_str","message":"hi"}`)
	h.next(t)
	if err := c.Send(t.Context(), payload.Frame{Action: payload.ReplyStr, Message: json.RawMessage(`"last"`)}); err != nil {
		t.Fatal(err)
	}
	go func() { _ = c.Close() }()
	if got := read(t, conn); !strings.Contains(got, "last") {
		t.Errorf("read %s", got)
	}
	_, _, err := conn.Read(t.Context())
	if code := wstest.CloseStatus(err); code != wstest.StatusNormalClosure {
		t.Errorf("closed with %v", err)
	}
	if err := h.end(t); err != nil {
		t.Errorf("the loop ended with %v", err)
	}
	for range c.Frames() {
		break
	}
	if err := c.Close(); err != nil { // again
		t.Error(err)
	}
}

// Leaving the loop closes the connection; frames can be read only once.
func TestLeave(t *testing.T) {
	t.Parallel()
	o := serve(t, false)
	c := dial(t, client.Config{URL: o.url})
	conn, _ := o.accepted(t)
	say(t, conn, `{"action":"agent_reply_str","message":"hi"}`)
	for range c.Frames() {
		break
	}
	if _, _, err := conn.Read(t.Context()); err == nil {
		t.Error("the connection is open")
	}
	refused := 0
	for _, err := range c.Frames() {
		if refused++; err == nil || fault.KindOf(err) != fault.Internal {
			t.Errorf("read again: %v", err)
		}
	}
	if refused != 1 {
		t.Errorf("refused %d times", refused)
	}
}

// An error of connecting has a kind and contains no secret.
func TestRefused(t *testing.T) {
	t.Parallel()
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for path, status := range map[string]int{"/400": 400, "/401": 401, "/403": 403, "/404": 404, "/429": 429, "/503": 503, "/200": 200, "/302": 302} {
			if r.URL.Path == path {
				w.Header().Set("Location", "ws://elsewhere.example/")
				w.WriteHeader(status)
			}
		}
	}))
	t.Cleanup(h.Close)
	const down = "ws://ada:secret@127.0.0.1:1/?token=secret" // nobody listens there
	up := "ws://ada:secret@" + strings.TrimPrefix(h.URL, "http://")
	for url, kind := range map[string]fault.Kind{
		up + "/400?token=secret": fault.Invalid, up + "/401?token=secret": fault.Unauthorized, up + "/403?token=secret": fault.Forbidden,
		up + "/404?token=secret": fault.NotFound, up + "/429?token=secret": fault.RateLimited, up + "/503?token=secret": fault.Unavailable,
		up + "/200?token=secret": fault.Invalid, up + "/302?token=secret": fault.Invalid, down: fault.Unavailable,
		"ftp://a/?secret": fault.Invalid, strings.Replace(down, "ws:", "http:", 1): fault.Unavailable, "http:///secret": fault.Invalid, "ws:///secret": fault.Invalid, "ws://secret:x y/": fault.Invalid, "ws://a:secret/": fault.Invalid,
		"": fault.Invalid, "ws://127.0.0.1:1/%zzsecret": fault.Invalid,
	} {
		_, err := client.Dial(t.Context(), client.Config{URL: url})
		if fault.KindOf(err) != kind || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %s %v, want %s", url, fault.KindOf(err), err, kind)
		}
	}
	if _, err := client.Dial(t.Context(), client.Config{URL: up, Silence: -1}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("negative time: %v", err)
	}
}

// A server that does not answer the handshake blocks for at most the timeout.
func TestDialTimeout(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0") // accepts and says nothing
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	url := "ws://" + listener.Addr().String()
	_, err = client.Dial(t.Context(), client.Config{URL: url, HandshakeTimeout: 50 * time.Millisecond})
	if fault.KindOf(err) != fault.Unavailable {
		t.Errorf("timeout: %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := fault.New(fault.Canceled, "test_sentence", "gone")
	time.AfterFunc(50*time.Millisecond, func() { cancel(gone) })
	if _, err := client.Dial(ctx, client.Config{URL: url}); !errors.Is(err, context.Canceled) && !errors.Is(err, gone) {
		t.Errorf("canceled: %v", err)
	}
}
