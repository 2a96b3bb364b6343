package converse_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/api/converse"
	"docent/auth"
	"docent/internal/fault"
	"docent/payload"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start returns the conversations of an agent that greets and repeats texts. It
// fails for the text "fail", and offers options for "menu". For "wait", it signals and
// waits for the end of the server.
func start(t *testing.T) (*converse.Conversations, *session.Runtime, chan struct{}) {
	t.Helper()
	waits := make(chan struct{}, 1)
	a := agent.New("echo")
	greet, echo := a.State("greet", agent.Initial), a.State("echo")
	greet.Body(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, "Hello!") })
	greet.OnMessage().GoTo(echo)
	echo.Body(func(ctx context.Context, s *agent.Session) error {
		switch s.Message() {
		case "fail":
			return fault.Wrap(fault.Unavailable, errors.New("secret"), "test_sentence", "the model is away")
		case "wait":
			waits <- struct{}{}
			<-ctx.Done()
			return ctx.Err()
		case "menu":
			return cmp.Or(s.ReplyOptions(ctx, "tea", "coffee"), s.Reply(ctx, "What would you like?"))
		}
		if o := s.Event().Options; !o.IsZero() {
			return s.Reply(ctx, "in "+strings.Join(o.Collections, " "))
		}
		return s.Reply(ctx, "You said "+s.Message())
	})
	echo.OnMessage().GoTo(echo)
	rt, err := session.NewRuntime(session.RuntimeConfig{Agent: a, Store: agenttest.NewStore(), Now: agenttest.Now()})
	if err != nil {
		t.Fatal(err)
	}
	c := converse.New(rt)
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel() // interrupts turns
		_ = rt.Shutdown(ctx)
		c.Close()
	})
	return c, rt, waits
}

// say sends a text and returns the answer.
func say(ctx context.Context, c *converse.Conversations, id, text string, o payload.AskOptions) ([]payload.Frame, error) {
	answer, err := c.Say(ctx, id, text, o)
	if err != nil {
		return nil, err
	}
	return answer()
}

func as(t *testing.T, id string) context.Context {
	t.Helper()
	return auth.NewContext(t.Context(), auth.Principal{ID: id, Name: id, Scopes: auth.Scopes{auth.Ask}})
}

func TestSay(t *testing.T) {
	t.Parallel()
	c, _, _ := start(t)
	ada := as(t, "user:ada")
	for text, want := range map[string]string{"one": `"You said one"`, "two": `"You said two"`} {
		frames, err := say(ada, c, "s1", text, payload.AskOptions{})
		if err != nil || len(frames) != 2 || string(frames[0].Message) != want || frames[1].Action != payload.TurnFinishedAction {
			t.Errorf("%s: %+v, %v", text, frames, err)
		}
	}
	frames, err := say(ada, c, "s1", "two", payload.AskOptions{Collections: []string{"manuals"}})
	if err != nil || string(frames[0].Message) != `"in manuals"` {
		t.Errorf("with options: %+v, %v", frames, err)
	}
}

