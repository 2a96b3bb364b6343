package dial

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"docent/internal/fault"
)

// maxWait bounds the wait before a retry. If a server asks for a longer wait
// with Retry-After, the request is not retried.
const maxWait = 30 * time.Second

// retrier sends requests, repeats failed ones, and bounds their time and body.
type retrier struct {
	base *http.Transport
	opts Options
}

// CloseIdleConnections closes the idle connections of the transport.
func (r *retrier) CloseIdleConnections() { r.base.CloseIdleConnections() }

// RoundTrip implements http.RoundTripper.
func (r *retrier) RoundTrip(req *http.Request) (*http.Response, error) {
	wait := r.opts.RetryWait
	for attempt := 0; ; attempt++ {
		res, err := r.once(req)
		if attempt >= r.opts.Retries || !again(req, res, err) {
			return res, err
		}
		pause := wait + rand.N(wait/2+1) //nolint:gosec // jitter needs no secret
		if res != nil {
			asked := retryAfter(res.Header.Get("Retry-After"), time.Now())
			if asked > maxWait {
				return res, nil
			}
			pause = max(pause, asked)
			_, _ = io.CopyN(io.Discard, res.Body, 64<<10) // so the connection can be used again
			res.Body.Close()
		}
		timer := time.NewTimer(min(pause, maxWait))
		select {
		case <-req.Context().Done():
			timer.Stop()
			return nil, context.Cause(req.Context())
		case <-timer.C:
		}
		wait *= 2
	}
}

func (r *retrier) once(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(req.Context(), r.opts.Timeout)
	clone := req.Clone(ctx)
	if req.GetBody != nil {
		body, err := req.GetBody()
		if err != nil {
			cancel()
			return nil, err
		}
		clone.Body = body
	}
	clone.Header.Set("User-Agent", r.opts.UserAgent)
	if r.opts.Authorization != "" && sameOrigin(req) {
		clone.Header.Set("Authorization", r.opts.Authorization)
	}
	res, err := r.base.RoundTrip(clone)
	if err != nil {
		cancel()
		return nil, err
	}
	res.Body = &limited{ReadCloser: res.Body, left: r.opts.MaxBody, limit: r.opts.MaxBody, host: req.URL.Host, cancel: cancel}
	return res, nil
}

// sameOrigin reports whether no redirect led the request away from its first
// scheme and host.
func sameOrigin(req *http.Request) bool {
	first := req
	for first.Response != nil && first.Response.Request != nil {
		first = first.Response.Request
	}
	return first.URL.Scheme == req.URL.Scheme && first.URL.Host == req.URL.Host
}

// again reports whether a retry of the request may succeed.
func again(req *http.Request, res *http.Response, err error) bool {
	if req.Context().Err() != nil || req.Body != nil && req.Body != http.NoBody && req.GetBody == nil {
		return false
	}
	if err == nil {
		return TemporaryStatus(res.StatusCode)
	}
	return Temporary(err)
}

// TemporaryStatus reports whether a request that failed with this status may
// succeed later.
func TemporaryStatus(code int) bool {
	switch code {
	case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// Temporary reports whether a connection error may disappear by itself. Refused
// addresses, wrong certificates, and unknown host names are not temporary.
func Temporary(err error) bool {
	var certificate *tls.CertificateVerificationError
	var dns *net.DNSError
	switch {
	case errors.Is(err, context.Canceled), fault.KindOf(err) == fault.Forbidden, errors.As(err, &certificate):
		return false
	case errors.As(err, &dns):
		return dns.IsTemporary || dns.IsTimeout
	}
	return true
}

// retryAfter parses the Retry-After header, which has seconds or a date. It
// returns 0 for other values.
func retryAfter(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	if seconds, err := strconv.Atoi(value); err == nil {
		if seconds > int(time.Hour/time.Second) {
			return time.Hour
		}
		return time.Duration(max(seconds, 0)) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

// StatusError returns an error for a failed response. The message contains the
// status and, if known, the solution.
func StatusError(res *http.Response) error {
	code := res.StatusCode
	text := strconv.Itoa(code) + " " + http.StatusText(code)
	switch {
	case (code == http.StatusForbidden || code == http.StatusTooManyRequests) && exhausted(res.Header):
		return fault.New(fault.RateLimited, "server_quota", "the server allows no more requests for now; sync less often, or use a token")
	case code == http.StatusUnauthorized:
		return fault.New(fault.Unauthorized, "server_unauthorized", "the server answered %s; check the user name, password, or token", text)
	case code == http.StatusForbidden:
		return fault.New(fault.Forbidden, "server_forbidden", "the server answered %s; the account may not read this", text)
	case code == http.StatusNotFound, code == http.StatusGone:
		return fault.New(fault.NotFound, "server_answered", "the server answered %s", text)
	case code == http.StatusTooManyRequests:
		return fault.New(fault.RateLimited, "server_rate_limited", "the server answered %s; sync less often", text)
	case code >= 500:
		return fault.New(fault.Unavailable, "server_unavailable", "the server answered %s; try again later", text)
	}
	return fault.New(fault.Invalid, "server_answered", "the server answered %s", text)
}

// exhausted reports whether a server says that no requests are left for this client, as
// GitHub and GitLab do.
func exhausted(h http.Header) bool {
	return h.Get("X-Ratelimit-Remaining") == "0" || h.Get("Ratelimit-Remaining") == "0"
}

// Explain adds a kind and a message for users to a connection error. If the error
// already has them, Explain does not change it.
func Explain(err error, host string) error {
	var f *fault.Fault
	var certificate *tls.CertificateVerificationError
	var dns *net.DNSError
	switch {
	case err == nil, errors.As(err, &f), errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &certificate):
		return fault.Wrap(fault.Unavailable, err, "certificate_invalid", "the certificate of %s is not valid", host)
	case errors.As(err, &dns):
		return fault.Wrap(fault.Unavailable, err, "host_not_found", "the host %s was not found; check the address", host)
	case errors.Is(err, context.DeadlineExceeded) || timedOut(err):
		return fault.Wrap(fault.Unavailable, err, "host_slow", "%s did not answer in time; try again later", host)
	}
	return fault.Wrap(fault.Unavailable, err, "host_unreachable", "cannot read from %s; try again later", host)
}

func timedOut(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}

// ParseURL parses the address of a source. The address must be absolute and have
// a host, no password, and one of the given schemes.
func ParseURL(text string, allowPrivate bool, schemes ...string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	switch {
	case err != nil:
		return nil, fault.New(fault.Invalid, "url_invalid", "url: %q is not an address", text)
	case u.User != nil:
		return nil, fault.New(fault.Invalid,
			"url_with_password", "url: user name and password do not belong in the address; give them as options")
	case !slices.Contains(schemes, u.Scheme):
		return nil, fault.New(fault.Invalid, "url_scheme", "url: %q must begin with %s://", text, strings.Join(schemes, ":// or "))
	case u.Hostname() == "":
		return nil, fault.New(fault.Invalid, "url_without_host", "url: %q names no host", text)
	}
	if err := CheckHost(u.Hostname(), allowPrivate); err != nil {
		return nil, fault.New(fault.Forbidden, "url_forbidden", "url: %w", err)
	}
	return u, nil
}
