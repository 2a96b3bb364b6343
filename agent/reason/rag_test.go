package reason_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/chat"
	"docent/agent/reason"
	"docent/agent/session"
	"docent/embed"
	"docent/internal/fault"
	"docent/llm"
	"docent/llm/llmtest"
	"docent/payload"
	"docent/rag"
	"docent/rag/pipeline"
	"docent/rag/retrieve"
)

// hangs is a reply whose last piece never arrives.
func hangs(pieces ...string) llmtest.Reply {
	return llmtest.Reply{Text: append(pieces, "never"), Wait: func(ctx context.Context, piece int) error {
		if piece < len(pieces) {
			return nil
		}
		<-ctx.Done()
		return ctx.Err()
	}}
}

// stopped sends a message and stops its turn after the model has written its text. It returns the outcome and the stored
// messages.
func stopped(
	t *testing.T, sub *session.Subscription, c *client, store *agenttest.Store, id string,
) (outcome string, kept agent.ChatMessage) {
	t.Helper()
	synctest.Wait() // it has greeted
	send(t, sub, "", "work_mem by default?")
	synctest.Wait()
	if err := sub.Stop(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	_, messages, _ := store.Stored(id)
	return strings.Join(ends(c), ","), messages[len(messages)-1]
}

// A stopped turn keeps its partial answer from documents, with its passages and
// checked sentences. If there is no text yet, it only records that it was
// stopped.
func TestStopKeepsTheEvidence(t *testing.T) { bubble(t, testStopKeepsTheEvidence) }

func testStopKeepsTheEvidence(t *testing.T) {
	static, err := embed.NewStatic()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		reply               llmtest.Reply
		kind, answer, marks string
	}{
		{hangs("It is 4MB", " [1]. It is made", " up that [1"), payload.TypeRAG, "It is 4MB [1]. It is made up that", "[{0 14 [1] strong false}]"},
		{hangs("It is "), payload.TypeRAG, "It is", "[]"},
		{hangs(), payload.TypeStr, "", ""},
		{hangs(" ["), payload.TypeStr, "", ""},
	} {
		model := llmtest.NewModel(llmtest.Script(c.reply))
		answers, err := pipeline.New(pipeline.Config{
			Retriever: shelf{}, Static: static, Models: map[string]llm.Model{"m": model}, DefaultModel: "m", MinEvidence: -1,
		})
		if err != nil {
			t.Fatal(err)
		}
		store := agenttest.NewStore()
		sub, client, _ := open(t, start(t, session.RuntimeConfig{Agent: anAssistant(t), Store: store, RAG: answers}), "S")
		ended, kept := stopped(t, sub, client, store, "S")
		if ended != `1 "stopped"}` || kept.Type != c.kind || kept.ClientID != chat.StoppedID {
			t.Errorf("%q ended %s, kept %s %s", c.reply.Text, ended, kept.Type, kept.Content)
			continue
		}
		if c.kind == payload.TypeStr {
			if string(kept.Content) != `"Stopped."` {
				t.Errorf("%q: kept %s", c.reply.Text, kept.Content)
			}
			continue
		}
		var m payload.RAGMessage
		if err := json.Unmarshal(kept.Content, &m); err != nil {
			t.Fatal(err)
		}
		if m.Answer != c.answer || fmt.Sprint(m.Sentences) != c.marks || !m.Stopped || len(m.Docs) == 0 || m.Evidence == nil || m.K != retrieve.AnswerK || m.LLMName != "m" {
			t.Errorf("%q: kept %+v", c.reply.Text, m)
		}
	}
}

// A partial answer is kept if the model fails, as in a stopped turn. The turn
// still fails: the apology follows the answer, and the repeated message is
// answered.
func TestFailureKeepsTheEvidence(t *testing.T) { bubble(t, testFailureKeepsTheEvidence) }

