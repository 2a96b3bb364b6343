// Package stall closes HTTP connections without progress, and those that are slower
// than [MinSpeed] for longer than a timeout. Only the time counts in which docent
// waits for the client.
package stall

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"time"

	"docent/internal/fault"
)

// DefaultTimeout is the usual time without any transferred byte after which a
// connection is closed.
const DefaultTimeout = time.Minute

// MinSpeed is the least speed of a client, in bytes per second. A slower client
// would hold a slot that others need.
const MinSpeed = 8 << 10

// pieceBytes is the size of the pieces in which responses are written. A client
// must take a piece within the timeout.
const pieceBytes = 16 << 10

// Writer is an http.ResponseWriter that closes the connection if no data of the
// request's body or the response is transferred in time. The deadlines also
// cover the work of net/http after the handler: it reads the rest of the body
// and flushes buffered output, without deadlines of its own.
type Writer struct {
	http.ResponseWriter
	rc       *http.ResponseController // of ResponseWriter
	timeout  time.Duration
	status   int // the first final status; 0 before
	sending  budget
	unread   bool // the body may have more data
	hijacked bool // the connection belongs to the handler
}

// NewWriter returns a Writer for a handler to use instead of w. It also replaces
// the body of r. The caller must call End when the handler has returned.
func NewWriter(w http.ResponseWriter, r *http.Request, timeout time.Duration) *Writer {
	out := &Writer{ResponseWriter: w, rc: http.NewResponseController(w), timeout: timeout, sending: newBudget(2 * timeout)}
	if r.ContentLength != 0 {
		out.unread = true
		out.expectRead()
		r.Body = &body{r.Body, out}
	}
	return out
}

// expectRead starts the timeout of the next read. Writers without deadlines have
// no timeout.
func (w *Writer) expectRead() { _ = w.rc.SetReadDeadline(time.Now().Add(w.timeout)) }

// expectWrite starts the timeout of the next write. It is longer than that of a
// read, because net/http reads the rest of the body before it responds.
func (w *Writer) expectWrite() { _ = w.rc.SetWriteDeadline(time.Now().Add(2 * w.timeout)) }

// End sets the deadlines for the work that net/http does after the handler.
func (w *Writer) End() {
	if w.hijacked {
		return
	}
	w.expectWrite()
	if w.unread {
		w.expectRead()
	}
}

// Status returns the status of the response; 0 before one is sent.
func (w *Writer) Status() int { return w.status }

// WriteHeader records the status and sends it.
func (w *Writer) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write writes b in pieces. A piece fails at the latest after twice the timeout, and
// earlier if earlier ones were slow.
func (w *Writer) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	total := 0
	for piece := range slices.Chunk(b, pieceBytes) {
		start := time.Now()
		_ = w.rc.SetWriteDeadline(start.Add(w.sending.left))
		n, err := w.ResponseWriter.Write(piece)
		w.sending.spend(time.Since(start), n)
		if total += n; err != nil {
			return total, clientGone(err)
		}
	}
	return total, nil
}

// FlushError implements the flushing of http.ResponseController.
func (w *Writer) FlushError() error {
	w.expectWrite()
	return clientGone(w.rc.Flush())
}

// clientGone marks network errors as canceled by the client, which left or
// stopped reading.
func clientGone(err error) error {
	var network *net.OpError
	if !errors.As(err, &network) {
		return err
	}
	return fault.Wrap(fault.Canceled, err, "client_slow", "the client does not read the answer")
}

// Hijack implements http.Hijacker; net/http removes the deadlines.
func (w *Writer) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := w.rc.Hijack()
	w.hijacked = err == nil
	return conn, rw, err
}

// Unwrap lets http.ResponseController set deadlines.
func (w *Writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// body tells its Writer when it has been read.
type body struct {
	io.ReadCloser
	writer *Writer
}

// Read detects the end of the body, because net/http then removes the read
// deadline. The caller sets the deadlines of single reads.
func (b *body) Read(p []byte) (int, error) {
	b.writer.expectWrite() // the first read may send "100 Continue"
	n, err := b.ReadCloser.Read(p)
	if err != nil { // after a timeout net/http need not wait for the rest again
		b.writer.unread = false
	}
	return n, err
}

// Reader reads the body of a request. It times out if no data arrives, or if the
// data arrives too slowly.
type Reader struct {
	rc        *http.ResponseController
	receiving budget
	body      io.Reader
}

// NewReader returns a Reader for the body of a request that w answers.
func NewReader(w http.ResponseWriter, body io.Reader, timeout time.Duration) *Reader {
	return &Reader{rc: http.NewResponseController(w), receiving: newBudget(timeout), body: body}
}

// Read fails at the latest after the timeout, and earlier if earlier reads were slow.
func (r *Reader) Read(p []byte) (int, error) {
	start := time.Now()
	_ = r.rc.SetReadDeadline(start.Add(r.receiving.left)) // writers without deadlines have no timeout
	n, err := r.body.Read(p)
	r.receiving.spend(time.Since(start), n)
	if err == nil || errors.Is(err, io.EOF) {
		// A deadline that stays would end the context of the handler later. After
		// an error it stays, so that net/http does not wait for the rest.
		_ = r.rc.SetReadDeadline(time.Time{})
	}
	return n, err
}

// budget is the time that a client has left. Waiting spends it, and each byte adds
// to it. So a client at MinSpeed or faster can go on for ever.
type budget struct{ left, most time.Duration }

func newBudget(most time.Duration) budget { return budget{most, most} }

// spend records a wait in which n bytes were transferred.
func (b *budget) spend(waited time.Duration, n int) {
	b.left = min(b.most, b.left-waited+time.Duration(n)*time.Second/MinSpeed)
}
