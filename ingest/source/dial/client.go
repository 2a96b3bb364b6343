package dial

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/idna"

	"docent/internal/fault"
)

// UserAgent is the default User-Agent header.
const UserAgent = "docent/1 (knowledge assistant; reads documents for its index)"

// Options configure an HTTP client. The zero value is usable.
type Options struct {
	// AllowPrivate lets the client connect to addresses that are not public.
	// Default: false.
	AllowPrivate bool
	// Dial connects to servers. Default: Dialer with AllowPrivate.
	Dial Func
	// UserAgent is the User-Agent header of every request. Default: the constant
	// UserAgent.
	UserAgent string
	// Authorization is sent in the Authorization header, and only to the host of
	// the original request. It is a secret. Default: none.
	Authorization string
	// Timeout bounds one attempt of a request with its body. Default: one minute.
	Timeout time.Duration
	// Retries is the number of retries after a network error or one of the statuses
	// 429, 500, 502, 503, and 504. A negative number means no retries. Default: 0,
	// which means 4.
	Retries int
	// RetryWait is the wait before the first retry. It doubles with each retry.
	// Default: 300 ms.
	RetryWait time.Duration
	// Redirects is the maximum number of redirects to follow for a request. The
	// client never follows a redirect from https to http. Default: 0.
	Redirects int
	// Connections bounds the connections to one host. Default: 4.
	Connections int
	// MaxBody bounds the bytes of a response's body after decompression. Default:
	// no limit.
	MaxBody int64
}

func (o Options) withDefaults() Options {
	if o.UserAgent == "" {
		o.UserAgent = UserAgent
	}
	if o.Timeout <= 0 {
		o.Timeout = time.Minute
	}
	if o.Retries == 0 {
		o.Retries = 4
	}
	if o.RetryWait <= 0 {
		o.RetryWait = 300 * time.Millisecond
	}
	if o.Connections <= 0 {
		o.Connections = 4
	}
	return o
}

// Client returns an HTTP client that connects with Dialer. It ignores the proxy
// settings of the environment and keeps no cookies. It retries requests whose
// body can be read again.
func Client(o Options) *http.Client {
	o = o.withDefaults()
	base := &http.Transport{
		DialContext:            o.Dial.Or(o.AllowPrivate),
		ForceAttemptHTTP2:      true,
		MaxConnsPerHost:        o.Connections,
		MaxIdleConnsPerHost:    o.Connections,
		MaxIdleConns:           4 * o.Connections,
		IdleConnTimeout:        30 * time.Second,
		TLSHandshakeTimeout:    connectTimeout,
		ResponseHeaderTimeout:  min(o.Timeout, time.Minute),
		MaxResponseHeaderBytes: 256 << 10,
	}
	return &http.Client{
		Transport: &retrier{base: base, opts: o},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if o.Redirects <= 0 {
				return http.ErrUseLastResponse
			}
			if len(via) > o.Redirects {
				return fault.New(fault.Unavailable, "too_many_redirects", "more than %d redirects", o.Redirects)
			}
			if via[len(via)-1].URL.Scheme == "https" && req.URL.Scheme != "https" {
				return fault.New(fault.Forbidden, "redirect_to_http", "the server redirects from https to http")
			}
			return nil
		},
	}
}

// SameHost reports whether a connection to host is one to the host of u. HTTP clients
// connect to the ASCII form of a name.
func SameHost(host string, u *url.URL) bool {
	name := u.Hostname()
	if ascii, err := idna.Lookup.ToASCII(name); err == nil && strings.EqualFold(host, ascii) {
		return true
	}
	return strings.EqualFold(host, name)
}

// limited is a response body with a size limit. Closing it cancels the context
// of its request.
type limited struct {
	io.ReadCloser
	left   int64 // negative without a limit
	limit  int64
	host   string
	cancel context.CancelFunc
}

func (l *limited) Read(p []byte) (int, error) {
	if l.limit <= 0 {
		return l.read(p)
	}
	if l.left <= 0 {
		// One more byte distinguishes a body at its limit from a larger one.
		var one [1]byte
		if n, err := l.read(one[:]); n == 0 {
			return 0, err
		}
		return 0, TooLarge(l.limit)
	}
	n, err := l.read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	return n, err
}

// read reads the body. It adds a message for users to an error.
func (l *limited) read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	if err != nil && err != io.EOF { //nolint:errorlint // a wrapped io.EOF is a broken connection
		err = Explain(err, l.host)
	}
	return n, err
}

func (l *limited) Close() error {
	err := l.ReadCloser.Close()
	l.cancel()
	return err
}

// TooLarge returns the error for a document that exceeds a limit in bytes.
func TooLarge(limit int64) error {
	return fault.New(fault.Invalid, "larger_than", "too large: it has more than %s", size(limit))
}

func size(n int64) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%d MB", n>>20)
	case n >= 1<<10:
		return fmt.Sprintf("%d KB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
