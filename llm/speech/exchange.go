package speech

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"docent/internal/fault"
	"docent/llm"
)

// Limits of what is read from a server.
const (
	// maxTranscript bounds the answer to a recording in bytes.
	maxTranscript = 1 << 20
	// maxSound bounds spoken text in bytes: ten minutes at 24,000 samples a
	// second.
	maxSound = 32 << 20
	// maxRefusal bounds what is read of an error response in bytes.
	maxRefusal = 64 << 10
	// maxMessage bounds what is kept of a server's own words in bytes.
	maxMessage = 500
)

// errTooLong: the server sends more than docent takes.
var errTooLong = errors.New("the answer is too long")

// exchange stands between go-openai's client and the network: it bounds what is
// read and keeps the server's address and key out of errors.
type exchange struct {
	client *http.Client
	key    string // blotted out of errors
}

// Do sends the request. A status other than 2xx is an *llm.StatusError.
func (x *exchange) Do(req *http.Request) (*http.Response, error) {
	resp, err := x.client.Do(req)
	if err != nil {
		var network *url.Error
		if errors.As(err, &network) { // it repeats the address
			err = network.Err
		}
		return nil, err
	}
	if resp.StatusCode/100 != 2 {
		defer func() { _ = resp.Body.Close() }()
		body, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal)) // half a message is better than none
		return nil, &llm.StatusError{Status: resp.StatusCode, Message: blot(string(body), x.key)}
	}
	limit := int64(maxTranscript)
	if strings.HasSuffix(req.URL.Path, "/speech") {
		limit = maxSound
	}
	resp.Body = &bounded{ReadCloser: resp.Body, left: limit}
	return resp, nil
}

// bounded is a body that fails beyond its limit.
type bounded struct {
	io.ReadCloser
	left int64
}

// Read fails with errTooLong once more than the limit has come.
func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left+1)])
	if b.left -= int64(n); b.left < 0 {
		return 0, errTooLong
	}
	return n, err
}

// blot makes a server's words fit for a log: one bounded line without the key.
func blot(s, key string) string {
	if key != "" {
		s = strings.ReplaceAll(s, key, "[key]")
	}
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > maxMessage {
		s = strings.ToValidUTF8(s[:maxMessage], "") + "…"
	}
	return s
}

// explain says what an error means. ctx is the caller's, call that of the
// request; what is the thing sent.
func (c *Client) explain(ctx, call context.Context, err error, what string) error {
	var refusal *llm.StatusError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case call.Err() != nil:
		return fault.Wrap(fault.Unavailable, err, "speech_slow", "the speech server did not answer within %v", c.cfg.Timeout)
	case errors.As(err, &refusal):
		return refused(refusal, what)
	case errors.Is(err, errTooLong), errors.Is(err, errSound):
		return fault.Wrap(fault.Unavailable, err, "speech_answer_unreadable", "the speech server's answer could not be read")
	default:
		return fault.Wrap(fault.Unavailable, err, "speech_answer_invalid", "the speech server does not answer as expected")
	}
}

// refused explains a status. The server's words stay in the cause. That docent
// is set up wrong is nothing its clients can mend, so it is Unavailable to them.
func refused(e *llm.StatusError, what string) error {
	switch e.Status {
	case http.StatusTooManyRequests:
		return fault.Wrap(fault.RateLimited, e, "speech_rate_limited", "the speech server is asked too often; try again later")
	case http.StatusRequestEntityTooLarge:
		return fault.Wrap(fault.Invalid, e, "speech_too_long", "%s is too long for the speech server", what)
	case http.StatusBadRequest, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity:
		return fault.Wrap(fault.Invalid, e, "speech_rejected", "the speech server cannot do anything with %s", what)
	default:
		return fault.Wrap(fault.Unavailable, e, "speech_refused", "the speech server refused the request (status %d)", e.Status)
	}
}
