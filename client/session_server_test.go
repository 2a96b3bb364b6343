package client_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session/journal"
	"docent/client"
	"docent/internal/fault"
	"docent/payload"
)

// recorded is a listener that can cut its connections.
type recorded struct {
	net.Listener
	mu    sync.Mutex
	conns []net.Conn
}

func (r *recorded) Accept() (net.Conn, error) {
	conn, err := r.Listener.Accept()
	if err == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.conns = append(r.conns, conn)
	}
	return conn, err
}

// cut ends all connections without a word.
func (r *recorded) cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, conn := range r.conns {
		_ = conn.Close()
	}
	r.conns = nil
}

// speller streams its answer letter by letter, each on a signal.
func speller(next func(ctx context.Context) error) *agent.Agent {
	return talker("speller", func(ctx context.Context, s *agent.Session) error {
		answer := "You said: " + s.Message()
		for _, letter := range answer {
			if err := next(ctx); err != nil {
				return err
			}
			if err := s.Stream(ctx, string(letter)); err != nil {
				return err
			}
		}
		return s.Reply(ctx, answer)
	})
}

func (h *house) tab(t *testing.T, session string, last *int64) *tab {
	t.Helper()
	s, err := client.Open(t.Context(), client.SessionConfig{
		URL: h.url, SessionID: session, LastSeq: last, RetryMin: time.Millisecond, RetryMax: 20 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	v := &tab{t: t, s: s}
	v.listen()
	return v
}

// until applies events up to the first that is right.
func (v *tab) until(what string, right func(client.Event) bool) {
	v.t.Helper()
	for {
		select {
		case e := <-v.events:
			if v.made.Apply(e); right(e) {
				return
			}
		case err := <-v.err:
			v.t.Fatalf("it ended with %v before %s", err, what)
		case <-time.After(patience):
			v.t.Fatalf("never heard: %s", what)
		}
	}
}

// record shows what is stored, as the transcript has it.
func (v *tab) record() []string {
	var out []string
	for _, e := range v.made.Record() {
		out = append(out, fmt.Sprintf("%d %d %s %s", e.Seq, e.Turn, e.Action, e.Text()))
	}
	return out
}

// The connections of a session are cut during its answers, and its server is
// restarted during one. Both tabs agree in the end, and all callers get their
// answers.
func TestSessionAgainstServer(t *testing.T) {
	t.Parallel()
	for name, store := range stores(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testAgainstServer(t, store)
		})
	}
}

func testAgainstServer(t *testing.T, store journal.Store) {
	var mu sync.Mutex
	var h *house
	letters, restarted := 0, make(chan struct{})
	chance := rand.New(rand.NewPCG(1, 2))
	next := func(ctx context.Context) error {
		mu.Lock()
		defer mu.Unlock()
		if letters++; letters == 50 {
			go func() {
				defer close(restarted)
				h.stop(time.Millisecond)
			}()
		}
		if chance.IntN(12) == 0 {
			h.lines.cut()
		}
		return ctx.Err()
	}
	mu.Lock()
	h = open(t, speller(next), store, "")
	address := h.address()
	mu.Unlock()
	var zero int64
	a, b := h.tab(t, "S", &zero), h.tab(t, "S", &zero)
	answers := make(chan string, 10)
	go func() {
		for i := range 10 {
			answer, err := a.s.Ask(t.Context(), fmt.Sprint("message ", i))
			if err != nil {
				answers <- err.Error()
				continue
			}
			answers <- answer.Text()
		}
	}()
	<-restarted
	again := open(t, speller(next), store, address)
	mu.Lock()
	h = again
	mu.Unlock()
	for i := range 10 {
		if got, want := wait(t, answers), fmt.Sprint("You said: message ", i); got != want {
			t.Errorf("answered %q, want %q", got, want)
		}
	}
	last := fmt.Sprint("21 10 ", payload.ReplyStr, " You said: message 9")
	for _, v := range []*tab{a, b} {
		v.until(last, func(client.Event) bool { return slices.Contains(v.record(), last) })
		if got := v.record(); len(got) != 21 {
			t.Errorf("%d entries:\n%s", len(got), strings.Join(got, "\n"))
		}
	}
	if x, y := a.record(), b.record(); !slices.Equal(x, y) {
		t.Errorf("the tabs differ:\n%s\n\n%s", strings.Join(x, "\n"), strings.Join(y, "\n"))
	}
}

