package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/intent"
	"docent/agent/session"
	"docent/internal/fault"
	"docent/payload"
)

// invalid checks that an agent is refused with this error.
func invalid(t *testing.T, a *agent.Agent, words string) {
	t.Helper()
	if err := a.Validate(); fault.KindOf(err) != fault.Invalid || !strings.Contains(fmt.Sprint(err), words) {
		t.Errorf("got %v, want …%s…", err, words)
	}
}

// valid returns a complete agent.
func valid() *agent.Agent {
	a := agent.New("valid")
	s := a.State("s", agent.Initial)
	s.OnMessage().GoTo(s)
	return a
}

// seen sends messages to an agent's session and returns the store.
func seen(t *testing.T, a *agent.Agent, content ...string) *agenttest.Store {
	t.Helper()
	store := agenttest.NewStore()
	sub, _, _ := open(t, start(t, session.RuntimeConfig{Agent: a, Store: store}), "S")
	synctest.Wait() // for the greeting
	for _, c := range content {
		if err := sub.Send(t.Context(), session.Message{Content: json.RawMessage(c), Human: true}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
	}
	synctest.Wait()
	return store
}

// This covers test_core_agent of BAF. Validate replaces its checks of training.
func TestBAFCoreAgent(t *testing.T) {
	t.Parallel()
	t.Run("a new agent keeps its name and is empty", func(t *testing.T) {
		t.Parallel()
		a := agent.New("n")
		if a.Name() != "n" || len(a.States()) != 0 || len(a.Intents()) != 0 || len(a.Entities()) != 0 {
			t.Errorf("%+v", a)
		}
		invalid(t, a, "no state is initial")
	})
	t.Run("new states are listed in order, one is initial", func(t *testing.T) {
		t.Parallel()
		a := agent.New("n")
		one, two := a.State("one", agent.Initial), a.State("two")
		if !slices.Equal(a.States(), []*agent.State{one, two}) || one.Name() != "one" {
			t.Errorf("%v", a.States())
		}
	})
	t.Run("a duplicate state name and a second initial state are errors", func(t *testing.T) {
		t.Parallel()
		a, b := valid(), valid()
		a.State("s")
		b.State("t", agent.Initial)
		invalid(t, a, `two states are named "s"`)
		invalid(t, b, `are both initial`)
	})
	t.Run("a new intent keeps name, sentences and description, a duplicate is an error", func(t *testing.T) {
		t.Parallel()
		a := valid()
		i := a.Intent("hello", "hi", "hey").Describe("a greeting")
		if i.Name != "hello" || !slices.Equal(i.Sentences, []string{"hi", "hey"}) || i.Description != "a greeting" || len(i.Parameters) != 0 || len(a.Intents()) != 1 {
			t.Errorf("%+v", i)
		}
		a.Intent("hello")
		invalid(t, a, `two intents named "hello"`)
	})
	t.Run("a new entity keeps its entries, a duplicate is an error", func(t *testing.T) {
		t.Parallel()
		a := valid()
		e := a.Entity(intent.Listed("city", intent.Value{Value: "Paris", Synonyms: []string{"city of light"}}))
		if len(e.Values) != 1 || e.Values[0].Value != "Paris" || e.Kind != intent.KindListed || len(a.Entities()) != 1 {
			t.Errorf("%+v", e)
		}
		a.Entity(intent.Listed("city", intent.Value{Value: "Rome"}))
		invalid(t, a, `two entities are named "city"`)
	})
	t.Run("training without an initial state is an error", func(t *testing.T) {
		t.Parallel()
		a := agent.New("n")
		a.State("one")
		if _, err := session.NewRuntime(session.RuntimeConfig{Agent: a, Store: agenttest.NewStore()}); fault.KindOf(err) != fault.Invalid {
			t.Errorf("got %v", err)
		}
	})
}

// This covers test_core_session of BAF.
func TestBAFCoreSession(t *testing.T) {
	inBody := func(t *testing.T, body agent.Body) *agenttest.Store {
		t.Helper()
		a := agent.New("n")
		s := a.State("first", agent.Initial)
		s.Body(body)
		s.OnMessage().GoTo(s)
		return seen(t, a)
	}
	t.Run("id, platform, state, no event, empty queue", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			inBody(t, func(_ context.Context, s *agent.Session) error {
				if s.ID() != "S" || s.Platform() != "WebSocketPlatform" || s.CurrentState() != "first" || s.Event().ID != 0 || s.Event().Name != "" || len(s.Events()) != 0 {
					t.Errorf("%s %s %s %+v %v", s.ID(), s.Platform(), s.CurrentState(), s.Event(), s.Events())
				}
				return nil
			})
		})
	})
	t.Run("set, get, a missing one is the default", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			store := inBody(t, func(_ context.Context, s *agent.Session) error {
				var to string
				if found, err := s.Get("missing", &to); found || err != nil || agent.Get(s, "missing", "default") != "default" {
					t.Error("a missing variable is found")
				}
				return s.Set("k", "v")
			})
			if record, _, _ := store.Stored("S"); string(record.Variables["k"]) != `"v"` {
				t.Errorf("%v", record.Variables)
			}
		})
	})
	t.Run("delete, also of a missing key", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			inBody(t, func(_ context.Context, s *agent.Session) error {
				err := s.Set("k", "v")
				s.Delete("k")
				s.Delete("missing")
				if agent.Get(s, "k", "gone") != "gone" {
					t.Error("it is still there")
				}
				return err
			})
		})
	})
	t.Run("the event is the one taken, reply goes to the platform", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			a := agent.New("n")
			s := a.State("first", agent.Initial)
			s.Body(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, "re "+s.Event().Text) })
			s.OnMessage().GoTo(s)
			if got := said(seen(t, a, `"hi"`)); got != `0 "re "|1 "hi"|1 "re hi"` {
				t.Errorf("said %s", got)
			}
		})
	})
}

