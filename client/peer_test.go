package client_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/peer"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/client"
	"docent/internal/fault"
	"docent/internal/wstest"
	"docent/payload"
	"docent/ws"
)

// house is a running docent: an agent behind a WebSocket server that can call
// others.
type house struct {
	t       *testing.T
	url     string
	runtime *session.Runtime
	server  *ws.Server
	http    *httptest.Server
	lines   *recorded
	stopped sync.Once
}

// open runs an agent at an address, "" for a free one.
func open(t *testing.T, a *agent.Agent, store journal.Store, address string) *house {
	t.Helper()
	dialer, err := client.NewDialer(client.DialerConfig{})
	if err != nil {
		t.Fatal(err)
	}
	rt, err := session.NewRuntime(session.RuntimeConfig{Agent: a, Store: store, Dialer: dialer})
	if err != nil {
		t.Fatal(err)
	}
	server, err := ws.NewServer(ws.Config{Runtime: rt})
	if err != nil {
		t.Fatal(err)
	}
	h := &house{t: t, runtime: rt, server: server, http: httptest.NewUnstartedServer(server)}
	if address != "" {
		_ = h.http.Listener.Close()
		if h.http.Listener, err = net.Listen("tcp", address); err != nil {
			t.Fatal(err)
		}
	}
	h.lines = &recorded{Listener: h.http.Listener}
	h.http.Listener = h.lines
	h.http.Start()
	h.url = "ws" + strings.TrimPrefix(h.http.URL, "http")
	t.Cleanup(func() { h.stop(patience) })
	return h
}

// stop shuts the house down. Turns that take longer than grace are interrupted.
func (h *house) stop(grace time.Duration) {
	h.stopped.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), grace)
		defer cancel()
		if err := h.server.Shutdown(ctx); err != nil && grace == patience {
			h.t.Errorf("Shutdown: %v", err)
		}
		h.http.Close()
	})
}

// address returns the listen address of the house.
func (h *house) address() string { return strings.TrimPrefix(h.url, "ws://") }

// visitor is a user of a house.
type visitor struct {
	t    *testing.T
	conn *client.Conn
	heard
}

func (h *house) visit(session string) *visitor {
	h.t.Helper()
	conn := dial(h.t, client.Config{URL: h.url, SessionID: session})
	return &visitor{t: h.t, conn: conn, heard: listen(conn)}
}

func (v *visitor) say(text string) {
	v.t.Helper()
	message, err := json.Marshal(text)
	if err != nil {
		v.t.Fatal(err)
	}
	if err := v.conn.Send(v.t.Context(), payload.Frame{Action: payload.UserMessage, Message: message}); err != nil {
		v.t.Fatal(err)
	}
}

// hears checks the next message.
func (v *visitor) hears(want string) {
	v.t.Helper()
	if got := v.next(); got != want {
		v.t.Errorf("heard %q, want %q", got, want)
	}
}

func (v *visitor) next() string {
	v.t.Helper()
	f := v.heard.next(v.t)
	var text string
	if f.Action != payload.ReplyStr || json.Unmarshal(f.Message, &text) != nil {
		v.t.Fatalf("heard %s %s", f.Action, f.Message)
	}
	return text
}

// talker returns an agent that answers each message with the result of body.
func talker(name string, body agent.Body) *agent.Agent {
	a := agent.New(name)
	idle, talk := a.State("idle", agent.Initial), a.State("talk")
	idle.Body(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, name+" greets") })
	idle.OnMessage().GoTo(talk)
	talk.OnMessage().GoTo(talk)
	talk.OnFile("never").GoTo(talk) // files wait
	talk.Body(body)
	return a
}

// asker returns an agent that forwards its user's questions to the agent at a
// URL, and returns each answer with its question.
func asker(url func() string) *agent.Agent {
	return talker("asker", func(ctx context.Context, s *agent.Session) error {
		e := s.Event()
		if e.Human {
			var message any = e.Text
			if e.JSON != nil {
				message = e.JSON
			}
			id, err := s.SendToPeer(ctx, url(), message)
			if err != nil {
				return err
			}
			return s.Set("q "+id, e.Text)
		}
		var question string
		if e.Correlation != "" {
			if _, err := s.Get("q "+e.Correlation, &question); err != nil {
				return err
			}
		}
		return s.Reply(ctx, fmt.Sprintf("%q: %s", question, e.Text))
	})
}