// All changes to a conversation, with a real server.
func TestSessionRevises(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	h := open(t, talker("echo", func(ctx context.Context, s *agent.Session) error {
		if strings.HasPrefix(s.Message(), "slow") {
			if err := s.Stream(ctx, "I am"); err != nil {
				return err
			}
			select {
			case <-hold:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		return s.Reply(ctx, "You said: "+s.Message())
	}), stores(t)["sqlite"], "")
	var zero int64
	v, ctx := h.tab(t, "S", &zero), t.Context()
	// A message waits for the greeting, but not for long.
	v.until("the greeting", func(e client.Event) bool { _, ok := e.(*client.Reply); return ok })
	first, err := v.s.Ask(ctx, "one")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := v.s.Ask(ctx, "two"); err != nil {
		t.Fatal(err)
	}
	edited, err := v.s.Edit(ctx, first.Receipt.Turn, "uno")
	if err != nil {
		t.Fatal(err)
	}
	finished := func(turn int64, outcome payload.Outcome) func(client.Event) bool {
		return func(e client.Event) bool {
			f, ok := e.(*client.TurnFinished)
			return ok && f.Turn == turn && f.Outcome == outcome
		}
	}
	v.until("the edited turn's end", finished(edited.Turn, payload.Done))
	again, err := v.s.Regenerate(ctx, edited.Turn)
	if err != nil {
		t.Fatal(err)
	}
	v.until("the new answer", finished(again.Turn, payload.Done))
	var said []string
	for _, e := range v.made.Entries() {
		said = append(said, e.Text())
	}
	if want := []string{"echo greets", "uno", "You said: uno"}; !slices.Equal(said, want) {
		t.Errorf("the conversation is %q, want %q", said, want)
	}
	if n := len(v.made.Record()); n != 9 {
		t.Errorf("%d entries", n)
	}
	if _, err := v.s.Edit(ctx, 99, "?"); fault.KindOf(err) != fault.NotFound && fault.KindOf(err) != fault.Invalid {
		t.Errorf("edit of no turn: %v", err)
	}
	rating := 100
	if err := v.s.Feedback(ctx, payload.Feedback{Turn: &again.Turn, Rating: &rating}); err != nil {
		t.Errorf("feedback: %v", err)
	}
	if err := v.s.SetVariables(ctx, map[string]any{"language": "it"}); err != nil {
		t.Errorf("variables: %v", err)
	}
	slow, err := v.s.Send(ctx, "slow")
	if err != nil {
		t.Fatal(err)
	}
	v.until("a piece", func(e client.Event) bool { d, ok := e.(*client.Delta); return ok && d.Text == "I am" })
	if err := v.s.Stop(ctx, slow.Turn); err != nil {
		t.Fatal(err)
	}
	v.until("the stopped turn's end", finished(slow.Turn, payload.Stopped))
	if _, err := v.s.SendFile(ctx, payload.NewFile("a.txt", "text/plain", []byte("a"))); err != nil {
		t.Errorf("file: %v", err)
	}
	if err := v.s.Reset(ctx); err != nil {
		t.Fatal(err)
	}
	v.until("the greeting", func(e client.Event) bool { r, ok := e.(*client.Reply); return ok && r.Turn == 0 && r.Seq > 9 })
	if n := len(v.made.Record()); n != 1 {
		t.Errorf("%d entries after the reset", n)
	}
}

// The session keeps trying to reach a server that is gone. Close ends it at
// once, and ctx ends waiting calls.
func TestSessionServerGone(t *testing.T) {
	t.Parallel()
	h := open(t, talker("echo", func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, "yes") }), agenttest.NewStore(), "")
	v := h.tab(t, "S", nil)
	h.stop(patience)
	h.lines.cut()
	var retry time.Duration
	for range 8 {
		v.until("another try", func(e client.Event) bool {
			d, ok := e.(*client.Disconnected)
			if ok {
				retry = d.Retry
			}
			return ok
		})
	}
	if retry < 10*time.Millisecond || retry > 20*time.Millisecond {
		t.Errorf("it waits %s", retry)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := v.s.Ask(ctx, "hello"); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("Ask: %v", err)
	}
	http.DefaultClient.CloseIdleConnections()
}
