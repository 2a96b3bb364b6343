package ws_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/internal/wstest"
	"docent/payload"
	"docent/ws"
	"docent/ws/typed"
)

// The number of connections of a principal is limited, however it authenticates.
// No state remains after the last connection.
func TestUserConnections(t *testing.T) {
	t.Parallel()
	set := metrics.NewSet()
	s := guarded(t, setup{config: ws.Config{UserConnections: 2, Metrics: set}})
	first := s.dial("/", bearer("ada"))
	first.next()
	v1 := s.dial("/?protocol=docent.v1", nil)
	v1.say(`{"action":"hello","message":{"token":"ada"}}`)
	v1.until(payload.WelcomeAction)
	_, resp, err := wstest.Dial(t.Context(), s.url, bearer("ada"))
	if err == nil || resp.StatusCode != http.StatusTooManyRequests || resp.Header.Get("Retry-After") == "" {
		t.Errorf("a third connection: %v %v", resp, err)
	}
	late := s.dial("/?protocol=docent.v1", nil)
	late.say(`{"action":"hello","message":{"token":"ada"}}`)
	if f := late.next(); f.Action != payload.ErrorAction || !strings.Contains(f.raw, `"code":"rate_limited"`) {
		t.Errorf("got %s", f.raw)
	}
	if code := late.closed(); code != ws.CloseUnavailable.Code {
		t.Errorf("closed with %d", code)
	}
	s.dial("/", bearer("bob")).next() // other principals are not affected
	first.conn.Close(wstest.StatusNormalClosure, "")
	v1.conn.Close(wstest.StatusNormalClosure, "")
	waitFor(t, "ada's account is gone", func() bool { return counted(set, "docent_ws_principals") == "1" })
	s.dial("/", bearer("ada")).next()
	if n := counted(set, `docent_ws_refused_total{reason="principal"}`); n != "1" {
		t.Errorf("%s refused", n)
	}
}

// All connections of a principal share its rate.
func TestUserRate(t *testing.T) {
	t.Parallel()
	s := guarded(t, setup{config: ws.Config{Rate: 1e6, Burst: 1e6, UserRate: 0.001, UserBurst: 6}})
	var limited int
	for range 2 {
		p := s.dial("/?protocol=docent.v1", bearer("ada"))
		p.say(`{"action":"hello","message":{}}`)
		p.until(payload.ReplyStr)
		for i := range 3 {
			p.say(fmt.Sprintf(`{"action":"user_message","message":"m","id":"m%d"}`, i))
		}
		for acked := 0; acked+limited < 3; {
			switch f := p.next(); f.Action {
			case payload.AckAction:
				acked++
			case payload.ErrorAction:
				limited++
			}
		}
	}
	if limited != 2 { // for each connection, without the hellos
		t.Errorf("%d frames were refused of 6, 4 being allowed beside two handshakes", limited)
	}
	if status, _ := s.refusal("/", bearer("ada")); status != http.StatusTooManyRequests {
		t.Errorf("another handshake: status %d", status)
	}
	other := s.dial("/?protocol=docent.v1", bearer("bob"))
	other.say(`{"action":"hello","message":{}}`)
	other.say(`{"action":"user_message","message":"m","id":"m"}`)
	other.until(payload.AckAction)
}

