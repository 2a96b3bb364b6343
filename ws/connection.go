package ws

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"
	"unique"

	"github.com/gorilla/websocket"
	"golang.org/x/time/rate"

	"docent/agent/session"
	"docent/auth"
	"docent/internal/fault"
	"docent/payload"
)

// connection is one client. Its reader goroutine runs serve and alone uses the
// fields that have no lock.
type connection struct {
	server *Server
	socket *websocket.Conn
	*opening
	who     *auth.Principal // nil until it is known
	validAt time.Time       // when it was found to be let in, at a frame
	gui     atomic.Bool     // it is BAF's newer React client
	v1      bool
	typed   bool // it speaks the dialect of TypedPath
	rate    pace
	life    lifetime // its end wakes the reader where it waits for anything but the socket
	wire    *wire
	pingAt  time.Time   // when a ping is due; guarded by server.mu
	idle    *time.Timer // ends a typed one; guarded by out.mu
	id      string      // the session's, once it is open; guarded by out.mu
	due     time.Time   // when the message at hand has stood still for too long; zero if there is none
	heardAt time.Time   // when something was heard of the peer
	helloBy time.Time   // until when it has to say hello; zero if it need not
	tookAt  time.Time   // when it took a part of a long frame; guarded by out.mu
	closeBy time.Time   // until when it may answer our close frame; guarded by out.mu
	over    bool        // the peer will not be heard any more
	dozing  bool        // no goroutine reads; guarded by out.mu
	dozer   *dozer      // nil until it has dozed; guarded by out.mu
	held    int64       // bytes of the large frame at hand, counted in server.uploads

	voice *listening // the recording that is being transcribed; nil if none

	misread atomic.Bool // a frame of a BAF client was refused

	from unique.Handle[string] // its address, if that is who it is; see sharer

	sub *session.Subscription // nil until the session is open
	out outbox
}

// opening is what is needed until the session is open.
type opening struct {
	request session.OpenRequest
	remote  string // see auth.Remote
	refusal error  // what is wrong with its credentials; nil if nothing is
	info    Info
}

// opened is shared by all connections that are.
var opened opening

// prepare sets the library up; it comes before serve.
func (c *connection) prepare() {
	c.wire.c = c
	c.life.done = make(chan struct{})
	c.rate.own.SetLimitAt(time.Time{}, rate.Limit(c.server.cfg.Rate)) // long ago: the burst is there
	c.rate.own.SetBurstAt(time.Time{}, c.server.cfg.Burst)
	c.heard()
	c.pingAt = c.heardAt.Add(c.server.cfg.PingEvery)
	c.socket.SetReadLimit(c.server.cfg.FrameBytes)
	c.socket.SetPingHandler(c.pong)
	c.socket.SetPongHandler(ignorePong) // that it came has been noted
	c.socket.SetCloseHandler(c.answerClose)
}

func ignorePong(string) error { return nil }

// answerClose answers the peer's close frame.
func (c *connection) answerClose(code int, _ string) error {
	c.farewell(controlFrame(websocket.CloseMessage, websocket.FormatCloseMessage(code, "")), closedByPeer)
	return nil
}

// serve is the reader goroutine until the client is idle.
func (c *connection) serve(ctx context.Context) {
	if c.converse(ctx) {
		if !c.doze() {
			go c.rest(ctx)
		}
		return
	}
	c.end()
	c.server.served.Done()
}

// rest waits until an idle client sends something, as a goroutine of its own:
// its stack has the least size, where that of serve has grown. After a ping or
// pong the client dozes again, if it can.
func (c *connection) rest(ctx context.Context) {
	for {
		err := c.wire.glance()
		switch {
		case err == nil:
			c.heard()
			if c.wire.strip() {
				if c.doze() {
					return
				}
				continue
			}
		case timedOut(err) && c.prolong():
			continue
		}
		c.wire.failed = err // await tells it
		c.serve(ctx)
		return
	}
}

