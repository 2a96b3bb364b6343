package session_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/internal/fault"
)

// A global state can be reached from any state and leads back to that state, any number of times.
//
// BAF W22
func TestGlobalStatesReturnToEachOrigin(t *testing.T) { bubble(t, testGlobalStatesReturnToEachOrigin) }

func testGlobalStatesReturnToEachOrigin(t *testing.T) {
	a := agent.New("global")
	a.ClassifyWith(wordClassifier{})
	help, next := a.Intent("help", "help"), a.Intent("next", "next")
	var states []*agent.State
	for i := range 3 {
		var options []agent.StateOption
		if i == 0 {
			options = append(options, agent.Initial)
		}
		s := a.State(fmt.Sprint("s", i), options...)
		s.Body(func(ctx context.Context, s *agent.Session) error {
			return s.Reply(ctx, fmt.Sprint(s.CurrentState(), " ", s.Returning()))
		})
		states = append(states, s)
	}
	for i, s := range states {
		s.OnIntent(next).GoTo(states[(i+1)%3])
	}
	helping, more := a.State("help"), a.State("more")
	helping.Global(help)
	helping.GoTo(more)
	more.Body(func(ctx context.Context, s *agent.Session) error {
		return s.Reply(ctx, "help from "+agent.Get(s, "prev_state", ""))
	})
	store := agenttest.NewStore()
	sub, _, _ := open(t, start(t, session.RuntimeConfig{Agent: a, Store: store}), "S")
	synctest.Wait() // for the greeting
	for _, said := range []string{"help", "next", "help", "help", "next", "help"} {
		send(t, sub, "", said)
		synctest.Wait() // otherwise a later "next" would precede an earlier "help"
	}
	_, messages, _ := store.Stored("S")
	var got []string
	for _, m := range messages {
		if !m.IsUser {
			got = append(got, strings.Trim(string(m.Content), `"`))
		}
	}
	want := "s0 false|help from s0|s0 true|s1 false|help from s1|s1 true|help from s1|s1 true|s2 false|help from s2|s2 true"
	if strings.Join(got, "|") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "|"), want)
	}
	tr := store.Transitions("S")
	if tr[0].Condition != "Intent Matching - help" || tr[2].Condition != "variable prev_state == s0" || tr[2].Source != "more" {
		t.Errorf("moves %+v", tr[:3])
	}
}

// Errors in an agent are found when it is built.
func TestValidateTransitions(t *testing.T) {
	t.Parallel()
	foreign := agent.New("other").Intent("x", "x")
	always := func(context.Context, *agent.Session) (bool, error) { return true, nil }
	for want, build := range map[string]func(a *agent.Agent, one, two *agent.State){
		`state "one" goes to "two" at once, so it cannot have other transitions`: func(_ *agent.Agent, one, two *agent.State) {
			one.OnMessage().GoTo(two)
			one.GoTo(two)
		},
		`state "one" goes to "one" at once, so it cannot`: func(_ *agent.Agent, one, two *agent.State) {
			one.GoTo(one)
			one.OnMessage().GoTo(two)
		},
		`its transitions go round in a circle`: func(_ *agent.Agent, one, two *agent.State) {
			one.GoTo(two)
			two.GoTo(one)
		},
		`is on "x", an intent of another agent`: func(_ *agent.Agent, one, two *agent.State) { one.OnIntent(foreign).GoTo(two) },
		`has a nil intent`:                      func(_ *agent.Agent, one, two *agent.State) { one.OnIntent(nil).GoTo(two) },
		`has two transitions on intent "i"`: func(a *agent.Agent, one, two *agent.State) {
			i := a.Intent("i", "i")
			one.OnIntent(i).GoTo(two)
			one.OnIntent(i).When(always).GoTo(one)
		},
		`two intents named "i"`: func(a *agent.Agent, one, two *agent.State) {
			a.Intent("i", "i")
			a.Intent("i", "j")
			one.OnMessage().GoTo(two)
		},
		`the first transitions from the global state "two" go round`: func(a *agent.Agent, one, two *agent.State) {
			one.OnMessage().GoTo(one)
			two.Global(a.Intent("i", "i"))
			two.OnMessage().GoTo(two)
		},
		`global state "two" has no intent`: func(_ *agent.Agent, one, two *agent.State) {
			one.OnMessage().GoTo(one)
			two.Global(nil)
		},
		`there is no operator "~"`: func(_ *agent.Agent, one, two *agent.State) { one.WhenVariable("v", "~", 1).GoTo(two) },
		`unsupported type`:         func(_ *agent.Agent, one, two *agent.State) { one.WhenVariable("v", agent.Less, always).GoTo(two) },
		`has a nil condition`:      func(_ *agent.Agent, one, two *agent.State) { one.When(nil).GoTo(two) },
		`waits 0s`:                 func(_ *agent.Agent, one, two *agent.State) { one.After(0).GoTo(two) },
		`an event without a name`:  func(_ *agent.Agent, one, two *agent.State) { one.OnEvent("").GoTo(two) },
		`a processor is nil`: func(a *agent.Agent, one, two *agent.State) {
			a.ProcessUser(nil)
			one.OnMessage().GoTo(two)
		},
		`state "two" cannot be reached`: func(*agent.Agent, *agent.State, *agent.State) {},
	} {
		a := agent.New("a")
		build(a, a.State("one", agent.Initial), a.State("two"))
		if err := a.Validate(); err == nil || !strings.Contains(err.Error(), want) || fault.KindOf(err) != fault.Invalid {
			t.Errorf("got %v, want …%s…", err, want)
		}
	}
}

