package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"docent/agent"
	"docent/agent/assistant"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/agent/tool"
	"docent/config"
	"docent/embed"
	"docent/index/bm25"
	"docent/index/flat"
	"docent/internal/pgtest"
	"docent/internal/wiring"
	"docent/llm"
	"docent/llm/llmtest"
	"docent/payload"
	"docent/rag/corpus"
	"docent/rag/pipeline"
	"docent/rag/retrieve"
)

// manualChunks is about the number of chunks of a large program's manual.
const manualChunks = 12_000

// openSQLiteBench and openPostgresBench open stores as the program does. Both
// wait for the disk at each commit.
func openSQLiteBench(b *testing.B) *wiring.Database {
	b.Helper()
	return openBench(b, config.Config{Data: b.TempDir()})
}

func openPostgresBench(b *testing.B, url string) *wiring.Database {
	b.Helper()
	return openBench(b, config.Config{Data: b.TempDir(), DatabaseURL: url})
}

func openBench(b *testing.B, cfg config.Config) *wiring.Database {
	b.Helper()
	s, err := wiring.OpenStore(b.Context(), wiring.New(cfg, slog.New(slog.DiscardHandler)))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.DB.Close() })
	return s.DB
}

// BenchmarkTurn measures a user's message from being sent to its committed and
// delivered answer, through the agent's runtime, with retrieval from a corpus
// of a manual's size. The model answers from memory in 60 pieces, so it takes
// none of the time.
func BenchmarkTurn(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) { benchTurn(b, openSQLiteBench(b), nil) })
	b.Run("postgres", func(b *testing.B) {
		url := pgtest.URL(b)
		pgtest.Durable(b, url)
		wire := countTrips(b, url)
		db := openPostgresBench(b, url)
		if wire != nil {
			benchTrips(b, openPostgresBench(b, wire.url), wire)
		}
		benchTurn(b, db, wire)
	})
}

// turnClock measures the parts of a turn from the outside: it stands between
// the runtime and its store and retriever.
type turnClock struct {
	journal.Store
	pipeline.Searcher
	wire *wire // nil: trips are not counted

	writes, retrieval time.Duration
	calls             int // of the store
	trips             int64
}

func (c *turnClock) write(f func()) {
	before := c.wire.count()
	start := time.Now()
	f()
	c.writes += time.Since(start)
	c.trips += c.wire.count() - before
	c.calls++
}

func (c *turnClock) Receive(ctx context.Context, in journal.Incoming) (r journal.Receipt, err error) {
	c.write(func() { r, err = c.Store.Receive(ctx, in) })
	return r, err
}

func (c *turnClock) CommitTurn(ctx context.Context, t journal.TurnRecord) (w journal.Written, err error) {
	c.write(func() { w, err = c.Store.CommitTurn(ctx, t) })
	return w, err
}

func (c *turnClock) Messages(ctx context.Context, session int64, q journal.MessageQuery) ([]agent.ChatMessage, error) {
	c.calls++
	return c.Store.Messages(ctx, session, q)
}

func (c *turnClock) Retrieve(ctx context.Context, q retrieve.Query) (retrieve.Retrieval, error) {
	start := time.Now()
	defer func() { c.retrieval += time.Since(start) }()
	return c.Searcher.Retrieve(ctx, q)
}

// ear hears the greeting and the end of each turn.
type ear struct {
	greeted chan struct{}
	once    sync.Once
	ends    chan payload.TurnFinished
}

func (*ear) Opened(session.Opened) {}

func (e *ear) Deliver(d session.Delivery) {
	switch d.Frame.Action {
	case payload.ReplyStr:
		e.once.Do(func() { close(e.greeted) })
	case payload.TurnFinishedAction:
		var f payload.TurnFinished
		if json.Unmarshal(d.Frame.Message, &f) != nil {
			f.Outcome = payload.Failed
		}
		e.ends <- f
	}
}

// talk is a conversation with the assistant.
type talk struct {
	*turnClock
	sub       *session.Subscription
	ear       *ear
	questions []string
	said      int
}

