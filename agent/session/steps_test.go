package session_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/payload"
)

func step(n int, summary string) payload.ReasoningStep {
	return payload.ReasoningStep{Kind: payload.StepText, Step: n, Summary: summary, Details: payload.TextDetails{Text: summary}}
}

// heardBy describes the frames that clients of an audience receive.
func heardBy(c *client, of session.Audience) string {
	var out []string
	for len(c.Heard) > 0 {
		d := c.Next()
		if d.Audience != session.Everyone && d.Audience != of || d.Frame.Action == payload.AckAction {
			continue
		}
		what := strings.TrimPrefix(string(d.Frame.Action), "agent_reply_")
		switch what {
		case "reasoning_step":
			_, what, _ = strings.Cut(string(d.Frame.Message), `"summary":"`)
			what, _, _ = strings.Cut(what, `"`)
		case "str":
			what = string(d.Frame.Message)
		}
		out = append(out, fmt.Sprintf("%s#%d/%d", what, d.Frame.Seq, d.Frame.N))
	}
	return strings.Join(out, " ")
}

// Clients receive steps at once. Streaming clients receive them again when they are stored. BAF
// clients receive them once, after the earlier replies.
//
// BAF W32
func TestStepFrames(t *testing.T) { bubble(t, testStepFrames) }

func testStepFrames(t *testing.T) {
	store := agenttest.NewStore()
	goOn := make(chan struct{})
	rt := start(t, session.RuntimeConfig{Store: store, Agent: echo(func(ctx context.Context, s *agent.Session) error {
		err := errors.Join(s.ReplyReasoningStep(ctx, step(0, "one")), s.ReplyTaskList(ctx, nil), s.SaveReasoningEvent(ctx, step(1, "quiet")))
		<-goOn
		err = errors.Join(err, s.Reply(ctx, "between"), s.ReplyReasoningStep(ctx, step(2, "two")), s.Stream(ctx, "del"))
		<-goOn
		return errors.Join(err, s.SaveMessage(ctx, payload.TypeStr, false, "kept"))
	})})
	sub, _, _ := open(t, rt, "S")
	synctest.Wait()
	_, v1, _ := open(t, rt, "S")
	synctest.Wait() // for the greeting
	_, baf, _ := open(t, rt, "S")
	send(t, sub, "", "x")
	check := func(when, wantV1, wantBAF string) {
		t.Helper()
		synctest.Wait()
		if got := heardBy(v1, session.Streaming); got != wantV1 {
			t.Errorf("%s: docent.v1 heard %s, want %s", when, got, wantV1)
		}
		if got := heardBy(baf, session.Plain); got != wantBAF {
			t.Errorf("%s: BAF heard %s, want %s", when, got, wantBAF)
		}
	}
	check("first", "user_message#2/0 one#0/1 task_list_update#0/2", "one#0/0 task_list_update#0/0")
	goOn <- struct{}{}
	check("then", "two#0/3 delta#0/4", "")
	<-time.After(100 * time.Millisecond) // stored early
	check("early", `one#3/0 task_list_update#4/0 quiet#5/0 "between"#6/0 two#7/0`, `"between"#6/0 two#7/0`)
	goOn <- struct{}{}
	check("end", `"kept"#8/0 "x"#9/0 turn_finished#0/0`, `"x"#9/0`)
	var seqs []int64
	for _, e := range store.Record("S") {
		if e.Message != nil {
			seqs = append(seqs, e.Message.Seq)
		} else {
			seqs = append(seqs, e.Step.Seq)
		}
	}
	if !slices.Equal(seqs, []int64{1, 2, 3, 4, 5, 6, 7, 8, 9}) {
		t.Errorf("stored %v", seqs)
	}
	record, err := collect(sub.Record(t.Context()))
	if err != nil || len(record) != 0 {
		t.Errorf("recorded before it joined: %v %v", record, err)
	}
	late, _, _ := open(t, rt, "S")
	synctest.Wait() // for the greeting
	if record, err = collect(late.Record(t.Context())); err != nil || len(record) != 9 {
		t.Errorf("recorded %d %v", len(record), err)
	}
}

