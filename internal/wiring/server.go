package wiring

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"docent/agent/definition"
	"docent/agent/session"
	"docent/api/route"
	"docent/auth"
	"docent/ingest"
	"docent/internal/fault"
	"docent/ws"
	"docent/ws/typed"
)

// drainTimeout bounds an orderly shutdown.
const drainTimeout = 20 * time.Second

// ServeOptions configures Serve.
type ServeOptions struct {
	// Version is the version of the program.
	Version string
	// Ready is called once the server answers at an address. locked reports that
	// authentication is on and nobody can sign in yet.
	Ready func(at net.Addr, locked bool)
}

// server holds the parts that only a server has.
type server struct {
	*Parts
	version       string
	definition    *definition.Definition
	runtime       *session.Runtime
	authenticator *auth.Authenticator // nil while authentication is off
	sockets       *ws.Server
	api           *route.Handler
	http          *http.Server
}

// Serve adds the remaining parts to the database and embedder of p, and serves
// until ctx ends. It listens first, so that a taken port fails at once. When ctx
// ends, it finishes running turns before it returns.
func Serve(ctx context.Context, p *Parts, opts ServeOptions) error {
	listener, err := Listen(ctx, p.Config.Addr)
	if err != nil {
		return err
	}
	defer listener.Close() // harmless after the server has closed it
	p.keepCores()
	quickIngester := func(context.Context) error { return p.addIngester(quickReaders) }
	for _, add := range []func(context.Context) error{
		p.AddRetriever, p.addRights, p.addEncodings, p.AddRAG, quickIngester, p.AddSources, p.AddSpeech,
	} {
		if err := add(ctx); err != nil {
			return err
		}
	}
	s := &server{Parts: p, version: opts.Version}
	defer s.close()
	if err := s.open(ctx, listener.Addr()); err != nil {
		return err
	}
	locked, err := s.locked(ctx)
	if err != nil {
		return err
	}
	if err := s.runtime.Start(ctx); err != nil {
		return fmt.Errorf("agent: %w", err)
	}
	return s.run(ctx, listener, func() { opts.Ready(listener.Addr(), locked) })
}

// open makes the agent, the authentication, and the handlers.
func (s *server) open(ctx context.Context, at net.Addr) error {
	var err error
	if s.definition, err = s.newAgent(ctx); err != nil {
		return err
	}
	if s.runtime, err = s.newRuntime(s.definition); err != nil {
		return err
	}
	if err := s.addAuthenticator(); err != nil {
		return err
	}
	handler, err := s.handler(at)
	if err != nil {
		return err
	}
	s.http = &http.Server{
		Handler:           handler,
		ConnState:         newConnections(maxHTTPConnections).watch,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug),
	}
	return nil
}

// run serves until ctx ends or a part fails, and shuts down.
func (s *server) run(ctx context.Context, listener net.Listener, ready func()) error {
	// The work on indexes and store outlives ctx by the drain, so that running
	// turns can finish.
	work, stopWork := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWork()
	group, work := errgroup.WithContext(work)
	group.Go(func() error { return s.Retriever.Follow(work) })
	group.Go(func() error { return s.reembed(work) })
	group.Go(func() error { return s.runEncodings(work) })
	group.Go(func() error { return s.Sources.Run(work) })
	group.Go(func() error {
		if err := s.http.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve %s: %w", s.Config.Addr, err)
		}
		return nil
	})
	ready()
	select {
	case <-ctx.Done():
		s.Log.Info("shutting down")
	case <-work.Done(): // a part failed; Wait returns its error
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	// Running turns finish and reach their clients. Then the sockets close, then
	// HTTP, then the work ends.
	failed := errors.Join(s.sockets.Shutdown(drain), s.http.Shutdown(drain))
	stopWork()
	if err := group.Wait(); err != nil && !errors.Is(err, context.Canceled) {
		failed = errors.Join(failed, err)
	}
	if failed != nil {
		return failed
	}
	return s.Retriever.Save(drain)
}

// close closes the agent's connections and the authentication.
func (s *server) close() {
	if s.definition != nil {
		if err := s.definition.Close(); err != nil {
			s.Log.Warn("close the agent", "error", err)
		}
	}
	if s.authenticator != nil {
		s.authenticator.Close()
	}
}

// reembed embeds chunks with a new embedder while docent serves. Until then,
// only keywords find them. It logs a failure, and serving goes on.
func (s *server) reembed(ctx context.Context) error {
	said := false
	n, err := ingest.Reembed(ctx, s.DB.Documents, s.Embedder, func(_, total int) {
		if !said {
			said = true
			s.Log.Info("the embedder has changed: embedding again", "embedder", s.Embedder.Name(), "chunks", total)
		}
	})
	switch {
	case err != nil && ctx.Err() == nil:
		s.Log.Error("embed again", "done", n, "error", err)
	case n > 0:
		s.Log.Info("embedded again", "chunks", n)
	}
	return nil
}

// addAuthenticator adds authentication, if it is on.
func (s *server) addAuthenticator() error {
	if !s.Config.Auth {
		return nil
	}
	scopes, err := s.issuerScopes()
	if err != nil {
		return err
	}
	s.authenticator, err = s.DB.Authenticator(auth.Config{
		Issuer: s.Config.OIDC.Issuer, Audience: s.Config.OIDC.Audience, IssuerScopes: scopes,
		IssuerGroups: s.DB.Rights, GroupsClaim: s.Config.OIDC.GroupsClaim,
		Proxies: s.Config.TrustedProxies, Metrics: s.metrics, Logger: s.Log,
		Late: func(r *http.Request) bool {
			return r.URL.Path != typed.Path && ws.AsksV1(r) || s.api.ErrorBody(r.URL.Path) != nil
		},
	})
	return err
}

// issuerScopes returns the scopes of users with a token of an issuer.
func (p *Parts) issuerScopes() (auth.Scopes, error) {
	scopes, err := auth.ParseScopes(p.Config.OIDC.Scopes)
	return scopes, fault.Wrap(fault.Invalid, err, "cli_oidc_scopes", "setting oidc.scopes: %s", fault.TextOf(err))
}

// locked reports that authentication is on and there are no users, no tokens, and
// no issuer of tokens.
func (s *server) locked(ctx context.Context) (bool, error) {
	if s.authenticator == nil || s.Config.OIDC.Issuer != "" {
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