// newTalk fills the store once and opens a conversation.
func newTalk(b *testing.B, db *wiring.Database, wire *wire, chunks int) *talk {
	b.Helper()
	static, err := embed.NewStatic()
	if err != nil {
		b.Fatal(err)
	}
	t := &talk{
		ear:       &ear{greeted: make(chan struct{}), ends: make(chan payload.TurnFinished, 1)},
		questions: fill(b, db.Documents, static, chunks),
	}
	retriever, err := retrieve.New(retrieve.Config{
		Corpus: db.Corpus, Embedder: static, Static: static, Words: bm25.New(), Nearest: flat.New(flat.Config{}),
	})
	if err != nil {
		b.Fatal(err)
	}
	if err := retriever.Load(b.Context()); err != nil {
		b.Fatal(err)
	}
	t.turnClock = &turnClock{Store: db.Sessions, Searcher: retriever, wire: wire}
	model := llmtest.NewModel(llmtest.Script(llmtest.Say(strings.SplitAfter(strings.Repeat("The manual says how it is done, step by step [1]. ", 6), " ")...)))
	answering, err := pipeline.New(pipeline.Config{
		Retriever: t, Static: static, Shelf: db.Library, Models: map[string]llm.Model{"scripted": model}, DefaultModel: "scripted", MinEvidence: -1,
	})
	if err != nil {
		b.Fatal(err)
	}
	assistant, err := assistant.New(assistant.Config{ // as serve does
		History: 4, Knowledge: &tool.KnowledgeConfig{Searcher: retriever, Library: db.Library}, Model: model,
	})
	if err != nil {
		b.Fatal(err)
	}
	runtime, err := session.NewRuntime(session.RuntimeConfig{Agent: assistant, Store: t, RAG: answering})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(b.Context()), patience)
		defer cancel()
		if err := runtime.Shutdown(ctx); err != nil {
			b.Error(err)
		}
	})
	if t.sub, err = runtime.Open(b.Context(), session.OpenRequest{}, t.ear); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(t.sub.Close)
	<-t.ear.greeted
	for range 20 { // statements prepared, memory in place
		t.turn(b)
	}
	return t
}

// turn says something and waits for the answer's end.
func (t *talk) turn(b *testing.B) {
	content, err := json.Marshal(t.questions[t.said%len(t.questions)])
	if err != nil {
		b.Fatal(err)
	}
	t.said++
	t.writes, t.retrieval, t.calls, t.trips = 0, 0, 0, 0
	if err := t.sub.Send(b.Context(), session.Message{ID: fmt.Sprint("m", t.said), Content: content}); err != nil {
		b.Fatal(err)
	}
	if end := <-t.ear.ends; end.Outcome != payload.Done {
		b.Fatalf("a turn ended %+v", end)
	}
}

func benchTurn(b *testing.B, db *wiring.Database, wire *wire) {
	t := newTalk(b, db, nil, manualChunks)
	var whole, writes, retrieval, rest times
	var calls []float64
	for b.Loop() {
		whole.add(func() { t.turn(b) })
		took := whole[len(whole)-1]
		writes, retrieval = append(writes, t.writes), append(retrieval, t.retrieval)
		rest = append(rest, took-t.writes-t.retrieval)
		calls = append(calls, float64(t.calls))
	}
	whole.report(b, "turn")
	share := func(part times) float64 { return 100 * part.median().Seconds() / whole.median().Seconds() }
	b.ReportMetric(share(writes), "%_writes")
	b.ReportMetric(share(retrieval), "%_retrieval")
	b.ReportMetric(share(rest), "%_rest")
	b.ReportMetric(middle(calls), "store_calls")
	if wire != nil {
		b.ReportMetric(middle(wire.writes), "trips_writes")
		b.ReportMetric(middle(wire.turns), "trips_turn")
	}
	b.ReportMetric(0, "ns/op")
}

// benchTrips counts the network round trips of a turn. It runs separately,
// because counting takes time.
func benchTrips(b *testing.B, db *wiring.Database, w *wire) {
	t := newTalk(b, db, w, 200)
	for range 20 {
		before := w.count()
		t.turn(b)
		w.turns = append(w.turns, float64(w.count()-before))
		w.writes = append(w.writes, float64(t.trips))
	}
	if err := t.clear(b, db); err != nil {
		b.Fatal(err)
	}
}

// clear removes the documents that newTalk put in.
func (t *talk) clear(b *testing.B, db *wiring.Database) error {
	known, err := db.Documents.Sources(b.Context(), corpus.DefaultCollection, embed.StaticName, "")
	if err != nil {
		return err
	}
	ids := make([]int64, len(known))
	for i, k := range known {
		ids[i] = k.ID
	}
	_, err = db.Documents.RemoveDocuments(b.Context(), ids)
	return err
}