// A step belongs to the message that ends its reasoning, even if the step or the message was stored
// early.
//
// BAF W33
func TestLinks(t *testing.T) {
	for name, tc := range map[string]struct {
		run  func(ctx context.Context, s *agent.Session) error
		want string // of each step, the message that it belongs to
	}{
		"together": {func(ctx context.Context, s *agent.Session) error {
			return errors.Join(s.ReplyReasoningStep(ctx, step(0, "a")), s.Reply(ctx, "first"), s.ReplyReasoningStep(ctx, step(1, "b")),
				s.Reply(ctx, "answer"), s.ReplyReasoningStep(ctx, step(2, "c")), s.LinkPendingReasoningEvents(ctx))
		}, `a "answer",b "answer",c "answer"`},
		"steps stored before": {func(ctx context.Context, s *agent.Session) error {
			return errors.Join(s.ReplyReasoningStep(ctx, step(0, "a")), s.Flush(ctx), s.ReplyReasoningStep(ctx, step(1, "b")),
				s.Reply(ctx, "answer"), s.LinkPendingReasoningEvents(ctx))
		}, `a "answer",b "answer"`},
		"answer stored before": {func(ctx context.Context, s *agent.Session) error {
			return errors.Join(s.ReplyReasoningStep(ctx, step(0, "a")), s.Reply(ctx, "answer"), s.Flush(ctx),
				s.ReplyReasoningStep(ctx, step(1, "b")), s.LinkPendingReasoningEvents(ctx), s.ReplyReasoningStep(ctx, step(2, "later")))
		}, `a "answer",b "answer",later `},
		"all stored before": {func(ctx context.Context, s *agent.Session) error {
			return errors.Join(s.ReplyReasoningStep(ctx, step(0, "a")), s.Reply(ctx, "answer"), s.LinkPendingReasoningEvents(ctx), s.Flush(ctx),
				s.ReplyReasoningStep(ctx, step(1, "b")), s.Reply(ctx, "second"), s.LinkPendingReasoningEvents(ctx))
		}, `a "answer",b "second"`},
		"two runs, their steps stored before": {func(ctx context.Context, s *agent.Session) error {
			return errors.Join(s.ReplyReasoningStep(ctx, step(0, "a")), s.Flush(ctx), s.Reply(ctx, "first"), s.LinkPendingReasoningEvents(ctx),
				s.ReplyReasoningStep(ctx, step(1, "b")), s.Flush(ctx), s.Reply(ctx, "second"), s.LinkPendingReasoningEvents(ctx),
				s.ReplyReasoningStep(ctx, step(2, "open")), s.Flush(ctx))
		}, `a "first",b "second",open `},
		"nothing said": {func(ctx context.Context, s *agent.Session) error {
			return errors.Join(s.ReplyReasoningStep(ctx, step(0, "a")), s.Flush(ctx), s.ReplyReasoningStep(ctx, step(1, "b")),
				s.LinkPendingReasoningEvents(ctx))
		}, `a "question",b "question"`},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				a := agent.New("links")
				one := a.State("one", agent.Initial)
				one.OnMessage().GoTo(one)
				one.Body(func(ctx context.Context, s *agent.Session) error {
					if s.Message() == "" {
						return nil
					}
					return tc.run(ctx, s)
				})
				store := agenttest.NewStore()
				sub, c, _ := open(t, start(t, session.RuntimeConfig{Agent: a, Store: store}), "S")
				synctest.Wait() // for the greeting
				send(t, sub, "", "question")
				c.Until(payload.TurnFinishedAction)
				synctest.Wait()
				messages := map[int64]string{}
				var got []string
				for _, e := range store.Record("S") {
					if e.Message != nil {
						messages[e.Message.ID] = string(e.Message.Content)
					}
				}
				for _, e := range store.Record("S") {
					if e.Step != nil {
						got = append(got, e.Step.Summary+" "+messages[e.Step.ChatID])
					}
				}
				if strings.Join(got, ",") != tc.want {
					t.Errorf("got %s, want %s", strings.Join(got, ","), tc.want)
				}
			})
		})
	}
}

// A body that links its steps reads the link, also if the steps were stored without it.
//
// BAF W33
func TestReadLinks(t *testing.T) {
	for name, early := range map[string]bool{"in one turn": false, "stored early": true} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var got []string
				a := echo(func(ctx context.Context, s *agent.Session) error {
					if s.Message() == "" {
						return nil
					}
					if err := s.ReplyReasoningStep(ctx, step(0, "a")); err != nil {
						return err
					}
					if early {
						if err := s.Flush(ctx); err != nil {
							return err
						}
					}
					err := errors.Join(s.Reply(ctx, "answer"), s.LinkPendingReasoningEvents(ctx), s.ReplyReasoningStep(ctx, step(1, "later")))
					steps, failed := s.ReasoningEvents(ctx, time.Time{})
					talk, broken := s.ChatHistory(ctx, 0, time.Time{})
					for _, r := range steps {
						at := slices.IndexFunc(talk, func(m agent.ChatMessage) bool { return r.ChatID != 0 && m.ID == r.ChatID })
						if at < 0 {
							got = append(got, r.Summary+" none")
						} else {
							got = append(got, r.Summary+" "+string(talk[at].Content))
						}
					}
					return errors.Join(err, failed, broken)
				})
				sub, c, _ := open(t, start(t, session.RuntimeConfig{Agent: a, Store: agenttest.NewStore()}), "S")
				synctest.Wait() // for the greeting
				send(t, sub, "", "question")
				c.Until(payload.TurnFinishedAction)
				if strings.Join(got, ",") != `a "answer",later none` {
					t.Errorf("got %v", got)
				}
			})
		})
	}
}

