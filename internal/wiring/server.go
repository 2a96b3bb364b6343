package wiring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"docent/agent"
	"docent/agent/session"
	"docent/agent/session/relay"
	"docent/agent/session/replica"
	"docent/agent/session/trigger"
	"docent/agent/tool"
	"docent/api/converse"
	"docent/api/mcp"
	"docent/api/route"
	"docent/auth"
	"docent/backup"
	"docent/config"
	"docent/ingest"
	"docent/ingest/encode"
	"docent/ingest/source/syncer"
	"docent/ingest/work"
	"docent/insight"
	"docent/insight/digest"
	"docent/insight/quality"
	"docent/insight/today"
	"docent/internal/cores"
	"docent/internal/fault"
	"docent/llm"
	"docent/llm/speech"
	"docent/rag/pipeline"
	"docent/ws"
	"docent/ws/typed"
)

// drainTimeout bounds an orderly shutdown.
const drainTimeout = 20 * time.Second

// maxReembedPause bounds the time between attempts to embed again.
const maxReembedPause = 10 * time.Minute

// Server runs agents. It has the parts that only a server needs. Start or Serve
// may be called once, then Stop.
type Server struct {
	*Store
	*Embedders
	*Indexes
	*Readers
	Access
	service

	// Sources keeps sources in sync.
	Sources *syncer.Manager
	// Agents run the sessions, and Runtime those of the first agent; nil before Start.
	Agents  *session.Agents
	Runtime *session.Runtime

	answers  atomic.Pointer[Answers]           // replaced when stored settings change
	asked    atomic.Pointer[pipeline.Pipeline] // asks gaps again; replaced with answers
	changing sync.Mutex                        // guards settings and the definitions of served
	settings config.Stored                     // that answers has
	served   []*served                         // the default first

	setup   *auth.Setup   // nil for an installation that is set up
	restart chan struct{} // closed when Serve should return ErrRestart

	version       string
	relay         *relay.Relay        // nil without other processes
	authenticator *auth.Authenticator // nil while authentication is off
	sockets       *ws.Server
	talks         *converse.Conversations
	clients       *mcp.Sessions
	encodings     *encode.Worker // nil without encoders
	speech        *speech.Client // nil without a speech server
	api           *route.Handler
	jobs          *work.Keeper
	runner        *work.Runner
	facts         *insight.Follower
	recorder      *insight.Recorder
	grouper       *insight.Grouper
	quality       *quality.Runner
	backups       *backup.Maker
	today         *today.List
	digests       *digest.Sender
	triggers      *trigger.Runner
	http          *http.Server // nil if the program has its own

	// work is the work on indexes and store. It outlives the context of Serve by the
	// drain, so that running turns can finish.
	work     *errgroup.Group
	working  context.Context //nolint:containedctx // ends when stopWork is called or a part fails
	stopWork context.CancelFunc
}

// OpenServer opens all parts of a server. The caller closes it.
func OpenServer(ctx context.Context, b Base, version string) (*Server, error) {
	store, err := OpenStore(ctx, b)
	if err != nil {
		return nil, err
	}
	e, err := OpenEmbedders(ctx, store.Base)
	if err != nil {
		store.Close(ctx)
		return nil, err
	}
	s, err := NewServer(ctx, store, e, version)
	if err != nil {
		store.Close(ctx)
		return nil, err
	}
	return s, nil
}

// NewServer opens the remaining parts of a server. version is the version of the program. The
// caller closes the Server, which also closes the Store. If NewServer fails, the Store stays open.
func NewServer(ctx context.Context, store *Store, e *Embedders, version string) (_ *Server, err error) {
	s := &Server{Store: store, Embedders: e, version: version, restart: make(chan struct{})}
	defer func() {
		if err != nil {
			store.closeParts(ctx, s.closeReaders, s.tracer.Close)
		}
	}()
	// Half of the processor is for answers. Embedding and indexing share the other half.
	s.cores, s.quotas = cores.New(runtime.GOMAXPROCS(0)/2), newQuotas(store)
	e.static.UseCores(s.cores)
	if s.tracer, err = newTracer(ctx, store.Base, version); err != nil {
		return nil, err
	}
	if s.encodings, err = newEncodings(store, e, s.service); err != nil {
		return nil, err
	}
	if s.Indexes, err = openIndexes(ctx, store, e, s.encodings, s.service); err != nil {
		return nil, err
	}
	if s.words == nil { // Start fills indexes outside of this process
		if err := s.load(ctx); err != nil {
			return nil, err
		}
	}
	if s.Access, err = guardedAccess(store, s.Indexes, s.quotas); err != nil {
		return nil, err
	}
	answers, err := openAnswers(store, e, s.Indexes, s.Access, s.service)
	if err != nil {
		return nil, err
	}
	s.answers.Store(answers)
	s.settings = store.stored
	if s.Readers, err = openReaders(store, e, quickReaders, s.service); err != nil {
		return nil, err
	}
	s.jobs = work.NewKeeper(store.DB.Work, store.Log)
	s.runner = work.NewRunner(s.jobs, store.DB.Library, s.Ingester)
	if s.Sources, err = OpenSources(store, s.Readers); err != nil {
		return nil, err
	}
	if s.speech, err = OpenSpeech(store.Base); err != nil {
		return nil, err
	}
	return s, nil
}

