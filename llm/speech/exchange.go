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

// Limits of responses.
const (
	// maxTranscript bounds the response to a recording in bytes.
	maxTranscript = 1 << 20
	// maxSound bounds spoken text in bytes: ten minutes at 24,000 samples a
	// second.
	maxSound = 32 << 20
)

// exchange stands between go-openai's client and the network. It bounds
// responses and keeps the server's address and key out of errors.
type exchange struct {
	server openai.Server
}

// Do sends the request. A status other than 2xx is an *openai.StatusError.
func (x *exchange) Do(req *http.Request) (*http.Response, error) {
	resp, err := x.server.HTTPClient.Do(req)
	if err != nil {
		var network *url.Error
		if errors.As(err, &network) { // it contains the address
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

// explain returns the error for the caller. ctx is the caller's context, call
// that of the request; what is the sent data.
func (c *Client) explain(ctx, call context.Context, err error, what string) error {
	var refusal *openai.StatusError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case call.Err() != nil:
		return fault.Wrap(fault.Unavailable, err, "speech_slow", "the speech server did not answer within %v", c.cfg.Timeout)
	case errors.As(err, &refusal):
		return refused(refusal, what)
	case errors.Is(err, openai.ErrTooLong), errors.Is(err, errSound):
		return fault.Wrap(fault.Unavailable, err, "speech_answer_unreadable", "the speech server's answer could not be read")
	default:
		return fault.Wrap(fault.Unavailable, err, "speech_answer_invalid", "the speech server does not answer, or its answer is invalid")
	}
}

// refused explains a status. Only the cause has the text of the server. A
// refusal of docent is Unavailable to its clients: a wrong configuration of
// docent is not theirs to fix.
func refused(e *openai.StatusError, what string) error {
	switch e.Status {
	case http.StatusTooManyRequests:
		return fault.Wrap(fault.RateLimited, e, "speech_rate_limited", "the speech server gets too many requests; try again later")
	case http.StatusRequestEntityTooLarge:
		return fault.Wrap(fault.Invalid, e, "speech_too_long", "%s is too long for the speech server", what)
	case http.StatusBadRequest, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity:
		return fault.Wrap(fault.Invalid, e, "speech_rejected", "the speech server rejected %s", what)
	default:
		return fault.Wrap(fault.Unavailable, e, "speech_refused", "the speech server refused the request (status %d)", e.Status)
	}
}