// Two docents ask each other: with correlation, concurrently, with texts and
// objects, and each user in a separate conversation.
func TestDocentToDocent(t *testing.T) {
	t.Parallel()
	var a, b *house
	b = open(t, talker("b", func(ctx context.Context, s *agent.Session) error {
		e := s.Event()
		switch {
		case e.Human: // its own user asks a
			_, err := s.SendToPeer(ctx, a.url, e.Text)
			return err
		case e.From != "": // what a answers
			return s.Reply(ctx, "a says "+e.Text)
		case e.JSON != nil:
			var object struct{ Request string }
			if err := json.Unmarshal(e.JSON, &object); err != nil {
				return err
			}
			return s.ReplyMarkdown(ctx, "*"+object.Request+"* is done")
		default:
			return s.Reply(ctx, fmt.Sprintf("answer to %s, %d hops", e.Text, e.Hops))
		}
	}), agenttest.NewStore(), "")
	echo := asker(func() string { return b.url })
	a = open(t, echo, agenttest.NewStore(), "")

	ada, bob := a.visit("ada"), a.visit("bob")
	for _, v := range []*visitor{ada, bob} {
		v.hears("asker greets")
	}
	ada.say("one")
	bob.say("uno")
	ada.hears(`"": b greets`)
	bob.hears(`"": b greets`)
	ada.hears(`"one": answer to one, 1 hops`)
	bob.hears(`"uno": answer to uno, 1 hops`)
	for i := range 10 {
		ada.say(fmt.Sprint("a", i))
		bob.say(fmt.Sprint("b", i))
	}
	for i := range 10 {
		ada.hears(fmt.Sprintf(`"a%d": answer to a%d, 1 hops`, i, i))
		bob.hears(fmt.Sprintf(`"b%d": answer to b%d, 1 hops`, i, i))
	}
	ada.say(`{"message":"an object","request":"work"}`)
	ada.hears(`"an object": *work* is done`)
	if n := b.runtime.Sessions(); n != 2 {
		t.Errorf("b has %d sessions, want one for each user of a", n)
	}
}

// docent stops agents that answer each other endlessly, and reports it to their user.
func TestPingPong(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	hops := []int{}
	b := open(t, talker("b", func(ctx context.Context, s *agent.Session) error {
		mu.Lock()
		defer mu.Unlock()
		hops = append(hops, s.Event().Hops)
		return s.Reply(ctx, "pong")
	}), agenttest.NewStore(), "")
	a := open(t, talker("a", func(ctx context.Context, s *agent.Session) error {
		if !s.Event().Human && s.Event().Correlation == "" {
			return nil // the greeting
		}
		_, err := s.SendToPeer(ctx, b.url, "ping")
		return err
	}), agenttest.NewStore(), "")
	v := a.visit("")
	v.hears("a greets")
	v.say("go")
	if got := v.next(); !strings.Contains(got, "answered each other 16 times") {
		t.Errorf("heard %q", got)
	}
	mu.Lock()
	defer mu.Unlock()
	if want := []int{1, 3, 5, 7, 9, 11, 13, 15}; !slices.Equal(hops, want) {
		t.Errorf("b was pinged with %v hops, want %v", hops, want)
	}
}

// Agents that ask each other in new conversations are stopped too.
func TestMutualQuestions(t *testing.T) {
	t.Parallel()
	var a, b *house
	ask := func(other func() string) agent.Body {
		return func(ctx context.Context, s *agent.Session) error {
			if e := s.Event(); !e.Human && e.From != "" && e.Correlation == "" {
				return nil // a greeting
			}
			_, err := s.SendToPeer(ctx, other(), "tell me")
			return err
		}
	}
	a = open(t, talker("a", ask(func() string { return b.url })), agenttest.NewStore(), "")
	b = open(t, talker("b", ask(func() string { return a.url })), agenttest.NewStore(), "")
	v := a.visit("")
	v.hears("a greets")
	v.say("go")
	if got := v.next(); !strings.Contains(got, "answered each other") {
		t.Errorf("heard %q", got)
	}
	if n := a.runtime.Sessions() + b.runtime.Sessions(); n > 17 {
		t.Errorf("%d sessions", n)
	}
}

