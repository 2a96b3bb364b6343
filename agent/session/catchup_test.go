package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/payload"
)

// everything is a client that keeps all frames, and reports the end of the session.
type everything struct {
	*client
	gone chan struct{}
}

func newEverything(t *testing.T) *everything {
	return &everything{client: newClient(t), gone: make(chan struct{}, 1)}
}

func (e *everything) Deliver(d session.Delivery) { e.Heard <- d }
func (e *everything) Gone(error)                 { e.gone <- struct{}{} }

// lines describes the frames that streaming clients have received so far.
func (e *everything) lines() []string {
	var out []string
	for len(e.Heard) > 0 {
		if d := e.Next(); d.Audience != session.Plain {
			out = append(out, fmt.Sprintf("%s %s", d.Frame.Action, d.Frame.Message))
		}
	}
	return out
}

func wantLines(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s:\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// resume opens a session for a client that has all entries up to a sequence number.
func resume(t *testing.T, rt *session.Runtime, after int64) (*session.Subscription, *everything) {
	t.Helper()
	e := newEverything(t)
	sub, err := rt.Open(t.Context(), session.OpenRequest{ID: "S", After: &after}, e)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sub.Close)
	<-e.Openings
	return sub, e
}

// missed catches up and describes the entries.
func missed(t *testing.T, sub *session.Subscription) []string {
	t.Helper()
	var out []string
	if err := sub.CatchUp(t.Context(), func(e journal.Entry) bool {
		f := e.Frame()
		out = append(out, fmt.Sprintf("%d %s %s", f.Seq, f.Action, f.Message))
		return true
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// streaming returns an agent that says pieces, steps, and replies, controlled by say.
func streaming(say chan string) *agent.Agent {
	return echo(func(ctx context.Context, s *agent.Session) error {
		for word := range say {
			var err error
			switch {
			case word == "step":
				err = s.ReplyReasoningStep(ctx, payload.ReasoningStep{Kind: payload.StepText, Summary: "hm"})
			case word == "quiet step":
				err = s.SaveReasoningEvent(ctx, payload.ReasoningStep{Kind: payload.StepText, Summary: "hm"})
			case word == "flush":
				err = s.Flush(ctx)
			case strings.HasPrefix(word, "say "):
				err = s.Reply(ctx, word[4:])
			default:
				err = s.Stream(ctx, word)
			}
			if err != nil {
				return err
			}
			if word == "end" {
				return nil
			}
		}
		return nil
	})
}

// A client that comes back during a turn receives the stored entries, the unstored part of the
// turn, and the open turns. Then it receives all other frames. Before that, it receives nothing.
func TestCatchUp(t *testing.T) { bubble(t, testCatchUp) }

func testCatchUp(t *testing.T) {
	say := make(chan string)
	rt := start(t, session.RuntimeConfig{Agent: streaming(say), Store: agenttest.NewStore(), FlushAfter: -1})
	sub, _, _ := open(t, rt, "S")
	send(t, sub, "a", "question")
	send(t, sub, "b", "next")
	for _, word := range []string{"old ", "say first", "quiet step", "flush", "step", "new ", "text"} {
		say <- word
	}
	synctest.Wait()
	back, e := resume(t, rt, 1)
	say <- " unheard"
	synctest.Wait()
	wantLines(t, "before", e.lines())
	step := `{"action":"agent_reply_reasoning_step","message":` // the step's own content
	got := missed(t, back)
	wantLines(t, "missed", got[:3], `2 user_message "question"`, `3 user_message "next"`, `4 agent_reply_str "first"`)
	if len(got) != 4 || !strings.HasPrefix(got[3], "5 agent_reply_reasoning_step ") {
		t.Errorf("missed %s", got)
	}
	heard := e.lines()
	if len(heard) != 2 || !strings.HasPrefix(heard[0], `turn_snapshot {"turn":1,"n":5,"text":"new text unheard","steps":[`+step) || strings.Count(heard[0], step) != 1 {
		t.Errorf("heard %s", heard)
	}
	wantLines(t, "open", heard[1:], `synced {"seq":5,"turns":[{"turn":1,"state":"running"},{"turn":2,"state":"waiting"}]}`)
	if again := missed(t, back); len(again) != 0 || len(e.Heard) != 0 {
		t.Errorf("again %s", again)
	}
	say <- "!"
	synctest.Wait()
	wantLines(t, "live", e.lines(), `agent_reply_delta {"text":"!"}`)
	newcomer := newEverything(t)
	other, err := rt.Open(t.Context(), session.OpenRequest{ID: "S"}, newcomer)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if heard := newcomer.lines(); len(heard) != 2 || !strings.Contains(heard[0], `"n":6,"text":"new text unheard!"`) || !strings.HasPrefix(heard[1], "synced") {
		t.Errorf("a newcomer heard %s", heard)
	}
	close(say)
	synctest.Wait()
	_, late := resume(t, rt, 0)
	wantLines(t, "muted", late.lines())
	_, far := resume(t, rt, 1000)
	sub4, _ := resume(t, rt, 1000)
	if got := missed(t, sub4); len(got) != 8 { // the number belongs to another database
		t.Errorf("from the beginning: %s", got)
	}
	wantLines(t, "muted", far.lines())
}

// The content of a turn_snapshot is bounded.
func TestSnapshotBounds(t *testing.T) { bubble(t, testSnapshotBounds) }

func testSnapshotBounds(t *testing.T) {
	go_ := make(chan struct{})
	thinker := echo(func(ctx context.Context, s *agent.Session) error {
		for range 3 {
			if err := s.Stream(ctx, strings.Repeat("é", journal.MaxStreamed/5)); err != nil {
				return err
			}
		}
		for i := range journal.MaxSnapshotSteps + 10 {
			if err := s.ReplyReasoningStep(ctx, payload.ReasoningStep{Kind: payload.StepText, Summary: fmt.Sprint(i)}); err != nil {
				return err
			}
		}
		<-go_
		return s.ReplyReasoningStep(ctx, payload.ReasoningStep{Kind: payload.StepText, Summary: strings.Repeat("x", journal.MaxSnapshotStepBytes)})
	})
	rt := start(t, session.RuntimeConfig{Store: agenttest.NewStore(), FlushAfter: -1, Agent: thinker})
	sub, c, _ := open(t, rt, "S")
	send(t, sub, "a", "question")
	synctest.Wait()
	for len(c.Heard) > 0 {
		c.Next()
	}
	back, e := resume(t, rt, 2)
	missed(t, back)
	var s payload.TurnSnapshot
	if err := json.Unmarshal(e.Next().Frame.Message, &s); err != nil {
		t.Fatal(err)
	}
	if len(s.Text) > journal.MaxStreamed || len(s.Text) < journal.MaxStreamed-4 || strings.Trim(s.Text, "é") != "" {
		t.Errorf("%d bytes of text", len(s.Text))
	}
	if len(s.Steps) != journal.MaxSnapshotSteps || !strings.Contains(string(s.Steps[255].Message), `"265"`) {
		t.Errorf("%d steps", len(s.Steps))
	}
	close(go_)
}

// A client may leave while it catches up. The session may also be deleted or reset.
func TestCatchUpCutShort(t *testing.T) { bubble(t, testCatchUpCutShort) }

func testCatchUpCutShort(t *testing.T) {
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{Agent: echo(nil), Store: store})
	sub, _, _ := open(t, rt, "S")
	for i := range 3 {
		send(t, sub, fmt.Sprint(i), "hi")
	}
	synctest.Wait()

	leaver, _ := resume(t, rt, 0)
	err := leaver.CatchUp(t.Context(), func(journal.Entry) bool { leaver.Close(); return true })
	if fault.KindOf(err) != fault.Canceled {
		t.Errorf("CatchUp after Close: %v", err)
	}

	pausing, e := resume(t, rt, 0)
	n := 0
	if err := pausing.CatchUp(t.Context(), func(journal.Entry) bool { n++; return n < 3 }); err != nil || n != 3 || len(e.Heard) != 0 {
		t.Errorf("%d entries, %v", n, err)
	}
	if got := missed(t, pausing); len(got) != 4 || !strings.HasPrefix(got[0], "4 ") {
		t.Errorf("the rest is %s", got)
	}

	resetting, e2 := resume(t, rt, 0)
	first := true
	var got []string
	if err := resetting.CatchUp(t.Context(), func(e journal.Entry) bool {
		if first {
			if err := sub.Reset(t.Context()); err != nil {
				t.Error(err)
			}
			synctest.Wait()
			first = false
		}
		got = append(got, fmt.Sprint(e.Frame().Seq))
		return true
	}); err != nil {
		t.Fatal(err)
	}
	wantLines(t, "after a reset", e2.lines(), `session_reset {"seq":7}`, `synced {"seq":8,"turns":[]}`)
	if got[len(got)-1] != "8" {
		t.Errorf("came %s", got)
	}
	record, _, _ := store.Stored("S")
	if record.ResetSeq != 7 {
		t.Errorf("stored %d", record.ResetSeq)
	}
	again := newEverything(t)
	o, err := rt.Open(t.Context(), session.OpenRequest{ID: "S"}, again)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if opened := <-again.Openings; opened.ResetSeq != 7 || opened.Seq != 8 {
		t.Errorf("opened %+v", opened)
	}

	deleted, e3 := resume(t, rt, 0)
	store.Delete("S")
	if err := sub.Send(t.Context(), session.Message{Content: quoted("x"), Human: true}); fault.KindOf(err) != fault.NotFound {
		t.Fatal(err)
	}
	<-e3.gone
	if err := deleted.CatchUp(t.Context(), func(journal.Entry) bool { return true }); fault.KindOf(err) != fault.NotFound {
		t.Errorf("of a session that was deleted: %v", err)
	}
}

// A stored failure is an error with its sequence number, for present clients and for clients that
// come back. A turn whose end could not be stored has not failed. It runs after the next load.
func TestFailuresInOrder(t *testing.T) { bubble(t, testFailuresInOrder) }

func testFailuresInOrder(t *testing.T) {
	store := agenttest.NewStore()
	var down atomic.Bool
	store.SetBefore(func(_ context.Context, op agenttest.Operation) error {
		if down.Load() && op == agenttest.Commit {
			return fault.New(fault.Unavailable, "test_sentence", "the store is down")
		}
		return nil
	})
	rt := start(t, session.RuntimeConfig{Store: store, Agent: echo(func(_ context.Context, s *agent.Session) error {
		if s.Message() == "fail" {
			return errors.New("failed")
		}
		return nil
	})})
	sub, c, _ := open(t, rt, "S")
	failures := func() (out []string) {
		synctest.Wait()
		for len(c.Heard) > 0 {
			if d := c.Next(); d.Frame.Action == payload.ErrorAction {
				out = append(out, fmt.Sprint(*d.Frame.Turn, " ", d.Frame.Seq))
			}
		}
		return out
	}
	send(t, sub, "a", "fail")
	wantLines(t, "at once", failures(), "1 3")
	down.Store(true)
	send(t, sub, "b", "lost")
	<-afterwards(8 * time.Second)
	wantLines(t, "not stored", failures())
	down.Store(false)
	<-afterwards(time.Minute)
	back, _ := resume(t, rt, 2)
	wantLines(t, "later", missed(t, back),
		`3 error {"code":"unavailable","id":"internal_error","params":[],"message":"something went wrong here; please try again","retryable":true}`,
		`4 user_message "lost"`,
		`5 agent_reply_str "lost"`)
}
