package client

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"docent/internal/fault"
	"docent/payload"
)

const (
	// maxRefusal bounds the read part of the body of a refused handshake, in
	// bytes.
	maxRefusal = 4 << 10
	// maxWords bounds the shown part of it, in characters.
	maxWords = 300
	// maxRetryAfter bounds the waiting time that a server may ask for.
	maxRetryAfter = 5 * time.Minute
	// minSecret is the minimum length in bytes of sent values that errors must
	// not contain. Shorter values occur in any text.
	minSecret = 4
)

// handshakeError is a handshake that the server refused.
type handshakeError struct {
	words string        // for people; "" if it said none
	after time.Duration // when to try again; 0 if unknown
	err   error
}

func (r *handshakeError) Error() string {
	if r.words != "" {
		return r.words
	}
	return r.err.Error()
}

func (r *handshakeError) Unwrap() error { return r.err }

// retryAfter returns the waiting time that the server asked for; 0 without one.
func retryAfter(err error) time.Duration {
	var r *handshakeError
	if errors.As(err, &r) {
		return r.after
	}
	return 0
}

// failed describes a failed handshake; response is nil without one.
func (t target) failed(ctx context.Context, cfg Config, response *http.Response, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return context.Cause(ctx)
	}
	var parsing *url.Error // contains the URL
	if errors.As(err, &parsing) {
		err = parsing.Err
	}
	if response == nil {
		return fault.Wrap(fault.Unavailable, err, "client_agent_silent", "the agent at %s does not answer", t.name)
	}
	kind, words := kindOf(response.StatusCode), said(response)
	for _, secret := range t.secrets(cfg) {
		if strings.Contains(words, secret) {
			words = ""
		}
	}
	r := &handshakeError{words: words, after: after(response, time.Now()), err: err}
	if words != "" {
		return fault.Wrap(kind, r,
			"client_agent_refuses", "the agent at %s refuses the connection with status %d: %s", t.name, response.StatusCode, words)
	}
	return fault.Wrap(kind, r,
		"client_agent_refuses_status", "the agent at %s refuses the connection with status %d", t.name, response.StatusCode)
}

// kindOf returns the kind of a refusal with a status.
func kindOf(code int) fault.Kind {
	switch {
	case code == http.StatusUnauthorized:
		return fault.Unauthorized
	case code == http.StatusForbidden:
		return fault.Forbidden
	case code == http.StatusNotFound:
		return fault.NotFound
	case code == http.StatusTooManyRequests:
		return fault.RateLimited
	case code < http.StatusInternalServerError:
		return fault.Invalid
	}
	return fault.Unavailable
}

// said returns the message of a refusal in one line: a plain text, or the
// message and the code of an error of docent's API.
func said(response *http.Response) string {
	body, err := io.ReadAll(io.LimitReader(response.Body, maxRefusal))
	if err != nil {
		return ""
	}
	text := string(body)
	switch media, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); media {
	case "application/json":
		var e payload.Error
		if json.Unmarshal(body, &e) != nil || e.Message == "" {
			return ""
		}
		if text = e.Message; e.Code != "" {
			text += " (" + e.Code + ")"
		}
	case "text/plain":
	default: // the page of a proxy
		return ""
	}
	invisible := func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }
	text = strings.ToValidUTF8(strings.Join(strings.FieldsFunc(text, invisible), " "), "")
	if line := []rune(text); len(line) > maxWords {
		return string(line[:maxWords]) + "…"
	}
	return text
}

// after returns the waiting time that the server asks for, up to maxRetryAfter.
func after(response *http.Response, now time.Time) time.Duration {
	if response.StatusCode != http.StatusTooManyRequests && response.StatusCode != http.StatusServiceUnavailable {
		return 0
	}
	value := response.Header.Get("Retry-After")
	if at, err := http.ParseTime(value); err == nil {
		return min(max(at.Sub(now), 0), maxRetryAfter)
	}
	seconds, err := strconv.ParseUint(value, 10, 31)
	if err != nil {
		return 0
	}
	return min(time.Duration(seconds)*time.Second, maxRetryAfter)
}

// secrets returns the sent values that errors must not contain.
func (t target) secrets(cfg Config) []string {
	var out []string
	add := func(value string) {
		for _, word := range strings.Fields(value) { // a scheme may precede the secret
			if len(word) >= minSecret && !strings.EqualFold(word, "bearer") && !strings.EqualFold(word, "basic") {
				out = append(out, word)
			}
		}
	}
	if password, ok := t.url.User.Password(); ok {
		add(password)
	}
	for _, values := range t.url.Query() {
		for _, value := range values {
			add(value)
		}
	}
	for name, values := range cfg.Header {
		switch http.CanonicalHeaderKey(name) {
		case "Origin", "X-User-Id", "User-Agent":
			continue
		}
		for _, value := range values {
			add(value)
		}
	}
	return out
}