// This covers test_core_state of BAF. A body with a wrong signature does not compile.
func TestBAFCoreState(t *testing.T) {
	t.Parallel()
	t.Run("a state is known by its name and agent", func(t *testing.T) {
		t.Parallel()
		a, b := valid(), valid()
		s := a.State("t")
		a.States()[0].OnMessage().GoTo(s)
		if a.Validate() != nil {
			t.Error("two names are two states")
		}
		b.States()[0].OnMessage().GoTo(s)
		invalid(t, b, "a state of another agent")
	})
	t.Run("an automatic transition has source and destination", func(t *testing.T) {
		t.Parallel()
		bubbleIn(t, func(t *testing.T) {
			a := agent.New("n")
			one, two := a.State("one", agent.Initial), a.State("two")
			one.GoTo(two)
			two.OnMessage().GoTo(two)
			tr := seen(t, a).Transitions("S")
			if len(tr) != 1 || tr[0].Source != "one" || tr[0].Dest != "two" || tr[0].Event != "" || tr[0].Condition != "" {
				t.Errorf("%+v", tr)
			}
		})
	})
	t.Run("an intent transition has event and condition; a duplicate and a foreign intent are errors", func(t *testing.T) {
		t.Parallel()
		a := valid()
		i := a.Intent("i", "i")
		s := a.States()[0]
		tr := s.OnIntent(i)
		tr.GoTo(s)
		if got := tr.String(); got != "s --[receive_message_text and Intent Matching - i]--> s" {
			t.Errorf("got %s", got)
		}
		s.OnIntent(i).GoTo(s)
		invalid(t, a, `two transitions on intent "i"`)
		b := valid()
		b.States()[0].OnIntent(i).GoTo(b.States()[0])
		invalid(t, b, "an intent of another agent")
	})
	t.Run("a condition transition has a condition and no event", func(t *testing.T) {
		t.Parallel()
		s := valid().States()[0]
		tr := s.When(isLong)
		tr.GoTo(s)
		if got := tr.String(); got != "s --[session_test.isLong]--> s" {
			t.Errorf("got %s", got)
		}
		for want, tr := range map[string]*agent.Transition{
			"is long":                                   s.WhenNamed("is long", isLong),
			"receive_message_text and matches ^a+$":     s.OnText().WhenMatches(regexp.MustCompile("^a+$")),
			"variable paid == true":                     s.WhenVariable("paid", agent.Equal, true),
			"variable plan != gold":                     s.WhenVariable("plan", agent.NotEqual, "gold"),
			"matches " + strings.Repeat("é", 191) + "…": s.OnEvent().WhenMatches(regexp.MustCompile(strings.Repeat("é", 300))),
		} {
			tr.GoTo(s)
			if got := strings.TrimPrefix(tr.String(), "s --[any_event and "); got != want+"]--> s" && got != "s --["+want+"]--> s" {
				t.Errorf("got %s, want %s", got, want)
			}
		}
		a := valid()
		s = a.States()[0]
		s.OnText().WhenMatches(nil).GoTo(s)
		invalid(t, a, "a nil condition")
	})
}

// bubbleIn is bubble for a test that is parallel already.
func bubbleIn(t *testing.T, f func(t *testing.T)) { synctest.Test(t, f) }

