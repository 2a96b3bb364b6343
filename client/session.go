package client

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"docent/internal/fault"
	"docent/payload"
)

// protocol is the WebSocket subprotocol that a Session speaks.
const protocol = "docent.v1"

// SessionConfig says which conversation to join, and how.
type SessionConfig struct {
	// URL is the server's, ws or wss; http and https are taken for these. Required.
	URL string
	// SessionID names the session to go on with or to begin. Default: "", a new
	// one, whose id Session.ID tells.
	SessionID string
	// LastSeq is the number of the last entry that is there already, 0 for none:
	// Events begins with what was stored after it. Default: nil, it begins with
	// what happens from now on.
	LastSeq *int64
	// Token is sent as Authorization: Bearer. Default: "", none.
	Token string
	// User is the name that is kept with a new session, sent as X-User-ID.
	// Default: "", none.
	User string
	// Name is the display name of a new session. Default: "", none.
	Name string
	// Header is sent with each handshake. Default: nothing.
	Header http.Header
	// TLS is for wss. Default: nil, the system's authorities.
	TLS *tls.Config
	// Logger hears of lost connections and of frames that were skipped, without
	// what they say. Default: nil, which discards.
	Logger *slog.Logger
	// QueueBytes bounds what waits to be taken from Events, about, in bytes; one
	// event always may. Default: 4 MiB.
	QueueBytes int
	// Unacknowledged bounds what is sent and not yet acknowledged, in messages.
	// Default: 1,000.
	Unacknowledged int
	// RetryMin is how long it waits before it goes back the first time; it
	// doubles with each time in vain, and up to half of it is left to chance.
	// Default: 250ms.
	RetryMin time.Duration
	// RetryMax bounds that. Default: 30s.
	RetryMax time.Duration
	// ReadLimit bounds a frame that is read, in bytes; longer ones are skipped.
	// Default: 64 MiB.
	ReadLimit int64
	// HandshakeTimeout bounds connecting, and then waiting for the welcome.
	// Default: 10s.
	HandshakeTimeout time.Duration
	// PingEvery and Silence are as in Config. Default: 25s.
	PingEvery time.Duration
	// Silence is as in Config. Default: 60s.
	Silence time.Duration
}

func (c *SessionConfig) defaults() error {
	if c.QueueBytes < 0 || c.Unacknowledged < 0 || c.RetryMin < 0 || c.RetryMax < 0 {
		return fault.New(fault.Invalid, "client.SessionConfig: bounds and times must not be negative")
	}
	if c.LastSeq != nil && *c.LastSeq < 0 {
		return fault.New(fault.Invalid, "client.SessionConfig.LastSeq must not be negative")
	}
	def(&c.Logger, slog.New(slog.DiscardHandler))
	def(&c.QueueBytes, 4<<20)
	def(&c.Unacknowledged, 1000)
	def(&c.RetryMin, 250*time.Millisecond)
	def(&c.RetryMax, 30*time.Second)
	def(&c.ReadLimit, 64<<20)
	return nil
}

// def sets v to its default if it is zero.
func def[T comparable](v *T, value T) {
	var zero T
	if *v == zero {
		*v = value
	}
}

// conn is the configuration of a connection.
func (c *SessionConfig) conn() (Config, error) {
	cfg := Config{
		URL: c.URL, Header: c.Header.Clone(), TLS: c.TLS, Logger: c.Logger, ReadLimit: c.ReadLimit,
		HandshakeTimeout: c.HandshakeTimeout, PingEvery: c.PingEvery, Silence: c.Silence,
	}
	if cfg.Header == nil {
		cfg.Header = http.Header{}
	}
	if c.Token != "" {
		cfg.Header.Set("Authorization", "Bearer "+c.Token)
	}
	if c.User != "" {
		cfg.Header.Set("X-User-ID", c.User)
	}
	if strings.ContainsAny(c.Token+c.User, "\r\n\x00") {
		return cfg, fault.New(fault.Invalid, "a token or a user must not have line breaks")
	}
	return cfg, cfg.defaults()
}