// Events of programs reach sessions that are not in memory. Invalid events are refused.
func TestDispatch(t *testing.T) { bubble(t, testDispatch) }

func testDispatch(t *testing.T) {
	a := agent.New("hooks")
	one := a.State("one", agent.Initial)
	one.Body(func(ctx context.Context, s *agent.Session) error {
		e := s.Event()
		return s.Reply(ctx, fmt.Sprintf("%s %t %s%s %t %t", e.Name, e.Human, e.Data, e.Text, e.File != nil, e.JSON != nil))
	})
	one.OnEvent().GoTo(one)
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{Agent: a, Store: store})
	sub, _, _ := open(t, rt, "S")
	synctest.Wait()
	sub.Close()
	for _, e := range []agent.Event{
		{Name: "push", Data: []byte(`{"n":1}`)},
		{Name: agent.EventText, Text: "hi", Human: true},
		{Name: agent.EventMessage, JSON: []byte(`{"q":1}`)},
	} {
		if err := rt.Dispatch(t.Context(), "S", e); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if rt.Sessions() != 0 {
			t.Error("it stays in memory")
		}
	}
	want := `0 " false  false false"|1 "push false {\"n\":1} false false"|2 "hi"|2 "receive_message_text true hi false false"|` +
		`3 {"q":1}|3 "receive_message false {\"q\":1} false true"`
	if got := said(store); got != want {
		t.Errorf("stored %s\nwant   %s", got, want)
	}
	for _, e := range []agent.Event{{}, {Name: "x", Data: []byte("{")}, {Name: agent.EventMessage, JSON: []byte("1")}, {Name: agent.EventFile}, {Name: "a\nb"}} {
		if err := rt.Dispatch(t.Context(), "S", e); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%+v: %v", e, err)
		}
	}
	if err := rt.Dispatch(t.Context(), "a\nb", agent.Event{Name: "x"}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("got %v", err)
	}
	known := start(t, session.RuntimeConfig{Agent: a, Store: knowing{store}})
	for _, err := range []error{known.Dispatch(t.Context(), "nobody", agent.Event{Name: "x"}), known.Check(t.Context(), "nobody")} {
		if fault.KindOf(err) != fault.NotFound {
			t.Errorf("got %v", err)
		}
	}
	if _, _, ok := store.Stored("nobody"); ok {
		t.Error("an event made a session")
	}
}

// knowing is a store that fails for missing sessions, like a database.
type knowing struct{ *agenttest.Store }

func (k knowing) Session(_ context.Context, key journal.SessionKey) (journal.SessionRecord, error) {
	record, _, ok := k.Store.Stored(key.ID)
	if !ok {
		return record, fault.New(fault.NotFound, "no_session", "there is no such session")
	}
	return record, nil
}

// A user receives the failure of a body. The state does not change, and the session continues. The
// next moves are not part of the failed turn.
func TestFailuresInAChain(t *testing.T) { bubble(t, testFailuresInAChain) }

func testFailuresInAChain(t *testing.T) {
	a := agent.New("chain")
	one, two, three := a.State("one", agent.Initial), a.State("two"), a.State("three")
	one.OnMessage().GoTo(two)
	two.Body(func(context.Context, *agent.Session) error { return errors.New("secret") })
	two.GoTo(three)
	three.Body(func(ctx context.Context, s *agent.Session) error {
		if err := s.Reply(ctx, "still"); err != nil {
			return err
		}
		panic("secret")
	})
	three.OnMessage().GoTo(two)
	store := agenttest.NewStore()
	sub, c, _ := open(t, start(t, session.RuntimeConfig{Agent: a, Store: store}), "S")
	synctest.Wait() // for the greeting
	send(t, sub, "", "x")
	synctest.Wait()
	if got := strings.Join(ends(c), ","); got != `1 "failed"}` {
		t.Errorf("ends %s", got)
	}
	want := `1 "x"|1 "Sorry, that did not work: something went wrong here; please try again"|0 "still"`
	if got := said(store); got != want {
		t.Errorf("stored %s", got)
	}
	if record, _, _ := store.Stored("S"); record.State != "three" {
		t.Errorf("in %s", record.State)
	}
}

// From inside a global state, another global state leads back to the state before the first one.
//
// BAF W22
func TestGlobalStateFromAnother(t *testing.T) { bubble(t, testGlobalStateFromAnother) }

func testGlobalStateFromAnother(t *testing.T) {
	a := agent.New("nested")
	home, help, more := a.State("home", agent.Initial), a.State("help"), a.State("more")
	home.OnEvent("never").GoTo(home)
	help.Global(a.Intent("help", "help"))
	more.Global(a.Intent("more", "more"))
	help.OnEvent("go").GoTo(more)
	home.OnEvent("in").GoTo(help)
	more.Body(func(ctx context.Context, s *agent.Session) error {
		return s.Reply(ctx, "from "+agent.Get(s, "prev_state", ""))
	})
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{Agent: a, Store: store})
	_, _, _ = open(t, rt, "S")
	for _, name := range []string{"in", "go"} {
		if err := rt.Dispatch(t.Context(), "S", agent.Event{Name: name}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
	}
	if record, _, _ := store.Stored("S"); said(store) != `2 "from home"` || record.State != "home" {
		t.Errorf("said %s, in %s", said(store), record.State)
	}
}
