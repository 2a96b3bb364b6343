package ws

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"docent/payload"
)

// outbox is what waits to be sent to a client, bounded in bytes.
//
// What the socket takes at once is written by whoever sends it. Only what it
// does not take waits, and deltas do, so that those which come together are
// written together: then there is a writer goroutine.
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
	// kind is a message type of the library if data is a text that queueLocked
	// has to make a frame of; else 0.
	kind int
	// data is the frame as it goes over the wire; nil while a delta may still
	// grow.
	data []byte
	// delta is a piece of an answer that waits for more of it; joined tells
	// that more came.
	delta  payload.Frame
	joined bool
	// long tells that it counts as such, which does not change with more.
	long bool
	// last tells that it is a close frame.
	last bool
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

// send sends a frame or queues it. It never blocks: a client for which too much
// waits is closed.
func (c *connection) send(f payload.Frame) {
	c.out.mu.Lock()
	defer c.out.mu.Unlock()
	c.sendLocked(f)
}

func (c *connection) sendLocked(f payload.Frame) {
	switch {
	case c.out.closing || c.joinLocked(f):
	case f.Action == payload.DeltaAction:
		c.queueLocked(item{delta: f})
	case c.out.writing:
		c.queueLocked(item{data: c.encode(make([]byte, 0, len(f.Message)+frameRoom), f)})
	default:
		b := scraps.Get().(*[]byte)
		data := c.encode((*b)[:0], f)
		if i, all := c.tryLocked(item{data: data, long: len(data) > longFrame}); !all {
			i.data = bytes.Clone(i.data)
			c.queueLocked(i)
		}
		if cap(data) <= longFrame {
			*b = data
		}
		scraps.Put(b)
	}
}

// frameRoom is room for a frame beside its message, in bytes.
const frameRoom = 160

// scraps are for frames that are written at once.
var scraps = sync.Pool{New: func() any { return new([]byte) }}

// queueLocked sends an item or queues it, if not too much waits already.
func (c *connection) queueLocked(i item) {
	if i.kind != 0 {
		i.kind, i.data = 0, endFrame(append(beginFrame(make([]byte, 0, len(i.data)+longHeader)), i.data...), 0)
		c.server.meters.framesOut[c.dialect()].Inc()
	}
	waiting, limit := c.out.bytes, c.server.cfg.OutboxBytes
	if i.long = i.size() > longFrame; i.long {
		waiting, limit = c.out.long, c.server.cfg.LongOutboxBytes
	}
	// A single frame may exceed the bound: it could never be sent otherwise.
	if waiting+i.size() > limit && waiting > 0 {
		c.server.cfg.Logger.Warn("slow client closed", "session", c.id, "bytes", c.out.bytes+c.out.long)
		c.server.meters.slow.Inc()
		c.closeLocked(CloseSlow)
		return
	}
	c.pushLocked(i)
}

// joinLocked adds a delta to the one queued last, if that is of the same turn:
// one frame then carries both.
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
	if last.long {
		c.out.long += len(joined) - before
	} else {
		c.out.bytes += len(joined) - before
	}
	last.delta.Message, last.delta.N = joined, f.N
	c.server.meters.joined.Inc()
	return true
}

// encode appends a frame as it goes over the wire.
func (c *connection) encode(b []byte, f payload.Frame) []byte {
	start := len(b)
	b = beginFrame(b)
	if c.v1 {
		b = f.AppendV1(b)
	} else {
		b = f.AppendBAF(b)
	}
	c.server.meters.framesOut[c.dialect()].Inc()
	return endFrame(b, start)
}

// pushLocked sends an item, or queues it and starts the writer if there is none.
func (c *connection) pushLocked(i item) {
	i, all := c.tryLocked(i)
	if all {
		return
	}
	c.out.items = append(c.out.items, i)
	c.out.count(i, 1)
	if !c.out.writing {
		c.out.writing = true
		c.out.writer.Add(1)
		go c.write()
	}
}

// tryLocked writes what the socket takes of an item if nothing waits; the rest
// is returned, unless that is all.
func (c *connection) tryLocked(i item) (rest item, all bool) {
	if c.out.writing || i.long || i.data == nil {
		return i, false
	}
	n, err := c.wire.try(i.data)
	c.server.meters.bytesOut.Add(n)
	if err != nil {
		c.deadLocked()
		return i, true
	}
	if i.data = i.data[n:]; len(i.data) > 0 {
		return i, false
	}
	if i.last {
		c.closedLocked()
	}
	return i, true
}