// Session is a conversation with an agent of docent's, over docent.v1. It goes
// back to the server by itself when the connection is lost, and then hears what
// it missed. It is safe for concurrent use.
type Session struct {
	conn   Config
	target target
	cancel context.CancelFunc
	run    sync.WaitGroup
	ended  chan struct{} // closed when the session reconnects no more

	mu sync.Mutex // guards state, except its configuration and channels
	state
}

// state is what a session knows of its conversation. Its methods take frames of
// the server and end requests and watches; their caller holds Session.mu.
type state struct {
	cfg    SessionConfig
	opened chan struct{} // closed by the first welcome
	wake   chan struct{} // wakes the sender: a request may be due

	id    string
	err   error // why the session ended; errClosed after Close
	line  line
	reset int64 // the last known ResetSeq
	// limits bound what is sent; 0 if the server sent none.
	limits   payload.Limits
	requests []*request
	watches  []*watch
	queue    queue
}

// line is what is known of the connection at hand.
type line struct {
	conn    *Conn // nil while there is none
	seq     int64 // of the last stored frame that came, or that was there before
	asked   bool  // for what was missed
	live    bool  // all of that has come
	again   bool  // it was cut to ask once more for what was dropped
	refusal *Error
}

// errClosed is why calls fail after Close.
var errClosed = fault.New(fault.Canceled, "the session was closed")

// Open joins a session. It fails as [Dial] does, and with what the server says
// of a session that may not be used; later, lost connections are come back from.
// Close it in the end; ctx is for opening only.
func Open(ctx context.Context, cfg SessionConfig) (*Session, error) {
	if err := cfg.defaults(); err != nil {
		return nil, err
	}
	target, err := parse(cfg.URL)
	if err != nil {
		return nil, err
	}
	conn, err := cfg.conn()
	if err != nil {
		return nil, err
	}
	if cfg.Name != "" {
		query := target.url.Query()
		query.Set("session_name", cfg.Name)
		target.url.RawQuery = query.Encode()
	}
	s := &Session{conn: conn, target: target, ended: make(chan struct{}), state: state{
		cfg: cfg, id: cfg.SessionID, opened: make(chan struct{}), wake: make(chan struct{}, 1),
		queue: queue{limit: cfg.QueueBytes, more: make(chan struct{}, 1)},
	}}
	if cfg.LastSeq != nil {
		s.line.seq, s.queue.seq = *cfg.LastSeq, *cfg.LastSeq
	}
	living, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.cancel = cancel
	s.run.Go(func() { s.stay(living) })
	s.run.Go(func() { s.sendAll(living) })
	select {
	case <-s.opened:
		return s, nil
	case <-s.ended:
		_ = s.Close()
		return nil, s.failure()
	case <-ctx.Done():
		_ = s.Close()
		return nil, context.Cause(ctx)
	}
}

// Close leaves the session, which goes on at the server with what it does.
// Calls that wait fail as fault.Canceled. It may be called more than once.
func (s *Session) Close() error {
	s.end(errClosed)
	s.cancel()
	s.run.Wait()
	return nil
}

// ID names the session: SessionConfig.SessionID, or what the server has given.
func (s *Session) ID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.id
}

// failure is why the session ended; nil while it has not.
func (s *Session) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// end makes everybody who waits fail; the first reason counts.
func (s *Session) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return
	}
	s.err = err
	for _, r := range s.requests {
		r.fail(err)
	}
	for _, w := range s.watches {
		w.fail(err)
	}
	s.requests, s.watches = nil, nil
	close(s.ended)
}

// path is the target with the session's id in it.
func (s *Session) path() target {
	t := s.target
	u := *t.url
	if id := s.ID(); id != "" {
		query := u.Query()
		query.Set("session_id", id)
		u.RawQuery = query.Encode()
	}
	return target{url: &u, name: t.name}
}
