package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"docent/agent/session"
	"docent/api"
	"docent/api/edge"
	"docent/config"
	"docent/ingest"
	"docent/rag"
	"docent/web"
	"docent/ws"
	"docent/ws/typed"
)

// drainTimeout bounds an orderly shutdown.
const drainTimeout = 20 * time.Second

func newServe(std stdio) *cobra.Command {
	var printConfig bool
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the page, the HTTP API, and the WebSocket",
		Long: `Serve the page, the HTTP API, and the WebSocket on one port. /openapi.json
describes the API. By default, only this machine can connect. Other machines need
--addr together with --auth.

Press Ctrl-C or send SIGTERM to stop the server. It finishes running answers first.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if printConfig {
				cfg, err := load(cmd)
				if err != nil {
					return err
				}
				return cfg.Print(std.out)
			}
			a, err := openEmbedder(cmd, std)
			if err != nil {
				return err
			}
			defer a.close()
			return a.serve(cmd.Context(), std)
		},
	}
	cmd.Flags().BoolVar(&printConfig, "print-config", false, "print the effective settings without secrets, and exit")
	scoped(cmd, config.Serving, config.Answering, config.Embedding, config.Ingesting, config.Sourced)
	return cmd
}

// serve listens first, so that a taken port is known at once, then loads and
// runs until ctx ends.
func (a *app) serve(ctx context.Context, std stdio) error {
	listener, err := listen(ctx, a.cfg.Addr)
	if err != nil {
		return err
	}
	defer listener.Close() // a second close after the server's does nothing
	a.keepCores()
	if err := a.addRetriever(ctx); err != nil {
		return err
	}
	if err := a.addRAG(); err != nil {
		return err
	}
	if err := a.addIngester(quickReaders); err != nil {
		return err
	}
	if err := a.addSources(); err != nil {
		return err
	}
	if err := a.addSpeech(); err != nil {
		return err
	}
	if err := a.addAgent(ctx); err != nil {
		return err
	}
	runtime, err := a.newRuntime()
	if err != nil {
		return err
	}
	if err := a.addAuthenticator(ctx, std); err != nil {
		return err
	}
	sockets, handler, err := a.handlers(listener.Addr(), runtime)
	if err != nil {
		return err
	}
	if err := runtime.Start(ctx); err != nil {
		return fmt.Errorf("agent: %w", err)
	}
	server := &http.Server{
		Handler:           handler,
		ConnState:         (&connections{max: maxHTTPConnections}).watch,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(a.log.Handler(), slog.LevelDebug),
	}
	// What works on the index and the store outlives ctx by the drain, so that
	// running turns can finish.
	work, stopWork := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWork()
	group, work := errgroup.WithContext(work)
	group.Go(func() error { return a.retriever.Follow(work) })
	group.Go(func() error { return a.reembedBehind(work) })
	group.Go(func() error { return a.sources.Run(work) })
	group.Go(func() error {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve %s: %w", a.cfg.Addr, err)
		}
		return nil
	})
	warn(std.err, a.cfg, listener.Addr())
	if a.cfg.NoUI {
		fmt.Fprintln(std.err, "No page is served (--no-ui): docent is here for programs.")
	}
	fmt.Fprintf(std.err, "docent is at %s\n", urlOf(listener.Addr()))
	select {
	case <-ctx.Done():
		a.log.Info("shutting down")
	case <-work.Done(): // something failed; Wait says what
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	// Running turns are finished and heard first; then the sockets close, then
	// HTTP and the followers end.
	failed := errors.Join(sockets.Shutdown(drain), server.Shutdown(drain))
	stopWork()
	if err := group.Wait(); err != nil && !errors.Is(err, context.Canceled) {
		failed = errors.Join(failed, err)
	}
	if failed != nil {
		return failed
	}
	return a.retriever.Save(drain)
}

// reembedBehind embeds chunks with a new embedder while docent serves. Until
// then keywords find them. A failure is logged and serving goes on.
func (a *app) reembedBehind(ctx context.Context) error {
	said := false
	n, err := ingest.Reembed(ctx, a.db, a.embedder, func(_, total int) {
		if !said {
			said = true
			a.log.Info("the embedder has changed: embedding again", "embedder", a.embedder.Name(), "chunks", total)
		}
	})
	switch {
	case err != nil && ctx.Err() == nil:
		a.log.Error("embed again", "done", n, "error", err)
	case n > 0:
		a.log.Info("embedded again", "chunks", n)
	}
	return nil
}

// handlers joins WebSocket, HTTP API and page on one port.
func (a *app) handlers(addr net.Addr, runtime *session.Runtime) (*ws.Server, http.Handler, error) {
	endpoint := typed.New(typed.Config{SessionTimeout: a.cfg.SessionTimeout})
	sockets, err := ws.NewServer(a.socketConfig(runtime, endpoint))
	if err != nil {
		return nil, nil, fmt.Errorf("websocket: %w", err)
	}
	rest, err := api.New(api.Config{
		RAG: a.rag, Retriever: a.retriever, Library: a.db, Documents: a.db, Uploads: a.ingester, Pages: a.readers,
		Directory: runtime.Directory(a.db), Messages: a.db, Notifier: notifier{endpoint, sockets}, Agent: a.definition.Agent.Name(), Version: version, Logger: a.log,
		Info: a.info, Ready: map[string]func(context.Context) error{"database": a.db.Ping}, UploadBytes: a.cfg.MaxFileSize, Metrics: a.metrics, Logins: a.logins(), Sources: a.sources,
	})
	if err != nil {
		return nil, nil, fmt.Errorf("api: %w", err)
	}
	page := rest // which says of what it does not have that it is not there
	if !a.cfg.NoUI {
		page = web.Handler()
	}
	mux := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case ws.IsUpgrade(r) || r.URL.Path == typed.Path:
			sockets.ServeHTTP(w, r)
		case strings.HasPrefix(r.URL.Path, "/api/") || slices.Contains([]string{"/openapi.json", "/metrics", "/ws", "/notify_websocket"}, r.URL.Path):
			rest.ServeHTTP(w, r)
		default:
			page.ServeHTTP(w, r)
		}
	})
	return sockets, edge.Front(edge.Config{
		Guard: edge.GuardConfig{Addr: addr.String(), Loopback: a.cfg.Loopback(), Open: a.authenticator == nil, Origins: a.cfg.Origins, Hosts: a.cfg.Hosts},
		Known: a.known, Proxies: a.cfg.TrustedProxies, Metrics: a.metrics, Logger: a.log,
	})(mux), nil
}

// welcome describes this installation to clients of docent.v1.
func (a *app) welcome(ctx context.Context) ws.Info {
	info := ws.Info{Models: a.rag.Models(), Collections: []string{}, Speaks: a.speaks()}
	cols, err := a.db.Collections(ctx)
	if err != nil {
		a.log.Warn("list collections for a welcome", "error", err)
	}
	for _, c := range cols {
		info.Collections = append(info.Collections, c.Name)
	}
	return info
}

// info returns the part of /api/info that package api does not know.
func (a *app) info(context.Context) (api.Info, error) {
	hint := modelHint()
	info := api.Info{
		BuiltIn:  a.cfg.AgentFile == "",
		Database: a.databaseKind(),
		Model:    api.ModelInfo{Name: rag.Extractive, Kind: rag.Extractive, Hint: hint.Message, Sentence: &hint.Sentence},
		Models:   a.rag.Models(),
		Embedder: api.EmbedderInfo{Name: a.embedder.Name(), Dimensions: a.embedder.Dimensions()},
		Index:    api.IndexInfo{Keyword: keywordIndex, Vectors: vectorIndex, Chunks: a.retriever.Len()},
		Voice:    api.VoiceInfo{Listens: a.listens(), Speaks: a.speaks()},
		Limits:   api.Limits{K: a.cfg.K},
	}
	if a.model != nil {
		info.Model = api.ModelInfo{Name: a.model.Name(), Kind: "openai"}
	}
	return info, nil
}
