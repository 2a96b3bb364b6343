package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"docent/internal/trace"
)

const (
	// maxRedirects limits the redirects of one request.
	maxRedirects = 5
	// streamWait is the time that a server has to open its optional stream of notifications.
	streamWait = 5 * time.Second
)

// endpoint is a server with an HTTP address.
type endpoint struct {
	life      context.Context
	transport *sdk.StreamableClientTransport
	base      *http.Transport
	conn      sdk.Connection
}

// newEndpoint makes an endpoint whose requests all end with life.
func newEndpoint(life context.Context, cfg Config) *endpoint {
	base := http.DefaultTransport.(*http.Transport).Clone()
	calls := requests{life, trace.Transport(base), cfg.Headers, min(streamWait, cfg.Timeout/4)}
	client := &http.Client{Transport: calls, CheckRedirect: sameHost}
	return &endpoint{life: life, base: base, transport: &sdk.StreamableClientTransport{
		Endpoint: cfg.URL, HTTPClient: client, MaxEventSize: maxMessage,
	}}
}

// Connect implements sdk.Transport.
func (e *endpoint) Connect(ctx context.Context) (sdk.Connection, error) {
	conn, err := e.transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	e.conn = conn
	context.AfterFunc(e.life, func() { _ = conn.Close() }) // otherwise it would keep trying
	return conn, nil
}

// stop ends the session and its connections.
func (e *endpoint) stop() {
	if e.conn != nil {
		_ = e.conn.Close() // it has ended in any case
	}
	e.base.CloseIdleConnections()
}

// sameHost refuses redirects that would send arguments and headers to another host.
func sameHost(req *http.Request, via []*http.Request) error {
	if first := via[0].URL; req.URL.Scheme != first.Scheme || req.URL.Host != first.Host {
		return fmt.Errorf("redirected to another host, %s", req.URL.Host)
	}
	if len(via) > maxRedirects {
		return errors.New("redirected too often")
	}
	return nil
}

// requests sends requests with the configured headers. It ends them with life and limits the size of responses.
type requests struct {
	life    context.Context
	base    http.RoundTripper
	headers map[string]string
	// stream is the time that the server has to open the stream of notifications.
	stream time.Duration
}

// RoundTrip implements http.RoundTripper.
func (r requests) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	stop := context.AfterFunc(r.life, func() { cancel(context.Canceled) })
	end := func() { stop(); cancel(nil) }
	out := req.Clone(ctx)
	for k, v := range r.headers {
		out.Header.Set(k, v)
	}
	if req.Method == http.MethodGet {
		late := time.AfterFunc(r.stream, func() { cancel(errTimeout) })
		defer late.Stop()
	}
	resp, err := r.base.RoundTrip(out)
	if err != nil {
		end()
		if errors.Is(context.Cause(ctx), errTimeout) { // the SDK waits for the stream first
			return noStream(req), nil
		}
		return nil, err
	}
	b := &body{ReadCloser: resp.Body, end: end, left: maxMessage, bounded: true}
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind == "text/event-stream" && resp.StatusCode == http.StatusOK {
		b.bounded = false // the SDK bounds each event; there may be any number
	}
	resp.Body = b
	return resp, nil
}

// noStream is the response of a server without a stream of notifications.
func noStream(req *http.Request) *http.Response {
	return &http.Response{
		StatusCode: http.StatusMethodNotAllowed, Status: "405 " + http.StatusText(http.StatusMethodNotAllowed),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, Body: http.NoBody, Request: req,
	}
}

// body is the body of a response.
type body struct {
	io.ReadCloser
	end     func()
	left    int
	bounded bool
}

var errTooLarge = fmt.Errorf("the response is larger than %d bytes", maxMessage)

// Read fails after the limit.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.bounded {
		if b.left -= n; b.left < 0 {
			return 0, errTooLarge
		}
	}
	return n, err
}

// Close ends the request.
func (b *body) Close() error {
	err := b.ReadCloser.Close()
	b.end()
	return err
}
