package ws

import (
	"encoding/json"
	"errors"
	"io"
	"net"

	"docent/agent/chat"
	"docent/agent/session"
	"docent/internal/fault"
	"docent/ws/dialect"
)

const (
	// leastBuffer is the size of a new buffer, in bytes.
	leastBuffer = 512
	// scrapBuffer is the size of a buffer for discarded data, in bytes.
	scrapBuffer = 4 << 10
	// helloBytes bounds messages before the session is open.
	helloBytes = 64 << 10
	// envelope bounds a message without its message field, in bytes.
	envelope = 4 << 10
)

// timedOut reports whether a read ended at its deadline.
func timedOut(err error) bool {
	var network net.Error // the library hides os.ErrDeadlineExceeded
	return errors.As(err, &network) && network.Timeout()
}

// isNetwork reports whether the socket failed, in contrast to a violation of the
// protocol.
func isNetwork(err error) bool {
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, net.ErrClosed)
}

// receive reads a message that has begun, and calls take with it. take must not keep its data.
// After an error the connection has ended. The memory of a large message counts
// until the next message is read.
func (c *Connection) receive(r io.Reader, take func(m dialect.Message)) error {
	c.patience.begin()
	pooled := buffers.Get().(*[]byte)
	defer buffers.Put(pooled)
	data, refusal, err := c.readAll((*pooled)[:0], r)
	if err != nil {
		return err
	}
	m := dialect.Message{Data: data, Refusal: refusal}
	if refusal != nil { // the rest must be read before the next message
		m.Data = nil
		if m.ID, err = c.discard(data, r); err != nil {
			return err
		}
	} else {
		c.meters.framesIn.Inc()
		c.server.meters.bytesIn.Add(len(data))
	}
	c.patience.complete()
	take(m)
	if cap(data) <= longMessage {
		*pooled = data[:0]
	}
	return nil
}

// readAll appends a message to b. If the message is too long or there is no
// memory for it, readAll returns a refusal and the beginning of the message.
func (c *Connection) readAll(b []byte, r io.Reader) (data []byte, refusal, err error) {
	limit, file := dialect.MaxEscape*c.server.cfg.MessageBytes+envelope, false
	if c.Session() == nil {
		limit = helloBytes
	}
	for over := false; ; {
		if len(b) > limit {
			if file {
				return b, fileTooLong(&c.server.cfg), nil
			}
			if refusal = c.maybeFile(b); refusal != nil {
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
		if over = errors.Is(err, io.EOF); err != nil && !over {
			return nil, nil, err
		}
		if !over {
			c.patience.progress(n)
		}
	}
}

// grow enlarges b up to most bytes if the client may use as much memory. Long
// messages grow by less than half, because the whole buffer counts.
func (c *Connection) grow(b []byte, most int) ([]byte, error) {
	size := max(2*cap(b), leastBuffer)
	if cap(b) >= 1<<20 {
		size = cap(b) + cap(b)/2
	}
	size = min(size, most)
	if size > longMessage && c.Session() != nil {
		if err := c.upload.grow(int64(size) - c.upload.bytes); err != nil {
			return b, err
		}
	}
	grown := make([]byte, len(b), size)
	copy(grown, b)
	return grown, nil
}

// maybeFile refuses a long message that cannot be a file.
func (c *Connection) maybeFile(begin []byte) error {
	switch {
	case c.Session() == nil:
		return fault.New(fault.Invalid, "hello_too_large", "send hello first, with at most %d bytes", helloBytes)
	case !c.handler.MayBeFile(begin):
		return tooLong(&c.server.cfg)
	}
	return nil
}

// discard reads the rest of a message and returns its id.
func (c *Connection) discard(begin []byte, r io.Reader) (id string, err error) {
	var f dialect.Finder
	f.See(begin)
	c.upload.free()
	scrap := make([]byte, scrapBuffer)
	for {
		n, err := r.Read(scrap)
		f.See(scrap[:n])
		c.patience.progress(n)
		if err != nil {
			if errors.Is(err, io.EOF) {
				return f.ID(), nil
			}
			return "", err
		}
	}
}

// CheckSize returns an error if the message field of a frame is too long. The
// session itself limits the length of texts.
func (c *Connection) CheckSize(message json.RawMessage, text bool) error {
	if text && len(message) > 0 && message[0] == '"' || len(message) <= c.server.cfg.MessageBytes {
		return nil
	}
	return tooLong(&c.server.cfg)
}

func tooLong(cfg *Config) error {
	return fault.Wrap(fault.Invalid, session.ErrTooLong,
		"frame_too_large", "a message may have at most %d bytes, and %d of text", cfg.MessageBytes, chat.MaxTextBytes)
}

func fileTooLong(cfg *Config) error {
	return fault.Wrap(fault.Invalid, session.ErrTooLong, "file_too_large", "a file may have at most %d bytes in base64", cfg.FileBytes)
}
