package sessiontest

import (
	"context"
	"encoding/json"
	"iter"
	"testing"

	"docent/agent"
	"docent/agent/chat"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/internal/storetest"
	"docent/payload"
	"docent/rag"
	"docent/rag/corpus"
)

// waits is an agent.RAG that writes one piece and waits.
type waits struct{}

func (waits) Stream(ctx context.Context, req rag.Request) iter.Seq2[rag.Part, error] {
	return func(yield func(rag.Part, error) bool) {
		answer := func(text string) rag.Answer {
			return rag.Answer{
				Model: "m", Question: req.Question, Text: text,
				Passages: []rag.Passage{{Passage: corpus.Passage{
					Chunk: corpus.Chunk{ID: 2, DocumentID: 1, Text: "4MB"}, Document: corpus.Document{Source: "s"},
				}}},
				Sentences: []rag.Sentence{{End: len("It is 4MB [1]."), Passages: []int{1}, Support: rag.Strong}},
			}
		}
		if yield(rag.Part{Phase: rag.Answering, Begun: answer}, nil) && yield(rag.Part{Delta: "It is 4MB [1]. And"}, nil) {
			<-ctx.Done()
			yield(rag.Part{}, ctx.Err())
		}
	}
}

// actions is a listener that passes on the actions of its frames.
type actions chan payload.Action

func (actions) Opened(session.Opened) {}

func (t actions) Deliver(d session.Delivery) { t <- d.Frame.Action }

func (t actions) until(ctx context.Context, tb *testing.T, action payload.Action) {
	tb.Helper()
	for {
		select {
		case got := <-t:
			if got == action {
				return
			}
		case <-ctx.Done():
			tb.Fatalf("no %s came", action)
		}
	}
}

// answeringAgent returns an agent that greets and answers each message from the documents.
func answeringAgent() *agent.Agent {
	a := agent.New("answering")
	greet, answer := a.State("greet", agent.Initial), a.State("answer")
	greet.Body(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, "Hi!") })
	answer.Body(agent.Answering(rag.Request{}))
	for _, s := range a.States() {
		s.OnMessage().GoTo(answer)
	}
	return a
}

// runtimeStopped stops an answer. The store keeps the partial answer with its evidence. If the
// program ends instead, the store keeps nothing, and the runtime answers again when the session is
// opened.
func runtimeStopped(t *testing.T, db Conversations) {
	ctx := storetest.Within(t)
	answering := answeringAgent()
	run := func() (*session.Runtime, *session.Subscription, actions) {
		rt, err := session.NewRuntime(session.RuntimeConfig{Agent: answering, Store: db.Open(t), RAG: waits{}})
		storetest.OK(t, err)
		t.Cleanup(func() { _ = rt.Shutdown(context.WithoutCancel(ctx)) })
		heard := make(actions, 100)
		sub, err := rt.Open(ctx, session.OpenRequest{ID: "stopped"}, heard)
		storetest.OK(t, err)
		return rt, sub, heard
	}
	rt, sub, heard := run()
	storetest.OK(t, sub.Send(ctx, session.Message{ID: "q", Content: json.RawMessage(`"What is the default of work_mem?"`), Human: true}))
	heard.until(ctx, t, payload.DeltaAction)
	now, cancel := context.WithCancel(ctx)
	cancel()
	if rt.Shutdown(now) == nil {
		t.Error("nothing was interrupted")
	}

	rt, sub, heard = run()
	heard.until(ctx, t, payload.DeltaAction)
	storetest.OK(t, sub.Stop(ctx, 0))
	heard.until(ctx, t, payload.ReplyRAG)
	heard.until(ctx, t, payload.TurnFinishedAction)
	storetest.OK(t, rt.Shutdown(ctx))

	s := db.Open(t)
	record, _, err := s.OpenSession(ctx, journal.SessionRecord{Key: journal.SessionKey{Agent: answering.Name(), ID: "stopped"}, Platform: "P"})
	storetest.OK(t, err)
	messages, err := s.Messages(ctx, record.RowID, journal.MessageQuery{})
	storetest.OK(t, err)
	storetest.Want(t, "messages", len(messages), 3) // the greeting, the question, one answer
	last := messages[2]
	storetest.Want(t, "kind", []string{last.Type, last.ClientID}, []string{payload.TypeRAG, chat.StoppedID})
	var got payload.RAGMessage
	storetest.OK(t, json.Unmarshal(last.Content, &got))
	wanted := payload.RAGMessage{
		LLMName: "m", Question: "What is the default of work_mem?", Answer: "It is 4MB [1]. And", Stopped: true,
		Docs: got.Docs, Sentences: []payload.RAGSentence{{End: 14, Docs: []int{1}, Support: payload.SupportStrong}},
	}
	storetest.Want(t, "answer", got, wanted)
	storetest.Want(t, "passages", len(got.Docs), 1)
}
