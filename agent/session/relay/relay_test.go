package relay_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"docent/agent"
	"docent/agent/chat"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/agent/session/relay"
	"docent/agent/session/replica"
	"docent/internal/fault"
	"docent/internal/limits"
	"docent/internal/pgtest"
	"docent/payload"
	"docent/store/postgres"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.Main(m)) }

// patience bounds every wait in these tests.
const patience = 60 * time.Second

// The leases of processes. brief is for those that a test silences. A busy machine may stand still
// for longer than that, so the others have long.
const (
	brief = 3 * time.Second
	long  = patience
)

// process is one of several processes with the same database.
type process struct {
	*session.Runtime
	relay *relay.Relay
	line  *line
}

// line is the connection of a process to the replicas of the database. A cut line is silent, like
// a stopped process.
type line struct {
	*postgres.Store
	lose   atomic.Int32 // payloads that get lost
	double atomic.Bool  // everything arrives twice

	mu  sync.Mutex
	cut chan struct{} // closed while the line is cut
}

var errCut = errors.New("the line is cut")

// broken returns a channel that is closed when the line is cut.
func (l *line) broken() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cut
}

func (l *line) isCut() bool {
	select {
	case <-l.broken():
		return true
	default:
		return false
	}
}

func (l *line) RenewReplica(ctx context.Context, id string, ttl time.Duration) ([]string, bool, error) {
	if l.isCut() {
		return nil, false, errCut
	}
	return l.Store.RenewReplica(ctx, id, ttl)
}

func (l *line) LeaveReplicas(ctx context.Context, id string) error {
	if l.isCut() {
		return errCut
	}
	return l.Store.LeaveReplicas(ctx, id)
}

func (l *line) Post(ctx context.Context, to string, payloads []string) error {
	if l.isCut() {
		return errCut
	}
	for len(payloads) > 0 && l.lose.Load() > 0 {
		l.lose.Add(-1)
		payloads = payloads[1:]
	}
	if l.double.Load() {
		if err := l.Store.Post(ctx, to, payloads); err != nil {
			return err
		}
	}
	return l.Store.Post(ctx, to, payloads)
}

func (l *line) Listen(ctx context.Context, id string, ready func(), receive func(string)) error {
	broken := l.broken()
	if l.isCut() {
		return errCut
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(ctx, func() {})
	defer stop()
	done := make(chan struct{})
	defer close(done)
	go func() {
		select {
		case <-broken:
			cancel()
		case <-done:
		}
	}()
	if err := l.Store.Listen(ctx, id, ready, receive); err != nil && !l.isCut() {
		return err
	}
	return errCut
}

// silence cuts the line, and repair connects it again.
func (l *line) silence() { l.mu.Lock(); defer l.mu.Unlock(); close(l.cut) }
func (l *line) repair()  { l.mu.Lock(); defer l.mu.Unlock(); l.cut = make(chan struct{}) }

// begin starts a process with an agent.
func begin(t *testing.T, url string, a *agent.Agent, lease time.Duration, shared ...*limits.Limit) *process {
	t.Helper()
	store, err := postgres.Open(t.Context(), postgres.Config{URL: url})
	ok(t, err)
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	p := &process{line: &line{Store: store, cut: make(chan struct{})}}
	p.relay, err = relay.New(relay.Config{
		Leases: p.line, Replica: replica.Config{Bus: p.line, Logger: log, Lease: lease},
	})
	ok(t, err)
	p.Runtime, err = session.NewRuntime(session.RuntimeConfig{Agent: a, Store: store, Unused: store, Logger: log, Replicas: p.relay})
	ok(t, err)
	agents, err := session.NewAgents(p.Runtime)
	ok(t, err)
	for _, l := range shared {
		p.relay.Share("shared", l)
	}
	ok(t, p.relay.Start(t.Context(), agents))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := p.Shutdown(ctx); err != nil {
			t.Error(err)
		}
		p.relay.Stop(ctx)
		ok(t, store.Close())
	})
	return p
}

// client is a Listener that keeps all frames.
type client struct {
	*session.Subscription
	t      *testing.T
	opened chan session.Opened
	heard  chan session.Delivery
	gone   chan error
}

func (c *client) Opened(o session.Opened)    { c.opened <- o }
func (c *client) Deliver(d session.Delivery) { c.heard <- d }
func (c *client) Gone(err error)             { c.gone <- err }

// join opens session x.
func (p *process) join(t *testing.T, req session.OpenRequest) *client {
	t.Helper()
	c := &client{t: t, opened: make(chan session.Opened, 1), heard: make(chan session.Delivery, 10_000), gone: make(chan error, 1)}
	req.ID = "x"
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var err error
	c.Subscription, err = p.Open(ctx, req, c)
	ok(t, err)
	t.Cleanup(c.Close)
	return c
}

