package ws

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"docent/agent"

	"github.com/gorilla/websocket"

	"docent/agent/session"
	"docent/internal/fault"
	"docent/payload"
)

// readFailed ends a connection that cannot be read any more.
func (c *connection) readFailed(err error) {
	switch {
	case errors.Is(err, errStalled) || timedOut(err) && c.stalled():
		c.close(CloseStalled)
	case timedOut(err):
		c.close(CloseSilent)
	case errors.Is(err, websocket.ErrReadLimit): // the library has sent CloseTooBig; what comes is drained
	default:
		c.over = true
		c.out.mu.Lock()
		if !c.out.closing {
			count(c.server.meters.closes, closedLost)
		}
		c.out.mu.Unlock()
	}
	var closed *websocket.CloseError
	if errors.As(err, &closed) {
		err = fmt.Errorf("closed with %d", closed.Code) // what else it says is the client's words
	}
	c.server.cfg.Logger.Debug("connection ended", "session", c.session(), "error", err)
}

// timedOut reports whether a read ended at its deadline.
func timedOut(err error) bool {
	var network net.Error // the library hides os.ErrDeadlineExceeded
	return errors.As(err, &network) && network.Timeout()
}

func (c *connection) tooLong() error {
	return fault.Wrap(fault.Invalid, session.ErrTooLong, "a message may have at most %d bytes, and %d of text", c.server.cfg.MessageBytes, agent.MaxTextBytes)
}

func (c *connection) fileTooLong() error {
	return fault.Wrap(fault.Invalid, session.ErrTooLong, "a file may have at most %d bytes in base64", c.server.cfg.FileBytes)
}

// buffers are for reading messages; large ones are not kept.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

const (
	// leastBuffer is the size of a new buffer, in bytes.
	leastBuffer = 512
	// keptBuffer is the largest buffer that is kept for the next message, in
	// bytes; larger ones are counted.
	keptBuffer = 64 << 10
	// scrapBuffer is for what is not kept at all, in bytes.
	scrapBuffer = 4 << 10
)

// maxEscape is how much longer a text may be in JSON: \u0041 for a letter.
const maxEscape = 6

// helloBytes bounds the frames of a client that has not said hello.
const helloBytes = 64 << 10

// envelope bounds the rest of a frame, in bytes.
const envelope = 4 << 10

// read returns the next frame, or why it is refused; err tells that the
// connection is over.
func (c *connection) read() (frame payload.Frame, refusal, err error) {
	if err := c.alive(); err != nil {
		return frame, nil, err
	}
	return c.readOne()
}

// readOne reads a frame.
func (c *connection) readOne() (frame payload.Frame, refusal, err error) {
	id, refusal, err := c.readWith(func(data []byte) (refusal error) {
		if c.v1 {
			frame, refusal = payload.DecodeV1(data)
		} else {
			frame, refusal = payload.DecodeBAF(data)
		}
		if refusal != nil && frame.ID == "" {
			frame.ID, refusal = unread(data, refusal)
		}
		return refusal
	})
	if id != "" {
		frame.ID = id
	}
	return frame, refusal, err
}

// readWith reads a frame and decodes it. The memory of a large one is counted
// in c.held until the next is read. One that is refused before it is decoded is
// read to its end, so that the next frame can be, and for its id.
func (c *connection) readWith(decode func(data []byte) (refusal error)) (id string, refusal, err error) {
	c.letGo()
	_, r, err := c.socket.NextReader()
	if err != nil {
		return "", nil, err
	}
	c.begin()
	pooled := buffers.Get().(*[]byte)
	data, refusal, err := c.receive((*pooled)[:0], r)
	if refusal != nil {
		id, err = c.discard(data, r)
		data = nil
	}
	if err == nil {
		c.due = time.Time{}
	}
	if err == nil && refusal == nil {
		c.server.meters.framesIn[c.dialect()].Inc()
		c.server.meters.bytesIn.Add(len(data))
		refusal = decode(data)
	}
	if data != nil && cap(data) <= keptBuffer {
		*pooled = data
	}
	buffers.Put(pooled)
	return id, refusal, err
}

// receive appends a message to b, if it is not too long and there is room for it;
// with a refusal, data is what was read of it.
func (c *connection) receive(b []byte, r io.Reader) (data []byte, refusal, err error) {
	limit, file := maxEscape*c.server.cfg.MessageBytes+envelope, false
	if c.sub == nil { // it is not known who that is
		limit = helloBytes
	}
	for over := false; ; {
		if len(b) > limit {
			if file {
				return b, c.fileTooLong(), nil
			}
			if refusal = c.maybeLarge(b); refusal != nil {
				return b, refusal, nil
			}
			limit, file = c.server.cfg.FileBytes+envelope, true
			continue
		}
		if over {
			return b, nil, nil
		}
		if len(b) == cap(b) {
			if b, refusal = c.grow(b, limit+1); refusal != nil {
				return b, refusal, nil
			}
		}
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		c.progress(n)
		if over = errors.Is(err, io.EOF); err != nil && !over {
			return nil, nil, err
		}
	}
}

// grow makes room in b, up to a size, if the client may have as much memory. Long
// messages grow by less than they have, as all of that is counted.
func (c *connection) grow(b []byte, most int) ([]byte, error) {
	size := max(2*cap(b), leastBuffer)
	if cap(b) >= 1<<20 {
		size = cap(b) + cap(b)/2
	}
	size = min(size, most)
	if size > keptBuffer && c.sub != nil {
		if err := c.server.uploads.take(c.sharer(), int64(size)-c.held); err != nil {
			return b, err
		}
		c.held = int64(size)
	}
	grown := make([]byte, len(b), size)
	copy(grown, b)
	return grown, nil
}

// maybeLarge refuses what only a file may be as large as.
func (c *connection) maybeLarge(begin []byte) error {
	switch {
	case c.sub == nil:
		return fault.New(fault.Invalid, "say hello first, in at most %d bytes", helloBytes)
	case c.typed || !mayBeFile(begin):
		return c.tooLong()
	}
	return nil
}

// discard reads what is left of a message, and finds its id.
func (c *connection) discard(begin []byte, r io.Reader) (id string, err error) {
	var f finder
	f.see(begin)
	c.letGo()
	scrap := make([]byte, scrapBuffer)
	for {
		n, err := r.Read(scrap)
		f.see(scrap[:n])
		c.progress(n)
		if err != nil {
			if errors.Is(err, io.EOF) {
				return f.id, nil
			}
			return "", err
		}
	}
}

// letGo gives back the memory of the large frame read last.
func (c *connection) letGo() {
	if c.held == 0 {
		return
	}
	c.server.uploads.free(c.sharer(), c.held)
	c.held = 0
}

// mayBeFile reports whether a frame of which that is the beginning may hold a
// file: its action says so, or is still to come.
func mayBeFile(begin []byte) bool {
	r := json.NewDecoder(bytes.NewReader(begin))
	if t, err := r.Token(); err != nil || t != json.Delim('{') {
		return false
	}
	for {
		key, err := r.Token()
		if err != nil {
			return cutShort(err)
		}
		var value json.RawMessage
		if err := r.Decode(&value); err != nil {
			return cutShort(err)
		}
		var action payload.Action
		if key == "action" {
			return json.Unmarshal(value, &action) == nil && isFile(action)
		}
	}
}

// cutShort reports whether a text was JSON as far as it went.
func cutShort(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// isFile reports whether an action's message may be as long as a file.
func isFile(a payload.Action) bool { return a == payload.UserFile || a == payload.UserVoice }
