package ws

import (
	"errors"
	"slices"
	"time"

	"github.com/gorilla/websocket"

	"docent/payload"
)

// write is the writer goroutine. It ends when no message waits, and after a close frame.
func (c *Connection) write() {
	for {
		i, ok := c.out.take()
		if !ok {
			return
		}
		kind := i.kind
		err := c.writeItem(i)
		c.out.sent(i)
		switch {
		case errors.Is(err, websocket.ErrCloseSent): // by the library; the reader ends the connection
			c.out.end()
			return
		case err != nil:
			c.out.abandon()
			c.cancel()
			_ = c.socket.Close() // wakes the reader
			c.out.end()
			return
		case kind == websocket.CloseMessage:
			c.patience.awaitClose(time.Now().Add(closeGrace))
			c.out.end()
			return
		}
	}
}

// writeItem sends one item.
func (c *Connection) writeItem(i item) error {
	data := i.data
	if i.delta != nil {
		pooled := buffers.Get().(*[]byte)
		defer func() {
			if cap(data) <= longMessage {
				*pooled = data[:0]
			}
			buffers.Put(pooled)
		}()
		data = i.delta.AppendV1((*pooled)[:0])
	}
	c.server.meters.bytesOut.Add(len(data))
	if len(data) > longMessage {
		return c.writeLong(data)
	}
	_ = c.socket.SetWriteDeadline(time.Now().Add(c.server.cfg.fixed.WriteTimeout)) // never fails
	return c.socket.WriteMessage(i.kind, data)
}

// writeLong sends a long text in parts. Each part has a deadline of its own, so
// that slow lines may take their time. A client that takes a part is alive: its
// pongs wait behind what it receives.
func (c *Connection) writeLong(data []byte) error {
	w, err := c.socket.NextWriter(websocket.TextMessage)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(data, 4*longMessage) {
		_ = c.socket.SetWriteDeadline(time.Now().Add(c.server.cfg.fixed.WriteTimeout)) // never fails
		if _, err := w.Write(part); err != nil {
			return err
		}
		c.patience.alive()
	}
	return w.Close()
}

// Send queues a text message and never blocks. If the client's queue is full,
// Send closes the connection. The caller must not change data afterwards.
func (c *Connection) Send(data []byte) { c.add(item{kind: websocket.TextMessage, data: data}) }

// add queues an item.
func (c *Connection) add(i item) {
	if i.kind == websocket.TextMessage {
		c.meters.framesOut.Inc()
	}
	waiting := c.out.waiting()
	if c.out.add(i) != nil && c.close(CloseSlow) {
		c.server.cfg.Logger.Warn("slow client closed", "session", c.SessionID(), "bytes", waiting)
		c.server.meters.slow.Inc()
	}
}

// sendDelta queues a piece of an answer, together with pieces that wait.
func (c *Connection) sendDelta(f payload.Frame) {
	if c.out.join(f) {
		c.server.meters.joined.Inc()
		return
	}
	c.add(item{kind: websocket.TextMessage, delta: &f})
}

// ping sends a ping, unless messages wait that the client has not read.
func (c *Connection) ping() {
	if c.out.addIfIdle(item{kind: websocket.PingMessage}) {
		c.server.meters.pings.Inc()
	}
}

// pong answers a ping.
func (c *Connection) pong(data string) error {
	c.patience.alive()
	c.add(item{kind: websocket.PongMessage, data: []byte(data)})
	return nil
}
