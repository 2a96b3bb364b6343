package ws_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	gorilla "github.com/gorilla/websocket"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/internal/wstest"
	"docent/payload"
	"docent/rag"
	"docent/ws"
	"docent/ws/typed"
)

// talker answers each question with n messages of size bytes.
func talker(t *testing.T, n, size int) *agent.Agent {
	t.Helper()
	a := agent.New("talker")
	greet, answer := a.State("greet", agent.Initial), a.State("answer")
	greet.OnMessage().GoTo(answer)
	answer.Body(func(ctx context.Context, s *agent.Session) error {
		for range n {
			if err := s.Reply(ctx, strings.Repeat("x", size)); err != nil {
				return err
			}
		}
		return nil
	})
	answer.OnMessage().GoTo(answer)
	return a
}

// A client that does not read is closed with the code for it. It does not delay
// other clients of the session.
func TestSlowReader(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{agent: talker(t, 24, 1<<20), config: ws.Config{}.With(ws.Limits{WriteTimeout: patience, LongOutboxBytes: 1 << 20})})
	slow, quick := s.dial("/?session_id=S", nil), s.dial("/?session_id=S", nil)
	quick.say(`{"action":"user_message","message":"talk"}`)
	// 24 MB are too much for the slow reader too, unless the machine is very fast.
	// So the test requires one client to be closed, and only that the other one
	// ends.
	read := make(chan int, 1)
	go func() {
		n := 0
		for {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
			_, _, err := quick.conn.Read(ctx)
			cancel()
			if err != nil {
				read <- n
				return
			}
			n++
		}
	}()
	if code := slow.closed(); code != ws.CloseSlow.Code {
		t.Errorf("closed with %d", code)
	}
	quick.conn.CloseNow()
	<-read
}

// A long replay waits for its reader instead of counting as slowness.
func TestReplayPatience(t *testing.T) {
	t.Parallel()
	const turns = 40
	s := serve(t, setup{agent: talker(t, 1, 100<<10)}) // 4 MB in all against an outbox of 1 MB
	p := s.dial("/?session_id=S", nil)
	for range turns {
		p.say(`{"action":"user_message","message":"talk"}`)
		p.until(payload.ReplyStr)
	}
	again := s.dial("/?session_id=S", nil)
	again.say(`{"action":"fetch_user_messages"}`)
	for i := range 2 * turns {
		if f := again.next(); !f.History {
			t.Fatalf("frame %d is not marked: %.80s", i, f.raw)
		}
	}
}

// A turn may send more than the outbox holds in long frames, such as files. A
// client that reads receives them all.
func TestLongReplies(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{agent: talker(t, 20, 200<<10)})
	for _, path := range []string{"/", "/?protocol=docent.v1"} {
		p := s.dial(path, nil)
		p.say(`{"action":"hello"}`)
		p.say(`{"action":"user_message","message":"talk"}`)
		for i := range 20 {
			if f := p.until(payload.ReplyStr); len(f.Message) != 200<<10+2 {
				t.Fatalf("reply %d has %d bytes", i, len(f.Message))
			}
		}
	}
}

// A peer that answers pings stays connected. Other peers are disconnected.
func TestHeartbeat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := inMemory(t, agenttest.NewStore(), nil)
		lively := m.dial("ada", "S")
		dead := m.open("T")
		pings := 0
		dead.SetPingHandler(func(string) error { pings++; return nil })
		joined := time.Now()
		if err := dead.WriteMessage(gorilla.TextMessage, []byte(`{"action":"hello","message":{"token":"bob"}}`)); err != nil {
			t.Fatal(err)
		}
		var err error
		for err == nil {
			_, _, err = dead.ReadMessage()
		}
		if silent := time.Since(joined); !gorilla.IsCloseError(err, ws.CloseSilent.Code) ||
			silent < time.Minute || silent > time.Minute+time.Second || pings != 2 {
			t.Errorf("ended with %v after %s and %d pings", err, silent, pings)
		}
		dead.Close()
		<-time.After(time.Hour)
		lively.say(`{"action":"user_message","message":"still here"}`)
		lively.until(payload.TurnFinishedAction)
		lively.conn.Close()
		m.stop()
	})
}

func TestHelloTimeout(t *testing.T) {
	t.Parallel()
	store := agenttest.NewStore()
	s := serve(t, setup{store: store, config: ws.Config{}.With(ws.Limits{HelloTimeout: 50 * time.Millisecond})})
	p := s.dial("/?protocol=docent.v1&session_id=S", nil)
	if code := p.closed(); code != ws.CloseNoHello.Code {
		t.Errorf("closed with %d", code)
	}
	if n := store.Calls(agenttest.Open); n != 0 {
		t.Error("a session was made before hello")
	}
}