// now returns the parts that answer with the present settings.
func (s *Server) now() *Answers { return s.answers.Load() }

// Knowledge returns the documents for the tools of agents.
func (s *Server) Knowledge() *tool.KnowledgeConfig { return s.now().Knowledge() }

// DefaultModel returns the present model for answers, or nil without one. It counts tokens for the quota of the user.
func (s *Server) DefaultModel() llm.Model { return s.now().DefaultModel() }

// Model returns the present model with a name, or nil. It counts tokens like DefaultModel.
func (s *Server) Model(name string) llm.Model { return s.now().Model(name) }

// Close ends the workers, and closes the database and the tracer. It logs failures. It also works
// if ctx has ended.
func (s *Server) Close(ctx context.Context) {
	s.closeParts(ctx, s.closeReaders, s.Store.close, s.tracer.Close)
}

func (s *Server) closeReaders(ctx context.Context) error {
	if s.Readers == nil {
		return nil
	}
	return s.Ingester.Close(ctx)
}

// Start runs agents, or the configured ones without any, and returns the handler of
// page, API, and WebSocket. The first agent is the default. addr is the address of the HTTP server, HOST:PORT. The
// work in the background goes on until Stop, also if ctx ends.
func (s *Server) Start(ctx context.Context, agents []*agent.Agent, addr string) (http.Handler, error) {
	handler, err := s.open(ctx, agents, addr)
	if err != nil {
		s.leave(ctx)
		return nil, err
	}
	if s.relay != nil {
		for name, limit := range s.sockets.UserLimits() {
			s.relay.Share(name, limit)
		}
		if err := s.relay.Start(s.tracer.Context(ctx), s.Agents); err != nil {
			s.leave(ctx)
			return nil, fmt.Errorf("replicas: %w", err)
		}
	}
	if err := s.Agents.Start(s.tracer.Context(ctx)); err != nil {
		s.leave(ctx)
		return nil, fmt.Errorf("agent: %w", err)
	}
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stopWork = stop
	s.work, s.working = errgroup.WithContext(work)
	for _, part := range []func(context.Context) error{
		s.Retriever.Follow, s.follow,
		s.reembed, s.runEncodings, s.Sources.Run, s.Webhooks.Run, s.runner.Run, s.now().probe, s.facts.Run, s.recorder.Run,
		s.grouper.Run, s.followSettings, s.keepLog, s.backups.Run, s.quality.Run, s.digests.Run,
		func(ctx context.Context) error { return s.triggers.Run(s.tracer.Context(ctx)) },
		func(ctx context.Context) error { return keepConversations(ctx, s) },
		func(ctx context.Context) error { return watchModels(ctx, s) },
	} {
		s.work.Go(func() error { return part(s.working) })
	}
	for _, a := range s.served {
		s.work.Go(func() error { return s.followAgent(s.working, a) })
	}
	return handler, nil
}

// open makes the agents, the authentication, and the handlers.
func (s *Server) open(ctx context.Context, agents []*agent.Agent, addr string) (http.Handler, error) {
	if err := s.openAgents(ctx, agents); err != nil {
		return nil, err
	}
	s.talks = converse.New(s.Agents)
	s.clients = mcp.NewSessions()
	if err := s.addAuthenticator(); err != nil {
		return nil, err
	}
	if err := s.addInsights(); err != nil {
		return nil, err
	}
	var err error
	if s.backups, err = newBackups(s); err != nil {
		return nil, err
	}
	if s.triggers, err = newTriggers(s); err != nil {
		return nil, err
	}
	return s.handler(addr)
}

// Serve starts agents and serves them until ctx ends or a part fails. Then it
// finishes running turns and stops. It calls ready once the server answers.
func (s *Server) Serve(ctx context.Context, agents []*agent.Agent, listener net.Listener, ready func()) error {
	handler, err := s.Start(ctx, agents, listener.Addr().String())
	if err != nil {
		return err
	}
	s.http = &http.Server{
		Handler:           handler,
		ConnState:         newConnections(s.Config.HTTPConnections).watch,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug),
	}
	s.work.Go(func() error {
		if err := s.http.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve %s: %w", listener.Addr(), err)
		}
		return nil
	})
	ready()
	select {
	case <-ctx.Done():
		s.Log.Info("shutting down")
	case <-s.restart:
		s.Log.Info("restarting")
		return cmp.Or(s.Stop(ctx), ErrRestart)
	case <-s.working.Done(): // a part failed; Stop returns its error
	}
	return s.Stop(ctx)
}

