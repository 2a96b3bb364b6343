package reason_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
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

// bubble runs a test with a fake clock. synctest.Wait waits until all goroutines are blocked.
func bubble(t *testing.T, f func(t *testing.T)) {
	t.Parallel()
	synctest.Test(t, f)
}

// patience limits every wait in these tests.
const patience = 60 * time.Second

// client is a Listener that records its deliveries.
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
	if d.Frame.Action != payload.SyncedAction { // which comes with each opening
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

// until skips frames up to the first of that action.
func (c *client) until(action payload.Action) session.Delivery {
	c.t.Helper()
	for {
		if d := c.next(); d.Frame.Action == action {
			return d
		}
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

// start runs an agent; stop is called at the end of the test at the latest.
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

// echo is an agent that repeats messages. handle may change them first.
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

// messages lists the stored messages of session S with their turns.
func messages(store *agenttest.Store) string {
	_, messages, _ := store.Stored("S")
	var out []string
	for _, m := range messages {
		out = append(out, fmt.Sprintf("%d %s", m.Turn, m.Content))
	}
	return strings.Join(out, "|")
}

// ends lists the ends of turns that the client has received.
func ends(c *client) []string {
	var out []string
	for len(c.heard) > 0 {
		if d := c.next(); d.Frame.Action == payload.TurnFinishedAction {
			out = append(out, fmt.Sprintf("%d %s", *d.Frame.Turn, strings.TrimPrefix(string(d.Frame.Message), `{"outcome":`)))
		}
	}
	return out
}