func testFailureKeepsTheEvidence(t *testing.T) {
	static, err := embed.NewStatic()
	if err != nil {
		t.Fatal(err)
	}
	broken := fault.New(fault.Unavailable, "test_sentence", "the model server broke off its answer; ask again")
	for _, c := range []struct {
		pieces        []string
		answer, marks string
	}{
		{[]string{"It is 4MB", " [1]. It is made", " up that [1"}, "It is 4MB [1]. It is made up that", "[{0 14 [1] strong false}]"},
		{nil, "", ""},
	} {
		model := llmtest.NewModel(llmtest.Script(llmtest.Reply{Text: c.pieces, Err: broken}, llmtest.Say("It is 4MB [1].")))
		answers, err := pipeline.New(pipeline.Config{
			Retriever: shelf{}, Static: static, Models: map[string]llm.Model{"m": model}, DefaultModel: "m", MinEvidence: -1,
		})
		if err != nil {
			t.Fatal(err)
		}
		store := agenttest.NewStore()
		sub, client, _ := open(t, start(t, session.RuntimeConfig{Agent: anAssistant(t), Store: store, RAG: answers}), "S")
		synctest.Wait() // it has greeted
		send(t, sub, "m", "work_mem by default?")
		synctest.Wait()
		var order []string
		for len(client.Heard) > 0 {
			if d := client.Next(); d.Frame.Turn != nil && *d.Frame.Turn == 1 && d.Audience != session.Plain &&
				d.Frame.Action != payload.DeltaAction && d.Frame.Action != payload.StatusAction {
				order = append(order, string(d.Frame.Action))
			}
		}
		_, messages, _ := store.Stored("S")
		last := messages[len(messages)-1]
		if last.ClientID != chat.FailedID || string(last.Content) != `"Sorry, that did not work: the model server broke off its answer; ask again"` {
			t.Errorf("%q: the last word is %s %s", c.pieces, last.ClientID, last.Content)
		}
		kept := messages[len(messages)-2]
		if c.answer == "" {
			if !kept.IsUser {
				t.Errorf("of nothing is kept %s", kept.Content)
			}
			continue
		}
		if got := strings.Join(order, " "); got != "ack agent_reply_rag error turn_finished" {
			t.Errorf("clients heard %s", got)
		}
		var m payload.RAGMessage
		if err := json.Unmarshal(kept.Content, &m); err != nil || kept.Type != payload.TypeRAG || kept.ClientID != chat.StoppedID {
			t.Fatalf("%v, kept %s %s", err, kept.Type, kept.Content)
		}
		if m.Answer != c.answer || fmt.Sprint(m.Sentences) != c.marks || !m.Stopped || len(m.Docs) == 0 || m.Evidence == nil {
			t.Errorf("kept %+v", m)
		}
		send(t, sub, "m", "work_mem by default?")
		synctest.Wait()
		if _, messages, _ = store.Stored("S"); messages[len(messages)-1].Type != payload.TypeRAG || strings.Contains(string(messages[len(messages)-1].Content), `"stopped"`) {
			t.Errorf("asked again, it says %s", messages[len(messages)-1].Content)
		}
	}
}

// Partial text that is not an answer from documents is kept without unchecked
// markers. It is not kept twice, and not after a reply replaced it.
func TestFailureKeepsWhatWasStreamed(t *testing.T) { bubble(t, testFailureKeepsWhatWasStreamed) }

func testFailureKeepsWhatWasStreamed(t *testing.T) {
	for name, c := range map[string]struct {
		body func(ctx context.Context, s *agent.Session) error
		want string
	}{
		"streamed": {func(ctx context.Context, s *agent.Session) error { return s.Stream(ctx, "It is so [1]. And") }, `1 "It is so. And"|1 "Sorry, `},
		"said": {func(ctx context.Context, s *agent.Session) error {
			return errors.Join(s.Stream(ctx, "It is"), s.Reply(ctx, "It is so."))
		}, `1 "It is so."|1 "Sorry, `},
		"nothing": {func(context.Context, *agent.Session) error { return nil }, `1 "go"|1 "Sorry, `},
	} {
		store := agenttest.NewStore()
		rt := start(t, session.RuntimeConfig{Store: store, Agent: echo(func(ctx context.Context, s *agent.Session) error {
			if s.Message() == "" {
				return nil
			}
			return errors.Join(c.body(ctx, s), errors.New("boom"))
		})})
		sub, _, _ := open(t, rt, "S")
		send(t, sub, "m", "go")
		synctest.Wait()
		if got := messages(store); !strings.Contains(got, c.want) {
			t.Errorf("%s: stored %s", name, got)
		}
	}
}

// A complete answer that was not said before the turn stopped keeps its evidence.
// Text that was streamed later does not get this evidence.
func TestStopBehindAnAnswer(t *testing.T) { bubble(t, testStopBehindAnAnswer) }

func testStopBehindAnAnswer(t *testing.T) {
	for more, want := range map[string]string{"": payload.TypeRAG, "And more.": payload.TypeMarkdown} {
		store := agenttest.NewStore()
		overlong := echo(func(ctx context.Context, s *agent.Session) error {
			if s.Message() == "" {
				return nil
			}
			if _, err := s.RunRAG(ctx, rag.Request{}); err != nil {
				return err
			}
			if err := s.Stream(ctx, more); err != nil {
				return err
			}
			<-ctx.Done()
			return ctx.Err()
		})
		rt := start(t, session.RuntimeConfig{Store: store, RAG: &agenttest.Answers{}, Agent: overlong})
		sub, client, _ := open(t, rt, "S")
		ended, kept := stopped(t, sub, client, store, "S")
		if ended != `1 "stopped","usage":{"prompt_tokens":7,"completion_tokens":3}}` || kept.Type != want || want == payload.TypeRAG != strings.Contains(string(kept.Content), `"stopped":true`) {
			t.Errorf("after %q: %s, kept %s %s", more, ended, kept.Type, kept.Content)
		}
	}
}

// Reasoning that is stopped during its answer keeps the evidence so far.
func TestStopKeepsTheEvidenceOfReasoning(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := bubbled(t, reason.Options{Knowledge: knowledge()}, calls("", "search_knowledge", `{"query":"work_mem"}`), hangs("It is 4MB [1]", ". And"))
		ended, kept := stopped(t, r.sub, r.client, r.store, "s")
		var m payload.RAGMessage
		if err := json.Unmarshal(kept.Content, &m); err != nil || kept.Type != payload.TypeRAG {
			t.Fatalf("%s, kept %s %s: %v", ended, kept.Type, kept.Content, err)
		}
		if ended != `1 "stopped"}` || m.Answer != "It is 4MB [1]. And" || fmt.Sprint(m.Sentences) != "[{0 14 [1] strong false}]" || !m.Stopped || len(m.Docs) == 0 {
			t.Errorf("%s, kept %+v", ended, m)
		}
	})
}
