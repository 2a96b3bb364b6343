package main

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
)

// newProxy returns a reverse proxy that sends requests to the servers in turn.
// WebSocket connections stay at their server.
func newProxy(addresses []string, log *log) http.Handler {
	return &httputil.ReverseProxy{
		Transport: &inTurn{addresses: addresses, next: &http.Transport{DisableKeepAlives: true}},
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: addresses[0]}) // inTurn chooses the server
			r.SetXForwarded()
			r.Out.Host = r.In.Host
		},
		FlushInterval: -1, // answers are streams
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if r.Context().Err() == nil {
				log.printf("no server for %s %s: %v", r.Method, r.URL.Path, err)
			}
			w.WriteHeader(http.StatusBadGateway)
		},
	}
}

// inTurn sends each request to the next server. If it cannot connect, it tries the
// others. A request that reached a server is not repeated.
type inTurn struct {
	addresses []string
	next      http.RoundTripper
	count     atomic.Uint64
}

func (t *inTurn) RoundTrip(r *http.Request) (*http.Response, error) {
	first := t.count.Add(1)
	var err error
	for n := range t.addresses {
		attempt := r.Clone(r.Context())
		attempt.URL.Host = t.addresses[(first+uint64(n))%uint64(len(t.addresses))]
		if r.Body != nil {
			attempt.Body = io.NopCloser(r.Body) // a failed attempt must not close it
		}
		var res *http.Response
		if res, err = t.next.RoundTrip(attempt); err == nil {
			return res, nil
		}
		var dial *net.OpError
		if !errors.As(err, &dial) || dial.Op != "dial" {
			return nil, err
		}
	}
	return nil, err
}
