package ws_test

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/assistant"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/internal/wstest"
	"docent/payload"
	"docent/ws"
	"docent/ws/typed"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// began is the second in which the tests began. No message is older.
var began = time.Now().Truncate(time.Second)

// typedDialect returns the dialect of Agent WebSocket.
func typedDialect(endpoint *typed.Endpoint) ws.Dialect {
	return ws.Dialect{
		Name: typed.Name, NotWebSocket: typed.NotWebSocket,
		Begin: func(c *ws.Connection) ws.Handler { return endpoint.Begin(c) },
	}
}

// patience limits every wait in these tests.
const patience = 60 * time.Second

// setup is a server with its parts; zero fields get defaults for tests.
type setup struct {
	agent   *agent.Agent
	store   journal.Store
	rag     agent.RAG
	runtime session.RuntimeConfig
	config  ws.Config
}

// site is a running server.
type site struct {
	t        *testing.T
	url      string
	runtime  *session.Runtime
	server   *ws.Server
	endpoint *typed.Endpoint
}

func serve(t *testing.T, s setup) *site {
	t.Helper()
	specified(t) // loading it takes seconds, and a connected peer would count as silent
	if s.agent == nil {
		a, err := assistant.New(assistant.Config{History: 4})
		if err != nil {
			t.Fatal(err)
		}
		s.agent = a
	}
	if s.store == nil {
		s.store = agenttest.NewStore()
	}
	if s.rag == nil {
		s.rag = &agenttest.Answers{}
	}
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	s.runtime.Logger, s.config.Logger = cmp.Or(s.runtime.Logger, log), cmp.Or(s.config.Logger, log)
	s.runtime.Agent, s.runtime.Store, s.runtime.RAG = s.agent, s.store, s.rag
	s.runtime.Versions, _ = s.store.(journal.Versions)
	rt, err := session.NewRuntime(s.runtime)
	if err != nil {
		t.Fatal(err)
	}
	s.config.Runtime = rt
	if s.config.Info == nil {
		s.config.Info = func(context.Context) ws.Info {
			return ws.Info{Models: []string{"scripted"}, Collections: []string{"default"}}
		}
	}
	endpoint := typed.New(typed.Config{})
	s.config.Dialects = map[string]ws.Dialect{typed.Path: typedDialect(endpoint)}
	server, err := ws.NewServer(s.config)
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(server)
	out := &site{t: t, url: "ws" + strings.TrimPrefix(h.URL, "http"), runtime: rt, server: server, endpoint: endpoint}
	t.Cleanup(func() {
		out.stop()
		h.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return out
}

func (s *site) stop() {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := s.server.Shutdown(ctx); err != nil {
		s.t.Errorf("Shutdown: %v", err)
	}
}

// peer is an independent client. It validates frames against docs/asyncapi.yaml.
type peer struct {
	t       *testing.T
	conn    *wstest.Conn
	channel string
}

// channelOf is the channel of docs/asyncapi.yaml that a handshake asks for.
func channelOf(path string, o *wstest.DialOptions) string {
	switch {
	case strings.HasPrefix(path, typed.Path):
		return channelTyped
	case strings.Contains(path, "protocol=docent.v1"), o != nil && slices.Contains(o.Subprotocols, ws.Protocol):
		return channelV1
	default:
		return channelBAF
	}
}

func (s *site) dial(path string, o *wstest.DialOptions) *peer {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	conn, _, err := wstest.Dial(ctx, s.url+path, o)
	if err != nil {
		s.t.Fatalf("dial %s: %v", path, err)
	}
	conn.SetReadLimit(-1)
	p := &peer{t: s.t, conn: conn, channel: channelOf(path, o)}
	s.t.Cleanup(func() { conn.CloseNow() })
	return p
}

// hello dials as a docent.v1 client and returns the welcome.
func (s *site) hello(path string) (*peer, payload.Welcome) {
	s.t.Helper()
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	p := s.dial(path+separator+"protocol=docent.v1", nil)
	p.say(`{"action":"hello","message":{}}`)
	f := p.next()
	var w payload.Welcome
	if err := json.Unmarshal(f.Message, &w); err != nil || f.Action != payload.WelcomeAction {
		s.t.Fatalf("want a welcome, got %s: %v", f.raw, err)
	}
	if f := p.next(); f.Action != payload.SyncedAction {
		s.t.Fatalf("want synced, got %s", f.raw)
	}
	return p, w
}

// frame is a received frame with its text.
type frame struct {
	Action  payload.Action
	Message json.RawMessage
	History bool
	Seq     int64
	ID      string
	Turn    *int64
	N       int64
	raw     string
}

func (p *peer) say(text string) {
	p.t.Helper()
	p.write(wstest.MessageText, []byte(text))
}

func (p *peer) write(kind int, data []byte) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	if err := p.conn.Write(ctx, kind, data); err != nil {
		p.t.Fatalf("write: %v", err)
	}
}

func (p *peer) next() frame {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	_, data, err := p.conn.Read(ctx)
	if err != nil {
		p.t.Fatalf("read: %v", err)
	}
	if err := specified(p.t).check(p.channel, "server", data); err != nil {
		p.t.Errorf("%.500s is not as docs/asyncapi.yaml says: %v", data, err)
	}
	f := frame{raw: string(data)}
	if err := json.Unmarshal(data, &f); err != nil {
		p.t.Fatalf("frame %s: %v", data, err)
	}
	return f
}

// until skips frames before the first one with the action.
func (p *peer) until(action payload.Action) frame {
	p.t.Helper()
	for {
		if f := p.next(); f.Action == action {
			return f
		}
	}
}

// joined waits until a BAF client is in its session. It sends a request that
// changes nothing and waits for the answer.
func (p *peer) joined() {
	p.t.Helper()
	p.say(`{"action":"user_set_variable","message":{"prev_state":1}}`)
	for !strings.Contains(p.until(payload.ReplyStr).raw, "prev_state") {
	}
}

// closed waits for the server to close the connection and returns the code.
func (p *peer) closed() int {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	for {
		if _, _, err := p.conn.Read(ctx); err != nil {
			if code := wstest.CloseStatus(err); code >= 0 {
				return code
			}
			p.t.Fatalf("ended without a close frame: %v", err)
		}
	}
}

func TestBAF(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{})
	p := s.dial("/any/path", nil)
	if f := p.next(); f.Action != payload.ReplyStr {
		t.Fatalf("greeting %s", f.raw)
	}
	p.say(`{"action":"user_message","message":"What is RAG?"}`)
	if f := p.next(); f.Action != payload.ReplyRAG {
		t.Fatalf("reply %s", f.raw)
	}
}

func TestV1(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{})
	p, w := s.hello("/ws")
	if w.SessionID == "" || w.Resumed || w.Limits.MessageBytes != agent.MaxTextBytes || w.Limits.FrameBytes != 32<<20 || len(w.Models) != 1 || len(w.Collections) != 1 {
		t.Errorf("welcome %+v", w)
	}
	if f := p.next(); f.Action != payload.ReplyStr || f.Seq != 1 || f.Turn == nil || *f.Turn != 0 {
		t.Errorf("greeting %s", f.raw)
	}
	p.say(`{"action":"user_message","message":"What is RAG?","id":"m1"}`)
	if f := p.next(); f.Action != payload.AckAction || f.ID != "m1" || *f.Turn != 1 {
		t.Errorf("ack %s", f.raw)
	}
	if f := p.until(payload.ReplyRAG); f.Seq != 3 || *f.Turn != 1 {
		t.Errorf("reply %s", f.raw)
	}
	if f := p.next(); f.Action != payload.TurnFinishedAction || *f.Turn != 1 {
		t.Errorf("end %s", f.raw)
	}
}