// This covers test_core_transition of BAF.
func TestBAFCoreTransition(t *testing.T) {
	t.Run("logs name auto, the event and both states", func(t *testing.T) {
		t.Parallel()
		a := agent.New("n")
		one, two := a.State("one", agent.Initial), a.State("two")
		tr := one.OnMessage()
		tr.GoTo(two)
		if got := tr.String(); got != "one --[receive_message]--> two" {
			t.Errorf("got %s", got)
		}
	})
	t.Run("without a condition it holds", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			a := agent.New("n")
			one, two := a.State("one", agent.Initial), a.State("two")
			one.OnText().GoTo(two)
			if tr := seen(t, a, `"x"`).Transitions("S"); len(tr) != 1 {
				t.Errorf("%+v", tr)
			}
		})
	})
	for name, tc := range map[string]struct {
		on   func(s *agent.State) *agent.Transition
		want []string // consumed events
	}{
		"wildcard matches any":            {func(s *agent.State) *agent.Transition { return s.OnEvent() }, []string{"dummy", "other", "text", "json", "file"}},
		"the same name matches":           {func(s *agent.State) *agent.Transition { return s.OnEvent("dummy") }, []string{"dummy"}},
		"another class does not":          {func(s *agent.State) *agent.Transition { return s.OnText() }, []string{"text"}},
		"a message matches text and JSON": {func(s *agent.State) *agent.Transition { return s.OnMessage() }, []string{"text", "json"}},
		"its name does too":               {func(s *agent.State) *agent.Transition { return s.OnEvent(agent.EventMessage) }, []string{"text", "json"}},
		"JSON matches JSON":               {func(s *agent.State) *agent.Transition { return s.OnJSON() }, []string{"json"}},
		"a file matches a file":           {func(s *agent.State) *agent.Transition { return s.OnFile() }, []string{"file"}},
		"a file of another type does not": {func(s *agent.State) *agent.Transition { return s.OnFile("image/*", "pdf") }, nil},
		"a file's type matches":           {func(s *agent.State) *agent.Transition { return s.OnFile("pdf", "text/plain") }, []string{"file"}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				a := agent.New("n")
				s := a.State("s", agent.Initial)
				var got []string
				s.Body(func(_ context.Context, s *agent.Session) error {
					if s.Event().ID != 0 {
						got = append(got, strings.Fields("dummy other text json file")[s.Event().ID-1])
					}
					return nil
				})
				tc.on(s).GoTo(s)
				rt := start(t, session.RuntimeConfig{Agent: a, Store: agenttest.NewStore()})
				open(t, rt, "S")
				file := payload.NewFile("n.txt", "text/plain; charset=utf-8", []byte("x"))
				for _, e := range []agent.Event{
					{Name: "dummy"}, {Name: "other"}, {Name: agent.EventText, Text: "x"}, {Name: agent.EventMessage, JSON: json.RawMessage("{}")}, {Name: agent.EventFile, File: &file},
				} {
					if err := rt.Dispatch(t.Context(), "S", e); err != nil {
						t.Fatal(err)
					}
				}
				synctest.Wait()
				if !slices.Equal(got, tc.want) {
					t.Errorf("took %v, want %v", got, tc.want)
				}
			})
		})
	}
	t.Run("an event without a session goes to all, one with a session to that", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			a := agent.New("n")
			s := a.State("s", agent.Initial)
			s.OnEvent("dummy").GoTo(s)
			store := agenttest.NewStore()
			rt := start(t, session.RuntimeConfig{Agent: a, Store: store})
			open(t, rt, "S1")
			open(t, rt, "S2")
			for _, to := range []string{"", "S2"} {
				if err := rt.Dispatch(t.Context(), to, agent.Event{Name: "dummy"}); err != nil {
					t.Fatal(err)
				}
			}
			synctest.Wait()
			if one, two := len(store.Transitions("S1")), len(store.Transitions("S2")); one != 1 || two != 2 {
				t.Errorf("%d and %d", one, two)
			}
		})
	})
}

