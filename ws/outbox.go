package ws

import (
	"bytes"
	"errors"
	"sync"

	"github.com/gorilla/websocket"

	"docent/internal/limits"
	"docent/payload"
)

// outbox is the queue of messages for a connection's writer. Its size in bytes is
// limited. Adding a message never blocks. A client whose queue is full is closed. The
// writer runs only while messages wait, so an idle connection has no stack for it.
type outbox struct {
	write       func()        // is the writer; it calls take until that returns false
	short, long *limits.Limit // queued bytes; long messages count separately
	cfg         *Config

	mu      sync.Mutex // guards the fields below
	items   []item
	writing bool          // a writer runs
	busy    bool          // the writer is writing an item
	closing bool          // no more items are accepted
	ended   sync.Cond     // signals that no writer runs
	drained chan struct{} // closed after the writer has sent something; nil if no caller waits
}

// item is a message to send.
type item struct {
	// kind is the type of WebSocket message.
	kind int
	// data is the encoded message. It is nil for a delta, which may still grow.
	data []byte
	// pooled is the buffer of data if it comes from buffers.
	pooled *[]byte
	// delta is a piece of an answer, or nil. Queued pieces of one turn are joined.
	delta *payload.Frame
	// joined reports that delta has its own text. Other deltas share their text
	// with other connections.
	joined bool
	// long reports whether the item counts as long.
	long bool
	// charge is the number of bytes taken from the outbox's limit.
	charge int64
}

const (
	// itemOverhead is the memory of an item without its text, in bytes.
	itemOverhead = 64
	// longMessage is the size in bytes above which a message is long, such as a
	// file. Long messages count separately. Otherwise a few images of one turn
	// would fill the outbox.
	longMessage = 64 << 10
)

func newOutbox(cfg *Config, write func()) *outbox {
	o := &outbox{
		cfg: cfg, write: write,
		short: limits.New(limits.Config{Total: int64(cfg.OutboxBytes)}),
		long:  limits.New(limits.Config{Total: int64(cfg.fixed.LongOutboxBytes)}),
	}
	o.ended.L = &o.mu
	return o
}

// errSlow is the error of a message for which the outbox has no room.
var errSlow = errors.New("the client reads too slowly")

// limit returns the limit of an item and its capacity.
func (o *outbox) limit(long bool) (l *limits.Limit, capacity int64) {
	if long {
		return o.long, int64(o.cfg.fixed.LongOutboxBytes)
	}
	return o.short, int64(o.cfg.OutboxBytes)
}

// add queues an item. It returns errSlow if there is no room. A closing outbox
// drops the item.
func (o *outbox) add(i item) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.addLocked(i)
}

func (o *outbox) addLocked(i item) error {
	if o.closing {
		i.release()
		return nil
	}
	size := int64(len(i.data) + itemOverhead)
	if i.delta != nil {
		size += int64(len(i.delta.Message))
	}
	i.long = size > longMessage
	limit, capacity := o.limit(i.long)
	// A message larger than the whole outbox takes all of it. Otherwise it could
	// never be sent.
	i.charge = min(size, capacity)
	if limit.Take("", i.charge) != nil {
		i.release()
		return errSlow
	}
	o.queueLocked(i)
	return nil
}

// queueLocked queues an item, and starts the writer if none runs.
func (o *outbox) queueLocked(i item) {
	o.items = append(o.items, i)
	if !o.writing {
		o.writing = true
		go o.write()
	}
}

// addIfIdle queues an item if the queue is empty, and reports whether it did.
func (o *outbox) addIfIdle(i item) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closing || o.busy || len(o.items) > 0 {
		return false
	}
	o.queueLocked(i)
	return true
}

// join adds a delta to the last item, if that is a delta of the same turn. One
// message then carries both.
func (o *outbox) join(f payload.Frame) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := len(o.items)
	if o.closing || n == 0 {
		return false
	}
	last := &o.items[n-1]
	if last.delta == nil || last.delta.Turn == nil || f.Turn == nil || *last.delta.Turn != *f.Turn {
		return false
	}
	limit, _ := o.limit(last.long)
	more := int64(len(f.Message))
	if limit.Take("", more) != nil {
		return false
	}
	if !last.joined {
		last.delta.Message, last.joined = bytes.Clone(last.delta.Message), true
	}
	joined, ok := payload.JoinDeltas(last.delta.Message, f.Message)
	if !ok {
		limit.Free("", more)
		return false
	}
	last.charge += more
	last.delta.Message, last.delta.N = joined, f.N
	return true
}

// addPatiently calls encode and queues the item if at least half of the outbox is
// free. If it cannot queue the item, it returns a channel that is closed after the
// writer has sent something. open is false if the outbox is closing.
func (o *outbox) addPatiently(encode func() item) (wait <-chan struct{}, open bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closing {
		return nil, false
	}
	if o.waiting() <= int64(o.cfg.OutboxBytes/2) && o.addLocked(encode()) == nil {
		return nil, true
	}
	if o.drained == nil {
		o.drained = make(chan struct{})
	}
	return o.drained, true
}

// close adds a close frame as the last item. If drop is set, the queued items are
// not sent. It returns false if the outbox was closing already.
func (o *outbox) close(frame []byte, drop bool) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closing {
		return false
	}
	if drop {
		o.dropLocked()
	}
	o.closing = true
	o.queueLocked(item{kind: websocket.CloseMessage, data: frame})
	return true
}

// abandon drops all items and accepts no more. It returns false if the outbox was
// closing already.
func (o *outbox) abandon() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	was := o.closing
	o.closing = true
	o.dropLocked()
	return !was
}

// stop drops all items and accepts no more. If the outbox was closing already, its
// writer sends the rest first, and stop returns true.
func (o *outbox) stop() (closing bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if closing = o.closing; !closing {
		o.dropLocked()
	}
	o.closing = true
	return closing
}

func (o *outbox) dropLocked() {
	for _, i := range o.items {
		limit, _ := o.limit(i.long)
		limit.Free("", i.charge)
		i.release()
	}
	o.items = nil
}

// awaitEnd waits until no writer runs.
func (o *outbox) awaitEnd() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.writing {
		o.ended.Wait()
	}
}

// end records that the writer ends before the queue is empty.
func (o *outbox) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.endLocked()
}

func (o *outbox) endLocked() {
	o.writing = false
	o.ended.Broadcast()
}

// take returns the next item. It returns false if the queue is empty. The writer then
// ends.
func (o *outbox) take() (item, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.items) == 0 {
		o.endLocked()
		return item{}, false
	}
	i := o.items[0]
	o.items[0] = item{}
	if o.items = o.items[1:]; len(o.items) == 0 {
		o.items = nil
	}
	o.busy = true
	return i, true
}

// sent releases the memory of an item that was taken.
func (o *outbox) sent(i item) {
	i.release()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.busy = false
	limit, _ := o.limit(i.long)
	limit.Free("", i.charge)
	if o.drained != nil {
		close(o.drained)
		o.drained = nil
	}
}

// waiting returns the number of queued bytes.
func (o *outbox) waiting() int64 { return o.short.Used() + o.long.Used() }

// buffers holds reusable buffers for messages. Buffers larger than longMessage
// are not kept.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// release returns the item's buffer to buffers.
func (i *item) release() {
	if i.pooled != nil && cap(i.data) <= longMessage {
		*i.pooled = i.data[:0]
		buffers.Put(i.pooled)
	}
	i.data, i.pooled = nil, nil
}