// A docent that is stopped during an answer gives it after the restart: once, to
// the same session.
func TestPeerComesBack(t *testing.T) {
	t.Parallel()
	for name, store := range stores(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testPeerComesBack(t, store)
		})
	}
}

func testPeerComesBack(t *testing.T, store journal.Store) {
	began, hold := make(chan string, 10), make(chan struct{})
	body := func(ctx context.Context, s *agent.Session) error {
		began <- s.ID()
		select {
		case <-hold:
			return s.Reply(ctx, "answer to "+s.Message())
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	b := open(t, talker("b", body), store, "")
	address := b.address()
	a := open(t, asker(func() string { return "ws://" + address }), agenttest.NewStore(), "")
	v := a.visit("")
	v.hears("asker greets")
	v.say("one")
	v.hears(`"": b greets`)
	session := <-began
	b.stop(time.Millisecond) // a has two to three seconds to find it again
	open(t, talker("b", body), store, address)
	if again := <-began; again != session {
		t.Errorf("b answers in session %q, was %q", again, session)
	}
	close(hold)
	v.hears(`"one": answer to one`)
	v.say("two")
	v.hears(`"two": answer to two`)
	if again := <-began; again != session {
		t.Errorf("b answers in session %q, was %q", again, session)
	}
}

// baf is an agent of BAF, as seen on the wire. It greets new sessions, answers
// with agent_reply_str without ids, and sends messages that do not cross.
type baf struct {
	url      string
	mu       sync.Mutex // guards what follows
	sessions map[string]int
	origins  []string
	got      []string
	conns    []*wstest.Conn
	entered  chan struct{}
}

func serveBAF(t *testing.T) *baf {
	t.Helper()
	b := &baf{sessions: map[string]int{}, entered: make(chan struct{}, 10)}
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := wstest.Accept(w, r)
		if err != nil {
			return
		}
		defer func() { _ = conn.CloseNow() }()
		if b.enter(r, conn) {
			say(t, conn, `{"action": "agent_reply_str", "message": "B greets", "history": false, "timestamp": "2026-11-21 07:30:15"}`)
		}
		for {
			_, data, err := conn.Read(r.Context())
			if err != nil {
				return
			}
			b.hear(t, conn, data)
		}
	}))
	b.url = "ws" + strings.TrimPrefix(h.URL, "http")
	t.Cleanup(h.Close)
	t.Cleanup(b.hangUp)
	return b
}

// enter notes a connection; true for a session that is new.
func (b *baf) enter(r *http.Request, conn *wstest.Conn) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	id := r.URL.Query().Get("session_id")
	b.sessions[id]++
	b.origins = append(b.origins, r.Header.Get("Origin"))
	b.conns = append(b.conns, conn)
	b.entered <- struct{}{}
	return b.sessions[id] == 1
}

// hear answers; "slow" only never.
func (b *baf) hear(t *testing.T, conn *wstest.Conn, data []byte) {
	b.mu.Lock()
	b.got = append(b.got, string(data))
	b.mu.Unlock()
	var f struct {
		Action  string
		Message any
	}
	if err := json.Unmarshal(data, &f); err != nil || f.Action != "agent_reply_str" {
		t.Errorf("BAF got %s", data)
		return
	}
	if f.Message == "slow" {
		return
	}
	kind := "ReceiveTextEvent"
	if object, ok := f.Message.(map[string]any); ok {
		kind, f.Message = "ReceiveJSONEvent", object["request"]
	}
	say(t, conn, `{"action": "agent_reply_markdown", "message": "ignored by A", "history": false, "timestamp": "2026-11-21 07:30:15"}`)
	say(t, conn, fmt.Sprintf(`{"action": "agent_reply_str", "message": "B got %s '%s'", "history": false, "timestamp": "2026-11-21 07:30:15"}`, kind, f.Message))
}

// hangUp cuts all connections, like a peer that crashes.
func (b *baf) hangUp() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, conn := range b.conns {
		_ = conn.CloseNow()
	}
	b.conns = nil
}

