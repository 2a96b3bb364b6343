package api

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

// steady is a response and the request's body on a connection that ends if
// nothing moves, also while net/http reads what is left of the body or writes
// what it has kept back, which it does without a deadline of its own.
type steady struct {
	http.ResponseWriter
	rc    *http.ResponseController // of ResponseWriter
	stall time.Duration
	// status is the first that was sent; 0 if there is none.
	status int
	// unread is whether there may be more of the body to come.
	unread bool
	// hijacked connections are somebody else's.
	hijacked bool
}

// newSteady returns what a handler gets instead of w, and changes the body of r.
func newSteady(w http.ResponseWriter, r *http.Request, stall time.Duration) *steady {
	s := &steady{ResponseWriter: w, rc: http.NewResponseController(w), stall: stall}
	if r.ContentLength != 0 {
		s.unread = true
		s.mustRead()
		r.Body = &steadyBody{r.Body, s}
	}
	return s
}

// mustRead and mustWrite begin the time within which something has to move.
// Without deadlines there is just no timeout. Before an answer net/http reads
// what is left of the body, so the time to write has to outlast that to read.
func (s *steady) mustRead()  { _ = s.rc.SetReadDeadline(time.Now().Add(s.stall)) }
func (s *steady) mustWrite() { _ = s.rc.SetWriteDeadline(time.Now().Add(2 * s.stall)) }

// end is called when the handler has returned.
func (s *steady) end() {
	if s.hijacked {
		return
	}
	s.mustWrite()
	if s.unread {
		s.mustRead()
	}
}

// WriteHeader keeps the status.
func (s *steady) WriteHeader(status int) {
	if s.status == 0 && status >= http.StatusOK {
		s.status = status
	}
	s.ResponseWriter.WriteHeader(status)
}

// Write allows each piece the whole timeout: what moves, however slowly, is no
// standstill.
func (s *steady) Write(b []byte) (int, error) {
	if s.status == 0 {
		s.status = http.StatusOK
	}
	total := 0
	for piece := range slices.Chunk(b, pieceBytes) {
		s.mustWrite()
		n, err := s.ResponseWriter.Write(piece)
		if total += n; err != nil {
			return total, gone(err)
		}
	}
	return total, nil
}

// FlushError is how http.ResponseController flushes.
func (s *steady) FlushError() error {
	s.mustWrite()
	return gone(s.rc.Flush())
}

// gone says of an error of the connection that it is the client's affair, who
// left or stands still.
func gone(err error) error {
	var network *net.OpError
	if !errors.As(err, &network) {
		return err
	}
	return fault.Wrap(fault.Canceled, err, "client_slow", "the client does not read the answer")
}

// Hijack implements http.Hijacker; net/http lifts the deadlines.
func (s *steady) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := s.rc.Hijack()
	s.hijacked = err == nil
	return conn, rw, err
}

// Unwrap lets http.ResponseController set deadlines.
func (s *steady) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// steadyBody tells when a body has been read.
type steadyBody struct {
	io.ReadCloser
	of *steady
}

// Read notes the end, at which net/http lifts the deadline. How long one read
// may take is the reader's affair.
func (b *steadyBody) Read(p []byte) (int, error) {
	b.of.mustWrite() // the first may send "100 Continue"
	n, err := b.ReadCloser.Read(p)
	if err != nil { // after a timeout net/http need not wait for the rest once more
		b.of.unread = false
	}
	return n, err
}

// patient is a request body on which only a standstill is a timeout: a large
// one may take as long as it moves.
type patient struct {
	rc    *http.ResponseController
	stall time.Duration
	read  func(p []byte) (int, error)
}

// Read allows each read the whole timeout.
func (p *patient) Read(b []byte) (int, error) {
	_ = p.rc.SetReadDeadline(time.Now().Add(p.stall)) // without deadlines there is just no timeout
	n, err := p.read(b)
	if err == nil || errors.Is(err, io.EOF) {
		// A deadline left behind would end the handler's context later on.
		// After an error it stays, so that net/http does not wait for the rest.
		_ = p.rc.SetReadDeadline(time.Time{})
	}
	return n, err
}
