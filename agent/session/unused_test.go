package session_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/internal/quota"
	"docent/payload"
)

// A session that nobody has used is not kept. A client that comes back gets a new one.
func TestUnusedSession(t *testing.T) { bubble(t, testUnusedSession) }

func testUnusedSession(t *testing.T) {
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{Agent: echo(nil), Store: store, Unused: store})
	visit := func(resumed bool) (*session.Subscription, *client) {
		t.Helper()
		sub, c, opened := open(t, rt, "S")
		if opened.Resumed != resumed {
			t.Errorf("opened %+v, want resumed %v", opened, resumed)
		}
		return sub, c
	}
	leave := func(sub *session.Subscription, kept bool) {
		t.Helper()
		synctest.Wait()
		sub.Close()
		synctest.Wait()
		if _, _, ok := store.Stored("S"); ok != kept || rt.Sessions() != 0 {
			t.Errorf("kept %v, want %v; %d sessions in memory", ok, kept, rt.Sessions())
		}
	}
	first, c := visit(false)
	c.Until(payload.ReplyStr)
	second, c := visit(true) // the first client keeps the session
	first.Close()
	synctest.Wait()
	c.Quiet()
	leave(second, false)

	sub, c := visit(false)
	if d := c.Until(payload.ReplyStr); text(t, d) != "hello" {
		t.Errorf("got %s", d.Frame.Message)
	}
	send(t, sub, "m", "hi")
	leave(sub, true)
	sub, _ = visit(true)
	leave(sub, true)
}

// A client that comes while an unused session is deleted gets a new session.
func TestJoinDuringDeletion(t *testing.T) { bubble(t, testJoinDuringDeletion) }

func testJoinDuringDeletion(t *testing.T) {
	store := agenttest.NewStore()
	deleting := make(chan struct{})
	store.SetBefore(func(_ context.Context, op agenttest.Operation) error {
		if op == agenttest.DeleteUnused {
			<-deleting
		}
		return nil
	})
	rt := start(t, session.RuntimeConfig{Agent: echo(nil), Store: store, Unused: store})
	sub, _, _ := open(t, rt, "S")
	synctest.Wait()
	sub.Close()
	synctest.Wait()
	impatient, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := rt.Open(impatient, session.OpenRequest{ID: "S"}, newClient(t)); err == nil {
		t.Error("joined a session that is being deleted")
	}
	told := make(chan error)
	go func() { told <- rt.Dispatch(t.Context(), "S", agent.Event{Name: "bell"}) }()
	synctest.Wait()
	deleting <- struct{}{}
	if err := <-told; fault.KindOf(err) != fault.NotFound {
		t.Errorf("an event for the deleted session: %v", err)
	}

	sub, _, _ = open(t, rt, "S")
	synctest.Wait()
	sub.Close()
	synctest.Wait()
	c := newClient(t)
	joined := make(chan *session.Subscription)
	go func() {
		sub, err := rt.Open(t.Context(), session.OpenRequest{ID: "S"}, c)
		if err != nil {
			t.Error(err)
		}
		joined <- sub
	}()
	synctest.Wait()
	close(deleting)
	sub = <-joined
	defer sub.Close()
	if opened := <-c.Openings; opened.Resumed || opened.Seq != 0 {
		t.Errorf("opened %+v", opened)
	}
	if d := c.Until(payload.ReplyStr); text(t, d) != "hello" {
		t.Errorf("got %s", d.Frame.Message)
	}
	send(t, sub, "m", "hi")
	if d := c.Until(payload.ReplyStr); text(t, d) != "hi" {
		t.Errorf("got %s", d.Frame.Message)
	}
}

// fewBytes is a store of quotas in which each client has used some bytes.
type fewBytes int64

func (fewBytes) ForgetUse(context.Context, string) error { return nil }
func (u fewBytes) Used(context.Context, string, string, quota.Resource) (int64, error) {
	return int64(u), nil
}

func (u fewBytes) Use(_ context.Context, _, _ string, _ quota.Resource, _, most int64) (bool, error) {
	return int64(u) < most, nil
}

// An unused session that waits for a time is kept if its client may store more.
func TestUnusedTimedSession(t *testing.T) {
	for name, within := range map[string]bool{"within the quota": true, "above the quota": false} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) { testUnusedTimedSession(t, within) })
		})
	}
}

func testUnusedTimedSession(t *testing.T, within bool) {
	store, used := agenttest.NewStore(), fewBytes(10)
	if within {
		used = 9
	}
	a := agent.New("timed")
	wait, done := a.State("wait", agent.Initial), a.State("done")
	wait.After(time.Hour).GoTo(done)
	done.Body(say)
	limits := quota.Limits{quota.Bytes: 10}
	rt := start(t, session.RuntimeConfig{
		Agent: a, Store: store, Unused: store, Now: realTime, Quotas: quota.New(quota.Config{Store: used, Principal: limits, Address: limits}),
	})
	ctx := quota.WithClient(t.Context(), quota.Client{Principal: "widget", Address: "203.0.113.1"})
	sub, err := rt.Open(ctx, session.OpenRequest{ID: "S"}, newClient(t))
	if err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	sub.Close()
	synctest.Wait()
	if _, _, ok := store.Stored("S"); ok != within {
		t.Fatalf("kept %v, want %v", ok, within)
	}
	pass(3700)
	if record, _, _ := store.Stored("S"); (record.State == "done") != within || rt.Sessions() != 0 {
		t.Errorf("in state %q, %d sessions in memory", record.State, rt.Sessions())
	}
}

// Start removes sessions that another process left unused a day ago.
func TestUnusedAtStart(t *testing.T) { bubble(t, testUnusedAtStart) }

func testUnusedAtStart(t *testing.T) {
	store, now := agenttest.NewStore(), time.Now()
	for id, at := range map[string]time.Time{"old": now.Add(-25 * time.Hour), "new": now.Add(-23 * time.Hour)} {
		record := journal.SessionRecord{Key: journal.SessionKey{Agent: "echo", ID: id}, UpdatedAt: at}
		if _, _, err := store.OpenSession(t.Context(), record); err != nil {
			t.Fatal(err)
		}
	}
	rt := start(t, session.RuntimeConfig{Agent: echo(nil), Store: store, Unused: store, Now: realTime})
	if err := rt.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, _, old := store.Stored("old")
	if _, _, fresh := store.Stored("new"); old || !fresh {
		t.Errorf("kept the old session %v, the new session %v", old, fresh)
	}
}
