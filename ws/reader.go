package ws

import (
	"bytes"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"docent/agent"
	"docent/internal/fault"
	"docent/payload"
)

// readFailed ends a connection that cannot be read any more.
func (c *connection) readFailed(err error) {
	switch {
	case timedOut(err):
		c.close(CloseSilent)
	case errors.Is(err, websocket.ErrReadLimit): // the library has sent CloseTooBig
		c.out.mu.Lock()
		c.out.closing = true
		c.out.mu.Unlock()
	default:
		c.over = true
	}
	c.server.cfg.Logger.Debug("connection ended", "session", c.session(), "error", err)
}

// timedOut reports whether a read ended at its deadline.
func timedOut(err error) bool {
	var network net.Error // the library hides os.ErrDeadlineExceeded
	return errors.As(err, &network) && network.Timeout()
}

func (c *connection) tooLong() error {
	return fault.Wrap(fault.Invalid, agent.ErrTooLong, "a message may have at most %d bytes, and %d of text", c.server.cfg.MessageBytes, agent.MaxTextBytes)
}

// buffers are for reading frames; large ones are not kept.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// keptBuffer is the largest buffer that is kept for the next frame, in bytes.
const keptBuffer = 64 << 10

// maxEscape is how much longer a text may be in JSON: \u0041 for a letter.
const maxEscape = 6

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

func (c *connection) readOne() (frame payload.Frame, refusal, err error) {
	_, r, err := c.socket.NextReader()
	if err != nil {
		return frame, nil, err
	}
	b := buffers.Get().(*bytes.Buffer)
	defer func() {
		if b.Cap() <= keptBuffer {
			b.Reset()
			buffers.Put(b)
		}
	}()
	limit := int64(maxEscape*c.server.cfg.MessageBytes + envelope)
	n, err := io.Copy(b, io.LimitReader(heard{c, r}, limit+1))
	if err != nil {
		return frame, nil, err
	}
	if n > limit { // read to its end, so that the next frame can be
		_, err := io.Copy(io.Discard, heard{c, r})
		return frame, c.tooLong(), err
	}
	if c.v1 {
		frame, refusal = payload.DecodeV1(b.Bytes())
	} else {
		frame, refusal = payload.DecodeBAF(b.Bytes())
	}
	return frame, refusal, nil
}

// heard is a frame that arrives: what comes of it is a sign of life, however
// slowly it does.
type heard struct {
	c *connection
	r io.Reader
}

func (h heard) Read(p []byte) (int, error) {
	n, err := h.r.Read(p)
	if h.c.sub != nil && err == nil && time.Since(h.c.heardAt) > h.c.server.cfg.Silence/4 {
		err = h.c.alive()
	}
	return n, err
}
