package session_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/assistant"
	"docent/agent/session"
	"docent/payload"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bubble runs a test with its own clock. synctest.Wait then waits until all goroutines are blocked.
func bubble(t *testing.T, f func(t *testing.T)) {
	t.Parallel()
	synctest.Test(t, f)
}

// patience bounds every wait in these tests.
const patience = 60 * time.Second

// client is a Listener that keeps all frames.
type client struct {
	t      *testing.T
	opened chan session.Opened
	heard  chan session.Delivery
}

func newClient(t *testing.T) *client {
	return &client{t: t, opened: make(chan session.Opened, 1), heard: make(chan session.Delivery, 1000)}
}

func (c *client) Opened(o session.Opened) { c.opened <- o }
func (c *client) Deliver(d session.Delivery) {
	if d.Frame.Action != payload.SyncedAction { // each opening sends one
		c.heard <- d
	}
}

// next returns the next frame.
func (c *client) next() session.Delivery {
	c.t.Helper()
	select {
	case d := <-c.heard:
		return d
	case <-time.After(patience):
		c.t.Fatal("no frame came")
		return session.Delivery{}
	}
}

// until skips frames up to the first with an action.
func (c *client) until(action payload.Action) session.Delivery {
	c.t.Helper()
	for {
		if d := c.next(); d.Frame.Action == action {
			return d
		}
	}
}

// quiet checks that no unread frames are left.
func (c *client) quiet() {
	c.t.Helper()
	select {
	case d := <-c.heard:
		c.t.Fatalf("heard %s %s, want nothing", d.Frame.Action, d.Frame.Message)
	default:
	}
}

func text(t *testing.T, d session.Delivery) string {
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

// start runs an agent. The test stops it at its end.
func start(t *testing.T, cfg session.RuntimeConfig) *session.Runtime {
	t.Helper()
	if cfg.Now == nil {
		cfg.Now = agenttest.Now()
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.NewTextHandler(t.Output(), nil))
	}
	rt, err := session.NewRuntime(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, rt) })
	return rt
}

func stop(t *testing.T, rt *session.Runtime) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := rt.Shutdown(ctx); err != nil {
		t.Errorf("Shutdown: %v", err)
	}
}

func open(t *testing.T, rt *session.Runtime, id string) (*session.Subscription, *client, session.Opened) {
	t.Helper()
	c := newClient(t)
	sub, err := rt.Open(t.Context(), session.OpenRequest{ID: id}, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sub.Close)
	return sub, c, <-c.opened
}

func send(t *testing.T, sub *session.Subscription, id, said string) {
	t.Helper()
	if err := sub.Send(t.Context(), session.Message{ID: id, Content: quoted(said), Human: true}); err != nil {
		t.Fatalf("send %q: %v", said, err)
	}
}

func anAssistant(t *testing.T) *agent.Agent {
	t.Helper()
	a, err := assistant.New(assistant.Config{History: 4})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// echo returns an agent that repeats each message after it has called handle.
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
	answer.OnFile("never").GoTo(answer) // files wait
	return a
}
