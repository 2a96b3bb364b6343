package definition_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"docent/rag/corpus"
	"docent/rag/retrieve"

	"go.uber.org/goleak"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/definition"
	"docent/agent/session"
	"docent/agent/tool"
	"docent/internal/fault"
	"docent/payload"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience bounds every wait in these tests.
const patience = 60 * time.Second

// shelf is a library and a searcher of some documents.
type shelf []corpus.Document

func (s shelf) Collections(context.Context) ([]corpus.CollectionInfo, error) {
	var out []corpus.CollectionInfo
	for _, d := range s {
		if i := slices.IndexFunc(out, func(c corpus.CollectionInfo) bool { return c.Name == d.Collection }); i >= 0 {
			out[i].Documents++
		} else {
			out = append(out, corpus.CollectionInfo{Name: d.Collection, Documents: 1})
		}
	}
	return out, nil
}

func (s shelf) DocumentIDs(context.Context, corpus.DocumentFilter) ([]int64, error) { return nil, nil }

func (s shelf) Documents(_ context.Context, f corpus.DocumentFilter) ([]corpus.Document, error) {
	var out []corpus.Document
	for _, d := range s {
		if (f.Collection == "" || f.Collection == d.Collection) && (f.Limit == 0 || len(out) < f.Limit) {
			out = append(out, d)
		}
	}
	return out, nil
}

func (s shelf) Document(_ context.Context, id int64) (corpus.Document, error) {
	for _, d := range s {
		if d.ID == id {
			return d, nil
		}
	}
	return corpus.Document{}, fault.New(fault.NotFound, "no_document", "there is no document %d", id)
}

func (s shelf) Retrieve(_ context.Context, q retrieve.Query) (retrieve.Retrieval, error) {
	out := retrieve.Retrieval{Question: q.Question, Evidence: 1}
	for i, d := range s {
		out.Results = append(out.Results, retrieve.Result{Rank: i + 1, Score: 1, Passage: corpus.Passage{
			Chunk: corpus.Chunk{ID: d.ID, DocumentID: d.ID, Text: d.Text, End: len(d.Text)}, Document: d,
		}})
	}
	return out, nil
}

var manuals = shelf{
	{ID: 1, Collection: "manuals", Source: "/m/pump.md", Title: "Pump", Text: "The pump is serviced once a year."},
	{ID: 2, Collection: "manuals", Source: "/m/valve.md", Title: "Valve", Text: "The valve is serviced every two years."},
	{ID: 3, Collection: "letters", Source: "/l/a.md", Title: "To Ada", Text: "Dear Ada."},
}

func knowledge() *tool.KnowledgeConfig {
	return &tool.KnowledgeConfig{Searcher: manuals, Library: manuals}
}

// parse reads a valid definition. The schema must accept it.
func parse(t *testing.T, text string, env definition.Environment) *definition.Definition {
	t.Helper()
	d, err := definition.Parse(t.Context(), "agent.yaml", []byte(text), env)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := conforms(t, text); err != nil {
		t.Errorf("the schema rejects a valid file: %v\n%.500s", err, text)
	}
	return d
}

// wrong reads an invalid definition and returns its errors. The schema must reject it, if a schema can.
func wrong(t *testing.T, text string, env definition.Environment) []string {
	t.Helper()
	d, err := definition.Parse(t.Context(), "agent.yaml", []byte(text), env)
	if err == nil {
		d.Close()
		t.Fatalf("no error of\n%s", text)
	}
	if fault.KindOf(err) != fault.Invalid {
		t.Errorf("the error is %s: %v", fault.KindOf(err), err)
	}
	errors := strings.Split(err.Error(), "\n")
	agree(t, text, errors)
	return errors
}

// talk is a session with an agent.
type talk struct {
	t     *testing.T
	rt    *session.Runtime
	store *agenttest.Store
	rag   *agenttest.Answers
	sub   *session.Subscription
	ear   ear
}

// ear passes the stored frames on, and sends an empty frame at the end of each
// turn.
type ear chan payload.Frame

func (ear) Opened(session.Opened) {}

func (e ear) Deliver(d session.Delivery) {
	switch {
	case d.Frame.Action == payload.TurnFinishedAction:
		e <- payload.Frame{}
	case d.Frame.Seq > 0 && d.Audience != session.Plain:
		e <- d.Frame
	}
}

// begin starts an agent and a session. It returns the greeting, which has the
// given number of frames.
func begin(t *testing.T, a *agent.Agent, cfg session.RuntimeConfig, frames int) (*talk, []string) {
	t.Helper()
	store := agenttest.NewStore()
	answers := &agenttest.Answers{}
	cfg.Agent, cfg.Store, cfg.RAG, cfg.Now = a, store, answers, agenttest.Now()
	rt, err := session.NewRuntime(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
		defer cancel()
		if err := rt.Shutdown(ctx); err != nil {
			t.Error(err)
		}
	})
	k := &talk{t: t, rt: rt, store: store, rag: answers, ear: make(ear, 1000)}
	if k.sub, err = rt.Open(t.Context(), session.OpenRequest{ID: "s", Username: "ada"}, k.ear); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.sub.Close)
	var said []string
	for range frames {
		said = append(said, shown(k.next()))
	}
	return k, said
}

// next waits for a frame.
func (k *talk) next() payload.Frame {
	k.t.Helper()
	select {
	case f := <-k.ear:
		return f
	case <-time.After(patience):
		k.t.Fatal("no frame came")
		return payload.Frame{}
	}
}

// shown is a frame without the parts that differ between runs.
func shown(f payload.Frame) string { return string(f.Action) + " " + string(f.Message) }

// heard waits for the end of a turn and returns the agent's messages.
func (k *talk) heard() []string {
	k.t.Helper()
	var out []string
	for f := k.next(); f.Action != ""; f = k.next() {
		out = append(out, shown(f))
	}
	return out
}

// say sends a message and returns the agent's messages.
func (k *talk) say(text string) []string {
	k.t.Helper()
	content, err := json.Marshal(text)
	if err != nil {
		k.t.Fatal(err)
	}
	if err := k.sub.Send(k.t.Context(), session.Message{Content: content, Human: true}); err != nil {
		k.t.Fatal(err)
	}
	return k.heard()
}

// give sends a file and returns the agent's messages.
func (k *talk) give(f payload.File) []string {
	k.t.Helper()
	if err := k.sub.SendFile(k.t.Context(), session.File{File: f}); err != nil {
		k.t.Fatal(err)
	}
	return k.heard()
}

// states returns the states that the session entered.
func (k *talk) states() []string {
	var out []string
	for _, m := range k.store.Transitions("s") {
		out = append(out, m.Dest)
	}
	return out
}

func reply(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(payload.ReplyStr) + " " + string(data)
}