// Parallel tools use one session.
func TestSessionConcurrently(t *testing.T) { bubble(t, testSessionConcurrently) }

func testSessionConcurrently(t *testing.T) {
	const tools, calls = 8, 10
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{Store: store, Agent: echo(func(ctx context.Context, s *agent.Session) error {
		var running sync.WaitGroup
		errs := make(chan error, tools*calls)
		for tool := range tools {
			running.Go(func() {
				for call := range calls {
					_, err := s.ChatHistory(ctx, 0, time.Time{})
					errs <- errors.Join(err, s.ReplyReasoningStep(ctx, step(call, "x")), s.Set(fmt.Sprint("v", tool), call), s.Reply(ctx, fmt.Sprint(tool)),
						s.Stream(ctx, "d"), s.Flush(ctx), s.LinkPendingReasoningEvents(ctx))
					s.AddUsage(1, 1)
					_ = s.CurrentState() + s.Message() + s.Prediction().Intent
					_, _ = s.Events(), agent.Get(s, "v1", 0)
				}
			})
		}
		running.Wait()
		close(errs)
		for err := range errs {
			if err != nil {
				return err
			}
		}
		return nil
	})})
	sub, c, _ := open(t, rt, "S")
	synctest.Wait() // for the greeting
	send(t, sub, "", "x")
	d := c.Until(payload.TurnFinishedAction)
	if string(d.Frame.Message) != `{"outcome":"done","usage":{"prompt_tokens":80,"completion_tokens":80}}` {
		t.Errorf("end %s", d.Frame.Message)
	}
	synctest.Wait()
	record := store.Record("S")
	if len(record) != 2+2*tools*calls+1 {
		t.Errorf("%d entries", len(record))
	}
}

// Entries of a partial write with an unknown outcome are neither lost nor doubled.
func TestFlushInDoubt(t *testing.T) { bubble(t, testFlushInDoubt) }

func testFlushInDoubt(t *testing.T) {
	store := &lossy{Store: agenttest.NewStore()}
	store.lose = once(func(r journal.TurnRecord) bool { return r.Turn == 1 && r.Partial })
	rt := start(t, session.RuntimeConfig{Store: store, Agent: echo(func(ctx context.Context, s *agent.Session) error {
		if err := errors.Join(s.Reply(ctx, "stored"), s.ReplyReasoningStep(ctx, step(0, "s"))); err != nil {
			return err
		}
		if err := s.Flush(ctx); err != nil {
			return err
		}
		store.SetBefore(func(context.Context, agenttest.Operation) error { return errors.New("down") })
		if err := errors.Join(s.Reply(ctx, "not stored")); err != nil {
			return err
		}
		if err := s.Flush(ctx); err == nil {
			t.Error("Flush succeeds")
		}
		store.SetBefore(nil)
		return nil
	})})
	sub, c, _ := open(t, rt, "S")
	synctest.Wait() // for the greeting
	send(t, sub, "", "x")
	c.Until(payload.TurnFinishedAction)
	synctest.Wait()
	if got := said(store.Store); got != `0 "hello"|1 "x"|1 "stored"|1 "not stored"|1 "x"` {
		t.Errorf("stored %s", got)
	}
	if n := len(store.Record("S")); n != 6 {
		t.Errorf("%d entries", n)
	}
}

// A message to a session in memory needs two calls of the store, even with intents, steps, history,
// variables, and several moves.
func TestTwoTrips(t *testing.T) { bubble(t, testTwoTrips) }

func testTwoTrips(t *testing.T) {
	a := agent.New("busy")
	a.ClassifyWith(wordClassifier{})
	one, two, three := a.State("one", agent.Initial), a.State("two"), a.State("three")
	one.OnIntent(a.Intent("hello", "hello")).GoTo(two)
	two.GoTo(three)
	body := func(ctx context.Context, s *agent.Session) error {
		history, err := s.ChatHistory(ctx, 5, time.Time{})
		if err != nil {
			return err
		}
		return errors.Join(s.Set("n", len(history)), s.ReplyReasoningStep(ctx, step(0, "s")), s.Reply(ctx, fmt.Sprint(len(history))), s.LinkPendingReasoningEvents(ctx))
	}
	two.Body(body)
	three.Body(body)
	three.When(func(_ context.Context, s *agent.Session) (bool, error) { return true, nil }).GoTo(one)
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{Agent: a, Store: store})
	sub, c, _ := open(t, rt, "S")
	synctest.Wait()
	ops := []agenttest.Operation{agenttest.Open, agenttest.Receive, agenttest.Commit, agenttest.Messages, agenttest.Steps, agenttest.Alarms}
	trips := func() (n int) {
		for _, op := range ops {
			n += store.Calls(op)
		}
		return n
	}
	for range 3 {
		before := trips()
		send(t, sub, "", "hello")
		c.Until(payload.TurnFinishedAction)
		synctest.Wait()
		if n := trips() - before; n != 2 {
			t.Errorf("%d trips", n)
		}
	}
}
