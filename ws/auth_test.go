package ws_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	gorilla "github.com/gorilla/websocket"

	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/auth"
	"docent/internal/fault"
	"docent/internal/wstest"
	"docent/payload"
	"docent/ws"
	"docent/ws/typed"
)

// principals maps tokens to the principals that may connect in these tests.
func principals(_ context.Context, token string) (auth.Principal, error) {
	switch token {
	case "ada", "bob":
		return auth.Principal{ID: "user:" + token, Name: token, Scopes: auth.Scopes{auth.Ask}}, nil
	case "root":
		return auth.Principal{ID: "user:root", Name: "root", Scopes: auth.Scopes{auth.Admin}}, nil
	case "feeder":
		return auth.Principal{ID: "token:feeder", Name: "feeder", Scopes: auth.Scopes{auth.Ingest}}, nil
	case "slowed":
		return auth.Principal{}, fault.New(fault.RateLimited, "test_sentence", "too many wrong tokens")
	}
	return auth.Principal{}, fault.New(fault.Unauthorized, "test_sentence", "this token is not known")
}

// guarded runs a server that serves only principals, identified by a header.
func guarded(t *testing.T, s setup) *site {
	t.Helper()
	s.config.Authenticate = principals
	out := serve(t, s)
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
			p, err := principals(r.Context(), token)
			if err != nil {
				http.Error(w, "no", http.StatusUnauthorized)
				return
			}
			r = r.WithContext(auth.NewContext(r.Context(), p))
		}
		out.server.ServeHTTP(w, r)
	}))
	t.Cleanup(h.Close)
	t.Cleanup(out.stop) // before the HTTP server waits for its connections
	out.url = "ws" + strings.TrimPrefix(h.URL, "http")
	return out
}

func bearer(token string) *wstest.DialOptions {
	return &wstest.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + token}}}
}

// refusal returns the status of a failed handshake.
func (s *site) refusal(path string, o *wstest.DialOptions) (status int, body string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	conn, resp, err := wstest.Dial(ctx, s.url+path, o)
	if err == nil {
		conn.CloseNow()
		return http.StatusSwitchingProtocols, ""
	}
	if resp == nil {
		s.t.Fatal(err)
	}
	text := make([]byte, 200)
	n, _ := resp.Body.Read(text)
	return resp.StatusCode, string(text[:n])
}

// isRefusal reports whether a body is an error in the format of the HTTP API.
func isRefusal(body string) bool {
	var e payload.Error
	return json.Unmarshal([]byte(body), &e) == nil && e.Code != "" && e.Message != ""
}

