package ws

import (
	"bytes"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"docent/payload"
)

// outbox is what waits to be sent to a client, bounded in bytes.
type outbox struct {
	mu      sync.Mutex // guards what follows
	items   []item
	bytes   int           // of items and of what is being written, without long ones
	long    int           // bytes of the long ones
	writing bool          // the writer goroutine exists
	closing bool          // a close frame is the last item, or the socket is dead
	drained chan struct{} // closed when the writer has written something; nil if nobody waits
	writer  sync.WaitGroup
}

// item is one frame to send.
type item struct {
	// kind is a gorilla message type.
	kind int
	// data is the encoded frame; nil while a delta may still grow.
	data []byte
	// delta is a piece of an answer that waits for more of it; joined tells
	// that more came.
	delta  payload.Frame
	joined bool
	// long tells that it counts as such, which does not change with more.
	long bool
}

func (i item) size() int { return len(i.data) + len(i.delta.Message) + itemOverhead }

// itemOverhead counts what an item costs beside its text, in bytes.
const itemOverhead = 64

// longFrame is the size in bytes above which a frame is long: files and the
// like. They count apart, or a few images of one turn would fill the outbox.
const longFrame = 64 << 10

// count adds an item's size, times n, to what waits.
func (o *outbox) count(i item, n int) {
	if i.long {
		o.long += n * i.size()
	} else {
		o.bytes += n * i.size()
	}
}

// send queues a frame. It never blocks: a client for which too much waits is
// closed.
func (c *connection) send(f payload.Frame) {
	c.out.mu.Lock()
	defer c.out.mu.Unlock()
	c.sendLocked(f)
}

func (c *connection) sendLocked(f payload.Frame) {
	if c.out.closing || c.joinLocked(f) {
		return
	}
	i := item{kind: websocket.TextMessage}
	if f.Action == payload.DeltaAction {
		i.delta = f
	} else {
		i.data = c.encode(f)
	}
	c.queueLocked(i)
}

// queueLocked queues an item, if not too much waits already.
func (c *connection) queueLocked(i item) {
	waiting, limit := c.out.bytes, c.server.cfg.OutboxBytes
	if i.long = i.size() > longFrame; i.long {
		waiting, limit = c.out.long, c.server.cfg.LongOutboxBytes
	}
	// A single frame may exceed the bound: it could never be sent otherwise.
	if waiting+i.size() > limit && waiting > 0 {
		c.server.cfg.Logger.Warn("slow client closed", "session", c.id, "bytes", c.out.bytes+c.out.long)
		c.closeLocked(CloseSlow)
		return
	}
	c.pushLocked(i)
}

// joinLocked adds a delta to the one queued last, if that is of the same turn:
// one write then carries both.
func (c *connection) joinLocked(f payload.Frame) bool {
	n := len(c.out.items)
	if f.Action != payload.DeltaAction || n == 0 || c.out.bytes+len(f.Message) > c.server.cfg.OutboxBytes {
		return false
	}
	last := &c.out.items[n-1]
	if last.delta.Turn == nil || f.Turn == nil || *last.delta.Turn != *f.Turn {
		return false
	}
	if !last.joined { // other connections hold the same text
		last.delta.Message, last.joined = bytes.Clone(last.delta.Message), true
	}
	before := len(last.delta.Message)
	joined, ok := payload.JoinDeltas(last.delta.Message, f.Message)
	if !ok {
		return false
	}
	c.out.bytes += len(joined) - before
	last.delta.Message, last.delta.N = joined, f.N
	return true
}

func (c *connection) encode(f payload.Frame) []byte {
	b := make([]byte, 0, len(f.Message)+160)
	if c.v1 {
		return f.AppendV1(b)
	}
	return f.AppendBAF(b)
}

// pushLocked queues an item and starts the writer if there is none.
func (c *connection) pushLocked(i item) {
	c.out.items = append(c.out.items, i)
	c.out.count(i, 1)
	if !c.out.writing {
		c.out.writing = true
		c.out.writer.Add(1)
		go c.write()
	}
}