// deadLocked gives up a socket that cannot be written.
func (c *connection) deadLocked() {
	c.out.closing, c.out.items, c.out.bytes, c.out.long = true, nil, 0, 0
	c.life.end()
	c.rouseLocked()    // before another socket has its number
	_ = c.wire.Close() // wakes the reader
}

// closedLocked gives the peer its time to answer a close frame that was sent.
func (c *connection) closedLocked() {
	c.closeBy = time.Now().Add(closeGrace)
	_ = c.wire.SetReadDeadline(c.closeBy) // a dead socket is found by reading
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
	count(c.server.meters.closes, strconv.Itoa(code.Code))
	if code == CloseSlow { // what it did not read for so long it will not read now
		c.forgetLocked()
	}
	c.pushLocked(item{data: controlFrame(websocket.CloseMessage, websocket.FormatCloseMessage(code.Code, code.Reason)), last: true})
	c.life.end()
	c.rouseLocked() // to hear the answer
}

// forgetLocked drops what waits.
func (c *connection) forgetLocked() {
	for _, i := range c.out.items {
		c.out.count(i, -1)
	}
	c.out.items = nil
}

// farewell sends a close frame that answers the peer's, or that the library
// made: nothing else is sent any more.
func (c *connection) farewell(frame []byte, label string) {
	c.out.mu.Lock()
	defer c.out.mu.Unlock()
	if c.out.closing {
		return
	}
	c.out.closing = true
	count(c.server.meters.closes, label)
	c.forgetLocked()
	c.pushLocked(item{data: bytes.Clone(frame), last: true})
}

// closeGrace is how long the peer may take to answer a close frame.
const closeGrace = 5 * time.Second

// write is the writer goroutine: it ends when nothing waits.
func (c *connection) write() {
	defer c.out.writer.Done()
	for {
		batch := c.out.take()
		if batch == nil {
			return
		}
		err := c.writeBatch(batch)
		c.written(batch, err)
	}
}

// writeBatch writes frames together. A long one comes alone.
func (c *connection) writeBatch(batch []item) error {
	b := scraps.Get().(*[]byte)
	data := (*b)[:0]
	defer func() {
		if cap(data) <= 2*longFrame {
			*b = data
		}
		scraps.Put(b)
	}()
	for _, i := range batch {
		switch {
		case i.delta.Message != nil:
			data = c.encode(data, i.delta)
		case i.long:
			return c.writeLong(i.data)
		default:
			data = append(data, i.data...)
		}
	}
	if batch[0].long {
		return c.writeLong(data)
	}
	c.server.meters.bytesOut.Add(len(data))
	return c.wire.put(data, c.server.cfg.WriteTimeout)
}

// writeLong writes a frame in parts. Each has its time, and that the peer takes
// it is a sign of life: its pongs wait behind what we send.
func (c *connection) writeLong(data []byte) error {
	for part := range slices.Chunk(data, 4*longFrame) {
		if err := c.wire.put(part, c.server.cfg.WriteTimeout); err != nil {
			return err
		}
		c.server.meters.bytesOut.Add(len(part))
		c.took(time.Now())
	}
	return nil
}

// take removes the items that are written together; nil ends the writer.
func (o *outbox) take() []item {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.items) == 0 {
		o.writing = false
		o.items = nil
		return nil
	}
	n, size := 0, 0
	for n < len(o.items) && size <= longFrame && (n == 0 || !o.items[0].long && !o.items[n].long) {
		size += o.items[n].size()
		n++
	}
	batch := o.items[:n:n]
	o.items = o.items[n:]
	return batch
}

// written accounts for items that were sent, or for a dead socket.
func (c *connection) written(batch []item, err error) {
	o := &c.out
	o.mu.Lock()
	defer o.mu.Unlock()
	last := batch[len(batch)-1].last
	for n := range batch {
		o.count(batch[n], -1)
		batch[n] = item{}
	}
	switch {
	case err != nil:
		c.deadLocked()
	case last:
		c.closedLocked()
	}
	if o.drained != nil {
		close(o.drained)
		o.drained = nil
	}
}
