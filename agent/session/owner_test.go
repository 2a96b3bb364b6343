package session_test

import (
	"testing"
	"testing/synctest"
	"time"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/internal/fault"
)

// A session belongs to its owner. Another client is refused and receives nothing. The refused
// request runs nothing and stores nothing.
func TestOwner(t *testing.T) { bubble(t, testOwner) }

func testOwner(t *testing.T) {
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{Agent: echo(nil), Store: store})
	ask := func(req session.OpenRequest) (*session.Subscription, *everything, error) {
		e := newEverything(t)
		sub, err := rt.Open(t.Context(), req, e)
		return sub, e, err
	}
	refused := func(what string) {
		t.Helper()
		writes := store.Calls(agenttest.Commit) + store.Calls(agenttest.Receive)
		for _, req := range []session.OpenRequest{{ID: "S", Owner: "bob"}, {ID: "S"}} {
			_, e, err := ask(req)
			synctest.Wait()
			if fault.KindOf(err) != fault.Forbidden || len(e.Openings)+len(e.Heard) > 0 {
				t.Errorf("%s: %v, heard %d", what, err, len(e.Openings)+len(e.Heard))
			}
		}
		if n := store.Calls(agenttest.Commit) + store.Calls(agenttest.Receive) - writes; n != 0 {
			t.Errorf("%s: %d writes", what, n)
		}
	}
	// The session has not greeted and has a waiting event.
	stored, _, err := store.OpenSession(t.Context(), journal.SessionRecord{Key: journal.SessionKey{Agent: "echo", ID: "S"}, Owner: "ada", Username: "u"})
	if err != nil {
		t.Fatal(err)
	}
	waiting := journal.Incoming{Session: stored.RowID, Event: journal.EventRecord{Name: agent.EventText}}
	if _, err := store.Receive(t.Context(), waiting); err != nil {
		t.Fatal(err)
	}
	refused("not in memory")
	if rt.Sessions() != 0 {
		t.Errorf("%d sessions in memory", rt.Sessions())
	}
	sub, _, err := ask(session.OpenRequest{ID: "S", Owner: "ada"})
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	synctest.Wait()
	refused("in memory")
	any, e, err := ask(session.OpenRequest{ID: "S", AnyOwner: true})
	if err != nil || len(e.Openings) != 1 {
		t.Fatalf("whoever may open all: %v", err)
	}
	any.Close()
	own, _, err := ask(session.OpenRequest{ID: "new", Owner: "bob"})
	if err != nil {
		t.Fatal(err)
	}
	own.Close()
	if r, _, _ := store.Stored("new"); r.Owner != "bob" {
		t.Errorf("a new one is %q's", r.Owner)
	}
}

// The owner and another client open a session at the same time. Only the owner joins.
func TestOwnerAtOnce(t *testing.T) { bubble(t, testOwnerAtOnce) }

func testOwnerAtOnce(t *testing.T) {
	for range 100 {
		store := agenttest.NewStore()
		if _, _, err := store.OpenSession(t.Context(), journal.SessionRecord{Key: journal.SessionKey{Agent: "echo", ID: "S"}, Owner: "ada"}); err != nil {
			t.Fatal(err)
		}
		rt := start(t, session.RuntimeConfig{Agent: echo(nil), Store: store})
		errs := map[string]chan error{"ada": make(chan error, 1), "bob": make(chan error, 1)}
		c := newClient(t)
		for owner, result := range errs {
			go func() {
				l := session.Listener(c)
				if owner == "bob" {
					l = newEverything(t)
				}
				sub, err := rt.Open(t.Context(), session.OpenRequest{ID: "S", Owner: owner}, l)
				if err == nil {
					synctest.Wait() // for the greeting
					sub.Close()
				}
				result <- err
			}()
		}
		if err := <-errs["ada"]; err != nil {
			t.Errorf("the owner: %v", err)
		}
		if err := <-errs["bob"]; fault.KindOf(err) != fault.Forbidden {
			t.Errorf("another owner: %v", err)
		}
		if text(t, c.Next()) != "hello" {
			t.Error("the owner is not greeted")
		}
	}
}

// Latest selects the session that this user and owner used last.
func TestLatest(t *testing.T) { bubble(t, testLatest) }

func testLatest(t *testing.T) {
	rt := start(t, session.RuntimeConfig{Agent: echo(nil), Store: agenttest.NewStore(), Now: time.Now})
	for _, c := range []struct{ id, user, owner, want string }{
		{"", "ada", "", ""},
		{"1", "ada", "", "1"},
		{"2", "ada", "o", "2"},
		{"3", "bob", "o", "3"},
		{"", "ada", "", "1"},
		{"", "ada", "o", "2"},
		{"", "bob", "o", "3"},
		{"", "bob", "", ""},
		{"", "", "o", ""},
	} {
		e := newEverything(t)
		sub, err := rt.Open(t.Context(), session.OpenRequest{ID: c.id, Username: c.user, Owner: c.owner, Latest: true}, e)
		if err != nil {
			t.Fatal(err)
		}
		if got := sub.SessionID(); got != c.want && (c.want != "" || len(got) < 10) {
			t.Errorf("%+v opens %s", c, got)
		}
		synctest.Wait()
		sub.Close()
	}
}