// until returns the frames up to the first with an action.
func (c *client) until(action payload.Action) []session.Delivery {
	c.t.Helper()
	var all []session.Delivery
	for {
		select {
		case d := <-c.heard:
			if all = append(all, d); d.Frame.Action == action {
				return all
			}
		case <-time.After(patience):
			c.t.Fatalf("no %s came, but %s", action, lines(all))
		}
	}
}

// says sends a message and returns the frames up to the end of its turn.
func (c *client) says(id, text string) []session.Delivery {
	c.t.Helper()
	ok(c.t, c.Send(c.t.Context(), session.Message{ID: id, Content: chat.JSONString(text), Human: true}))
	return c.until(payload.TurnFinishedAction)
}

// lines describes frames.
func lines(all []session.Delivery) string {
	out := make([]string, len(all))
	for i, d := range all {
		turn := int64(-1)
		if d.Frame.Turn != nil {
			turn = *d.Frame.Turn
		}
		d.Frame.Turn, d.Frame.Time = nil, d.Frame.Time.UTC().Round(0)
		out[i] = fmt.Sprintf("turn %d: %+v", turn, d)
	}
	return strings.Join(out, "\n")
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// echo returns an agent that streams each message and repeats it.
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
		if err := s.Stream(ctx, "…"); err != nil {
			return err
		}
		return s.Reply(ctx, s.Message())
	})
	answer.OnMessage().GoTo(answer)
	return a
}

// TestElsewhere checks that a client of another replica receives the same frames as one of the
// replica that runs the session, and that both send messages.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	picky := func(_ context.Context, s *agent.Session) error {
		if s.Message() == "bad" {
			return fault.New(fault.Invalid, "test_sentence", "%s is bad", "this")
		}
		return nil
	}
	a, b := begin(t, url, echo(picky), long), begin(t, url, echo(picky), long)
	here := a.join(t, session.OpenRequest{})
	here.until(payload.SyncedAction)
	if got := here.until(payload.ReplyStr); string(got[0].Frame.Message) != `"hello"` {
		t.Fatal(lines(got))
	}
	there := b.join(t, session.OpenRequest{})
	if o := <-there.opened; o != (session.Opened{SessionID: "x", Agent: "echo", Seq: 1, Resumed: true}) {
		t.Errorf("opened %+v", o)
	}
	there.until(payload.SyncedAction)
	if !a.Holds("x") || b.Holds("x") {
		t.Error("the session runs on the wrong replica")
	}

	big := strings.Repeat("é<", 5_000)
	for i, text := range []string{"one", big, "bad"} {
		got := there.says(fmt.Sprint("b", i), text)
		want := here.until(payload.TurnFinishedAction)
		if got[0].Frame.Action != payload.AckAction || want[0].Frame.Action != payload.UserMessage {
			t.Fatalf("got\n%s\nwant an acknowledgment, and\n%s", lines(got), lines(want))
		}
		if lines(got[1:]) != lines(want[1:]) {
			t.Errorf("got\n%s\nwant\n%s", lines(got[1:]), lines(want[1:]))
		}
	}
	got := here.says("a", "two")
	if want := there.until(payload.TurnFinishedAction); lines(got[1:]) != lines(want[1:]) {
		t.Errorf("got\n%s\nwant\n%s", lines(got[1:]), lines(want[1:]))
	}
	if err := there.Send(t.Context(), session.Message{ID: "a", Content: chat.JSONString("other"), Human: true}); fault.KindOf(err) != fault.Conflict ||
		fault.TextOf(err).ID != "message_id_reused" {
		t.Errorf("another message with the id: %v", err)
	}
	if _, err := there.Subscription.Feedback(t.Context(), journal.Feedback{Turn: 99, Comment: "x"}); !errors.Is(err, journal.ErrNoTurn) {
		t.Errorf("feedback on no turn: %v", err)
	}
	good := 1
	if turn, err := there.Subscription.Feedback(t.Context(), journal.Feedback{Rating: &good}); err != nil || turn != 4 {
		t.Errorf("feedback on turn %d: %v", turn, err)
	}
	messages, err := there.Recent(t.Context(), 2)
	if err != nil || len(messages) != 2 || string(messages[1].Content) != `"two"` {
		t.Errorf("recent: %v, %v", messages, err)
	}
	ok(t, there.SetVariables(t.Context(), map[string]json.RawMessage{"v": json.RawMessage("1")}))
	ok(t, b.DispatchOnce(t.Context(), "x", "", agent.Event{Name: agent.EventText, Text: "three"}))
	here.until(payload.TurnFinishedAction)
	ok(t, b.Check(t.Context(), "x"))
	ok(t, there.Revise(t.Context(), session.Revision{Turn: 4, ID: "r", Content: chat.JSONString("four")}))
	there.until(payload.TurnFinishedAction)
	ok(t, there.Reset(t.Context()))
	there.until(payload.SessionResetAction)
	there.until(payload.ReplyStr)
	if p := there.Progress(); p.Running != 0 || len(p.Waiting) > 0 {
		t.Errorf("progress %+v", p)
	}
}