// All errors of a handshake have the same format.
func TestRefusalShape(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{config: ws.Config{MaxConnections: 1}})
	check := func(what string, want, status int, body string) {
		t.Helper()
		if status != want || !isRefusal(body) {
			t.Errorf("%s: %d %s", what, status, body)
		}
	}
	status, body := s.refusal("/?protocol=docent.v9", nil)
	check("dialect", http.StatusBadRequest, status, body)
	status, body = s.refusal("/?session_id="+strings.Repeat("x", 300), nil)
	check("name", http.StatusBadRequest, status, body)
	status, body = s.refusal("/", &wstest.DialOptions{HTTPHeader: http.Header{"Origin": {"https://evil.example"}}})
	check("origin", http.StatusForbidden, status, body)
	get := func(header http.Header) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.Replace(s.url, "ws", "http", 1), nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header = header
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Error(err)
		}
		return resp.StatusCode, string(text)
	}
	status, body = get(http.Header{})
	check("no upgrade", http.StatusUpgradeRequired, status, body)
	status, body = get(http.Header{"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"13"}})
	check("no key", http.StatusBadRequest, status, body)
	s.dial("/", nil).next()
	status, body = s.refusal("/", nil)
	check("full", http.StatusServiceUnavailable, status, body)
}

// Clients of BAF and of the typed dialect must authenticate in the handshake.
func TestUnauthorizedHandshake(t *testing.T) {
	t.Parallel()
	store := agenttest.NewStore()
	s := guarded(t, setup{store: store})
	for _, path := range []string{"/", "/any", typed.Path, typed.Path + "?protocol=docent.v1"} {
		for token, want := range map[string]int{"": 401, "wrong": 401, "feeder": 403} {
			o := &wstest.DialOptions{}
			if token != "" {
				o = bearer(token)
			}
			status, body := s.refusal(path, o)
			if token != "wrong" && !isRefusal(body) { // the server does not see requests with a wrong token
				t.Errorf("%s as %q: %s", path, token, body)
			}
			if status != want || token != "" && strings.Contains(body, token) {
				t.Errorf("%s as %q: %d %s", path, token, status, body)
			}
		}
	}
	if n := store.Calls(agenttest.Open); n != 0 {
		t.Errorf("%d sessions were opened", n)
	}
	if f := s.dial("/", bearer("ada")).next(); f.Action != payload.ReplyStr {
		t.Errorf("greeted with %s", f.raw)
	}
}

// A docent.v1 client may authenticate in its hello, once. Until then nothing is
// created.
func TestHelloToken(t *testing.T) {
	t.Parallel()
	store := agenttest.NewStore()
	s := guarded(t, setup{store: store})
	for hello, want := range map[string]struct {
		code  string
		close ws.CloseCode
	}{
		`{"action":"hello"}`:                                          {"unauthorized", ws.CloseUnauthorized},
		`{"action":"hello","message":{"token":""}}`:                   {"unauthorized", ws.CloseUnauthorized},
		`{"action":"hello","message":{"token":"wrong"},"id":"h"}`:     {"unauthorized", ws.CloseUnauthorized},
		`{"action":"hello","message":{"token":"feeder"}}`:             {"forbidden", ws.CloseForbidden},
		`{"action":"hello","message":{"token":"slowed"}}`:             {"rate_limited", ws.CloseUnavailable},
		`{"action":"hello","message":{"last_seq":5,"token":"wrong"}}`: {"unauthorized", ws.CloseUnauthorized},
	} {
		p := s.dial("/?protocol=docent.v1&session_id=S", nil)
		p.say(hello)
		f := p.next()
		if f.Action != payload.ErrorAction || !strings.Contains(f.raw, `"code":"`+want.code+`"`) || strings.Contains(f.raw, "wrong\"") {
			t.Errorf("%s: %s", hello, f.raw)
		}
		if code := p.closed(); code != want.close.Code {
			t.Errorf("%s: closed with %d, want %d", hello, code, want.close.Code)
		}
	}
	if n := store.Calls(agenttest.Open); n != 0 {
		t.Errorf("%d sessions were opened", n)
	}
	p := s.dial("/?protocol=docent.v1&session_id=S", bearer("feeder"))
	for _, bad := range []string{
		`{"action":"hello","message":5}`, `{"action":"hello","message":[]}`, `{"action":"hello","message":{"token":5}}`, `{"action":"hello","message":{"last_seq":"5"}}`,
		`{"action":"hello","message":{"last_seq":-1}}`, `{"action":"hello","message":{"last_seq":1.5}}`, `{"action":"hello","message":{"token":"ada"},"id":5}`,
	} {
		p.say(bad)
		if f := p.next(); f.Action != payload.ErrorAction || !strings.Contains(f.raw, `"code":"invalid"`) {
			t.Errorf("%s: %s", bad, f.raw)
		}
	}
	p.say(`{"action":"hello","message":{"token":"ada"}}`) // its token takes precedence over the handshake's
	p.until(payload.WelcomeAction)
	if record, _, _ := store.Stored("S"); record.Owner != "user:ada" || record.Username != "ada" {
		t.Errorf("the session is %+v", record)
	}
}

// A session belongs to its creator, in every dialect.
func TestOwners(t *testing.T) {
	t.Parallel()
	store := agenttest.NewStore()
	s := guarded(t, setup{store: store})
	s.dial("/?session_id=S&user_id=lovelace", bearer("ada")).next()
	if record, _, _ := store.Stored("S"); record.Owner != "user:ada" || record.Username != "lovelace" {
		t.Errorf("the session is %+v", record)
	}
	for _, path := range []string{"/?session_id=S", "/?session_id=S&user_id=lovelace", typed.Path + "?session_id=S"} {
		if code := s.dial(path, bearer("bob")).closed(); code != ws.CloseForbidden.Code {
			t.Errorf("bob at %s: closed with %d", path, code)
		}
		s.dial(path, bearer("root"))
	}
	v1 := s.dial("/?protocol=docent.v1&session_id=S", bearer("bob"))
	v1.say(`{"action":"hello"}`)
	if f := v1.next(); f.Action != payload.ErrorAction || !strings.Contains(f.raw, `"code":"forbidden"`) {
		t.Errorf("bob hears %s", f.raw)
	}
	if code := v1.closed(); code != ws.CloseForbidden.Code {
		t.Errorf("bob is closed with %d", code)
	}
	ada := s.dial("/?session_id=S", bearer("ada"))
	ada.say(`{"action":"user_message","message":"still mine?"}`)
	ada.until(payload.ReplyRAG)
}

// The server chooses a token among the subprotocols only if no other subprotocol
// is offered. It then sends the token back, because browsers require a chosen
// subprotocol.
func TestTokenProtocol(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{}) // the validity of the token does not matter here
	for _, c := range []struct {
		path    string
		offered []string
		chosen  string
	}{
		{"/", []string{"docent.v1"}, "docent.v1"},
		{"/", []string{"docent.v1", "docent.token.x"}, "docent.v1"},
		{"/", []string{"docent.token.x", "docent.v1"}, "docent.v1"},
		{"/", []string{"docent.token.x"}, "docent.token.x"},
		{"/?protocol=docent.v1", []string{"docent.token.x"}, "docent.token.x"},
		{"/", []string{"other", "docent.token.x"}, ""},
		{"/", []string{"other"}, ""},
		{"/", nil, ""},
		{typed.Path, []string{"docent.v1", "docent.token.x"}, ""},
		{typed.Path, []string{"docent.token.x"}, "docent.token.x"},
	} {
		p := s.dial(c.path, &wstest.DialOptions{Subprotocols: c.offered})
		if got := p.conn.Subprotocol(); got != c.chosen {
			t.Errorf("%s of %s: chosen is %q, want %q", c.path, c.offered, got, c.chosen)
		}
	}
}

