package agenttest

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"docent/agent"
	"docent/agent/session"
	"docent/payload"
)

// Patience bounds each wait of a test.
const Patience = 60 * time.Second

// Bubble runs a test with its own clock. synctest.Wait then waits until all goroutines are blocked.
func Bubble(t *testing.T, f func(t *testing.T)) {
	t.Parallel()
	synctest.Test(t, f)
}

// Client is a session.Listener that keeps all frames.
type Client struct {
	// Openings receives the values of Opened.
	Openings chan session.Opened
	// Heard receives the deliveries, without the frames that each opening sends.
	Heard chan session.Delivery

	t *testing.T
}

// NewClient returns a Client for one session.
func NewClient(t *testing.T) *Client {
	return &Client{t: t, Openings: make(chan session.Opened, 1), Heard: make(chan session.Delivery, 1000)}
}

// Opened implements session.Listener.
func (c *Client) Opened(o session.Opened) { c.Openings <- o }

// Deliver implements session.Listener.
func (c *Client) Deliver(d session.Delivery) {
	if d.Frame.Action != payload.SyncedAction {
		c.Heard <- d
	}
}

// Next returns the next frame.
func (c *Client) Next() session.Delivery {
	c.t.Helper()
	select {
	case d := <-c.Heard:
		return d
	case <-time.After(Patience):
		c.t.Fatal("no frame came")
		return session.Delivery{}
	}
}

// Until skips frames up to the first with an action.
func (c *Client) Until(action payload.Action) session.Delivery {
	c.t.Helper()
	for {
		if d := c.Next(); d.Frame.Action == action {
			return d
		}
	}
}

// Quiet checks that no unread frames are left.
func (c *Client) Quiet() {
	c.t.Helper()
	select {
	case d := <-c.Heard:
		c.t.Fatalf("heard %s %s, want nothing", d.Frame.Action, d.Frame.Message)
	default:
	}
}

// Text returns the message of a frame with text.
func Text(t *testing.T, d session.Delivery) string {
	t.Helper()
	var s string
	if err := json.Unmarshal(d.Frame.Message, &s); err != nil {
		t.Fatalf("%s is not text: %s", d.Frame.Action, d.Frame.Message)
	}
	return s
}

// Quoted returns a text as JSON.
func Quoted(s string) json.RawMessage {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return b
}

// Start runs an agent. The test stops it at its end.
func Start(t *testing.T, cfg session.RuntimeConfig) *session.Runtime {
	t.Helper()
	if cfg.Now == nil {
		cfg.Now = Now()
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.NewTextHandler(t.Output(), nil))
	}
	rt, err := session.NewRuntime(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { Stop(t, rt) })
	return rt
}

// Stop waits for the running turns of an agent.
func Stop(t *testing.T, rt *session.Runtime) {
	t.Helper()
	// The context of a test ends before its clean-up.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), Patience)
	defer cancel()
	if err := rt.Shutdown(ctx); err != nil {
		t.Errorf("Shutdown: %v", err)
	}
}

// OpenSession opens a session until the end of the test.
func OpenSession(t *testing.T, rt *session.Runtime, id string) (*session.Subscription, *Client, session.Opened) {
	t.Helper()
	c := NewClient(t)
	sub, err := rt.Open(t.Context(), session.OpenRequest{ID: id}, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sub.Close)
	return sub, c, <-c.Openings
}

// Send sends a text of a user.
func Send(t *testing.T, sub *session.Subscription, id, said string) {
	t.Helper()
	if err := sub.Send(t.Context(), session.Message{ID: id, Content: Quoted(said), Human: true}); err != nil {
		t.Fatalf("send %q: %v", said, err)
	}
}

// Echo returns an agent that repeats each message after it has called handle. Files wait.
func Echo(handle agent.Body) *agent.Agent {
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
	answer.OnFile("never").GoTo(answer)
	return a
}
