package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/internal/fault"
	"docent/payload"
	"docent/rag"
)

// briefing returns an agent that answers from documents.
func briefing() *agent.Agent {
	a := agent.New("briefing")
	answer := a.State("answer", agent.Initial)
	answer.Body(agent.Answering(rag.Request{}))
	answer.OnMessage().GoTo(answer)
	return a
}

// asking sends the task of a brief.
func asking(t *testing.T, sub *session.Subscription, id string, headings ...string) error {
	t.Helper()
	content, err := json.Marshal(map[string]any{"message": "What is known?", "brief": headings})
	if err != nil {
		t.Fatal(err)
	}
	return sub.Send(t.Context(), session.Message{ID: id, Content: content, Human: true, Options: true})
}

// report returns the last answer of session S.
func report(t *testing.T, store *agenttest.Store) payload.RAGMessage {
	t.Helper()
	_, messages, _ := store.Stored("S")
	var out payload.RAGMessage
	for _, m := range messages {
		if m.Type == payload.TypeRAG {
			out = payload.RAGMessage{}
			if err := json.Unmarshal(m.Content, &out); err != nil {
				t.Fatal(err)
			}
		}
	}
	return out
}

// A stopped brief, and one that fails, keep the sections so far. A failed one that is sent again goes on.
func TestBriefEndsEarly(t *testing.T) {
	for name, fails := range map[string]bool{"stopped": false, "failed": true} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				store, broken := agenttest.NewStore(), true
				answers := &agenttest.Answers{Answer: func(ctx context.Context, req rag.Request) (string, error) {
					heading, _, _ := strings.Cut(req.Question, ":")
					switch {
					case heading != "B" || !broken:
						return heading + " is known [1].", nil
					case fails:
						return "", fault.New(fault.Unavailable, "model_down", "the model does not answer")
					}
					<-ctx.Done()
					return "", ctx.Err()
				}}
				rt := start(t, session.RuntimeConfig{Agent: briefing(), Store: store, RAG: answers})
				sub, _, _ := open(t, rt, "S")
				if err := asking(t, sub, "1", "A", "B", "C"); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if !fails {
					if err := sub.Stop(t.Context(), 0); err != nil {
						t.Fatal(err)
					}
					synctest.Wait()
				}
				if got := report(t, store); got.Answer != "## A\n\nA is known [1].\n\n## Not written\n\n- B\n- C" || !got.Stopped {
					t.Errorf("kept %+v", got)
				}
				if !fails {
					return
				}
				broken = false
				if err := asking(t, sub, "1", "A", "B", "C"); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if got := report(t, store); !strings.HasSuffix(got.Answer, "## B\n\nB is known [1].\n\n## C\n\nC is known [1].") || got.Stopped {
					t.Errorf("then %+v", got)
				}
				if n := len(answers.Requests()); n != 4 { // A, B twice, C
					t.Errorf("%d requests", n)
				}
			})
		})
	}
}

// One owner has one brief at a time. It may be sent again.
func TestOneBrief(t *testing.T) { bubble(t, testOneBrief) }

func testOneBrief(t *testing.T) {
	goOn := make(chan struct{})
	rt := start(t, session.RuntimeConfig{Agent: briefing(), Store: agenttest.NewStore(), RAG: &agenttest.Answers{
		Answer: func(context.Context, rag.Request) (string, error) { <-goOn; return "Yes [1].", nil },
	}})
	sub, _, _ := open(t, rt, "S")
	other, _, _ := open(t, rt, "T")
	if err := asking(t, sub, "1", "A"); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	for _, again := range []error{asking(t, other, "2", "A"), asking(t, sub, "3", "A")} {
		if fault.KindOf(again) != fault.Busy {
			t.Errorf("a second brief: %v", again)
		}
	}
	if err := asking(t, sub, "1", "A"); err != nil {
		t.Errorf("sent again: %v", err)
	}
	close(goOn)
	synctest.Wait()
	if err := asking(t, other, "4", "A"); err != nil {
		t.Errorf("after the end: %v", err)
	}
	synctest.Wait()
}

// If two briefs arrive at the same time, the second is refused. The same message may arrive twice.
func TestBriefsTogether(t *testing.T) { bubble(t, testBriefsTogether) }

func testBriefsTogether(t *testing.T) {
	store, goOn := agenttest.NewStore(), make(chan struct{})
	rt := start(t, session.RuntimeConfig{Agent: briefing(), Store: store, RAG: &agenttest.Answers{
		Answer: func(context.Context, rag.Request) (string, error) { return "Yes [1].", nil },
	}})
	sub, _, _ := open(t, rt, "S")
	other, _, _ := open(t, rt, "T")
	store.SetBefore(func(_ context.Context, op agenttest.Operation) error {
		if op == agenttest.Receive {
			<-goOn
		}
		return nil
	})
	first, again := make(chan error, 1), make(chan error, 1)
	go func() { first <- asking(t, sub, "1", "A") }()
	synctest.Wait() // it is being stored
	if err := asking(t, other, "2", "A"); fault.TextOf(err).ID != "brief_running" {
		t.Errorf("a second brief: %v", err)
	}
	go func() { again <- asking(t, sub, "1", "A") }()
	synctest.Wait()
	close(goOn)
	if a, b := <-first, <-again; a != nil || b != nil {
		t.Errorf("the first brief: %v, %v", a, b)
	}
	synctest.Wait()
	if err := asking(t, other, "3", "A"); err != nil {
		t.Errorf("after the end: %v", err)
	}
	synctest.Wait()
}

// The turn of a brief may take longer than others, but not for ever.
func TestBriefTimeout(t *testing.T) { bubble(t, testBriefTimeout) }

func testBriefTimeout(t *testing.T) {
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{Agent: briefing(), Store: store, RAG: &agenttest.Answers{
		Answer: func(ctx context.Context, req rag.Request) (string, error) {
			select {
			case <-time.After(8 * time.Minute):
				return fmt.Sprintf("%s [1].", req.Question[:1]), nil
			case <-ctx.Done():
				return "", context.Cause(ctx)
			}
		},
	}})
	sub, _, _ := open(t, rt, "S")
	if err := asking(t, sub, "1", "A", "B", "C", "D", "E"); err != nil {
		t.Fatal(err)
	}
	<-time.After(31 * time.Minute)
	synctest.Wait()
	if got := report(t, store); !strings.HasSuffix(got.Answer, "## C\n\nC [1].\n\n## Not written\n\n- D\n- E") || !got.Stopped {
		t.Errorf("kept %+v", got)
	}
	_, messages, _ := store.Stored("S")
	if last := messages[len(messages)-1]; last.ClientID != "failed" {
		t.Errorf("last message %+v", errors.New(string(last.Content)))
	}
}