// The header of BAF's old clients resumes a user if this is enabled. The query
// of the newer client never does.
func TestResumeByUser(t *testing.T) {
	t.Parallel()
	named := &wstest.DialOptions{HTTPHeader: http.Header{"X-User-ID": {"ada"}}}
	for _, resume := range []bool{false, true} {
		s := serve(t, setup{store: database(t), config: ws.Config{ResumeByUser: resume}})
		s.dial("/?session_id=S", named).next()
		for _, c := range []struct {
			path  string
			o     *wstest.DialOptions
			found bool
		}{
			{"/", named, resume},
			{"/?user_id=ada", nil, false},
			{"/?session_id=other", named, false},
		} {
			p := s.dial(c.path, c.o)
			p.say(`{"action":"user_message","message":"What is RAG?"}`)
			if f := p.next(); (f.Action == payload.ReplyStr) == c.found { // which greets
				t.Errorf("resume by user is %v, %s: first comes %s", resume, c.path, f.raw)
			}
		}
	}
}

// A client without a session gets the latest session of its user only among its
// own sessions, because anyone can send any user name.
func TestResumeByUserOwners(t *testing.T) {
	t.Parallel()
	s := guarded(t, setup{store: database(t), config: ws.Config{ResumeByUser: true}})
	named := func(token string) *peer {
		o := bearer(token)
		o.HTTPHeader.Set("X-User-ID", "shared")
		p := s.dial("/", o)
		p.say(`{"action":"user_message","message":"What is RAG?"}`)
		return p
	}
	for _, c := range []struct {
		token string
		first payload.Action
	}{{"ada", payload.ReplyStr}, {"bob", payload.ReplyStr}, {"root", payload.ReplyStr}, {"ada", payload.ReplyRAG}, {"bob", payload.ReplyRAG}} {
		p := named(c.token)
		if f := p.next(); f.Action != c.first {
			t.Errorf("%s: first comes %s", c.token, f.raw)
		}
		p.joined()
	}
}

