package client

import (
	"context"
	"crypto/tls"
	"errors"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"docent/internal/fault"
	"docent/payload"
)

// Config configures a connection.
type Config struct {
	// URL is the address of the agent, with the scheme ws or wss; http and https
	// mean the same. A user and password in it are sent as basic authentication.
	// Required.
	URL string
	// SessionID is the session to resume or to create. It is sent as session_id
	// unless URL has one. Default: "", a new session.
	SessionID string
	// Header is sent with the handshake. Default: nothing.
	Header http.Header
	// Origin is the Origin header of the handshake. Default: the origin of URL,
	// as BAF's agents send it.
	Origin string
	// TLS configures wss. Default: nil, the system's authorities.
	TLS *tls.Config
	// Logger logs skipped frames, without their content. Default: nil, which
	// discards.
	Logger *slog.Logger
	// ReadLimit bounds a received frame in bytes. Longer frames are skipped.
	// Default: 32 MiB.
	ReadLimit int64
	// HandshakeTimeout bounds the connecting. Default: 10s.
	HandshakeTimeout time.Duration
	// WriteTimeout bounds the writing of one frame. Default: 10s.
	WriteTimeout time.Duration
	// PingEvery is the time between pings. Default: 25s.
	PingEvery time.Duration
	// Silence is the time after which a connection without any received data,
	// including pongs, counts as lost. Default: 60s.
	Silence time.Duration
}

func (c *Config) defaults() error {
	if c.ReadLimit < 0 || c.HandshakeTimeout < 0 || c.WriteTimeout < 0 || c.PingEvery < 0 || c.Silence < 0 {
		return fault.New(fault.Invalid, "client_config_negative", "client.Config: ReadLimit and times must not be negative")
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.ReadLimit == 0 {
		c.ReadLimit = 32 << 20
	}
	for d, def := range map[*time.Duration]time.Duration{
		&c.HandshakeTimeout: 10 * time.Second, &c.WriteTimeout: 10 * time.Second,
		&c.PingEvery: 25 * time.Second, &c.Silence: 60 * time.Second,
	} {
		if *d == 0 {
			*d = def
		}
	}
	return nil
}

// Conn is a connection to an agent. It is safe for concurrent use, but only one
// loop may range over Frames. There must be one, because it answers pings and
// notices a lost connection.
type Conn struct {
	cfg    Config
	socket *websocket.Conn
	// writing is a lock for writers that wait with a context.
	writing chan struct{}
	// ended is closed when the loop over Frames has ended.
	ended chan struct{}
	// pings waits for a ping that is being sent.
	pings sync.WaitGroup

	mu      sync.Mutex // guards the fields below
	pinger  *time.Timer
	reading bool // whether a loop over Frames has begun
	closed  bool
	broken  bool // whether a write failed; then no other can succeed
}

// Dial connects. An unreachable server is fault.Unavailable; the error of a
// refusal has the kind of its status. Errors never contain the secrets of the
// URL.
func Dial(ctx context.Context, cfg Config) (*Conn, error) {
	if err := cfg.defaults(); err != nil {
		return nil, err
	}
	target, err := parse(cfg.URL)
	if err != nil {
		return nil, err
	}
	return connect(ctx, target, cfg)
}

// connect dials and starts the pings.
func connect(ctx context.Context, target target, cfg Config, protocols ...string) (*Conn, error) {
	socket, response, err := shake(ctx, target, cfg, protocols)
	if response != nil { // the library has read the body of the handshake
		_ = response.Body.Close()
	}
	if err != nil {
		return nil, target.failed(ctx, cfg, response, err)
	}
	c := &Conn{cfg: cfg, socket: socket, writing: make(chan struct{}, 1), ended: make(chan struct{})}
	socket.SetPongHandler(func(string) error { return c.alive() })
	answer := socket.PingHandler()
	socket.SetPingHandler(func(data string) error {
		if err := answer(data); err != nil {
			return err
		}
		return c.alive()
	})
	if err := c.heard(); err != nil {
		_ = socket.Close()
		return nil, target.failed(ctx, cfg, nil, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pinger = time.AfterFunc(cfg.PingEvery, c.ping)
	return c, nil
}

// shake connects and performs the handshake.
func shake(ctx context.Context, target target, cfg Config, protocols []string) (*websocket.Conn, *http.Response, error) {
	stop := func() bool { return true }
	dialer := websocket.Dialer{
		NetDialContext: func(dialing context.Context, network, address string) (net.Conn, error) {
			var d net.Dialer
			conn, err := d.DialContext(dialing, network, address)
			if err == nil { // the library ignores ctx during the handshake
				stop = context.AfterFunc(ctx, func() { _ = conn.Close() })
			}
			return conn, err
		},
		Proxy: http.ProxyFromEnvironment, TLSClientConfig: cfg.TLS, HandshakeTimeout: cfg.HandshakeTimeout,
		// Small buffers, and write buffers that are shared, keep an idle
		// connection small.
		ReadBufferSize: 1 << 10, WriteBufferSize: 4 << 10, WriteBufferPool: writeBuffers,
		Subprotocols: protocols,
	}
	socket, response, err := dialer.DialContext(ctx, target.dialed(cfg.SessionID), target.header(cfg))
	if !stop() && err == nil {
		return nil, nil, errors.Join(context.Cause(ctx), socket.Close())
	}
	return socket, response, err
}

// writeBuffers are shared by all connections.
var writeBuffers = &sync.Pool{}

// heard notes received data.
func (c *Conn) heard() error { return c.socket.SetReadDeadline(time.Now().Add(c.cfg.Silence)) }

// ping sends a ping and schedules the next.
func (c *Conn) ping() {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return
	}
	c.pings.Add(1)
	c.pinger.Reset(c.cfg.PingEvery)
	c.mu.Unlock()
	defer c.pings.Done()
	// If the write fails, the reader receives nothing and ends the connection.
	_ = c.socket.WriteControl(websocket.PingMessage, nil, time.Now().Add(c.cfg.WriteTimeout))
}

// Send writes a frame. After an error the server has not received the whole
// frame, and the connection is lost. The error is fault.Unavailable unless ctx
// ended first.
func (c *Conn) Send(ctx context.Context, f payload.Frame) error {
	return c.write(ctx, func() []byte { return f.AppendBAF(make([]byte, 0, len(f.Message)+160)) })
}

// write is Send for a frame that is encoded when its turn comes.
func (c *Conn) write(ctx context.Context, encode func() []byte) error {
	select {
	case c.writing <- struct{}{}:
		defer func() { <-c.writing }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	deadline := time.Now().Add(c.cfg.WriteTimeout)
	if d, ok := ctx.Deadline(); ok && d.Before(deadline) {
		deadline = d
	}
	err := c.socket.SetWriteDeadline(deadline)
	if err == nil {
		err = c.socket.WriteMessage(websocket.TextMessage, encode())
	}
	if err != nil {
		c.dying()
		return fault.Wrap(fault.Unavailable, err, "client_disconnected", "the connection to the agent is broken")
	}
	return nil
}

// dying gives the reader a moment: the server may have sent the reason for
// closing.
func (c *Conn) dying() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.broken = true
	if !c.reading || c.socket.SetReadDeadline(time.Now().Add(closeGrace)) != nil {
		_ = c.socket.Close()
	}
}

// Frames yields the frames of the server in order. Unreadable frames, and those
// over ReadLimit, are skipped. The error that ends the connection comes last,
// unless Close ended it. Leaving the loop closes the connection.
func (c *Conn) Frames() iter.Seq2[payload.Frame, error] {
	return func(yield func(payload.Frame, error) bool) {
		for data, err := range c.messages() {
			if err != nil {
				yield(payload.Frame{}, err)
				return
			}
			frame, err := payload.DecodeBAF(data)
			if err != nil {
				c.skipped(len(data), err)
			} else if !yield(frame, nil) {
				return
			}
		}
	}
}

// skipped logs an unreadable frame.
func (c *Conn) skipped(bytes int, err error) {
	c.cfg.Logger.Warn("frame skipped", "bytes", bytes, "kind", fault.KindOf(err))
}

// messages is Frames for encoded frames.
func (c *Conn) messages() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		c.mu.Lock()
		again := c.reading
		c.reading = true
		c.mu.Unlock()
		if again {
			yield(nil, fault.New(fault.Internal, "client_frames_read_once", "the frames of a connection can be read only once"))
			return
		}
		defer c.release()
		defer close(c.ended)
		for {
			data, err := c.read()
			if err != nil && c.over() {
				return
			}
			if err != nil {
				yield(nil, fault.Wrap(fault.Unavailable, err, "client_disconnected", "the connection to the agent is broken"))
				return
			}
			if !yield(data, nil) {
				return
			}
		}
	}
}

