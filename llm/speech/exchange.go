package speech

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"docent/internal/fault"
	"docent/internal/openai"
)

// Limits of what is read from a server.
const (
	// maxTranscript bounds the answer to a recording in bytes.
	maxTranscript = 1 << 20
	// maxSound bounds spoken text in bytes: ten minutes at 24,000 samples a
	// second.
	maxSound = 32 << 20
)

// exchange stands between go-openai's client and the network: it bounds what is
// read and keeps the server's address and key out of errors.
type exchange struct {
	server openai.Server
}

// Do sends the request. A status other than 2xx is an *openai.StatusError.
func (x *exchange) Do(req *http.Request) (*http.Response, error) {
	resp, err := x.server.HTTPClient.Do(req)
	if err != nil {
		var network *url.Error
		if errors.As(err, &network) { // it repeats the address
			err = network.Err
		}
		return nil, err
	}
	if resp.StatusCode/100 != 2 {
		defer func() { _ = resp.Body.Close() }()
		return nil, x.server.Refusal(resp, time.Now())
	}
	limit := int64(maxTranscript)
	if strings.HasSuffix(req.URL.Path, "/speech") {
		limit = maxSound
	}
	resp.Body = openai.Limit(resp.Body, limit)
	return resp, nil
}

// explain says what an error means. ctx is the caller's, call that of the
// request; what is the thing sent.
func (c *Client) explain(ctx, call context.Context, err error, what string) error {
	var refusal *openai.StatusError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case call.Err() != nil:
		return fault.Wrap(fault.Unavailable, err, "the speech server did not answer within %v", c.cfg.Timeout)
	case errors.As(err, &refusal):
		return refused(refusal, what)
	case errors.Is(err, openai.ErrTooLong), errors.Is(err, errSound):
		return fault.Wrap(fault.Unavailable, err, "the speech server's answer could not be read")
	default:
		return fault.Wrap(fault.Unavailable, err, "the speech server does not answer as it should")
	}
}

// refused explains a status. The server's words stay in the cause. That docent
// is set up wrong is nothing its clients can mend, so it is Unavailable to them.
func refused(e *openai.StatusError, what string) error {
	switch e.Status {
	case http.StatusTooManyRequests:
		return fault.Wrap(fault.RateLimited, e, "the speech server is asked too often; try again later")
	case http.StatusRequestEntityTooLarge:
		return fault.Wrap(fault.Invalid, e, "%s is too long for the speech server", what)
	case http.StatusBadRequest, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity:
		return fault.Wrap(fault.Invalid, e, "the speech server cannot do anything with %s", what)
	default:
		return fault.Wrap(fault.Unavailable, e, "the speech server refused the request (status %d)", e.Status)
	}
}
