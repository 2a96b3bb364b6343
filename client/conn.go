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

// Config says whom to connect to, and how.
type Config struct {
	// URL is the agent's, ws or wss; http and https are taken for these. A user and password in it are sent as
	// basic authentication. Required.
	URL string
	// SessionID names the session to go on with or to begin; it is sent as
	// session_id unless URL has one. Default: "", a new session.
	SessionID string
	// Header is sent with the handshake. Default: nothing.
	Header http.Header
	// Origin is the handshake's. Default: that of URL, as BAF's agents send it.
	Origin string
	// TLS is for wss. Default: nil, the system's authorities.
	TLS *tls.Config
	// Logger hears of frames that were skipped, without what they say. Default:
	// nil, which discards.
	Logger *slog.Logger
	// ReadLimit bounds a frame that is read, in bytes; longer ones are skipped.
	// Default: 32 MiB.
	ReadLimit int64
	// HandshakeTimeout bounds connecting. Default: 10s.
	HandshakeTimeout time.Duration
	// WriteTimeout bounds writing one frame. Default: 10s.
	WriteTimeout time.Duration
	// PingEvery is the time between pings. Default: 25s.
	PingEvery time.Duration
	// Silence is how long nothing may be heard, pongs included, before the
	// connection counts as dead. Default: 60s.
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
// loop may read its Frames, and one has to: pings are answered and a dead
// connection is noticed while it reads.
type Conn struct {
	cfg    Config
	socket *websocket.Conn
	// writing is a lock that can be waited for with a context.
	writing chan struct{}
	// ended is closed when the loop over Frames is over.
	ended chan struct{}
	// pings waits for a ping on its way.
	pings sync.WaitGroup

	mu      sync.Mutex // guards what follows
	pinger  *time.Timer
	reading bool // a loop over Frames has begun
	closed  bool
	broken  bool // a frame could not be written: nothing else can be
}

// Dial connects. A server that cannot be reached is fault.Unavailable, one that
// refuses has the kind of its status; the error never holds the URL's secrets.
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

// connect dials and begins to ping.
func connect(ctx context.Context, target target, cfg Config, protocols ...string) (*Conn, error) {
	socket, response, err := shake(ctx, target, cfg, protocols)
	if response != nil { // of a handshake; the library has read what it needs of it
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

// shake connects and shakes hands.
func shake(ctx context.Context, target target, cfg Config, protocols []string) (*websocket.Conn, *http.Response, error) {
	stop := func() bool { return true }
	dialer := websocket.Dialer{
		NetDialContext: func(dialing context.Context, network, address string) (net.Conn, error) {
			var d net.Dialer
			conn, err := d.DialContext(dialing, network, address)
			if err == nil { // the library does not look at ctx while it shakes hands
				stop = context.AfterFunc(ctx, func() { _ = conn.Close() })
			}
			return conn, err
		},
		Proxy: http.ProxyFromEnvironment, TLSClientConfig: cfg.TLS, HandshakeTimeout: cfg.HandshakeTimeout,
		// Small buffers, and one for writing only while writing, keep an idle
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

// heard notes a sign of life.
func (c *Conn) heard() error { return c.socket.SetReadDeadline(time.Now().Add(c.cfg.Silence)) }

// ping sends a ping and sets the time of the next.
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
	// If it cannot be sent the reader hears nothing, and ends the connection.
	_ = c.socket.WriteControl(websocket.PingMessage, nil, time.Now().Add(c.cfg.WriteTimeout))
}

// Send writes a frame. With an error, which is fault.Unavailable unless ctx
// ended first, the server has not got the whole of it and the connection is
// dead.
func (c *Conn) Send(ctx context.Context, f payload.Frame) error {
	return c.write(ctx, func() []byte { return f.AppendBAF(make([]byte, 0, len(f.Message)+160)) })
}

// write is Send for a frame that is encoded when it is its turn.
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

// dying leaves the reader a moment: the server may have said why it hung up.
func (c *Conn) dying() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.broken = true
	if !c.reading || c.socket.SetReadDeadline(time.Now().Add(closeGrace)) != nil {
		_ = c.socket.Close()
	}
}

// Frames yields what the server sends, in order; frames that cannot be read, or
// are longer than ReadLimit, are skipped. The error that ends the connection
// comes last, unless Close ended it. Leaving the loop closes the connection.
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

// skipped notes a frame that cannot be read.
func (c *Conn) skipped(bytes int, err error) {
	c.cfg.Logger.Warn("frame skipped", "bytes", bytes, "kind", fault.KindOf(err))
}

// messages is Frames for frames as they are on the wire.
func (c *Conn) messages() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		c.mu.Lock()
		again := c.reading
		c.reading = true
		c.mu.Unlock()
		if again {
			yield(nil, fault.New(fault.Internal, "client_frames_read_once", "the frames of a connection can be read once"))
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

// closeGrace is how long the server may take to answer a close frame.
const closeGrace = time.Second

// Close ends the connection, and a loop over Frames with it. It may be called
// more than once; from inside the loop, leave that instead.
func (c *Conn) Close() error {
	c.mu.Lock()
	again, reading := c.closed, c.reading
	c.closed = true
	c.mu.Unlock()
	if !again && reading && c.farewell() == nil {
		// Closing a socket with unread data resets it: what was sent last
		// might not arrive.
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

// farewell sends a close frame; the server answers with its own.
func (c *Conn) farewell() error {
	deadline := time.Now().Add(closeGrace)
	if err := c.socket.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""), deadline); err != nil {
		return err
	}
	return c.socket.SetReadDeadline(deadline)
}

// release frees the socket and waits for a ping on its way.
func (c *Conn) release() {
	c.mu.Lock()
	c.closed = true
	c.pinger.Stop()
	c.mu.Unlock()
	_ = c.socket.Close() // there is nobody to tell
	c.pings.Wait()
}

// origin is what a page of that URL would send.
func origin(u *url.URL) string {
	if u.Scheme == "wss" {
		return "https://" + u.Host
	}
	return "http://" + u.Host
}
