package ws

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"docent/agent/session"
	"docent/auth"
	"docent/internal/fault"
	"docent/internal/limits"
	"docent/internal/quota"
	"docent/ws/dialect"
)

// Connection is the connection of one client. Its reader goroutine calls the
// Handler. Its writer goroutine sends the messages in the outbox, while there are any. Only the reader
// uses the fields without a lock.
type Connection struct {
	server   *Server
	socket   *websocket.Conn
	handler  Handler
	meters   *dialectMeters
	dialect  string
	remote   string          // the client's address, see auth.Remote
	who      *auth.Principal // nil until it is known; the reader sets it under server.mu
	place    place           // in the limits of connections
	pingAt   time.Time       // when the next ping is due; server.mu guards it
	rate     *limits.Limit   // of messages
	cancel   context.CancelFunc
	patience patience
	out      *outbox
	validAt  time.Time   // time of the last successful check of access
	upload   upload      // the current large message
	answered bool        // the client has sent a close frame, or has disconnected
	untold   atomic.Bool // a refusal was logged because the dialect has no message for it

	id  atomic.Pointer[string]               // of the session; nil until it is open
	sub atomic.Pointer[session.Subscription] // nil until the session is open
}

// opening is needed until the session is open.
type opening struct {
	request session.OpenRequest
	refusal error // the fault of the client's credentials, or nil
}

// newConnection returns a connection without its goroutines.
func newConnection(s *Server, socket *websocket.Conn, u upgrade, cancel context.CancelFunc) *Connection {
	c := &Connection{
		server: s, socket: socket, dialect: u.name, meters: s.meters.dialects[u.name], who: u.who, cancel: cancel,
		rate:     limits.New(limits.Config{Total: int64(s.cfg.Burst), PerSecond: s.cfg.Rate}),
		upload:   upload{limit: s.bounds.uploads},
		patience: patience{conn: socket.NetConn(), silence: s.cfg.Silence},
	}
	c.out = newOutbox(&s.cfg, c.write)
	c.handler = u.begin(c)
	c.patience.alive()
	socket.SetReadLimit(s.cfg.FrameBytes)
	socket.SetPingHandler(c.pong)
	socket.SetPongHandler(func(string) error {
		c.patience.alive()
		return nil
	})
	socket.SetCloseHandler(c.answerClose)
	return c
}

// serve opens the session and starts the reader.
func (c *Connection) serve(ctx context.Context, o *opening) {
	if c.open(ctx, o) {
		go c.read(c.identified(ctx))
		return
	}
	c.end()
}

// identified returns ctx with the principal, and with the client for quotas.
func (c *Connection) identified(ctx context.Context) context.Context {
	return quota.WithClient(auth.NewContext(ctx, *c.who), c.who.Client(c.remote))
}

// read is the reader goroutine.
//
// An idle connection waits here for the next message, and keeps the stack of its reader. So this
// function calls the library directly: a few hundred bytes more, and the stack stays twice as large.
func (c *Connection) read(ctx context.Context) {
	defer c.end()
	defer c.recovered(ctx)
	for {
		c.patience.alive() // the time for handling the last message is not silence
		c.upload.free()
		_, r, err := c.socket.NextReader()
		if err != nil {
			c.readFailed(ctx, err)
			return
		}
		if !c.act(ctx, r) {
			return
		}
	}
}

// act reads a message and acts on it. It returns false when the connection is over.
func (c *Connection) act(ctx context.Context, r io.Reader) bool {
	var do func(context.Context)
	if err := c.receive(r, func(m dialect.Message) { do = c.handler.Decode(m) }); err != nil {
		c.readFailed(ctx, err)
		return false
	}
	do(ctx)
	return true
}

// recovered recovers from a panic of the calling function, logs it, and closes the
// connection. Call it with defer.
func (c *Connection) recovered(ctx context.Context) {
	if p := recover(); p != nil {
		c.server.cfg.Logger.ErrorContext(ctx, "panic in connection",
			"session", c.SessionID(), "panic", fmt.Sprintf("%T", p), "stack", string(debug.Stack()))
		c.Close(CloseInternal)
	}
}

// end releases everything that the connection holds.
func (c *Connection) end() {
	c.cancel()
	c.handler.End()
	c.upload.free()
	if sub := c.Session(); sub != nil {
		sub.Close()
	}
	if !c.out.stop() {
		_ = c.socket.Close() // nothing is left to send, so this ends a blocked write
	}
	c.out.awaitEnd()
	if !c.answered {
		c.linger()
	}
	_ = c.socket.Close() // no client is left to notify
	c.server.remove(c)
	c.server.served.Done()
}

