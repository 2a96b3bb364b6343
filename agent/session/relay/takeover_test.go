package relay_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"docent/agent"
	"docent/agent/chat"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/internal/pgtest"
	"docent/payload"
)

// left waits until the client is asked to connect again.
func (c *client) left() error {
	c.t.Helper()
	select {
	case err := <-c.gone:
		return err
	case <-time.After(patience):
		c.t.Fatal("the client was not asked to connect again")
		return nil
	}
}

// TestTakeover silences the replica that runs a session in the middle of a turn. Another replica
// takes the session over and runs the turn. The silent replica writes nothing, also after it is back.
func TestTakeover(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	running, resume := make(chan struct{}), make(chan struct{})
	a := begin(t, url, echo(func(context.Context, *agent.Session) error {
		close(running)
		<-resume
		return nil
	}), brief)
	b := begin(t, url, echo(nil), long)
	here := a.join(t, session.OpenRequest{})
	here.until(payload.ReplyStr) // a message waits for the greeting, but not for long
	there := b.join(t, session.OpenRequest{})
	ok(t, there.Send(t.Context(), session.Message{ID: "m", Content: chat.JSONString("one"), Human: true}))
	<-running
	a.line.silence()
	if err := there.left(); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("the client left with %v", err)
	}
	if err := there.Send(t.Context(), session.Message{ID: "n", Content: chat.JSONString("two")}); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("a broken link sent a message: %v", err)
	}

	after := int64(1)
	again := b.join(t, session.OpenRequest{After: &after})
	var seen []string
	ok(t, again.CatchUp(t.Context(), func(e journal.Entry) bool {
		seen = append(seen, fmt.Sprintf("%d %s", e.Seq(), e.Frame().Message))
		return true
	}))
	for len(seen) < 2 { // the turn may have ended before the client caught up
		if f := again.until(payload.ReplyStr); f[len(f)-1].Frame.Seq > 0 {
			seen = append(seen, fmt.Sprintf("%d %s", f[len(f)-1].Frame.Seq, f[len(f)-1].Frame.Message))
		}
	}
	if !b.Holds("x") {
		t.Error("the session was not taken over")
	}
	if want := fmt.Sprint([]string{`2 "one"`, `3 "one"`}); fmt.Sprint(seen) != want {
		t.Errorf("received %s, want %s", seen, want)
	}

	// The stopped replica goes on with its turn.
	a.line.repair()
	close(resume)
	here.left()
	back := a.join(t, session.OpenRequest{})
	if a.Holds("x") {
		t.Error("the session runs twice")
	}
	reply := back.says("o", "three")
	if n := reply[len(reply)-2].Frame.Seq; n != 5 {
		t.Errorf("got %s", lines(reply))
	}
	messages, err := back.Recent(t.Context(), 10)
	ok(t, err)
	var all []string
	for _, m := range messages {
		all = append(all, fmt.Sprintf("%d %s", m.Seq, m.Content))
	}
	if want := `[1 "hello" 2 "one" 3 "one" 4 "three" 5 "three"]`; fmt.Sprint(all) != want {
		t.Errorf("got %s, want %s", all, want)
	}
}

// TestStale checks that a replica without contact, whose session another one took over, refuses the
// messages of its own clients.
func TestStale(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	a, b := begin(t, url, echo(nil), brief), begin(t, url, echo(nil), long)
	here := a.join(t, session.OpenRequest{})
	here.says("m", "one")
	a.line.silence()
	there := b.join(t, session.OpenRequest{}) // waits for the end of the lease
	err := here.Send(t.Context(), session.Message{ID: "n", Content: chat.JSONString("two"), Human: true})
	if !errors.Is(err, journal.ErrStale) {
		t.Errorf("got error %v, want ErrStale", err)
	}
	if err := here.left(); fault.TextOf(err).ID != "session_moved" {
		t.Errorf("the client left with %v", err)
	}
	got := there.says("n", "two")
	if seq := got[len(got)-2].Frame.Seq; seq != 5 {
		t.Errorf("got %s", lines(got))
	}
}

// TestLate checks that a replica that was silent for longer than its lease does not show a client an
// old state of the session.
func TestLate(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	a, b := begin(t, url, echo(nil), brief), begin(t, url, echo(nil), long)
	a.join(t, session.OpenRequest{}).until(payload.ReplyStr)
	a.line.silence()
	there := b.join(t, session.OpenRequest{})
	there.says("m", "one")
	after := int64(3)
	joined := make(chan session.Opened, 1)
	go func() { // waits for the lease
		late := a.join(t, session.OpenRequest{After: &after})
		joined <- <-late.opened
	}()
	<-time.After(10 * time.Millisecond) // otherwise the test would also pass without the wait
	a.line.repair()
	if o := <-joined; o.Seq != 3 {
		t.Errorf("opened %+v, want Seq 3", o)
	}
}