// This covers test_library_events of BAF.
func TestBAFLibraryEvents(t *testing.T) {
	for name, tc := range map[string]struct {
		content string
		want    agent.Event
	}{
		"text":                      {`"hi"`, agent.Event{Name: "receive_message_text", Text: "hi", Human: true}},
		"JSON with a message":       {`{"message":"md","n":1}`, agent.Event{Name: "receive_message", Text: "md", JSON: json.RawMessage(`{"message":"md","n":1}`), Human: true}},
		"JSON without is its text":  {`{"n":1}`, agent.Event{Name: "receive_message", Text: `{"n":1}`, JSON: json.RawMessage(`{"n":1}`), Human: true}},
		"text that holds an object": {`"{\"n\":1}"`, agent.Event{Name: "receive_message", Text: `{"n":1}`, JSON: json.RawMessage(`{"n":1}`), Human: true}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				a := agent.New("n")
				s := a.State("s", agent.Initial)
				var got agent.Event
				s.Body(func(_ context.Context, s *agent.Session) error {
					if got = s.Event(); got.ID != 0 && s.Prediction().Intent != "fallback_intent" {
						t.Errorf("predicted %+v", s.Prediction())
					}
					return nil
				})
				s.OnMessage().GoTo(s)
				seen(t, a, tc.content)
				same := got.Name == tc.want.Name && got.Text == tc.want.Text && string(got.JSON) == string(tc.want.JSON)
				if !same || !got.Human || got.ID != 1 || got.Turn != 1 || got.Time.IsZero() {
					t.Errorf("got %+v, want %+v", got, tc.want)
				}
			})
		})
	}
	t.Run("a file event keeps its file", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			a := agent.New("n")
			s := a.State("s", agent.Initial)
			var got agent.Event
			s.Body(func(_ context.Context, s *agent.Session) error { got = s.Event(); return nil })
			s.OnFile("txt").GoTo(s)
			store := agenttest.NewStore()
			sub, _, _ := open(t, start(t, session.RuntimeConfig{Agent: a, Store: store}), "S")
			if err := sub.SendFile(t.Context(), session.File{File: payload.NewFile("n.txt", "", []byte("hi"))}); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if got.Name != agent.EventFile || !got.Human || got.File == nil || got.File.Name != "n.txt" || got.Text != "n.txt" {
				t.Errorf("got %+v", got)
			}
			if got := said(store); got != `1 "{\"name\": \"n.txt\", \"type\": \"file\", \"base64\": \"aGk=\"}"` {
				t.Errorf("stored %s", got)
			}
		})
	})
	t.Run("a user interface event has its data", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			a := agent.New("n")
			s := a.State("s", agent.Initial)
			var got agent.Event
			s.Body(func(_ context.Context, s *agent.Session) error { got = s.Event(); return nil })
			s.OnEvent(agent.EventUI).GoTo(s)
			sub, _, _ := open(t, start(t, session.RuntimeConfig{Agent: a, Store: agenttest.NewStore()}), "S")
			if err := sub.SendEvent(t.Context(), agent.EventUI, json.RawMessage(`{"button":1}`), false); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if got.Name != "user_update_ui" || string(got.Data) != `{"button":1}` || !got.Human {
				t.Errorf("got %+v", got)
			}
		})
	})
}

// This covers test_core_processor of BAF. The call that registers a processor sets its direction,
// and its values are texts.
func TestBAFCoreProcessor(t *testing.T) {
	t.Run("without a function is an error", func(t *testing.T) {
		t.Parallel()
		a, b := valid(), valid()
		a.ProcessUser(nil)
		b.ProcessAgent(nil)
		invalid(t, a, "a processor is nil")
		invalid(t, b, "a processor is nil")
	})
	t.Run("each direction, other types pass through", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			a := echo(nil)
			mark := func(with string) agent.Processor {
				return func(_ context.Context, _ *agent.Session, text string) (string, error) { return text + with, nil }
			}
			a.ProcessUser(mark("u"))
			a.ProcessAgent(mark("a"))
			if got := said(seen(t, a, `"x"`, `{"message":"y"}`)); got != `0 "helloa"|1 "x"|1 "xua"|2 {"message":"y"}|2 "ya"` {
				t.Errorf("said %s", got)
			}
		})
	})
}

// This covers test_workflows of BAF with the built-in classifier.
func TestBAFWorkflows(t *testing.T) { bubble(t, testBAFWorkflows) }

func testBAFWorkflows(t *testing.T) {
	a := agent.New("greetings")
	hello, bye := a.Intent("hello", "hello", "hi there"), a.Intent("bye", "bye", "see you later")
	initial, greeted, gone := a.State("initial", agent.Initial), a.State("hello"), a.State("bye")
	initial.OnIntent(hello).GoTo(greeted)
	greeted.Body(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, "Hi!") })
	greeted.OnIntent(bye).GoTo(gone)
	gone.Body(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, "Bye!") })
	if len(a.States()) != 3 || len(a.Intents()) != 2 {
		t.Errorf("%d states, %d intents", len(a.States()), len(a.Intents()))
	}
	store := seen(t, a, `"hi there"`, `"see you later"`)
	if got := said(store); got != `1 "hi there"|1 "Hi!"|2 "see you later"|2 "Bye!"` {
		t.Errorf("said %s", got)
	}
	for i, p := range store.Predictions("S") {
		if p.Intent != []string{"hello", "bye"}[i] || p.Score != 1 || p.Classifier == "" || p.Classifier == "None" {
			t.Errorf("prediction %d %+v", i, p)
		}
	}
}