// counted returns the value of a metric as text.
func counted(set *metrics.Set, name string) string {
	var b bytes.Buffer
	set.WritePrometheus(&b)
	for line := range strings.Lines(b.String()) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	end := time.Now().Add(patience)
	for !ok() {
		if time.Now().After(end) {
			t.Fatalf("it did not come about that %s", what)
		}
		<-time.After(time.Millisecond)
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	set := metrics.NewSet()
	s := serve(t, setup{config: ws.Config{Metrics: set, MaxConnections: 2, PingEvery: 50 * time.Millisecond}})
	p, _ := s.hello("/")
	p.say(`{"action":"nothing"}`)
	p.until(payload.ErrorAction)
	b := s.dial("/", nil)
	b.next()
	if status, _ := s.refusal("/", nil); status != http.StatusServiceUnavailable {
		t.Errorf("status %d", status)
	}
	waitFor(t, "pings are counted", func() bool { return counted(set, "docent_ws_pings_total") > "0" })
	for name, want := range map[string]string{
		`docent_ws_connections{dialect="docent.v1"}`:     "1",
		`docent_ws_connections{dialect="baf"}`:           "1",
		`docent_ws_accepted_total{dialect="baf"}`:        "1",
		`docent_ws_frames_in_total{dialect="docent.v1"}`: "2",
		`docent_ws_errors_total{code="invalid"}`:         "1",
		`docent_ws_refused_total{reason="full"}`:         "1",
		`docent_ws_outbox_bytes`:                         "0", // between pings
	} {
		waitFor(t, name+" is "+want, func() bool { return counted(set, name) == want })
	}
	b.conn.Close(wstest.StatusNormalClosure, "")
	waitFor(t, "the end is counted", func() bool { return counted(set, `docent_ws_closes_total{code="peer"}`) == "1" })
}

// Clients that stop reading use no more memory than their outboxes. Other clients
// still receive everything.
func TestSlowReaders(t *testing.T) {
	t.Parallel()
	const slow, outbox, said, size = 100, 512 << 10, 90, 4 << 10
	set := metrics.NewSet()
	s := serve(t, setup{
		agent:  talker(t, said, size),
		config: ws.Config{OutboxBytes: outbox, Metrics: set, Rate: 1e6, Burst: 1e6}.With(ws.Limits{WriteTimeout: patience}),
	})
	// The socket buffer is small. Otherwise it would hold all messages.
	h := httptest.NewUnstartedServer(s.server)
	h.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		if err := c.(*net.TCPConn).SetWriteBuffer(16 << 10); err != nil {
			t.Error(err)
		}
		return ctx
	}
	h.Start()
	t.Cleanup(h.Close)
	t.Cleanup(s.stop)
	s.url = "ws" + strings.TrimPrefix(h.URL, "http")
	readers := make([]*peer, slow)
	for i := range readers {
		readers[i] = s.dial(fmt.Sprintf("/?session_id=S%d", i%10), nil)
		readers[i].joined()
	}
	var all sync.WaitGroup
	for i := range 10 {
		quick := s.dial(fmt.Sprintf("/?session_id=quick%d", i), nil)
		for range 4 { // all clients of a session receive it, but this one does not read
			readers[i].say(`{"action":"user_message","message":"talk"}`)
		}
		all.Go(func() {
			quick.say(`{"action":"user_message","message":"talk"}`)
			for range said {
				if f := quick.until(payload.ReplyStr); len(f.Message) != size+2 {
					t.Errorf("a reply of %d bytes: %.100s", len(f.Message), f.raw)
					return
				}
			}
		})
	}
	var worst float64
	done := make(chan struct{})
	go func() { all.Wait(); close(done) }()
	for over := false; !over; {
		select {
		case <-done:
			over = true
		case <-time.After(time.Millisecond):
		}
		var waits float64
		_, _ = fmt.Sscan(counted(set, "docent_ws_outbox_bytes"), &waits)
		worst = max(worst, waits)
	}
	if worst > (slow+10)*(outbox+size) {
		t.Errorf("%.0f bytes waited for clients", worst)
	}
	waitFor(t, "those who do not read are closed", func() bool { return counted(set, "docent_ws_slow_clients_total") == fmt.Sprint(slow) })
	t.Logf("at most %.0f bytes waited", worst)
}

