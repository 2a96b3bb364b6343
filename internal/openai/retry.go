package openai

import (
	"context"
	"crypto/tls"
	"errors"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"time"
)

const (
	// maxBackoff limits the wait between retries.
	maxBackoff = 20 * time.Second
	// maxRetryAfter is the longest wait that a server may ask for. If it asks for
	// more, the call fails.
	maxRetryAfter = time.Minute
)

// Unreachable reports whether a request failed because the address is wrong, so
// that a retry cannot help.
func Unreachable(err error) bool {
	var cert *tls.CertificateVerificationError
	var dns *net.DNSError
	return errors.As(err, &cert) || errors.As(err, &dns) && dns.IsNotFound
}

// Transient reports whether a request with this status may succeed later.
func Transient(status int) bool {
	switch status {
	case http.StatusNotImplemented:
		return false
	case http.StatusTooManyRequests, http.StatusRequestTimeout, http.StatusTooEarly:
		return true
	default:
		return status/100 == 5
	}
}

// Pause returns the wait before retry n, counted from 0. backoff is the wait
// before the first retry and doubles with each. after is the wait that the
// server asked for, or 0. Pause reports false if the server asks for too long a
// wait.
func Pause(backoff, after time.Duration, n int) (time.Duration, bool) {
	if after > 0 {
		return after, after <= maxRetryAfter
	}
	d := backoff
	for range n {
		d = min(d*2, maxBackoff)
	}
	return d/2 + rand.N(d/2+1), true // random, so that many callers do not retry at the same time
}

// Wait waits, or returns the context's error if the context ends first.
func Wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// RetryAfter returns the wait that a response asks for, as seconds or as a
// date; 0 if it asks for none.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 && ms < 1e9 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	v := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(v, 64); err == nil {
		if s > 0 && s < 1e6 {
			return time.Duration(s * float64(time.Second))
		}
		return 0
	}
	if t, err := http.ParseTime(v); err == nil {
		return max(t.Sub(now), 0)
	}
	return 0
}
