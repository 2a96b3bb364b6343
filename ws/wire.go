package ws

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/gorilla/websocket"
)

// wire is a connection's socket. The WebSocket library reads from it; what it
// writes itself, once the connection is set up, are close frames, which go
// through the outbox like all else.
//
// It keeps an idle connection small: while nothing comes, there is no buffer,
// and the goroutine that waits is a fresh one with the smallest stack there is.
type wire struct {
	net.Conn
	// raw reads and writes without waiting; nil if the socket cannot.
	raw syscall.RawConn
	// c is set once the connection is set up.
	c *connection
	// small is the library's own buffer.
	small *bufio.Reader

	// The reader alone uses what follows.
	buf    *[readBuffer]byte // nil while nothing comes
	unread []byte            // read from the socket and not handed on yet
	head   [headBytes]byte   // where the first bytes after a rest go
	got    int               // bytes in head
	failed error             // of reading them
	wakeAt time.Time         // the read deadline, while frames come
	fd     int32             // of the socket, once the dozer has seen it
	polled bool              // it has
}

const (
	// readBuffer is how much is read at once from a client that is not idle, in
	// bytes.
	readBuffer = 4 << 10
	// headBytes hold a ping or pong, which is all that most idle clients send.
	headBytes = 16
	// libraryBuffer is the least that the library takes from us, in bytes.
	libraryBuffer = 257
	// restAfter is how long a client sends nothing before it counts as idle.
	restAfter = 2 * time.Second
)

// readBuffers are for clients that are not idle.
var readBuffers = sync.Pool{New: func() any { return new([readBuffer]byte) }}

// hijacker hands the library a wire instead of the bare socket.
type hijacker struct {
	http.ResponseWriter
	wire *wire // set by Hijack
}

// Hijack implements http.Hijacker.
func (h *hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil || rw.Reader.Buffered() > 0 { // which the library refuses
		return conn, rw, err
	}
	h.wire = &wire{Conn: conn}
	if s, ok := conn.(syscall.Conn); ok && canTry {
		h.wire.raw, _ = s.SyscallConn() // without it, all waits
	}
	h.wire.small = bufio.NewReaderSize(h.wire, libraryBuffer)
	return h.wire, bufio.NewReadWriter(h.wire.small, rw.Writer), nil
}

// Write takes the close frames of the library.
func (w *wire) Write(p []byte) (int, error) {
	if w.c == nil {
		return w.Conn.Write(p)
	}
	label := ""
	if len(p) >= middleHeader { // a code is two bytes after a header of two
		label = strconv.Itoa(int(binary.BigEndian.Uint16(p[shortHeader:])))
	}
	w.c.farewell(p, label)
	return len(p), nil
}

// SetWriteDeadline is the library's; see Write.
func (w *wire) SetWriteDeadline(t time.Time) error {
	if w.c == nil {
		return w.Conn.SetWriteDeadline(t)
	}
	return nil
}

// Read hands on what has been read, or waits for more of a frame as long as the
// client may be silent.
func (w *wire) Read(p []byte) (int, error) {
	for len(w.unread) == 0 {
		into := p
		if w.buf != nil && len(p) < len(w.buf) {
			into = w.buf[:]
		}
		n, err := w.Conn.Read(into)
		switch {
		case n > 0:
			w.c.heard()
			if w.c.stalled() {
				return 0, errStalled
			}
			if &into[0] == &p[0] {
				return n, nil
			}
			w.unread = into[:n]
		case !timedOut(err) || !w.c.prolong():
			return n, err
		}
	}
	n := copy(p, w.unread)
	w.unread = w.unread[n:]
	return n, nil
}

// errIdle tells the reader that nothing came for a while.
var errIdle = errors.New("idle")

// await waits for the beginning of a frame. With errIdle the caller ought to
// wait by rest.
func (w *wire) await() error {
	if !w.stripAhead() {
		return nil
	}
	if w.failed != nil { // while at rest
		return w.failed
	}
	if w.buf == nil {
		w.buf = readBuffers.Get().(*[readBuffer]byte)
	}
	for {
		w.c.wakeLater()
		n, err := w.Conn.Read(w.buf[:])
		if n > 0 {
			w.unread = w.buf[:n]
			w.c.heard()
			if !w.strip() {
				return nil
			}
			continue
		}
		if !timedOut(err) || !w.c.prolong() {
			return err
		}
		if w.raw != nil && time.Since(w.c.heardAt) >= restAfter/2 {
			w.letGo()
			return errIdle
		}
	}
}

