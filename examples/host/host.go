// Package host runs the agents of the examples. It serves them over WebSocket,
// stores their conversations in a database file, and reads documents for them.
// docent serve does the same and more for agents in YAML.
package host

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"docent/agent"
	"docent/agent/session"
	"docent/agent/tool"
	"docent/client"
	"docent/config"
	"docent/embed"
	"docent/index/bm25"
	"docent/index/chromem"
	"docent/ingest"
	"docent/ingest/chunk"
	"docent/ingest/worker"
	"docent/llm"
	"docent/rag/pipeline"
	"docent/rag/retrieve"
	"docent/store/sqlite"
	"docent/ws"
)

// Host holds the database, the model, and the documents of an agent.
type Host struct {
	// Model is the chat model that is configured as for docent; nil without one.
	Model llm.Model
	// Knowledge holds the documents of Read, for tools; nil before Read.
	Knowledge *tool.KnowledgeConfig

	store   *sqlite.Store
	answers agent.RAG
}

// Run serves an example's agent at an address until ctx ends. folder holds its
// database. Run calls ready with the URL of the agent.
type Run func(ctx context.Context, addr, folder string, ready func(url string)) error

// Main runs an example until you interrupt it. addr is the default of the flag
// -addr.
func Main(addr string, run Run) {
	at := flag.String("addr", addr, "address to listen on")
	folder := flag.String("data", filepath.Join(os.TempDir(), "docent-"+filepath.Base(os.Args[0])), "folder for the database")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, *at, *folder, func(url string) { fmt.Println("the agent is at", url) })
	stop()
	if err != nil {
		log.Fatal(err)
	}
}

// Open opens the database in a folder and the configured chat model. It creates the
// folder.
func Open(ctx context.Context, folder string) (*Host, error) {
	cfg, err := config.Load(config.Sources{})
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	h := &Host{}
	if l := cfg.LLM; l.Enabled() {
		if h.Model, err = llm.NewOpenAI(llm.Config{BaseURL: l.URL, APIKey: l.Key, Model: l.Model, Timeout: l.Timeout}); err != nil {
			return nil, err
		}
	}
	h.store, err = sqlite.Open(ctx, sqlite.Config{Path: filepath.Join(folder, "example.db")})
	return h, err
}

// Read reads the documents in a folder. The agent answers from them.
func (h *Host) Read(ctx context.Context, folder string) error {
	static, err := embed.NewStatic()
	if err != nil {
		return err
	}
	reader, err := worker.NewLocal(worker.Config{Chunk: chunk.Config{Tokens: static.Count}})
	if err != nil {
		return err
	}
	ingester, err := ingest.New(ingest.Config{Store: h.store, Embedder: static, Reader: reader})
	if err != nil {
		return errors.Join(err, reader.Close(ctx))
	}
	for result, err := range ingester.Ingest(ctx, ingest.Request{Paths: []string{folder}}) {
		if err != nil || result.Status == ingest.Failed {
			return errors.Join(fmt.Errorf("read %s: %s", result.Source, result.Reason), err, ingester.Close(ctx))
		}
	}
	if err := ingester.Close(ctx); err != nil {
		return err
	}
	retriever, err := retrieve.New(retrieve.Config{
		Corpus: h.store, Embedder: static, Static: static, Words: bm25.New(), Nearest: chromem.New(),
	})
	if err != nil {
		return err
	}
	if err := retriever.Load(ctx); err != nil {
		return err
	}
	cfg := pipeline.Config{Retriever: retriever, Static: static, Shelf: h.store}
	if h.Model != nil {
		cfg.Models, cfg.DefaultModel = map[string]llm.Model{"model": h.Model}, "model"
	}
	if h.answers, err = pipeline.New(cfg); err != nil {
		return err
	}
	h.Knowledge = &tool.KnowledgeConfig{Searcher: retriever, Library: h.store}
	return nil
}

// Serve runs an agent at an address until ctx ends. It calls ready with the URL of
// the agent.
func (h *Host) Serve(ctx context.Context, addr string, a *agent.Agent, ready func(url string)) error {
	dialer, err := client.NewDialer(client.DialerConfig{})
	if err != nil {
		return err
	}
	runtime, err := session.NewRuntime(session.RuntimeConfig{Agent: a, Store: h.store, RAG: h.answers, Dialer: dialer})
	if err != nil {
		return err
	}
	sockets, err := ws.NewServer(ws.Config{Runtime: runtime})
	if err != nil {
		return err
	}
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	if err := runtime.Start(ctx); err != nil {
		return err
	}
	server := &http.Server{Handler: sockets, ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	ready("ws://" + listener.Addr().String())
	select {
	case err = <-ended:
	case <-ctx.Done():
	}
	// The shutdown goes on after ctx has ended.
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return errors.Join(err, sockets.Shutdown(drain), server.Shutdown(drain))
}

// Close closes the database.
func (h *Host) Close() {
	if err := h.store.Close(); err != nil {
		log.Print(err)
	}
}