// TestLost loses notifications for a client. It connects again and misses nothing.
func TestLost(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	a, b := begin(t, url, echo(nil), long), begin(t, url, echo(nil), long)
	here, there := a.join(t, session.OpenRequest{}), b.join(t, session.OpenRequest{})
	here.until(payload.ReplyStr)
	a.line.lose.Store(1)
	here.says("m", "one")
	if err := there.left(); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("the client left with %v", err)
	}
	after := int64(1)
	var seen []int64
	ok(t, b.join(t, session.OpenRequest{After: &after}).CatchUp(t.Context(), func(e journal.Entry) bool {
		seen = append(seen, e.Seq())
		return true
	}))
	if fmt.Sprint(seen) != "[2 3]" {
		t.Errorf("caught up %d, want 2 and 3", seen)
	}
}

// TestRepeated delivers each notification twice. The client receives each frame once.
func TestRepeated(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	a, b := begin(t, url, echo(nil), long), begin(t, url, echo(nil), long)
	a.line.double.Store(true)
	b.line.double.Store(true)
	here := a.join(t, session.OpenRequest{})
	here.until(payload.ReplyStr)
	there := b.join(t, session.OpenRequest{})
	there.until(payload.SyncedAction)
	for i := range 3 {
		got := there.says(fmt.Sprint(i), "text")
		if want := here.until(payload.TurnFinishedAction); lines(got[1:]) != lines(want[1:]) {
			t.Errorf("got\n%s\nwant\n%s", lines(got[1:]), lines(want[1:]))
		}
	}
}

// TestMoves checks that a session without clients moves to the replica with the next client, and
// that a replica frees its sessions when it stops.
func TestMoves(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	a, b := begin(t, url, echo(nil), long), begin(t, url, echo(nil), long)
	here := a.join(t, session.OpenRequest{})
	here.says("l", "zero")
	here.Close()
	for a.Holds("x") {
		<-time.After(time.Millisecond)
	}
	there := b.join(t, session.OpenRequest{})
	if !b.Holds("x") || a.Holds("x") {
		t.Fatal("the session did not move")
	}
	there.says("m", "one")
	back := a.join(t, session.OpenRequest{})
	ok(t, b.Shutdown(t.Context()))
	b.relay.Stop(t.Context())
	if err := back.left(); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("the client left with %v", err)
	}
	got := a.join(t, session.OpenRequest{}).says("n", "two")
	if seq := got[len(got)-2].Frame.Seq; seq != 7 || !a.Holds("x") {
		t.Errorf("got %s", lines(got))
	}
}

// TestUnusedMoves checks that clients of several replicas get one session while unused sessions with
// its id are deleted.
func TestUnusedMoves(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	a, b := begin(t, url, echo(nil), long), begin(t, url, echo(nil), long)
	for range 20 {
		here := a.join(t, session.OpenRequest{})
		here.until(payload.SyncedAction)
		here.Close()
		there := b.join(t, session.OpenRequest{})
		messages, err := there.Recent(t.Context(), 10)
		ok(t, err)
		if len(messages) > 1 {
			t.Fatalf("the session has %d messages", len(messages))
		}
		there.Close()
	}
	there, here := b.join(t, session.OpenRequest{}), a.join(t, session.OpenRequest{})
	there.says("m", "one")
	if got := here.until(payload.TurnFinishedAction); len(got) == 0 {
		t.Error("the other client heard nothing")
	}
	messages, err := here.Recent(t.Context(), 10)
	ok(t, err)
	if len(messages) != 3 {
		t.Errorf("the session has %d messages", len(messages))
	}
}

// TestOwner checks that the replica with the session decides about its clients.
func TestOwner(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	a, b := begin(t, url, echo(nil), long), begin(t, url, echo(nil), long)
	a.join(t, session.OpenRequest{Owner: "user:1"})
	_, err := b.Open(t.Context(), session.OpenRequest{ID: "x", Owner: "user:2"}, &client{})
	if fault.KindOf(err) != fault.Forbidden || fault.TextOf(err).ID != "session_of_another_user" {
		t.Errorf("got error %v", err)
	}
}