// over reports whether Close was called.
func (c *Conn) over() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// closeGrace is the time in which the server must answer a close frame.
const closeGrace = time.Second

// Close ends the connection and the loop over Frames. It may be called more than
// once. Inside the loop, leave the loop instead.
func (c *Conn) Close() error {
	c.mu.Lock()
	again, reading := c.closed, c.reading
	c.closed = true
	c.mu.Unlock()
	if !again && reading && c.farewell() == nil {
		// Closing a socket with unread data resets it, and the server might miss
		// the last frames.
		grace := time.NewTimer(closeGrace)
		defer grace.Stop()
		select {
		case <-c.ended:
		case <-grace.C:
		}
	} else if !again && !reading {
		_ = c.farewell()
	}
	c.release()
	return nil
}

// farewell sends a close frame, which the server answers with its own.
func (c *Conn) farewell() error {
	deadline := time.Now().Add(closeGrace)
	frame := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
	if err := c.socket.WriteControl(websocket.CloseMessage, frame, deadline); err != nil {
		return err
	}
	return c.socket.SetReadDeadline(deadline)
}

// release closes the socket and waits for a ping that is being sent.
func (c *Conn) release() {
	c.mu.Lock()
	c.closed = true
	c.pinger.Stop()
	c.mu.Unlock()
	_ = c.socket.Close() // nobody needs this error
	c.pings.Wait()
}

// origin returns the Origin header of a page at a URL.
func origin(u *url.URL) string {
	if u.Scheme == "wss" {
		return "https://" + u.Host
	}
	return "http://" + u.Host
}