// The exchange that was captured between two agents of BAF, with a docent in
// the place of the one that asks; and then what BAF does not do: the connection
// comes back to the same session.
func TestBAFPeer(t *testing.T) {
	t.Parallel()
	b := serveBAF(t)
	a := open(t, asker(func() string { return b.url }), agenttest.NewStore(), "")
	v := a.visit("")
	v.hears("asker greets")
	v.say("hello")
	v.hears(`"": B greets`)
	v.hears(`"hello": B got ReceiveTextEvent 'hello'`)
	v.say(`{"request": "do", "code": "x=1", "message": "object"}`)
	v.hears(`"object": B got ReceiveJSONEvent 'do'`)

	v.say("slow")
	v.say("next")                                    // sent after it
	v.hears(`"slow": B got ReceiveTextEvent 'next'`) // matched in order: the limit of peers without ids
	<-b.entered
	b.hangUp()
	<-b.entered // it comes back for the answer to "next"
	v.say("again")
	v.hears(`"again": B got ReceiveTextEvent 'again'`)

	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.sessions) != 1 {
		t.Errorf("sessions %v, want one", b.sessions)
	}
	if b.origins[0] != "http://"+strings.TrimPrefix(b.url, "ws://") {
		t.Errorf("origin %q", b.origins[0])
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal([]byte(b.got[1]), &keys); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"action": `"agent_reply_str"`, "history": "false", "timestamp": "null"} {
		if string(keys[key]) != want {
			t.Errorf("%s is %s, want %s", key, keys[key], want)
		}
	}
	if slow := slices.IndexFunc(b.got, func(f string) bool { return strings.Contains(f, `"slow"`) }); slow < 0 ||
		slices.ContainsFunc(b.got[slow+1:], func(f string) bool { return strings.Contains(f, `"slow"`) }) {
		t.Errorf("what was written was not sent once: %q", b.got)
	}
}

// An unreachable peer is reported to the user, whose conversation continues.
func TestPeerIsDown(t *testing.T) {
	t.Parallel()
	b := open(t, talker("b", func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, "up") }), agenttest.NewStore(), "")
	r := build(t, b.address())
	r.set(true) // a free port could be taken by another test
	a := open(t, asker(func() string { return "ws://" + r.address }), agenttest.NewStore(), "")
	v := a.visit("")
	v.hears("asker greets")
	v.say("hello")
	if got := v.next(); !strings.Contains(got, "the other agent cannot be reached") || strings.Contains(got, r.address) {
		t.Errorf("heard %q", got)
	}
	r.set(false)
	v.say("hello")
	v.hears(`"": b greets`)
	v.hears(`"hello": up`)
	v.conn.Close()
	a.stop(patience) // with an open peer
	b.stop(patience)
}

// A dialer with a list of hosts connects to no other host.
func TestHosts(t *testing.T) {
	t.Parallel()
	o := serve(t, false)
	host := strings.TrimPrefix(o.url, "ws://")
	for name, tc := range map[string]struct {
		hosts []string
		want  fault.Kind
	}{
		"any":          {nil, ""},
		"address":      {[]string{"other.example", "127.0.0.1"}, ""},
		"with port":    {[]string{host}, ""},
		"other port":   {[]string{"127.0.0.1:1"}, fault.Forbidden},
		"other":        {[]string{"LOCALHOST"}, fault.Forbidden},
		"not a suffix": {[]string{"0.0.1"}, fault.Forbidden},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := client.NewDialer(client.DialerConfig{Hosts: tc.hosts})
			if err != nil {
				t.Fatal(err)
			}
			conn, err := d.Dial(t.Context(), peer.DialRequest{URL: o.url, SessionID: "S"})
			if err != nil && fault.KindOf(err) != tc.want || err == nil && tc.want != "" {
				t.Errorf("got %v, want %s", err, tc.want)
			}
			if err == nil {
				_ = conn.Close()
			}
		})
	}
	for _, bad := range []string{"", "ws://a", "a/b", "user@a"} {
		if _, err := client.NewDialer(client.DialerConfig{Hosts: []string{bad}}); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%q: %v", bad, err)
		}
	}
	d, err := client.NewDialer(client.DialerConfig{Hosts: []string{"a"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Dial(t.Context(), peer.DialRequest{URL: "ftp://a"}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("no WebSocket: %v", err)
	}
}
