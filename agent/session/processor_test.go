package session_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/payload"
)

// Processors change texts in both directions. The store keeps the user's text as it was sent, and
// the agent's text after the processors. Data does not change.
func TestProcessors(t *testing.T) { bubble(t, testProcessors) }

func testProcessors(t *testing.T) {
	a := agent.New("processed")
	a.ProcessUser(func(_ context.Context, s *agent.Session, text string) (string, error) {
		return strings.ToUpper(text), s.Set("said", s.Event().Text)
	})
	a.ProcessUser(func(_ context.Context, _ *agent.Session, text string) (string, error) { return text + "!", nil })
	a.ProcessAgent(func(_ context.Context, _ *agent.Session, text string) (string, error) { return "<" + text + ">", nil })
	one := a.State("one", agent.Initial)
	one.OnMessage().GoTo(one)
	one.OnFile().GoTo(one)
	one.Body(func(ctx context.Context, s *agent.Session) error {
		if s.Event().ID == 0 {
			return nil
		}
		return errors.Join(s.Reply(ctx, s.Message()), s.ReplyMarkdown(ctx, "md"), s.ReplyOptions(ctx, "yes", "no"), s.ReplyHTML(ctx, "<b>"))
	})
	store := agenttest.NewStore()
	sub, c, _ := open(t, start(t, session.RuntimeConfig{Agent: a, Store: store}), "S")
	synctest.Wait() // for the greeting
	send(t, sub, "", "hi")
	c.Until(payload.TurnFinishedAction)
	if err := sub.Send(t.Context(), session.Message{Content: json.RawMessage(`{"message":"md"}`), Human: true}); err != nil {
		t.Fatal(err)
	}
	c.Until(payload.TurnFinishedAction)
	synctest.Wait()
	options := `"{\"0\": \"yes\", \"1\": \"no\"}"`
	want := `1 "hi"|1 "\u003cHI!\u003e"|1 "\u003cmd\u003e"|1 ` + options + `|1 "\u003cb\u003e"|` +
		`2 {"message":"md"}|2 "\u003cmd\u003e"|2 "\u003cmd\u003e"|2 ` + options + `|2 "\u003cb\u003e"`
	if got := said(store); got != want {
		t.Errorf("stored %s\nwant   %s", got, want)
	}
	if record, _, _ := store.Stored("S"); string(record.Variables["said"]) != `"hi"` {
		t.Errorf("variables %v", record.Variables)
	}
}

// A processor that fails or panics is logged with its cause, and changes nothing. The reply is still sent.
func TestProcessorErrors(t *testing.T) { bubble(t, testProcessorErrors) }

func testProcessorErrors(t *testing.T) {
	var logged bytes.Buffer
	a := echo(nil)
	a.ProcessUser(func(context.Context, *agent.Session, string) (string, error) { panic("no list") })
	a.ProcessAgent(func(context.Context, *agent.Session, string) (string, error) { return "", errors.New("no words") })
	rt := start(t, session.RuntimeConfig{Agent: a, Store: agenttest.NewStore(), Logger: slog.New(slog.NewTextHandler(&logged, nil))})
	sub, c, _ := open(t, rt, "S")
	synctest.Wait() // for the greeting
	if d := c.Until(payload.ReplyStr); text(t, d) != "hello" {
		t.Errorf("got %s", d.Frame.Message)
	}
	send(t, sub, "", "hi")
	if d := c.Until(payload.ReplyStr); text(t, d) != "hi" {
		t.Errorf("got %s", d.Frame.Message)
	}
	synctest.Wait()
	if log := logged.String(); strings.Count(log, "processor failed") != 3 || strings.Count(log, `text="no words"`) != 2 || !strings.Contains(log, `panic="no list"`) {
		t.Errorf("log %s", log)
	}
}

// Session.Now uses the time zone of the session.
func TestSessionNow(t *testing.T) { bubble(t, testSessionNow) }

