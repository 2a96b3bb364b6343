package session_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/internal/fault"
	"docent/payload"
)

// TestShow: the agent sees only the shown version, also after a restart, and clients learn which turns
// are hidden.
func TestShow(t *testing.T) { bubble(t, testShow) }

func testShow(t *testing.T) {
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{Agent: recalling(nil), Store: store, Versions: store})
	sub, c, _ := open(t, rt, "S")
	_, other, _ := open(t, rt, "S")
	send(t, sub, "one", "one")
	synctest.Wait()
	send(t, sub, "two", "two")
	synctest.Wait()
	if err := sub.Revise(t.Context(), session.Revision{Turn: 1, ID: "r", Content: quoted("eins")}); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	if err := sub.Show(t.Context(), session.Show{Turn: 2, ID: "s"}); err != nil {
		t.Fatal(err)
	}
	for _, client := range []*client{c, other} {
		f := client.Until(payload.TurnsShownAction).Frame
		if f.ID != "s" || string(f.Message) != `{"hidden":[{"first":3,"until":4}]}` {
			t.Errorf("told %s %s", f.ID, f.Message)
		}
	}
	send(t, sub, "three", "three")
	if d := c.Until(payload.ReplyMarkdown); text(t, d) != "after hello, one, after hello, one, one, two, after hello, one, after hello, one, one, two, two, three" {
		t.Errorf("answer %s", d.Frame.Message)
	}
	for turn, kind := range map[int64]fault.Kind{0: fault.Invalid, 9: fault.NotFound} {
		if err := sub.Show(t.Context(), session.Show{Turn: turn}); fault.KindOf(err) != kind {
			t.Errorf("turn %d: %v", turn, err)
		}
	}
	stop(t, rt)
	again := start(t, session.RuntimeConfig{Agent: recalling(nil), Store: store, Versions: store})
	sub, c, _ = open(t, again, "S")
	send(t, sub, "four", "four")
	if said := text(t, c.Until(payload.ReplyMarkdown)); !strings.HasSuffix(said, "three, three, four") || strings.Contains(said, "eins") {
		t.Errorf("after a restart: %s", said)
	}
}

// TestShowStops: a running turn of another branch stops.
func TestShowStops(t *testing.T) { bubble(t, testShowStops) }

func testShowStops(t *testing.T) {
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{Agent: recalling(make(chan struct{})), Store: store, Versions: store})
	sub, c, _ := open(t, rt, "S")
	send(t, sub, "one", "one")
	synctest.Wait()
	if err := sub.Revise(t.Context(), session.Revision{Turn: 1, ID: "r", Content: quoted("hold")}); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	c.Until(payload.AckAction)
	if err := sub.Show(t.Context(), session.Show{Turn: 1}); err != nil {
		t.Fatal(err)
	}
	c.Until(payload.TurnsShownAction)
	if f := c.Until(payload.TurnFinishedAction).Frame; string(f.Message) != `{"outcome":"stopped"}` || *f.Turn != 2 {
		t.Errorf("turn %d: %s", *f.Turn, f.Message)
	}
}

// TestReviseUnknown: if the outcome of an edit is unknown, the session leaves memory, and the next
// client learns which turns are hidden.
func TestReviseUnknown(t *testing.T) { bubble(t, testReviseUnknown) }

func testReviseUnknown(t *testing.T) {
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{Agent: recalling(nil), Store: store, Versions: store})
	sub, _, _ := open(t, rt, "S")
	send(t, sub, "one", "one")
	synctest.Wait()
	store.SetBefore(func(_ context.Context, op agenttest.Operation) error {
		if op == agenttest.Receive {
			return fault.New(fault.Unavailable, "test_sentence", "the store is away")
		}
		return nil
	})
	edit := session.Revision{Turn: 1, ID: "r", Content: quoted("eins")}
	if err := sub.Revise(t.Context(), edit); fault.KindOf(err) != fault.Unavailable {
		t.Fatalf("the edit: %v", err)
	}
	store.SetBefore(nil)
	synctest.Wait()
	if err := sub.Stop(t.Context(), 0); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("the session is still in memory: %v", err)
	}
	sub, c, _ := open(t, rt, "S")
	if err := sub.Revise(t.Context(), edit); err != nil {
		t.Fatal(err)
	}
	if said := text(t, c.Until(payload.ReplyMarkdown)); strings.Contains(said, "one") {
		t.Errorf("after the edit: %s", said)
	}
}
