package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"docent/agent/tool"
	"docent/internal/fault"
)

// Server is an MCP server. It is safe for concurrent use. Close ends it.
type Server struct {
	cfg    Config
	client *sdk.Client
	// life ends at the end of Close. calls ends at its start.
	life, calls         context.Context
	endLife, endOfCalls context.CancelFunc
	// work counts the goroutines and the calls.
	work sync.WaitGroup
	// dialing is held during a connection attempt, and listing during a list of tools.
	dialing, listing chan struct{}

	mu     sync.Mutex // guards the following fields
	closed bool
	link   *link // the connection; nil before the first
	// failures counts failed attempts and short connections in a row. After too many, there are no attempts until retryAt.
	failures int
	retryAt  time.Time
	// tools is the last list. It is valid until expires, while the connection listedBy is live and heard, the number of
	// announced changes, equals changes.
	tools          []tool.Tool
	listedBy       *link
	expires        time.Time
	changes, heard int
}

// Connect makes the first connection. Only this connection ends with ctx; later ones use its values. Connect fails with
// fault.Invalid for a wrong Config, and with fault.Unavailable if the server does not start or respond.
func Connect(ctx context.Context, cfg Config) (*Server, error) {
	cfg, err := cfg.prepare()
	if err != nil {
		return nil, err
	}
	s := &Server{cfg: cfg, dialing: make(chan struct{}, 1), listing: make(chan struct{}, 1)}
	// The server outlives the call that made it. Close ends it.
	s.life, s.endLife = context.WithCancel(context.WithoutCancel(ctx))
	s.calls, s.endOfCalls = context.WithCancel(s.life)
	s.client = sdk.NewClient(&sdk.Implementation{Name: "docent", Version: "1"}, &sdk.ClientOptions{
		Logger:       slog.New(slog.DiscardHandler), // it would log what servers say
		Capabilities: &sdk.ClientCapabilities{},     // no roots, no sampling, nobody to ask
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.changes++
		},
		MultiRoundTrip: &sdk.MultiRoundTripOptions{Disabled: true},
	})
	ctx, done, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	_, err = s.dial(ctx)
	done()
	if err != nil {
		s.Close()
		return nil, fault.Wrap(fault.Unavailable, err, "mcp_unreachable", "cannot connect to the MCP server %q", s.cfg.Name)
	}
	return s, nil
}

// Name returns the configured name of the server.
func (s *Server) Name() string { return s.cfg.Name }

// Close ends running calls and the connection. It ends an HTTP session. For a program, it closes the input, sends a
// termination signal, and finally kills the process group, within a few seconds. It waits for the end of the server and
// may be called again.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	l := s.link
	s.mu.Unlock()
	s.endOfCalls()
	if l != nil {
		l.close()
	}
	s.endLife()
	s.work.Wait()
}

// begin starts a request with a timeout that Close can cancel. Close waits for done.
func (s *Server) begin(ctx context.Context) (_ context.Context, done func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, nil, s.closedError()
	}
	s.work.Add(1)
	ctx, cancel := context.WithTimeoutCause(ctx, s.cfg.Timeout, errTimeout)
	stop := context.AfterFunc(s.calls, cancel)
	return ctx, func() { stop(); cancel(); s.work.Done() }, nil
}

var errTimeout = errors.New("mcp: timeout")

// connected returns the connection and makes a new one if it is lost. The caller has called begin.
func (s *Server) connected(ctx context.Context) (*link, error) {
	select {
	case s.dialing <- struct{}{}:
		defer func() { <-s.dialing }()
	case <-ctx.Done():
		return nil, s.unavailable(ctx)
	}
	for {
		l, pause, err := s.next()
		if l != nil || err != nil {
			return l, err
		}
		if !wait(ctx, pause) {
			return nil, s.unavailable(ctx)
		}
		if l, err = s.dial(ctx); err == nil {
			return l, nil
		}
		if s.calls.Err() != nil || errors.Is(context.Cause(ctx), context.Canceled) {
			return nil, s.unavailable(ctx) // the caller gave up, so this is no failure of the server
		}
		s.mu.Lock()
		s.failed()
		s.mu.Unlock()
		s.cfg.Logger.Warn("cannot connect to an MCP server", "error", err.Error())
	}
}

// next returns the live connection. Without one, it returns the wait before the next attempt, or the reason why there is
// none.
func (s *Server) next() (*link, time.Duration, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.link; l != nil {
		if !l.ended() {
			return l, 0, nil
		}
		s.link = nil
		if l.served.Load() || time.Since(l.since) >= s.cfg.retry.stable {
			s.failures = 0
		} else {
			s.failed()
		}
	}
	r := s.cfg.retry
	switch {
	case s.failures == 0:
		return nil, 0, nil
	case s.failures < r.attempts:
		return nil, min(r.pause<<(s.failures-1), r.max), nil
	case time.Now().Before(s.retryAt):
		return nil, 0, fault.New(fault.Unavailable,
			"mcp_paused", "the MCP server %q failed %d times in a row; docent will try it again later", s.cfg.Name, s.failures)
	default:
		s.failures = r.attempts - 1 // one attempt
		return nil, 0, nil
	}
}

// failed counts one more failure in a row. The caller holds s.mu.
func (s *Server) failed() {
	s.failures++
	if s.failures >= s.cfg.retry.attempts {
		s.retryAt = time.Now().Add(s.cfg.retry.rest)
	}
}

// unavailable returns the reason why ctx ended before the server could be called.
func (s *Server) unavailable(ctx context.Context) error {
	switch {
	case s.calls.Err() != nil:
		return s.closedError()
	case errors.Is(context.Cause(ctx), errTimeout):
		return fault.Wrap(fault.Unavailable, errTimeout, "mcp_silent", "the MCP server %q does not answer", s.cfg.Name)
	default:
		return fmt.Errorf("MCP server %s: %w", s.cfg.Name, ctx.Err())
	}
}

func (s *Server) closedError() error {
	return fault.New(fault.Unavailable, "mcp_closed", "the MCP server %q is closed", s.cfg.Name)
}

// wait pauses. It returns false if ctx ends first.
func wait(ctx context.Context, pause time.Duration) bool {
	if pause <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(pause)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
