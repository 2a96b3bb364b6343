// Package download limits the time that a download may stand still. A large file may
// take any time, as long as bytes of it arrive.
package download

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// DefaultIdle is the time after which a download without new bytes fails.
const DefaultIdle = time.Minute

// NewTransport returns a transport for downloads. A request fails if nothing arrives
// for the time idle: neither a connection, nor a response, nor the next bytes of its
// body.
func NewTransport(idle time.Duration) http.RoundTripper {
	return transport{http.DefaultTransport.(*http.Transport).Clone(), idle}
}

// transport cancels requests without new bytes.
type transport struct {
	http.RoundTripper
	idle time.Duration
}

// CloseIdleConnections is called by http.Client.
func (t transport) CloseIdleConnections() {
	if c, ok := t.RoundTripper.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	timer := time.AfterFunc(t.idle, func() { cancel(fmt.Errorf("no data arrived for %v", t.idle)) })
	b := &body{idle: t.idle, timer: timer, ctx: ctx, cancel: cancel}
	resp, err := t.RoundTripper.RoundTrip(req.WithContext(ctx))
	if err != nil {
		err = b.cause(err)
		b.stop()
		return nil, err
	}
	timer.Reset(t.idle)
	b.ReadCloser = resp.Body
	resp.Body = b
	return resp, nil
}

// body is the body of a response.
type body struct {
	io.ReadCloser
	idle   time.Duration
	timer  *time.Timer
	ctx    context.Context //nolint:containedctx // it belongs to one response
	cancel context.CancelCauseFunc
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.timer.Reset(b.idle)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = b.cause(err)
	}
	return n, err
}

// Close implements io.Closer.
func (b *body) Close() error {
	err := b.ReadCloser.Close()
	b.stop()
	return err
}

func (b *body) stop() {
	b.timer.Stop()
	b.cancel(nil)
}

// cause returns the reason for an error: the timer, if it has ended the request.
func (b *body) cause(err error) error {
	if b.ctx.Err() != nil {
		return context.Cause(b.ctx) //nolint:wrapcheck // it says all
	}
	return err
}
