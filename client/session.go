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

// SessionConfig configures a Session.
type SessionConfig struct {
	// URL is the address of the server, with the scheme ws or wss; http and
	// https mean the same. Required.
	URL string
	// SessionID is the session to resume or to create. Default: "", a new one;
	// Session.ID returns its id.
	SessionID string
	// LastSeq is the number of the last entry that the caller has, 0 for none.
	// Events begins with the entries stored after it. Default: nil, it begins
	// with new events.
	LastSeq *int64
	// Token is sent as Authorization: Bearer. Default: "", none.
	Token string
	// User is the user name of a new session, sent as X-User-ID. Default: "",
	// none.
	User string
	// Name is the display name of a new session. Default: "", none.
	Name string
	// Header is sent with each handshake. Default: nothing.
	Header http.Header
	// TLS configures wss. Default: nil, the system's authorities.
	TLS *tls.Config
	// Logger logs lost connections and skipped frames, without their content.
	// Default: nil, which discards.
	Logger *slog.Logger
	// QueueBytes bounds the queue of Events, approximately and in bytes. It
	// always has room for one event. Default: 4 MiB.
	QueueBytes int
	// Unacknowledged bounds the sent messages without an acknowledgment.
	// Default: 1,000.
	Unacknowledged int
	// RetryMin is the waiting time before the first reconnect. It doubles with
	// each failed attempt, and up to half of it is random. Default: 250ms.
	RetryMin time.Duration
	// RetryMax bounds the waiting time. Default: 30s.
	RetryMax time.Duration
	// ReadLimit bounds a received frame in bytes. Longer frames are skipped.
	// Default: 64 MiB.
	ReadLimit int64
	// HandshakeTimeout bounds the connecting, and then the waiting for the
	// welcome. Default: 10s.
	HandshakeTimeout time.Duration
	// PingEvery is as in Config. Default: 25s.
	PingEvery time.Duration
	// Silence is as in Config. Default: 60s.
	Silence time.Duration
}

func (c *SessionConfig) defaults() error {
	if c.QueueBytes < 0 || c.Unacknowledged < 0 || c.RetryMin < 0 || c.RetryMax < 0 {
		return fault.New(fault.Invalid, "client_session_config_negative", "client.SessionConfig: bounds and times must not be negative")
	}
	if c.LastSeq != nil && *c.LastSeq < 0 {
		return fault.New(fault.Invalid, "client_last_seq_negative", "client.SessionConfig.LastSeq must not be negative")
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

// conn returns the configuration of a connection.
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
		return cfg, fault.New(fault.Invalid, "client_credentials_lines", "a token or a user must not have line breaks")
	}
	return cfg, cfg.defaults()
}

// Session is a conversation with an agent of docent over docent.v1. It
// reconnects by itself and then receives the missed events. It is safe for
// concurrent use.
type Session struct {
	conn   Config
	target target
	cancel context.CancelFunc
	run    sync.WaitGroup
	ended  chan struct{} // closed when the session no longer reconnects

	mu sync.Mutex // guards state, except its configuration and channels
	state
}

// state is the client's view of the conversation. Its methods process frames of
// the server and complete requests and watches. Callers hold Session.mu.
type state struct {
	cfg    SessionConfig
	opened chan struct{} // closed by the first welcome
	wake   chan struct{} // wakes the sender: a request may be due

	id    string
	err   error // why the session ended; errClosed after Close
	line  line
	reset int64 // the last known ResetSeq
	// limits are the server's limits for messages; 0 if it sent none.
	limits   payload.Limits
	requests []*request
	watches  []*watch
	queue    queue
}

// line is the state of the current connection.
type line struct {
	conn    *Conn // nil while disconnected
	seq     int64 // of the last stored frame
	asked   bool  // whether the missed frames were requested
	live    bool  // whether they have all come
	again   bool  // whether it was closed to request dropped frames again
	refusal *Error
}

// errClosed is the error of calls after Close.
var errClosed = fault.New(fault.Canceled, "client_session_closed", "the session was closed")

// Open joins a session. It fails like [Dial], or with the server's error if the
// session may not be used. Afterwards the session reconnects when the connection
// is lost. The caller must call Close; ctx bounds only the opening.
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

// Close leaves the session, which continues on the server. Waiting calls fail
// with fault.Canceled. It may be called more than once.
func (s *Session) Close() error {
	s.end(errClosed)
	s.cancel()
	s.run.Wait()
	return nil
}

// ID returns the id of the session: SessionConfig.SessionID, or the one that the
// server chose.
func (s *Session) ID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.id
}

// failure returns the error that ended the session; nil before.
func (s *Session) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// end fails all waiting calls. The first reason counts.
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

// path returns the target with the id of the session.
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