// Neither tokens nor messages are logged, whatever fails.
func TestLogs(t *testing.T) {
	t.Parallel()
	var log safeBuffer
	logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s := guarded(t, setup{agent: failing(), config: ws.Config{Logger: logger}, runtime: session.RuntimeConfig{Logger: logger}})
	const words, token = "w0rds-that-are-said", "t0ken-that-is-wrong"
	p := s.dial("/?protocol=docent.v1", nil)
	p.say(`{"action":"hello","message":{"token":"` + token + `"}}`)
	p.closed()
	s.refusal("/", bearer(token))
	s.refusal("/", &wstest.DialOptions{Subprotocols: []string{"docent.token." + token}})
	owner := s.dial("/?session_id=S", bearer("ada"))
	for _, frame := range []string{
		words, `{"action":"` + words + `"}`, `{"action":"user_message","message":"` + words + `"}`, `{"action":"user_file","message":"` + words + `"}`,
		`{"action":"user_set_variable","message":"` + words + `"}`, `{"action":"user_message","message":"fail"}`, `{"type":"` + words + `"}`,
	} {
		owner.say(frame)
	}
	owner.joined()
	s.dial("/?session_id=S", bearer("bob")).closed()
	if text := log.String(); strings.Contains(text, words) || strings.Contains(text, token) || !strings.Contains(text, "client refused") {
		t.Errorf("the log:\n%s", text)
	}
}

// A client that has lost its access gets an error, and its connection is closed
// at its next frame. The frame has no effect. While the check itself fails,
// nothing happens.
func TestRevoked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var failure atomic.Value
		store := agenttest.NewStore()
		m := inMemory(t, store, func(_ context.Context, who auth.Principal) error {
			if err, ok := failure.Load().(error); ok && who.ID == "user:ada" {
				return err
			}
			return nil
		})
		busy := m.dial("ada", "S")
		failure.Store(fault.New(fault.Unavailable, "test_sentence", "the database is away"))
		<-time.After(11 * time.Second)
		busy.say(`{"action":"user_message","message":"one"}`)
		busy.until(payload.TurnFinishedAction)
		failure.Store(fault.New(fault.Unauthorized, "test_sentence", "this token was revoked"))
		<-time.After(6 * time.Second)
		busy.say(`{"action":"user_message","message":"two"}`)
		busy.shutOut()
		if _, stored, _ := store.Stored("S"); len(stored) != 2 {
			t.Errorf("%d messages are stored", len(stored))
		}
		m.stop()
	})
}

// A silent client that has lost its access is closed too, within 15 seconds. All
// connections of one token are checked at once.
func TestRevokedListeners(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var revoked atomic.Bool
		var asked atomic.Int64
		m := inMemory(t, agenttest.NewStore(), func(_ context.Context, who auth.Principal) error {
			asked.Add(1)
			if revoked.Load() && who.ID == "user:ada" {
				return fault.New(fault.Unauthorized, "test_sentence", "this token was revoked")
			}
			return nil
		})
		var theirs []*listening
		for i := range 20 {
			theirs = append(theirs, m.dial("ada", fmt.Sprint("S", i)))
		}
		bob := m.dial("bob", "T")
		<-time.After(65 * time.Second) // the connections are idle
		if n := asked.Swap(0); n != 12 {
			t.Errorf("it was asked %d times, want 6 for each of the two", n)
		}
		revoked.Store(true)
		<-time.After(15 * time.Second)
		for _, l := range theirs {
			l.shutOut()
		}
		bob.say(`{"action":"user_message","message":"still here"}`)
		bob.until(payload.TurnFinishedAction)
		bob.conn.Close()
		m.stop()
	})
}

