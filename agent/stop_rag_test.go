package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/tmc/langchaingo/llms"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/embed"
	"docent/llm/llmtest"
	"docent/payload"
	"docent/rag"
)

// hangs is a reply that is written up to its last piece, which never comes.
func hangs(pieces ...string) llmtest.Reply {
	return llmtest.Reply{Text: append(pieces, "never"), Wait: func(ctx context.Context, piece int) error {
		if piece < len(pieces) {
			return nil
		}
		<-ctx.Done()
		return ctx.Err()
	}}
}

// stopped says a message, stops its turn once the model has written what it
// will, and returns how it ended and what is kept.
func stopped(t *testing.T, sub *agent.Subscription, c *client, store *agenttest.Store, id string) (outcome string, kept agent.ChatMessage) {
	t.Helper()
	synctest.Wait() // it has greeted
	send(t, sub, "", "work_mem by default?")
	synctest.Wait()
	if err := sub.Stop(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	_, messages, _ := store.Session(id)
	return strings.Join(ends(c), ","), messages[len(messages)-1]
}

// What a stopped turn keeps of an answer from documents is one, with its
// passages and its sentences checked; of one without text, that it was stopped.
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
		{hangs("It is 4MB", " [1]. It is made", " up that [1"), payload.TypeRAG, "It is 4MB [1]. It is made up that", "[{0 14 [1] strong}]"},
		{hangs("It is "), payload.TypeRAG, "It is", "[]"},
		{hangs(), payload.TypeStr, "", ""},
		{hangs(" ["), payload.TypeStr, "", ""},
	} {
		model := llmtest.NewModel(llmtest.Script(c.reply))
		answers, err := rag.New(rag.Config{
			Retriever: shelf{}, Static: static, Models: map[string]llms.Model{"m": model}, DefaultModel: "m", MinEvidence: -1,
		})
		if err != nil {
			t.Fatal(err)
		}
		store := agenttest.NewStore()
		sub, client, _ := open(t, start(t, agent.RuntimeConfig{Agent: assistant(t), Store: store, RAG: answers}), "S")
		ended, kept := stopped(t, sub, client, store, "S")
		if ended != `1 "stopped"}` || kept.Type != c.kind || kept.ClientID != agent.StoppedID {
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
		if m.Answer != c.answer || fmt.Sprint(m.Sentences) != c.marks || !m.Stopped || len(m.Docs) == 0 || m.Evidence == nil || m.K != rag.DefaultK || m.LLMName != "m" {
			t.Errorf("%q: kept %+v", c.reply.Text, m)
		}
	}
}

// An answer that is whole when its turn is stopped, but not said, is kept with
// its evidence as well; but not under what was streamed after it.
func TestStopBehindAnAnswer(t *testing.T) { bubble(t, testStopBehindAnAnswer) }

func testStopBehindAnAnswer(t *testing.T) {
	for more, want := range map[string]string{"": payload.TypeRAG, "And more.": payload.TypeMarkdown} {
		store := agenttest.NewStore()
		rt := start(t, agent.RuntimeConfig{Store: store, RAG: &agenttest.Answers{}, Agent: echo(func(ctx context.Context, s *agent.Session) error {
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
		})})
		sub, client, _ := open(t, rt, "S")
		ended, kept := stopped(t, sub, client, store, "S")
		if ended != `1 "stopped","usage":{"prompt_tokens":7,"completion_tokens":3}}` || kept.Type != want || want == payload.TypeRAG != strings.Contains(string(kept.Content), `"stopped":true`) {
			t.Errorf("after %q: %s, kept %s %s", more, ended, kept.Type, kept.Content)
		}
	}
}

// Reasoning that is stopped while it answers keeps the evidence it has found.
func TestStopKeepsTheEvidenceOfReasoning(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := bubbled(t, agent.Options{Knowledge: knowledge()}, calls("", "search_knowledge", `{"query":"work_mem"}`), hangs("It is 4MB [1]", ". And"))
		ended, kept := stopped(t, r.sub, r.client, r.store, "s")
		var m payload.RAGMessage
		if err := json.Unmarshal(kept.Content, &m); err != nil || kept.Type != payload.TypeRAG {
			t.Fatalf("%s, kept %s %s: %v", ended, kept.Type, kept.Content, err)
		}
		if ended != `1 "stopped"}` || m.Answer != "It is 4MB [1]. And" || fmt.Sprint(m.Sentences) != "[{0 14 [1] strong}]" || !m.Stopped || len(m.Docs) == 0 {
			t.Errorf("%s, kept %+v", ended, m)
		}
	})
}
