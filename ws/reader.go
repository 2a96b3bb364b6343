package ws

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"

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
	return fault.Wrap(fault.Invalid, agent.ErrTooLong, "a message may have at most %d bytes, and %d of text", c.server.cfg.MessageBytes, agent.MaxTextBytes)
}

func (c *connection) fileTooLong() error {
	return fault.Wrap(fault.Invalid, agent.ErrTooLong, "a file may have at most %d bytes in base64", c.server.cfg.FileBytes)
}

// buffers are for reading frames; large ones are not kept.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// keptBuffer is the largest buffer that is kept for the next frame, in bytes.
const keptBuffer = 64 << 10

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
	refusal, err = c.readWith(func(data []byte) (refusal error) {
		if c.v1 {
			frame, refusal = payload.DecodeV1(data)
		} else {
			frame, refusal = payload.DecodeBAF(data)
		}
		return refusal
	})
	return frame, refusal, err
}

// readWith reads a frame and decodes it. The memory of a large one is counted
// in c.held until the next is read.
func (c *connection) readWith(decode func(data []byte) (refusal error)) (refusal, err error) {
	c.letGo()
	_, r, err := c.socket.NextReader()
	if err != nil {
		return nil, err
	}
	b := buffers.Get().(*bytes.Buffer)
	defer func() {
		if b.Cap() <= keptBuffer {
			b.Reset()
			buffers.Put(b)
		}
	}()
	limit := int64(maxEscape*c.server.cfg.MessageBytes + envelope)
	if c.sub == nil { // it is not known who that is
		limit = helloBytes
	}
	n, err := b.ReadFrom(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}
	if n > limit {
		if refusal, err = c.readLarge(b, r); refusal != nil || err != nil {
			return refusal, err
		}
	}
	c.server.meters.framesIn[c.dialect()].Inc()
	c.server.meters.bytesIn.Add(b.Len())
	return decode(b.Bytes()), nil
}

// chunk is how much of a large frame is read and counted at once, in bytes.
const chunk = 1 << 20

// readLarge reads the rest of a frame that only a file may be so large as. One
// that is refused is read to its end, so that the next frame can be.
func (c *connection) readLarge(b *bytes.Buffer, r io.Reader) (refusal, err error) {
	limit := int64(c.server.cfg.FileBytes + envelope)
	switch {
	case c.sub == nil:
		refusal = fault.New(fault.Invalid, "say hello first, in at most %d bytes", helloBytes)
	case c.typed || !mayBeFile(b.Bytes()):
		refusal = c.tooLong()
	}
	for refusal == nil {
		switch {
		case int64(b.Len()) > limit:
			refusal = c.fileTooLong()
			continue
		case c.server.uploads.Add(chunk) > c.server.cfg.UploadBytes:
			refusal = fault.New(fault.Busy, "too many files are being received; try again in a moment")
		}
		c.held += chunk
		if refusal != nil {
			break
		}
		switch _, err := io.CopyN(b, r, chunk); {
		case errors.Is(err, io.EOF):
			if int64(b.Len()) > limit {
				return c.fileTooLong(), nil
			}
			return nil, nil
		case err != nil:
			return nil, err
		}
	}
	c.letGo()
	_, err = io.Copy(io.Discard, r)
	return refusal, err
}

// letGo gives back the memory of the large frame read last.
func (c *connection) letGo() {
	c.server.uploads.Add(-c.held)
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