// TestSameName: two users have a session each with the same name.
func TestSameName(t *testing.T) {
	t.Parallel()
	c, _, _ := start(t)
	for i, user := range []string{"user:ada", "user:bob", "user:ada", "user:bob"} {
		frames, err := say(as(t, user), c, "thread-1", "hi", payload.AskOptions{})
		if err != nil || string(frames[0].Message) != `"You said hi"` || *frames[0].Turn != int64(1+i/2) {
			t.Errorf("message %d, of %s: %+v, %v", i, user, frames, err)
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	c, rt, waits := start(t)
	ada := as(t, "user:ada")
	if _, err := say(ada, c, "s1", "fail", payload.AskOptions{}); fault.KindOf(err) != fault.Unavailable || fault.TextOf(err).ID != "test_sentence" {
		t.Errorf("a turn that fails: %v", err)
	}
	if _, err := c.SendFile(as(t, "user:bob"), "s1", payload.File{Name: "a.txt", Type: "text/plain", Base64: "YQ=="}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a file for a session of another user: %v", err)
	}
	if _, err := say(ada, c, strings.Repeat("s", 300), "hi", payload.AskOptions{}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a long id: %v", err)
	}
	// The client leaves, but the turn goes on. Then the server stops.
	ctx, leave := context.WithCancel(ada)
	go func() {
		<-waits
		leave()
	}()
	if _, err := say(ctx, c, "s3", "wait", payload.AskOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a client that leaves: %v", err)
	}
	watching := &watcher{said: make(chan string, 100)}
	s, err := rt.Open(ada, session.OpenRequest{ID: "s3", Owner: "user:ada"}, watching)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ended := make(chan error)
	go func() {
		_, err := say(ada, c, "s3", "later", payload.AskOptions{})
		ended <- err
	}()
	for !strings.Contains(<-watching.said, "later") { // until it waits behind the running turn
	}
	c.Close()
	if err := <-ended; fault.KindOf(err) != fault.Unavailable {
		t.Errorf("a server that stops: %v", err)
	}
}

// TestAnswers checks that a text answers only the open question, and only once.
func TestAnswers(t *testing.T) {
	t.Parallel()
	c, _, _ := start(t)
	ada := as(t, "user:ada")
	ask := func() int64 {
		frames, err := say(ada, c, "s1", "menu", payload.AskOptions{})
		if err != nil || len(frames) == 0 || frames[0].Action != payload.ReplyOptions {
			t.Fatalf("%+v, %v", frames, err)
		}
		return frames[0].Seq
	}
	answer := func(text string, options int64) error {
		frames, err := c.Turn(ada, "s1", text, payload.AskOptions{}, options)
		if err != nil {
			return err
		}
		for _, err = range frames {
		}
		return err
	}
	closed := func(err error) bool {
		return fault.KindOf(err) == fault.Conflict && fault.TextOf(err).ID == "options_closed"
	}
	old := ask()
	open := ask()
	for name, seq := range map[string]int64{"old": old, "not options": open + 1, "later": open + 100, "unknown": -1} {
		if err := answer("tea", seq); !closed(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	answered := make(chan error)
	for range 2 {
		go func() { answered <- answer("menu", open) }()
	}
	if a, b := <-answered, <-answered; (a == nil) == (b == nil) || !closed(cmp.Or(a, b)) {
		t.Errorf("two answers: %v, %v", a, b)
	}
	if err := answer("tea", open); !closed(err) {
		t.Errorf("after an answer: %v", err)
	}
	if err := answer("tea", 0); err != nil {
		t.Errorf("a message: %v", err)
	}
}

// TestStored checks that the messages of Say are in the session, for other clients.
func TestStored(t *testing.T) {
	t.Parallel()
	c, rt, _ := start(t)
	ada := as(t, "user:ada")
	if _, err := say(ada, c, "s1", "one", payload.AskOptions{}); err != nil {
		t.Fatal(err)
	}
	var none int64
	seen := &watcher{said: make(chan string, 100)}
	s, err := rt.Open(ada, session.OpenRequest{ID: "s1", Owner: "user:ada", After: &none}, seen)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.CatchUp(t.Context(), func(e journal.Entry) bool {
		seen.said <- string(e.Frame().Message)
		return true
	}); err != nil {
		t.Fatal(err)
	}
	close(seen.said)
	var got []string
	for m := range seen.said {
		got = append(got, m)
	}
	for _, want := range []string{`"Hello!"`, `"one"`, `"You said one"`} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is missing in %s", want, got)
		}
	}
}

// watcher is another client of a session.
type watcher struct{ said chan string }

func (w *watcher) Opened(session.Opened) {}
func (w *watcher) Deliver(d session.Delivery) {
	if d.Frame.Seq != 0 && json.Valid(d.Frame.Message) {
		w.said <- string(d.Frame.Message)
	}
}