// A client that sends its request byte by byte is disconnected and creates no
// session.
func TestSlowHandshake(t *testing.T) {
	t.Parallel()
	store := agenttest.NewStore()
	s := serve(t, setup{store: store, config: ws.Config{MaxConnections: 2}})
	h := httptest.NewUnstartedServer(s.server)
	h.Config.ReadHeaderTimeout = 50 * time.Millisecond
	h.Start()
	defer h.Close()
	var d net.Dialer
	for range 20 {
		conn, err := d.DialContext(t.Context(), "tcp", h.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHo"); err != nil {
			t.Fatal(err)
		}
		if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(conn); err != nil && errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("it was not cut off: %v", err)
		}
	}
	for range 2 { // clients that do not say hello count like others
		s.dial("/?protocol=docent.v1", nil)
	}
	if status, _ := s.refusal("/?protocol=docent.v1", nil); status != http.StatusServiceUnavailable {
		t.Errorf("status %d", status)
	}
	if n := store.Calls(agenttest.Open); n != 0 {
		t.Errorf("%d sessions were made", n)
	}
}

// Pings do not extend the time for a hello.
func TestHelloTimeoutWithPings(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{config: ws.Config{Silence: time.Hour}.With(ws.Limits{HelloTimeout: 50 * time.Millisecond})})
	p := s.dial("/?protocol=docent.v1", nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for p.conn.Ping(ctx) == nil {
		}
	}()
	if code := p.closed(); code != ws.CloseNoHello.Code {
		t.Errorf("closed with %d", code)
	}
}

// Frames above the limit close the connection, in one piece or in many.
func TestOversize(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/", "/?protocol=docent.v1", typed.Path} {
		s := serve(t, setup{config: ws.Config{FrameBytes: 10_000}})
		p := s.dial(path, nil)
		p.say(strings.Repeat("x", 10_001))
		if code := p.closed(); code != ws.CloseTooBig.Code {
			t.Errorf("%s: closed with %d", path, code)
		}
		p = s.dial(path, nil)
		w, err := p.conn.Writer(t.Context(), wstest.MessageText)
		for range 3 {
			if err == nil {
				_, err = w.Write([]byte(strings.Repeat("x", 6000)))
			}
		}
		if code := p.closed(); code != ws.CloseTooBig.Code {
			t.Errorf("%s, in parts: closed with %d", path, code)
		}
		p.conn.CloseNow()
	}
}

// An idle client can send messages again. Pongs alone keep the connection alive.
func TestIdle(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{config: ws.Config{PingEvery: 100 * time.Millisecond}})
	p := s.dial("/", nil)
	p.next()
	for range 2 {
		heard := make(chan frame, 1)
		go func() { heard <- p.until(payload.ReplyRAG) }() // reading answers pings
		<-time.After(1500 * time.Millisecond)              // longer than a reader serves a busy client
		p.say(`{"action":"user_message","message":"` + strings.Repeat("long ", 3000) + `"}`)
		select {
		case <-heard:
		case <-time.After(patience):
			t.Fatal("the server does not hear the client any more")
		}
	}
}

// Stop and reset overtake waiting messages, in each dialect.
func TestOvertaking(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, hello, message, command string }{
		{"/?protocol=docent.v1", `{"action":"hello"}`, `{"action":"user_message","message":"m"}`, `{"action":"stop"}`},
		{"/", "", `{"action":"user_message","message":"m"}`, `{"action":"reset"}`},
		{typed.Path, "", `{"type":"query","content":"m"}`, `{"type":"command","content":"reset"}`},
	} {
		begun, over := make(chan struct{}, 10), make(chan struct{})
		a := agent.New("waits")
		greet, wait := a.State("greet", agent.Initial), a.State("wait")
		greet.OnMessage().GoTo(wait)
		wait.Body(func(ctx context.Context, _ *agent.Session) error {
			begun <- struct{}{}
			select {
			case <-ctx.Done():
			case <-over:
			}
			return ctx.Err()
		})
		wait.OnMessage().GoTo(wait)
		s := serve(t, setup{agent: a})
		t.Cleanup(func() { close(over) }) // otherwise the server waits for the turns
		p := s.dial(c.path, nil)
		if c.hello != "" {
			p.say(c.hello)
		}
		for range 5 {
			p.say(c.message)
		}
		<-begun
		p.say(c.command)
		if c.hello != "" { // the current turn ends, and the next one begins
			<-begun
			continue
		}
		p.say(c.message) // and none of the others is left
		<-begun
	}
}