// A sign-out triggers a check at once. Many sign-outs do not trigger many checks.
func TestRecheck(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var revoked atomic.Bool
		var asked atomic.Int64
		m := inMemory(t, agenttest.NewStore(), func(context.Context, auth.Principal) error {
			asked.Add(1)
			if revoked.Load() {
				return fault.New(fault.Unauthorized, "test_sentence", "this login has ended")
			}
			return nil
		})
		ada := m.dial("ada", "S")
		began := time.Now()
		for range 50 {
			m.server.Recheck()
			<-time.After(100 * time.Millisecond)
		}
		if n := asked.Load(); n < 4 || n > 7 {
			t.Errorf("in 5 seconds it was asked %d times", n)
		}
		<-time.After(time.Second)
		revoked.Store(true)
		m.server.Recheck()
		ada.shutOut()
		if took := time.Since(began); took > 8*time.Second {
			t.Errorf("it took until %s after the beginning, when it is asked anyway at 10s", took)
		}
		m.stop()
	})
}

// inProcess is a server without a network.
type inProcess struct {
	open func(session string) *gorilla.Conn // which must say hello
	dial func(token, session string) *listening
	stop func()

	server *ws.Server
}

func inMemory(t *testing.T, store journal.Store, valid func(context.Context, auth.Principal) error) inProcess {
	t.Helper()
	rt, err := session.NewRuntime(session.RuntimeConfig{Agent: echoAgent(), Store: store})
	if err != nil {
		t.Fatal(err)
	}
	server, err := ws.NewServer(ws.Config{Runtime: rt, Authenticate: principals, Valid: valid})
	if err != nil {
		t.Fatal(err)
	}
	listener := &pipes{make(chan net.Conn), make(chan struct{})}
	h := &http.Server{Handler: server, ReadHeaderTimeout: time.Minute}
	served := make(chan error, 1)
	go func() { served <- h.Serve(listener) }()
	dialer := gorilla.Dialer{NetDialContext: listener.dial}
	open := func(session string) *gorilla.Conn {
		c, resp, err := dialer.DialContext(t.Context(), "ws://memory/?protocol=docent.v1&session_id="+session, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return c
	}
	return inProcess{
		server: server,
		open:   open,
		dial: func(token, session string) *listening {
			l := &listening{t: t, conn: open(session), frames: make(chan []byte, 100)}
			go l.listen()
			l.say(`{"action":"hello","message":{"token":"` + token + `"}}`)
			l.until(payload.SyncedAction)
			return l
		},
		stop: func() {
			if err := server.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
			h.Close()
			<-served
		},
	}
}

// listening is a client that always reads.
type listening struct {
	t      *testing.T
	conn   *gorilla.Conn
	frames chan []byte // closed at the end
	ended  error       // the reason, after closed
}

func (l *listening) listen() {
	defer close(l.frames)
	for {
		_, data, err := l.conn.ReadMessage()
		if err != nil {
			l.ended = err
			return
		}
		l.frames <- data
	}
}

func (l *listening) say(text string) {
	l.t.Helper()
	if err := l.conn.WriteMessage(gorilla.TextMessage, []byte(text)); err != nil {
		l.t.Fatal(err)
	}
}

// until skips frames up to the first of that action.
func (l *listening) until(action payload.Action) string {
	l.t.Helper()
	for data := range l.frames {
		if bytes.HasPrefix(data, []byte(`{"action":"`+action+`"`)) {
			return string(data)
		}
	}
	l.t.Fatalf("no %s: %v", action, l.ended)
	return ""
}

// shutOut reads until the server closes the connection because of lost access.
func (l *listening) shutOut() {
	l.t.Helper()
	if text := l.until(payload.ErrorAction); !strings.Contains(text, `"code":"unauthorized"`) {
		l.t.Errorf("told by %s", text)
	}
	for range l.frames { // until it is closed
	}
	if !gorilla.IsCloseError(l.ended, ws.CloseUnauthorized.Code) {
		l.t.Errorf("ended with %v", l.ended)
	}
	l.conn.Close()
}

// safeBuffer is a buffer that several goroutines write.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