// Messages that a BAF client sent too fast are still handled if its connection
// ends before they are read.
func TestRateOutlasts(t *testing.T) {
	t.Parallel()
	a := agent.New("chatty")
	greet, talk := a.State("greet", agent.Initial), a.State("talk")
	greet.OnMessage().GoTo(talk)
	talk.Body(func(ctx context.Context, s *agent.Session) error {
		if s.Message() != "one" {
			return nil
		}
		for range 3 { // the first write to a closed socket may succeed
			if err := errors.Join(s.Reply(ctx, "x"), s.Flush(ctx)); err != nil {
				return err
			}
			<-time.After(50 * time.Millisecond)
		}
		return nil
	})
	talk.OnMessage().GoTo(talk)
	s := serve(t, setup{agent: a, config: ws.Config{Rate: 0.001, Burst: 1}})
	v1, _ := s.hello("/?session_id=S")
	b := s.dial("/?session_id=S", nil)
	b.say(`{"action":"user_message","message":"one"}`)
	b.say(`{"action":"user_message","message":"two"}`) // 1,000 s too early
	v1.until(payload.UserMessage)
	b.conn.CloseNow()
	if f := v1.until(payload.UserMessage); !strings.Contains(f.raw, `"two"`) {
		t.Errorf("heard %s", f.raw)
	}
}

// A docent.v1 client that sends too much gets an error. A BAF client is read
// later and loses nothing.
func TestRate(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{config: ws.Config{Rate: 0.1, Burst: 5}})
	p, _ := s.hello("/")
	for i := range 20 {
		p.say(fmt.Sprintf(`{"action":"user_message","message":"m","id":"m%d"}`, i))
	}
	limited, acked := 0, 0
	for limited+acked < 20 {
		f := p.next()
		switch f.Action {
		case payload.ErrorAction:
			if !strings.Contains(f.raw, `"code":"rate_limited"`) || !strings.Contains(f.raw, `"retryable":true`) || f.ID == "" {
				t.Errorf("got %s", f.raw)
			}
			limited++
		case payload.AckAction:
			acked++
		}
	}
	if limited == 0 || acked < 5 {
		t.Errorf("%d limited, %d taken", limited, acked)
	}
	s = serve(t, setup{config: ws.Config{Rate: 50, Burst: 5}})
	b := s.dial("/", nil)
	b.next()
	for i := range 20 {
		b.say(fmt.Sprintf(`{"action":"user_message","message":"m%d"}`, i))
	}
	for i := range 20 {
		if f := b.until(payload.ReplyRAG); !strings.Contains(f.raw, fmt.Sprintf(`"m%d"`, i)) {
			t.Errorf("reply %d: %s", i, f.raw)
		}
	}
}

// If the mailbox is full, docent.v1 clients receive busy, and BAF clients wait.
func TestMailbox(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	answers := &agenttest.Answers{Answer: func(ctx context.Context, req rag.Request) (string, error) {
		select {
		case <-hold:
			return req.Question, nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}}
	s := serve(t, setup{rag: answers, runtime: session.RuntimeConfig{QueueSize: 2}})
	p, w := s.hello("/")
	for i := range 3 {
		p.say(fmt.Sprintf(`{"action":"user_message","message":"m","id":"m%d"}`, i))
	}
	if f := p.until(payload.ErrorAction); f.ID != "m2" || !strings.Contains(f.raw, `"code":"busy"`) || !strings.Contains(f.raw, `"retryable":true`) {
		t.Errorf("got %s", f.raw)
	}
	b := s.dial("/?session_id="+w.SessionID, nil)
	b.say(`{"action":"user_message","message":"from BAF"}`)
	close(hold)
	for range 3 {
		p.until(payload.ReplyRAG)
	}
	p.say(`{"action":"user_message","message":"m","id":"m2"}`) // the same id can be used again
	if f := p.until(payload.AckAction); f.ID != "m2" || strings.Contains(f.raw, `"duplicate":true`) {
		t.Errorf("got %s", f.raw)
	}
	p.until(payload.ReplyRAG)
}

func TestConnectionCap(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{config: ws.Config{MaxConnections: 2}})
	s.dial("/", nil).next()
	p := s.dial("/", nil)
	p.next()
	_, resp, err := wstest.Dial(t.Context(), s.url, nil)
	if err == nil || resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a third connection: %v", err)
	}
	p.conn.Close(wstest.StatusNormalClosure, "")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for { // its place becomes free soon
		c, _, err := wstest.Dial(ctx, s.url, nil)
		if err == nil {
			c.CloseNow()
			break
		}
		if ctx.Err() != nil {
			t.Fatal(err)
		}
	}
}