// converse joins the session and does what the client asks for; it reports
// whether the client is idle, else the connection is over.
func (c *connection) converse(ctx context.Context) (idle bool) {
	defer c.contain(ctx)
	if c.sub == nil {
		if c.v1 && !c.awaitHello(ctx) || !c.open(ctx) {
			return false
		}
	}
	for {
		err := c.wire.await()
		if err == nil {
			if c.typed {
				err = c.nextTyped(ctx)
			} else {
				err = c.next(ctx)
			}
			c.heard() // or else what took us long would count as its silence
		}
		switch {
		case errors.Is(err, errIdle):
			return true
		case err != nil:
			c.readFailed(err)
			return false
		}
	}
}

// next reads a frame and does what it asks for; an error tells that the
// connection is over.
func (c *connection) next(ctx context.Context) error {
	frame, refusal, err := c.read()
	if err == nil {
		c.handle(ctx, frame, refusal)
	}
	return err
}

// contain keeps a fault of ours in one connection from ending the program.
func (c *connection) contain(ctx context.Context) {
	if p := recover(); p != nil {
		c.server.cfg.Logger.ErrorContext(ctx, "panic in connection", "session", c.session(), "panic", fmt.Sprintf("%T", p), "stack", string(debug.Stack()))
		c.close(CloseInternal)
	}
}

// end releases what the connection holds.
func (c *connection) end() {
	c.life.end()
	c.endVoice()
	c.letGo()
	if c.sub != nil {
		c.sub.Close()
	}
	c.out.mu.Lock()
	if c.idle != nil {
		c.idle.Stop()
	}
	flushing := c.out.closing // a close frame is on the way
	if !flushing {
		c.out.closing, c.out.items = true, nil
	}
	c.out.mu.Unlock()
	if !flushing {
		_ = c.socket.Close() // wakes a writer that is stuck
	}
	c.out.writer.Wait()
	if !c.over {
		c.drain()
	}
	_ = c.socket.Close() // there is nobody to tell
	c.wire.unread = nil
	c.wire.letGo()
	if c.typed {
		c.server.unlist(c)
	}
	c.server.remove(c)
}

// drainPause is how long nothing may come while a connection is drained.
const drainPause = 2 * time.Second

// drain reads what the peer still sends, until it has answered our close frame.
// Closing a socket with unread data resets it, and the peer would not see the
// close frame.
func (c *connection) drain() {
	end := time.Now().Add(closeGrace)
	scrap := make([]byte, 16<<10)
	kept := copy(scrap, c.wire.ahead())
	for time.Now().Before(end) && !endsInClose(scrap[:kept]) {
		if c.wire.SetReadDeadline(time.Now().Add(drainPause)) != nil {
			return
		}
		n, err := c.wire.Conn.Read(scrap[kept:])
		if err != nil {
			return
		}
		n += kept
		kept = copy(scrap, scrap[max(0, n-maxControl):n])
	}
}

// session is the session's id for logs; "" before it is open.
func (c *connection) session() string {
	c.out.mu.Lock()
	defer c.out.mu.Unlock()
	return c.id
}

// sendMessage sends a frame of our own making.
func (c *connection) sendMessage(action payload.Action, message any, id string) {
	content, err := payload.Marshal(message)
	if err != nil { // our own structs always encode
		c.server.cfg.Logger.Error("encode", "action", action, "error", err)
		return
	}
	c.send(payload.Frame{Action: action, Message: content, Time: time.Now(), ID: id})
}

// refuse tells the client why a frame was not taken: BAF only in the log, as it
// has no frame for it, others by an error.
func (c *connection) refuse(err error, id string) {
	count(c.server.meters.errors, string(fault.KindOf(err)))
	if fault.KindOf(err) == fault.RateLimited {
		c.server.meters.limited.Inc()
	}
	level := slog.LevelDebug
	if !c.v1 && !c.typed && !c.misread.Swap(true) { // nobody else hears of it, and one line is enough to look further
		level = slog.LevelInfo
	}
	c.server.cfg.Logger.Log(&c.life, level, "frame refused", "session", c.session(), "kind", fault.KindOf(err))
	if c.typed {
		c.failTyped(err)
	}
	if !c.v1 {
		return
	}
	kind := fault.KindOf(err)
	c.sendMessage(payload.ErrorAction, payload.Error{
		Code: string(kind), Message: fault.Message(err), Retryable: kind.Retryable(), ID: id,
	}, id)
}