// Session returns the client's view of its session, or nil before the session is
// open.
func (c *Connection) Session() *session.Subscription { return c.sub.Load() }

// SessionID returns the id of the session, or "" before the session is open.
func (c *Connection) SessionID() string {
	if id := c.id.Load(); id != nil {
		return *id
	}
	return ""
}

// Logger returns the server's logger.
func (c *Connection) Logger() *slog.Logger { return c.server.cfg.Logger }

// Refuse counts and logs a refusal, and tells the client about it. id identifies
// the refused message; it may be "".
func (c *Connection) Refuse(err error, id string) {
	kind := fault.KindOf(err)
	count(c.server.meters.errors, string(kind))
	if kind == fault.RateLimited {
		c.server.meters.limited.Inc()
	}
	log := c.server.cfg.Logger.Debug
	if !c.handler.Refuse(err, id) && !c.untold.Swap(true) { // one log line is enough to start an investigation
		log = c.server.cfg.Logger.Info
	}
	log("frame refused", "session", c.SessionID(), "kind", kind)
}

// Close sends a close frame after the queued messages. It ends the connection
// when the client has answered.
func (c *Connection) Close(code CloseCode) { c.close(code) }

// CloseGone closes the connection to a session that was deleted.
func (c *Connection) CloseGone() { c.Close(CloseGone) }

// CloseIdle closes the connection of an idle client.
func (c *Connection) CloseIdle() { c.Close(CloseIdle) }

// close is Close. It returns false if the connection is closing already.
func (c *Connection) close(code CloseCode) bool {
	// A client that does not read the queued messages would not read this one
	// either.
	if !c.out.close(websocket.FormatCloseMessage(code.Code, code.Reason), code == CloseSlow) {
		return false
	}
	count(c.server.meters.closes, strconv.Itoa(code.Code))
	c.cancel()
	return true
}

// answerClose answers the client's close frame.
func (c *Connection) answerClose(code int, _ string) error {
	if c.out.close(websocket.FormatCloseMessage(code, ""), true) {
		count(c.server.meters.closes, closedByPeer)
	}
	return nil
}

// closeGrace is the time that a client has to answer a close frame.
const closeGrace = 5 * time.Second

// readFailed ends a connection after a failed read.
func (c *Connection) readFailed(ctx context.Context, err error) {
	var closed *websocket.CloseError
	switch {
	case timedOut(err) && c.patience.stalled():
		c.Close(CloseStalled)
	case timedOut(err):
		c.Close(CloseSilent)
	case errors.Is(err, websocket.ErrReadLimit):
		c.over(strconv.Itoa(CloseTooBig.Code)) // the library has sent the close frame
	case errors.As(err, &closed): // the client closed the connection, or disconnected
		c.answered = true
		if closed.Code == websocket.CloseAbnormalClosure {
			c.over(closedLost)
		}
		err = fmt.Errorf("closed with %d", closed.Code) // the reason is the client's text
	case isNetwork(err):
		c.answered = true
		c.over(closedLost)
	default:
		c.over(strconv.Itoa(CloseProtocol.Code)) // as above
	}
	c.server.cfg.Logger.DebugContext(ctx, "connection ended", "session", c.SessionID(), "error", err)
}

// over records that nothing more can be sent. label is the reason of the end in
// metrics.
func (c *Connection) over(label string) {
	if c.out.abandon() {
		count(c.server.meters.closes, label)
	}
	c.patience.awaitClose(time.Now().Add(closeGrace))
}

// linger reads and discards the client's data until the client closes the socket.
// Closing a socket with unread data would reset it, and the client might not
// receive the close frame.
func (c *Connection) linger() {
	conn := c.socket.NetConn()
	if half, ok := conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite() // tells the client that no more data follows
	}
	scrap := make([]byte, scrapBuffer)
	for {
		if _, err := conn.Read(scrap); err != nil { // the deadline is the one of closeGrace
			return
		}
	}
}

// listener passes the deliveries of a session to the connection's handler.
type listener struct {
	Handler
	c *Connection
}

var _ session.Leaver = listener{}

// Opened implements session.Listener.
func (l listener) Opened(o session.Opened) {
	l.c.id.Store(&o.SessionID)
	l.Handler.Opened(o)
}

// Gone implements session.Leaver.
func (l listener) Gone(err error) {
	if fault.KindOf(err) == fault.NotFound {
		l.c.Close(CloseGone)
		return
	}
	l.c.Close(CloseUnavailable)
}