func TestHandshake(t *testing.T) {
	t.Parallel()
	store := agenttest.NewStore()
	s := serve(t, setup{store: store})
	header := http.Header{"X-Session-Id": {"H"}, "X-User-Id": {"ada"}}
	s.dial("/deep/path?session_id=Q&user_id=eve&session_name=My+chat&session_name=other", &wstest.DialOptions{HTTPHeader: header}).next()
	if r, _, ok := store.Stored("H"); !ok || r.Username != "ada" || r.Name != "My chat" || r.Platform != "WebSocketPlatform" {
		t.Errorf("headers: %+v", r)
	}
	s.dial("/?session_id=%20%20&session_id=%20Q%20%C3%A9&user_id=eve", nil).next()
	if r, _, ok := store.Stored("Q é"); !ok || r.Username != "eve" || r.Name != "" {
		t.Errorf("query: %+v", r)
	}
	for path, want := range map[string]int{
		"/?session_id=" + strings.Repeat("x", 300): http.StatusBadRequest,
		"/?session_name=%00":                       http.StatusBadRequest,
		"/?protocol=docent.v2":                     http.StatusBadRequest,
		"/?protocol=baf":                           http.StatusBadRequest,
	} {
		_, resp, err := wstest.Dial(t.Context(), s.url+path, nil)
		if err == nil || resp.StatusCode != want {
			t.Errorf("%.40s: %v", path, err)
		}
	}
	for _, offered := range [][]string{{"docent.v2"}, {"other", "docent.v2"}, {"docent.v2", "docent.token.x"}} {
		status, body := s.refusal("/", &wstest.DialOptions{Subprotocols: offered})
		if status != http.StatusBadRequest || !strings.Contains(body, `does not speak \"docent.v2\"`) {
			t.Errorf("%s: %d %s", offered, status, body)
		}
	}
	for _, path := range []string{"/", "/?protocol=%20", "/?protocol=%20docent.v1%20"} {
		if p := s.dial(path, &wstest.DialOptions{Subprotocols: []string{"docent.v2", "docent.v1"}}); p.conn.Subprotocol() != ws.Protocol {
			t.Errorf("%s: %q is chosen", path, p.conn.Subprotocol())
		}
	}
	s.dial(typed.Path+"?protocol=docent.v2", nil)
	_, resp, err := wstest.Dial(t.Context(), s.url, &wstest.DialOptions{HTTPHeader: http.Header{"Origin": {"https://evil.example"}}})
	if err == nil || resp.StatusCode != http.StatusForbidden {
		t.Errorf("a foreign origin: %v", err)
	}
	s.dial("/", &wstest.DialOptions{HTTPHeader: http.Header{"Origin": {strings.Replace(s.url, "ws", "http", 1)}}}).next()
	resp, err = http.Get(strings.Replace(s.url, "ws", "http", 1))
	if err != nil || resp.StatusCode != http.StatusUpgradeRequired {
		t.Errorf("a plain GET: %v %v", resp, err)
	}
	resp.Body.Close()
	sub := s.dial("/", &wstest.DialOptions{Subprotocols: []string{"other", "docent.v1"}})
	if sub.conn.Subprotocol() != ws.Protocol {
		t.Errorf("subprotocol %q", sub.conn.Subprotocol())
	}
	sub.say(`{"action":"hello"}`)
	sub.until(payload.WelcomeAction)
	if p := s.dial("/", &wstest.DialOptions{Subprotocols: []string{"other"}}); p.conn.Subprotocol() != "" || p.next().Action != payload.ReplyStr {
		t.Error("an unknown subprotocol is not plain BAF")
	}
}

// Shutdown finishes the running turn, sends its output, and tells the clients.
func TestShutdown(t *testing.T) {
	t.Parallel()
	begun, hold := make(chan struct{}), make(chan struct{})
	answers := &agenttest.Answers{Answer: func(_ context.Context, req rag.Request) (string, error) {
		close(begun)
		<-hold
		return req.Question, nil
	}}
	s := serve(t, setup{rag: answers})
	p, _ := s.hello("/")
	idle := s.dial("/", nil)
	idle.next()
	p.say(`{"action":"user_message","message":"m"}`)
	<-begun
	var running sync.WaitGroup
	running.Go(s.stop)
	for { // until the peer accepts no more data
		if _, resp, err := wstest.Dial(t.Context(), s.url, nil); err != nil && resp != nil && resp.StatusCode == http.StatusServiceUnavailable {
			break
		}
	}
	close(hold)
	p.until(payload.ReplyRAG)
	p.until(payload.TurnFinishedAction)
	for _, c := range []*peer{p, idle} {
		if code := c.closed(); code != ws.CloseGoingAway.Code {
			t.Errorf("closed with %d", code)
		}
	}
	running.Wait()
	if n := s.server.Connections(); n != 0 {
		t.Errorf("%d connections after Shutdown", n)
	}
}

