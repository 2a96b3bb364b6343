package sessiontest

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
	"testing"

	"docent/agent"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/internal/storetest"
	"docent/payload"
	"docent/rag"
	"docent/rag/corpus"
)

// sectionRAG answers the questions of a brief, and waits instead of answering if it is about wait.
type sectionRAG struct {
	wait  string
	asked chan string
}

func (r sectionRAG) Stream(ctx context.Context, req rag.Request) iter.Seq2[rag.Part, error] {
	return func(yield func(rag.Part, error) bool) {
		r.asked <- req.Question
		heading, _, _ := strings.Cut(req.Question, ":")
		if heading == r.wait {
			<-ctx.Done()
			yield(rag.Part{}, ctx.Err())
			return
		}
		text := heading + " is known [1]."
		yield(rag.Part{Answer: &rag.Answer{
			Model: "m", Question: req.Question, Text: text, Outcome: rag.Answered,
			Passages: []rag.Passage{{Passage: corpus.Passage{
				Chunk: corpus.Chunk{ID: int64(len(heading)), DocumentID: 1, Text: heading}, Document: corpus.Document{Source: "s"},
			}}},
			Sentences: []rag.Sentence{{End: len(text), Passages: []int{1}, Support: rag.Strong}},
		}}, nil)
	}
}

// runtimeBrief ends the program in the middle of a brief. The next process goes on with the next heading.
func runtimeBrief(t *testing.T, db Conversations) {
	ctx := storetest.Within(t)
	answering := answeringAgent()
	run := func(wait string) (*session.Runtime, *session.Subscription, actions, chan string) {
		asked := make(chan string, 10)
		rt, err := session.NewRuntime(session.RuntimeConfig{Agent: answering, Store: db.Open(t), RAG: sectionRAG{wait, asked}})
		storetest.OK(t, err)
		t.Cleanup(func() { _ = rt.Shutdown(context.WithoutCancel(ctx)) })
		heard := make(actions, 100)
		sub, err := rt.Open(ctx, session.OpenRequest{ID: "brief"}, heard)
		storetest.OK(t, err)
		return rt, sub, heard, asked
	}
	rt, sub, _, asked := run("CC")
	content := `{"message":"What do we promise?","brief":["A","BB","CC","DDDD"]}`
	storetest.OK(t, sub.Send(ctx, session.Message{ID: "q", Content: json.RawMessage(content), Human: true, Options: true}))
	for _, want := range []string{"A: What do we promise?", "BB: What do we promise?", "CC: What do we promise?"} {
		storetest.Want(t, "question", <-asked, want)
	}
	now, cancel := context.WithCancel(ctx)
	cancel()
	if rt.Shutdown(now) == nil {
		t.Error("nothing was interrupted")
	}

	rt, _, heard, asked := run("")
	heard.until(ctx, t, payload.TurnFinishedAction)
	storetest.OK(t, rt.Shutdown(ctx))
	storetest.Want(t, "first question", <-asked, "CC: What do we promise?")
	storetest.Want(t, "second question", <-asked, "DDDD: What do we promise?")
	storetest.Want(t, "further questions", len(asked), 0)

	s := db.Open(t)
	record, _, err := s.OpenSession(ctx, journal.SessionRecord{Key: journal.SessionKey{Agent: answering.Name(), ID: "brief"}, Platform: "P"})
	storetest.OK(t, err)
	storetest.Want(t, "waiting events", len(record.Pending), 0)
	messages, err := s.Messages(ctx, record.RowID, journal.MessageQuery{})
	storetest.OK(t, err)
	storetest.Want(t, "messages", len(messages), 3) // the greeting, the task, the brief
	last := messages[2]
	var got payload.RAGMessage
	storetest.OK(t, json.Unmarshal(last.Content, &got))
	storetest.Want(t, "brief", got.Answer,
		"## A\n\nA is known [1].\n\n## BB\n\nBB is known [2].\n\n## CC\n\nCC is known [2].\n\n## DDDD\n\nDDDD is known [3].")
	steps, err := s.Steps(ctx, record.RowID, journal.MessageQuery{})
	storetest.OK(t, err)
	sections, started := 0, 0
	for _, step := range steps {
		storetest.Want(t, "message of a step", step.ChatID, last.ID)
		switch payload.StepKind(step.StepKind) {
		case payload.StepSection:
			sections++
		case payload.StepStarted:
			started++
		}
	}
	storetest.Want(t, "sections", sections, 4)
	storetest.Want(t, "beginnings", started, 2)
}

// runtimeBriefElsewhere ends the program in the middle of a turn of an agent that does not write briefs. The turn is not run again,
// although its message asks for a brief.
func runtimeBriefElsewhere(t *testing.T, db Conversations) {
	ctx := storetest.Within(t)
	ran := make(chan struct{}, 2)
	working := agent.New("working")
	work := working.State("work", agent.Initial)
	work.OnMessage().GoTo(work)
	work.Body(func(ctx context.Context, s *agent.Session) error {
		if s.Message() == "" {
			return nil
		}
		if err := s.Reply(ctx, "It is sent."); err != nil {
			return err
		}
		if err := s.Flush(ctx); err != nil {
			return err
		}
		ran <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	})
	open := func() (*session.Runtime, *session.Subscription, actions) {
		rt, err := session.NewRuntime(session.RuntimeConfig{Agent: working, Store: db.Open(t)})
		storetest.OK(t, err)
		t.Cleanup(func() { _ = rt.Shutdown(context.WithoutCancel(ctx)) })
		heard := make(actions, 100)
		sub, err := rt.Open(ctx, session.OpenRequest{ID: "elsewhere"}, heard)
		storetest.OK(t, err)
		return rt, sub, heard
	}
	rt, sub, _ := open()
	content := json.RawMessage(`{"message":"Send it.","brief":["A"]}`)
	storetest.OK(t, sub.Send(ctx, session.Message{ID: "q", Content: content, Human: true, Options: true}))
	<-ran
	now, cancel := context.WithCancel(ctx)
	cancel()
	if rt.Shutdown(now) == nil {
		t.Error("nothing was interrupted")
	}
	rt, _, heard := open()
	heard.until(ctx, t, payload.TurnFinishedAction)
	storetest.OK(t, rt.Shutdown(ctx))
	storetest.Want(t, "further runs", len(ran), 0)
}
