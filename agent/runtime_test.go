package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"go.uber.org/goleak"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/payload"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience bounds every wait in these tests.
const patience = 10 * time.Second

// client is a Listener that keeps what it hears.
type client struct {
	t      *testing.T
	opened chan agent.Opened
	heard  chan agent.Delivery
}

func newClient(t *testing.T) *client {
	return &client{t: t, opened: make(chan agent.Opened, 1), heard: make(chan agent.Delivery, 1000)}
}

func (c *client) Opened(o agent.Opened)    { c.opened <- o }
func (c *client) Deliver(d agent.Delivery) { c.heard <- d }

// next returns the next frame.
func (c *client) next() agent.Delivery {
	c.t.Helper()
	select {
	case d := <-c.heard:
		return d
	case <-time.After(patience):
		c.t.Fatal("no frame came")
		return agent.Delivery{}
	}
}

// until skips frames up to the first of that action.
func (c *client) until(action payload.Action) agent.Delivery {
	c.t.Helper()
	for {
		if d := c.next(); d.Frame.Action == action {
			return d
		}
	}
}

// quiet checks that nothing was heard beyond what has been read.
func (c *client) quiet() {
	c.t.Helper()
	select {
	case d := <-c.heard:
		c.t.Fatalf("heard %s %s, want nothing", d.Frame.Action, d.Frame.Message)
	default:
	}
}

func text(t *testing.T, d agent.Delivery) string {
	t.Helper()
	var s string
	if err := json.Unmarshal(d.Frame.Message, &s); err != nil {
		t.Fatalf("%s is not text: %s", d.Frame.Action, d.Frame.Message)
	}
	return s
}

func quoted(s string) json.RawMessage {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return b
}

// start runs an agent; stop is called at the end of the test at the latest.
func start(t *testing.T, cfg agent.RuntimeConfig) *agent.Runtime {
	t.Helper()
	if cfg.Now == nil {
		cfg.Now = agenttest.Now()
	}
	rt, err := agent.NewRuntime(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, rt) })
	return rt
}

func stop(t *testing.T, rt *agent.Runtime) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := rt.Shutdown(ctx); err != nil {
		t.Errorf("Shutdown: %v", err)
	}
}

func open(t *testing.T, rt *agent.Runtime, id string) (*agent.Subscription, *client, agent.Opened) {
	t.Helper()
	c := newClient(t)
	sub, err := rt.Open(t.Context(), agent.OpenRequest{ID: id}, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sub.Close)
	return sub, c, <-c.opened
}

func send(t *testing.T, sub *agent.Subscription, id, said string) {
	t.Helper()
	if err := sub.Send(t.Context(), agent.Message{ID: id, Content: quoted(said)}); err != nil {
		t.Fatalf("send %q: %v", said, err)
	}
}

func assistant(t *testing.T) *agent.Agent {
	t.Helper()
	a, err := agent.NewAssistant(agent.AssistantConfig{History: 4})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// echo is an agent that repeats what it hears, after handle has looked at it.
func echo(handle agent.Body) *agent.Agent {
	a := agent.New("echo")
	greet, answer := a.State("greet", agent.Initial), a.State("answer")
	greet.Body(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, "hello") })
	greet.OnMessage().GoTo(answer)
	answer.Body(func(ctx context.Context, s *agent.Session) error {
		if handle != nil {
			if err := handle(ctx, s); err != nil {
				return err
			}
		}
		return s.Reply(ctx, s.Message())
	})
	answer.OnMessage().GoTo(answer)
	return a
}

func TestTurn(t *testing.T) {
	t.Parallel()
	store := agenttest.NewStore()
	rt := start(t, agent.RuntimeConfig{Agent: assistant(t), Store: store, RAG: &agenttest.Answers{}})
	sub, c, opened := open(t, rt, "S1")
	if opened != (agent.Opened{SessionID: "S1"}) {
		t.Errorf("opened %+v", opened)
	}
	if d := c.next(); text(t, d) != agent.DefaultGreeting || d.Frame.Seq != 1 || *d.Frame.Turn != 0 {
		t.Errorf("greeting: %+v %s", d.Frame, d.Frame.Message)
	}
	send(t, sub, "m1", "two words")
	var got []string
	for {
		d := c.next()
		got = append(got, fmt.Sprintf("%d %s seq=%d turn=%d %s", d.Audience, d.Frame.Action, d.Frame.Seq, *d.Frame.Turn, short(d.Frame.Message)))
		if d.Frame.Action == payload.TurnFinishedAction {
			break
		}
	}
	want := []string{
		`1 ack seq=0 turn=1 {"id":"m1","seq":2,"duplicate":false}`,
		`1 status seq=0 turn=1 {"phase":"searching"}`,
		`1 status seq=0 turn=1 {"phase":"answering"}`,
		`1 agent_reply_delta seq=0 turn=1 {"text":"You "}`,
		`1 agent_reply_delta seq=0 turn=1 {"text":"asked: "}`,
		`1 agent_reply_delta seq=0 turn=1 {"text":"two "}`,
		`1 agent_reply_delta seq=0 turn=1 {"text":"words"}`,
		`0 agent_reply_rag seq=3 turn=1 {"llm_name":"scripted","question":"two words","answer":"You asked:`,
		`1 turn_finished seq=0 turn=1 {"outcome":"done","usage":{"prompt_tokens":7,"completion_tokens":3`,
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("frames:\n%q\nwant\n%q", got, want)
		}
	}
	record, messages, _ := store.Session("S1")
	if record.State != "answer" || len(messages) != 3 || messages[2].Type != payload.TypeRAG {
		t.Errorf("stored %+v %+v", record, messages)
	}
	if tr := store.Transitions("S1"); len(tr) != 1 || tr[0].Source != "greet" || tr[0].Dest != "answer" || tr[0].Event != "receive_message" {
		t.Errorf("transitions %+v", tr)
	}
	for op, want := range map[agenttest.Operation]int{agenttest.Open: 1, agenttest.Receive: 1, agenttest.Commit: 2, agenttest.Messages: 0} {
		if n := store.Calls(op); n != want {
			t.Errorf("%d trips of %s, want %d", n, op, want)
		}
	}
}

func short(b []byte) string { return string(b[:min(len(b), 66)]) }