// Stop ends the server in order. Running turns finish and reach their clients. Then
// the sockets close, then HTTP, then the work in the background ends. It also works
// if ctx has ended. It returns the error of a part that failed earlier. It does
// nothing before Start.
func (s *Server) Stop(ctx context.Context) error {
	if s.work == nil {
		return nil
	}
	defer s.leave(ctx)
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	failed := s.sockets.Shutdown(drain)
	if s.relay != nil {
		s.relay.Stop(drain)
	}
	s.talks.Close()
	s.clients.Close(drain)
	if s.http != nil {
		failed = errors.Join(failed, s.http.Shutdown(drain))
	}
	s.stopWork()
	if err := s.work.Wait(); err != nil && !errors.Is(err, context.Canceled) {
		failed = errors.Join(failed, err)
	}
	s.work = nil
	if failed != nil {
		return failed
	}
	return s.Retriever.Save(drain)
}

// newRelay connects the server with other processes that share its database.
func (s *Server) newRelay() (err error) {
	if s.DB.Bus == nil {
		return nil
	}
	s.relay, err = relay.New(relay.Config{
		Leases: s.DB.Replicas, Replica: replica.Config{Bus: s.DB.Bus, Logger: s.Log},
	})
	if err != nil {
		return fmt.Errorf("replicas: %w", err)
	}
	return nil
}

// leave leaves the other processes, and closes the agents' connections and the authentication.
func (s *Server) leave(ctx context.Context) {
	if s.relay != nil {
		s.relay.Stop(ctx)
	}
	for _, a := range s.served {
		if err := a.definition.Close(); err != nil {
			s.Log.Warn("close the agent", "error", err)
		}
	}
	if s.authenticator != nil {
		s.authenticator.Close()
	}
}

// runEncodings runs the worker of the encoders until ctx ends.
func (s *Server) runEncodings(ctx context.Context) error {
	if s.encodings == nil {
		return nil
	}
	return s.encodings.Run(ctx)
}

// reembed embeds chunks with a new embedder while docent serves. Until then,
// only keywords find them. Among several processes, one embeds. If the embedder or the
// database is unavailable, reembed tries again; it logs other failures.
func (s *Server) reembed(ctx context.Context) error {
	said := false
	run := ingest.Reembedding{
		Store: s.DB.Documents, Leases: s.DB.Encodings, Embedder: s.Embedder, Wait: true,
		Progress: func(_, total int) {
			if !said {
				said = true
				s.Log.Info("the embedder has changed: embedding again", "embedder", s.Embedder.Name(), "chunks", total)
			}
		},
	}
	for pause := time.Second; ; pause = min(2*pause, maxReembedPause) {
		n, err := ingest.Reembed(ctx, run)
		if n > 0 {
			s.Log.Info("embedded again", "chunks", n)
			pause = time.Second
		}
		switch {
		case err == nil, ctx.Err() != nil:
			return nil //nolint:nilerr // the end of the server is no failure
		case !fault.KindOf(err).Retryable():
			s.Log.Error("embed again", "error", err)
			return nil
		}
		s.Log.Warn("embed again", "error", err, "again_in", pause)
		again := time.NewTimer(pause)
		select {
		case <-ctx.Done():
		case <-again.C:
		}
		again.Stop()
	}
}

// addAuthenticator adds authentication, if it is on.
func (s *Server) addAuthenticator() error {
	if !s.Config.Auth {
		return nil
	}
	scopes, err := issuerScopes(s.Config)
	if err != nil {
		return err
	}
	s.authenticator, err = s.DB.Authenticator(auth.Config{
		Issuer: s.Config.OIDC.Issuer, Audience: s.Config.OIDC.Audience, IssuerScopes: scopes,
		IssuerGroups: s.DB.Rights, GroupsClaim: s.Config.OIDC.GroupsClaim, SignIn: present{s}.signIn,
		Proxies: s.Config.TrustedProxies, Metrics: s.metrics, Logger: s.Log,
		Late: func(r *http.Request) bool {
			return r.URL.Path != typed.Path && ws.AsksV1(r) || s.api.ErrorBody(r.URL.Path) != nil
		},
	})
	return err
}

// issuerScopes returns the scopes of users with a token of an issuer.
func issuerScopes(cfg config.Config) (auth.Scopes, error) {
	scopes, err := auth.ParseScopes(cfg.OIDC.Scopes)
	return scopes, fault.Wrap(fault.Invalid, err, "cli_oidc_scopes", "setting oidc.scopes: %s", fault.TextOf(err))
}

// Locked reports that authentication is on and there are no users, no tokens, and
// no issuer of tokens.
func (s *Server) Locked(ctx context.Context) (bool, error) {
	if !s.Config.Auth || s.Config.OIDC.Issuer != "" {
		return false, nil
	}
	tokens, err := s.DB.Tokens.Tokens(ctx)
	if err != nil {
		return false, fmt.Errorf("authentication: %w", err)
	}
	users, err := s.DB.Users.Users(ctx)
	if err != nil {
		return false, fmt.Errorf("authentication: %w", err)
	}
	return len(tokens)+len(users) == 0, nil
}
