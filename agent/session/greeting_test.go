package session_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/chat"
	"docent/agent/session"
	"docent/internal/fault"
	"docent/payload"
)

// The greeting of a session comes first in its record, even if a client sends a message at once.
func TestGreetingFirst(t *testing.T) { bubble(t, testGreetingFirst) }

func testGreetingFirst(t *testing.T) {
	store := agenttest.NewStore()
	slow := 0
	store.SetBefore(func(_ context.Context, op agenttest.Operation) error {
		if op == agenttest.Commit { // as a database does at times
			slow++
			<-afterwards(time.Duration(slow%3) * time.Millisecond)
		}
		return nil
	})
	rt := start(t, session.RuntimeConfig{Agent: echo(nil), Store: store})
	for i := range 200 {
		id := fmt.Sprint("S", i)
		sub, c, _ := open(t, rt, id)
		switch i % 3 {
		case 0:
			send(t, sub, "m", "hi")
		case 1:
			if err := sub.SendFile(t.Context(), session.File{File: payload.NewFile("n.txt", "", []byte("hi"))}); err != nil {
				t.Fatal(err)
			}
		default:
			if err := rt.Dispatch(t.Context(), id, agent.Event{Name: agent.EventText, Text: "hi"}); err != nil {
				t.Fatal(err)
			}
		}
		c.Until(payload.TurnFinishedAction)
		_, messages, _ := store.Stored(id)
		if messages[0].IsUser || messages[0].Turn != 0 || messages[0].Seq != 1 {
			t.Fatalf("session %d begins with %+v", i, messages[0])
		}
		sub.Close()
	}
}

// No message waits for a greeting that has failed or takes too long, or while a reset or a shutdown
// is pending.
func TestGreetingWait(t *testing.T) {
	for name, tc := range map[string]struct {
		fails bool
		ends  func(t *testing.T, rt *session.Runtime, sub *session.Subscription) // ends the wait after a second
		waits time.Duration
		err   fault.Kind
	}{
		"failed":   {fails: true},
		"too long": {waits: session.MaxGreetingWait},
		"reset": {waits: time.Second, ends: func(t *testing.T, _ *session.Runtime, sub *session.Subscription) {
			if err := sub.Reset(t.Context()); err != nil {
				t.Error(err)
			}
		}},
		"shutdown": {waits: time.Second, err: fault.Unavailable, ends: func(t *testing.T, rt *session.Runtime, _ *session.Subscription) {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			_ = rt.Shutdown(ctx)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				greetings := 0
				a := echo(nil)
				a.States()[0].Body(func(ctx context.Context, s *agent.Session) error {
					if greetings++; tc.fails {
						return errors.New("broken")
					}
					if greetings == 1 {
						<-ctx.Done()
					}
					return nil
				})
				rt, err := session.NewRuntime(session.RuntimeConfig{Agent: a, Store: agenttest.NewStore()})
				if err != nil {
					t.Fatal(err)
				}
				sub, _, _ := open(t, rt, "S")
				began := time.Now()
				if tc.ends != nil {
					go func() {
						<-afterwards(time.Second)
						tc.ends(t, rt, sub)
					}()
				}
				err = sub.Send(t.Context(), session.Message{ID: "m", Content: quoted("hi"), Human: true})
				if took := time.Since(began); took != tc.waits || err != nil != (tc.err != "") || err != nil && fault.KindOf(err) != tc.err {
					t.Errorf("after %s: %v", took, err)
				}
				synctest.Wait()
				ctx, cancel := context.WithCancel(context.Background())
				cancel()
				_ = rt.Shutdown(ctx)
				synctest.Wait()
			})
		})
	}
}

// A failed greeting is stored as an apology, which clients then see again.
func TestFailedGreeting(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store, a := agenttest.NewStore(), echo(nil)
		a.States()[0].Body(func(context.Context, *agent.Session) error { return errors.New("broken") })
		rt := start(t, session.RuntimeConfig{Agent: a, Store: store})
		_, c, _ := open(t, rt, "S")
		got := text(t, c.Until(payload.ReplyStr))
		_, messages, _ := store.Stored("S")
		if len(messages) != 1 || messages[0].ClientID != chat.FailedID || !strings.HasPrefix(got, "Sorry, that did not work: ") {
			t.Errorf("said %q, stored %+v", got, messages)
		}
	})
}

// A message that arrives during the greeting is stored and answered, even if the client leaves
// before the end of the greeting.
func TestGreetingOutlasts(t *testing.T) { bubble(t, testGreetingOutlasts) }

func testGreetingOutlasts(t *testing.T) {
	store := agenttest.NewStore()
	a := echo(nil)
	a.States()[0].Body(func(ctx context.Context, s *agent.Session) error {
		<-afterwards(time.Second)
		return s.Reply(ctx, "hello")
	})
	rt := start(t, session.RuntimeConfig{Agent: a, Store: store})
	sub, _, _ := open(t, rt, "S")
	ctx, leave := context.WithCancel(t.Context())
	go func() {
		<-afterwards(500 * time.Millisecond)
		leave()
	}()
	if err := sub.Send(ctx, session.Message{Content: quoted("hi"), Human: true, Wait: true}); err != nil {
		t.Error(err)
	}
	if err := sub.Send(ctx, session.Message{Content: quoted("bye"), Human: true, Wait: true}); err != nil {
		t.Errorf("after it has left: %v", err)
	}
	sub.Close()
	synctest.Wait()
	if got := said(store); got != `0 "hello"|1 "hi"|1 "hi"|2 "bye"|2 "bye"` && got != `0 "hello"|1 "hi"|2 "bye"|1 "hi"|2 "bye"` {
		t.Errorf("stored %s", got)
	}
}

// All messages wait together for a slow greeting, only once.
func TestGreetingWaitOnce(t *testing.T) { bubble(t, testGreetingWaitOnce) }

func testGreetingWaitOnce(t *testing.T) {
	a := echo(nil)
	a.States()[0].Body(func(context.Context, *agent.Session) error {
		<-afterwards(time.Minute)
		return nil
	})
	rt := start(t, session.RuntimeConfig{Agent: a, Store: agenttest.NewStore()})
	sub, _, _ := open(t, rt, "S")
	began := time.Now()
	<-afterwards(session.MaxGreetingWait / 2)
	for i := range 3 {
		send(t, sub, "", "hi")
		if took := time.Since(began); took != session.MaxGreetingWait {
			t.Errorf("message %d was stored after %s", i, took)
		}
	}
	<-afterwards(time.Minute)
	synctest.Wait()
}
