package mcp

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// handshake is the newest protocol version that begins with initialize. Programs get it first, because some exit after any
	// other first message. If a program refuses it, docent tries the newest version.
	handshake = "2025-11-25"
	// maxMessage limits a message of a server, in bytes.
	maxMessage = 8 << 20
	// leave is the time that a session has to end normally.
	leave = 3 * time.Second
)

// link is one connection to a server, from start to end.
type link struct {
	session *sdk.ClientSession
	since   time.Time
	// abort ends the link at once, in the background.
	abort context.CancelFunc
	// aborted ends with abort. done is closed when the whole connection has ended.
	aborted <-chan struct{}
	done    chan struct{}
	// served reports that a call has succeeded.
	served atomic.Bool
}

// ended reports whether the connection has ended.
func (l *link) ended() bool {
	select {
	case <-l.done:
		return true
	case <-l.aborted:
		return true
	default:
		return false
	}
}

// close ends the connection normally, or by force after some time.
func (l *link) close() {
	late := time.AfterFunc(leave, l.abort)
	defer late.Stop()
	_ = l.session.Close() // it has ended in any case
	<-l.done
	l.abort()
}

// carrier is the transport of a session.
type carrier interface {
	sdk.Transport
	// stop ends the carrier and waits for its end. It may be called more than once.
	stop()
}

// dial makes a connection and keeps it. The caller has called begin, and holds s.dialing or is the only caller.
func (s *Server) dial(ctx context.Context) (*link, error) {
	version := handshake
	if s.cfg.URL != "" {
		version = "" // the newest: over HTTP a refusal does not end the server
	}
	l, err := s.open(ctx, version)
	var refusal *jsonrpc.Error
	if version != "" && errors.As(err, &refusal) {
		l, err = s.open(ctx, "")
	}
	if err != nil {
		return nil, errors.New(redact(err))
	}
	s.mu.Lock()
	s.link = l
	s.mu.Unlock()
	s.cfg.Logger.Info("connected to an MCP server")
	return l, nil
}

// open starts a carrier and a session in a version of the protocol.
func (s *Server) open(ctx context.Context, version string) (*link, error) {
	life, abort := context.WithCancel(s.life)
	stop := context.AfterFunc(ctx, abort) // regardless of the reason for which the handshake waits
	c, err := s.carrier(life)
	if err != nil {
		stop()
		abort()
		return nil, err
	}
	session, err := s.client.Connect(ctx, c, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		abort()
		c.stop()
		if session != nil {
			_ = session.Close()
		}
		return nil, fmt.Errorf("open a session: %w", err)
	}
	l := &link{session: session, since: time.Now(), abort: abort, aborted: life.Done(), done: make(chan struct{})}
	s.work.Go(func() { s.watch(l, c) })
	return l, nil
}

// watch waits for the end of a connection. After abort, it ends the connection itself. Then it cleans up.
func (s *Server) watch(l *link, c carrier) {
	over := make(chan error, 1)
	s.work.Go(func() { over <- l.session.Wait() })
	var err error
	select {
	case err = <-over:
		over <- nil
	case <-l.aborted:
	}
	c.stop()
	_ = l.session.Close() // ends what the SDK still keeps for it
	<-over
	if s.calls.Err() == nil {
		s.cfg.Logger.Warn("the connection to an MCP server has ended", "error", redact(err))
	}
	close(l.done)
	l.abort()
}

// query matches the part of an address that may contain a key.
var query = regexp.MustCompile(`(https?://[^\s"?]*\?)[^\s"]*`)

// redact returns an error's text for logs, without secrets in addresses.
func redact(err error) string {
	if err == nil {
		return ""
	}
	return query.ReplaceAllString(err.Error(), "$1…")
}