// sendPatiently queues a frame once half of the outbox is free; for what a
// client asked for in bulk. It reports whether the connection is still open.
func (c *connection) sendPatiently(ctx context.Context, f payload.Frame) bool {
	for {
		c.out.mu.Lock()
		if c.out.closing {
			c.out.mu.Unlock()
			return false
		}
		if c.out.bytes+c.out.long <= c.server.cfg.OutboxBytes/2 {
			c.sendLocked(f)
			c.out.mu.Unlock()
			return true
		}
		if c.out.drained == nil {
			c.out.drained = make(chan struct{})
		}
		drained := c.out.drained
		c.out.mu.Unlock()
		select {
		case <-drained:
		case <-ctx.Done():
			return false
		}
	}
}

// ping queues a ping and sets the time of the next.
func (c *connection) ping() {
	c.out.mu.Lock()
	defer c.out.mu.Unlock()
	if c.out.closing {
		return
	}
	c.pushLocked(item{kind: websocket.PingMessage})
	c.pinger.Reset(c.server.cfg.PingEvery)
}

// close sends a close frame after what still waits, and ends the connection
// when the peer has answered or closeGrace is over.
func (c *connection) close(code CloseCode) {
	c.out.mu.Lock()
	defer c.out.mu.Unlock()
	c.closeLocked(code)
}

func (c *connection) closeLocked(code CloseCode) {
	if c.out.closing {
		return
	}
	c.out.closing = true
	if code == CloseSlow { // what it did not read for so long it will not read now
		for _, i := range c.out.items {
			c.out.count(i, -1)
		}
		c.out.items = nil
	}
	c.pushLocked(item{kind: websocket.CloseMessage, data: websocket.FormatCloseMessage(code.Code, code.Reason)})
	c.cancel()
}

// closeGrace is how long the peer may take to answer a close frame.
const closeGrace = 5 * time.Second

// alive notes that something was heard of the peer. Only the reader calls it.
func (c *connection) alive() error {
	c.heardAt = time.Now()
	return c.extend(c.heardAt)
}

// extend lets the peer be silent for a while from now. Once the connection
// closes, only closeGrace counts.
func (c *connection) extend(now time.Time) error {
	c.out.mu.Lock()
	defer c.out.mu.Unlock()
	if c.out.closing {
		return nil
	}
	return c.socket.SetReadDeadline(now.Add(c.server.cfg.Silence))
}

// write is the writer goroutine: it ends when nothing waits.
func (c *connection) write() {
	defer c.out.writer.Done()
	for {
		i, ok := c.out.take()
		if !ok {
			return
		}
		sent := i
		if i.delta.Message != nil {
			sent.data = c.encode(i.delta)
		}
		err := c.writeItem(sent)
		c.out.written(i, err)
		if err != nil {
			c.cancel()
			_ = c.socket.Close() // wakes the reader
		}
	}
}

func (c *connection) writeItem(i item) error {
	deadline := time.Now().Add(c.server.cfg.WriteTimeout)
	switch i.kind {
	case websocket.PingMessage:
		return c.socket.WriteControl(i.kind, nil, deadline)
	case websocket.CloseMessage:
		if err := c.socket.WriteControl(i.kind, i.data, deadline); err != nil {
			return err
		}
		return c.socket.SetReadDeadline(time.Now().Add(closeGrace))
	}
	if i.long {
		return c.writeLong(i)
	}
	if err := c.socket.SetWriteDeadline(deadline); err != nil {
		return err
	}
	return c.socket.WriteMessage(i.kind, i.data)
}

// writeLong writes a frame in parts. Each has its time, and that the peer takes
// it is a sign of life: its pongs wait behind what we send.
func (c *connection) writeLong(i item) error {
	w, err := c.socket.NextWriter(i.kind)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(i.data, 4*longFrame) {
		if err := c.socket.SetWriteDeadline(time.Now().Add(c.server.cfg.WriteTimeout)); err != nil {
			return err
		}
		if _, err := w.Write(part); err != nil {
			return err
		}
		if err := c.extend(time.Now()); err != nil {
			return err
		}
	}
	return w.Close()
}

// take removes the first item; false ends the writer.
func (o *outbox) take() (item, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.items) == 0 {
		o.writing = false
		o.items = nil
		return item{}, false
	}
	i := o.items[0]
	o.items[0] = item{}
	o.items = o.items[1:]
	return i, true
}

// written accounts for an item that was sent, or for a dead socket.
func (o *outbox) written(i item, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.count(i, -1)
	if err != nil {
		o.closing, o.items, o.bytes, o.long = true, nil, 0, 0
	}
	if o.drained != nil {
		close(o.drained)
		o.drained = nil
	}
}