func testSessionNow(t *testing.T) {
	tokyo := time.FixedZone("Tokyo", 9*3600)
	var zones []string
	clock := echo(func(_ context.Context, s *agent.Session) error {
		zones = append(zones, s.Now().Location().String())
		return s.Set("timezone", s.Message())
	})
	rt := start(t, session.RuntimeConfig{Store: agenttest.NewStore(), Location: tokyo, Agent: clock})
	sub, c, _ := open(t, rt, "S")
	synctest.Wait() // for the greeting
	for _, zone := range []string{"UTC", "Nowhere/Land", ""} {
		send(t, sub, "", zone)
		c.Until(payload.TurnFinishedAction)
	}
	if got := strings.Join(zones, " "); got != "Tokyo UTC Tokyo" {
		t.Errorf("zones %s", got)
	}
}

// The time zone of an agent comes before that of the runtime.
func TestAgentTimeZone(t *testing.T) {
	bubble(t, func(t *testing.T) {
		zone := ""
		clock := echo(func(_ context.Context, s *agent.Session) error {
			zone = s.Now().Location().String()
			return nil
		})
		clock.TimeZone(time.FixedZone("Lima", -5*3600))
		rt := start(t, session.RuntimeConfig{Store: agenttest.NewStore(), Location: time.UTC, Agent: clock})
		sub, c, _ := open(t, rt, "S")
		send(t, sub, "", "hi")
		c.Until(payload.TurnFinishedAction)
		if _, of := session.TriggersOf(rt); zone != "Lima" || of.String() != "Lima" {
			t.Errorf("the zone is %s, and that of triggers %s", zone, of)
		}
	})
}

// A variable that JSON cannot represent is refused without other effects. Deletions are stored, and
// Get has a default.
//
// BAF W23
func TestVariablesAreStoredOneByOne(t *testing.T) { bubble(t, testVariablesAreStoredOneByOne) }

func testVariablesAreStoredOneByOne(t *testing.T) {
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{Store: store, Agent: echo(func(_ context.Context, s *agent.Session) error {
		switch s.Message() {
		case "set":
			if s.Set("bad", make(chan int)) == nil {
				t.Error("a channel was stored")
			}
			return errors.Join(s.Set("a", 1), s.Set("b", nil), s.Set("c", "text"))
		case "delete":
			s.Delete("a")
			s.Delete("never")
		}
		if a, b, c := agent.Get(s, "a", 7), agent.Get(s, "b", 8), agent.Get(s, "c", 9); a != 7 || b != 8 || c != 9 {
			t.Errorf("got %d %d %d", a, b, c)
		}
		return nil
	})})
	sub, c, _ := open(t, rt, "S")
	synctest.Wait() // for the greeting
	for _, said := range []string{"set", "delete"} {
		send(t, sub, "", said)
		c.Until(payload.TurnFinishedAction)
	}
	synctest.Wait()
	if record, _, _ := store.Stored("S"); len(record.Variables) != 2 || string(record.Variables["c"]) != `"text"` {
		t.Errorf("stored %v", record.Variables)
	}
}

// A waiting text is processed once, regardless of the number of decisions.
func TestProcessedOnce(t *testing.T) { bubble(t, testProcessedOnce) }

func testProcessedOnce(t *testing.T) {
	a := agent.New("once")
	n := 0
	a.ProcessUser(func(_ context.Context, _ *agent.Session, text string) (string, error) {
		n++
		return text + "!", nil
	})
	one, two := a.State("one", agent.Initial), a.State("two")
	one.OnEvent("go").GoTo(two)
	two.OnText().GoTo(one)
	one.Body(say)
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{Agent: a, Store: store})
	sub, _, _ := open(t, rt, "S")
	synctest.Wait()                                                                      // for the greeting
	if err := sub.Send(t.Context(), session.Message{Content: quoted("x")}); err != nil { // no user sent it, so it waits
		t.Fatal(err)
	}
	synctest.Wait()
	for _, name := range []string{"other", "go"} {
		if err := rt.Dispatch(t.Context(), "S", agent.Event{Name: name}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
	}
	if got := said(store); n != 1 || !strings.HasSuffix(got, ` x!"`) {
		t.Errorf("processed %d times, stored %s", n, got)
	}
}