// Clients are asked to reconnect even if a turn takes longer than Shutdown.
func TestShutdownLate(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{})
	answers := &agenttest.Answers{Answer: func(ctx context.Context, _ rag.Request) (string, error) {
		close(begun)
		<-ctx.Done()
		return "", ctx.Err()
	}}
	s := serve(t, setup{rag: answers})
	p, _ := s.hello("/")
	p.say(`{"action":"user_message","message":"m"}`)
	<-begun
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // over in any case
	var running sync.WaitGroup
	running.Go(func() {
		if err := s.server.Shutdown(ctx); err == nil {
			t.Error("Shutdown says nothing of the turn it interrupted")
		}
	})
	if code := p.closed(); code != ws.CloseGoingAway.Code {
		t.Errorf("closed with %d", code)
	}
	running.Wait()
}

// A client that never answers the close frame does not delay Shutdown.
func TestShutdownForced(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{agent: talker(t, 1, 20<<20)})
	p := s.dial("/", nil)
	p.say(`{"action":"user_message","message":"talk"}`)
	if _, _, err := p.conn.Reader(t.Context()); err != nil { // a part of the reply has arrived, but is not read
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := s.server.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Shutdown: %v", err)
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	if _, err := ws.NewServer(ws.Config{}); err == nil {
		t.Error("a server without a runtime")
	}
	rt, err := session.NewRuntime(session.RuntimeConfig{Agent: talker(t, 1, 1), Store: agenttest.NewStore()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ws.NewServer(ws.Config{Runtime: rt, Burst: -1}); err == nil {
		t.Error("a negative limit")
	}
	if ws.IsUpgrade(httptest.NewRequest(http.MethodGet, "/", nil)) {
		t.Error("a plain request is an upgrade")
	}
}

// When the store fails, each dialect reports it in its own way.
func TestStoreFails(t *testing.T) {
	t.Parallel()
	store := agenttest.NewStore()
	var mu sync.Mutex
	broken := agenttest.Operation("")
	store.SetBefore(func(_ context.Context, op agenttest.Operation) error {
		mu.Lock()
		defer mu.Unlock()
		if op == broken {
			return errors.New("disk /secret is gone")
		}
		return nil
	})
	breakDown := func(op agenttest.Operation) {
		mu.Lock()
		defer mu.Unlock()
		broken = op
	}
	s := serve(t, setup{store: store})
	p, _ := s.hello("/")
	b := s.dial("/", nil)
	p.until(payload.ReplyStr)
	b.next()
	breakDown(agenttest.Receive)
	for _, c := range []*peer{p, b} {
		c.say(`{"action":"user_message","message":"m","id":"m1"}`)
		f := c.next()
		if strings.Contains(f.raw, "secret") || !strings.Contains(f.raw, "went wrong here") {
			t.Errorf("got %s", f.raw)
		}
		if c == p && (f.Action != payload.ErrorAction || f.ID != "m1") || c == b && f.Action != payload.ReplyStr {
			t.Errorf("got %s", f.raw)
		}
	}
	breakDown(agenttest.Open)
	if code := s.dial("/", nil).closed(); code != ws.CloseInternal.Code {
		t.Errorf("closed with %d", code)
	}
	breakDown("")
	p.say(`{"action":"user_message","message":"m","id":"m1"}`)
	p.until(payload.ReplyRAG)
}

// Deltas that wait together are sent together, and none is lost.
func TestDeltas(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word \"quoted\" <é>\n ", 5000)
	s := serve(t, setup{rag: &agenttest.Answers{Answer: func(context.Context, rag.Request) (string, error) { return long, nil }}})
	p, _ := s.hello("/")
	p.say(`{"action":"user_message","message":"m"}`)
	var text strings.Builder
	frames := 0
	for {
		f := p.next()
		if f.Action == payload.ReplyRAG {
			break
		}
		if f.Action != payload.DeltaAction {
			continue
		}
		var d payload.Delta
		if err := json.Unmarshal(f.Message, &d); err != nil || *f.Turn != 1 {
			t.Fatal(f.raw, err)
		}
		text.WriteString(d.Text)
		frames++
	}
	if text.String() != long {
		t.Error("the deltas are not the answer")
	}
	t.Logf("%d pieces in %d frames", strings.Count(long, " "), frames)
}