// letGo gives back the buffer.
func (w *wire) letGo() {
	if w.buf != nil && len(w.unread) == 0 {
		readBuffers.Put(w.buf)
		w.buf, w.unread, w.wakeAt = nil, nil, time.Time{}
	}
}

// glance waits for a few bytes. Little is called here, so that the stack stays
// small.
func (w *wire) glance() error {
	w.got, w.failed = 0, nil
	err := w.raw.Read(w.peek)
	if err == nil {
		err = w.failed
	}
	w.unread = w.head[:w.got]
	return err
}

// peek reads into head; false if nothing is there.
func (w *wire) peek(fd uintptr) bool {
	n, err := tryRead(fd, w.head[:])
	switch {
	case errors.Is(err, errAgain):
		return false
	case err != nil:
		w.failed = err
	case n == 0:
		w.failed = io.EOF
	default:
		w.got = n
	}
	return true
}

// strip takes the pings and pongs at the beginning of what was read between two
// messages, as the library would wait for the next message where it reads one. It
// reports whether that is all. What is not quite right is left to the library.
func (w *wire) strip() bool {
	for len(w.unread) > 1 {
		kind, size := w.unread[0], int(w.unread[1])-maskBit
		begin := shortHeader + maskKey
		if kind != finalBit|websocket.PongMessage && kind != finalBit|websocket.PingMessage ||
			size < 0 || begin+size > min(maxControl, len(w.unread)) {
			return false
		}
		if kind == finalBit|websocket.PingMessage {
			data, key := w.unread[begin:begin+size], w.unread[shortHeader:begin]
			for i := range data {
				data[i] ^= key[i%maskKey]
			}
			_ = w.c.pong(string(data)) // never fails
		}
		w.unread = w.unread[begin+size:]
	}
	return len(w.unread) == 0
}

// stripAhead takes the pings and pongs that were read along with the message
// before them, some by the library; or else it would take them, and wait for the
// next message in our place. It reports whether nothing else was read.
func (w *wire) stripAhead() bool {
	if n := w.small.Buffered(); n > 0 {
		ahead, _ := w.small.Peek(n) // as many as there are
		if kind := ahead[0]; kind != finalBit|websocket.PongMessage && kind != finalBit|websocket.PingMessage {
			return false
		}
		w.unread = append(slices.Clone(ahead), w.unread...)
		_, _ = w.small.Discard(n)
	}
	return w.strip()
}

// ahead is what was read, by the library or for it, and not handed on: the end of
// it, if it is much.
func (w *wire) ahead() []byte {
	own, _ := w.small.Peek(w.small.Buffered()) // as many as there are
	all := slices.Concat(own, w.unread)
	return all[max(0, len(all)-maxControl):]
}

// try writes what the socket takes at once.
func (w *wire) try(data []byte) (int, error) {
	if w.raw == nil {
		return 0, nil
	}
	a := attempts.Get().(*attempt)
	a.data, a.n, a.err = data, 0, nil
	err := w.raw.Write(a.run)
	n := a.n
	if err == nil {
		err = a.err
	}
	a.data = nil
	attempts.Put(a)
	return n, err
}

// attempt is one call of wire.try.
type attempt struct {
	data []byte
	n    int
	err  error
	run  func(fd uintptr) bool // made once
}

var attempts = sync.Pool{New: func() any {
	a := new(attempt)
	a.run = func(fd uintptr) bool {
		a.n, a.err = tryWrite(fd, a.data)
		if errors.Is(a.err, errAgain) {
			a.err = nil
		}
		return true // whatever happened, nobody waits
	}
	return a
}}

// put writes all of data within a time.
func (w *wire) put(data []byte, within time.Duration) error {
	n, err := w.try(data)
	if err != nil || n == len(data) {
		return err
	}
	if err := w.Conn.SetWriteDeadline(time.Now().Add(within)); err != nil {
		return err
	}
	if _, err := w.Conn.Write(data[n:]); err != nil {
		return err
	}
	return w.Conn.SetWriteDeadline(time.Time{}) // try fails after it
}
