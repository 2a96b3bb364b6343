package session_test

import (
	"context"
	"reflect"
	"testing"
	"testing/synctest"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/payload"
)

// A replay shows the same frames as before, marked as history. A failure has its stored text and no
// id.
func TestShownAgain(t *testing.T) { bubble(t, testShownAgain) }

func testShownAgain(t *testing.T) {
	rt := start(t, session.RuntimeConfig{Store: agenttest.NewStore(), Agent: echo(func(ctx context.Context, s *agent.Session) error {
		switch s.Message() {
		case "wait":
			<-ctx.Done()
			return ctx.Err()
		case "fail":
			return fault.New(fault.Unavailable, "test_sentence", "not now")
		}
		return s.ReplyReasoningStep(ctx, step(0, "s"))
	})})
	_, live, _ := open(t, rt, "S")
	sub, _, _ := open(t, rt, "S")
	for _, said := range []string{"one", "fail", "wait"} {
		send(t, sub, said, said)
		synctest.Wait()
	}
	if err := sub.Stop(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	if err := sub.Revise(t.Context(), session.Revision{Turn: 3, ID: "again", Content: quoted("two")}); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	var shown []payload.Frame
	for len(live.Heard) > 0 {
		if d := live.Next(); d.Frame.Seq > 0 && d.Audience != session.Plain {
			shown = append(shown, d.Frame)
		}
	}
	n, failures := 0, 0
	back, _ := resume(t, rt, 0)
	err := back.CatchUp(t.Context(), func(e journal.Entry) bool {
		var f payload.Frame
		if e.Message != nil {
			f, _ = journal.Replay(*e.Message)
		} else {
			f, _ = journal.ReplayStep(*e.Step)
		}
		want := shown[n]
		n++
		if want.Action == payload.ErrorAction {
			failures++
			want.Action, want.Message, want.ID, want.Sentence = payload.ReplyStr, quoted("Sorry, that did not work: not now"), "", f.Sentence
		}
		if want.History = true; !reflect.DeepEqual(f, want) {
			t.Errorf("shown\n%+v, then\n%+v", want, f)
		}
		return true
	})
	if err != nil || n != len(shown) || n != 11 || failures != 1 {
		t.Errorf("%d frames of %d, %d failures, %v", n, len(shown), failures, err)
	}
}
