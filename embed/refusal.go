package embed

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxMessage bounds what is kept of a server's own words in bytes.
const maxMessage = 500

// StatusError is a server's refusal. It is found in the chain of errors that
// an OpenAI embedder returns.
type StatusError struct {
	// Status is the HTTP status code.
	Status int
	// Code is the server's own code, "" if it sent none.
	Code string
	// Message is the server's own text in one line, cut to 500 bytes. It may
	// repeat what was sent, so it is for logs and not for clients.
	Message string
	// RetryAfter is how long the server asks to wait; 0 if it does not.
	RetryAfter time.Duration
}

// Error returns status, code and message.
func (e *StatusError) Error() string {
	s := fmt.Sprintf("status %d %s", e.Status, http.StatusText(e.Status))
	if e.Code != "" {
		s += " (" + e.Code + ")"
	}
	if e.Message != "" {
		s += ": " + e.Message
	}
	return s
}

// refusal reads an error response.
func (o *OpenAI) refusal(resp *http.Response) *StatusError {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal)) // half a message is better than none
	e := &StatusError{Status: resp.StatusCode, RetryAfter: retryAfter(resp.Header, o.now())}
	var frame struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
	}
	switch {
	case resp.StatusCode/100 == 3:
		e.Message = "redirects are not followed"
	case json.Unmarshal(body, &frame) != nil:
		e.Message = string(body)
	case len(frame.Error) > 0:
		e.Code, e.Message = refusalText(frame.Error)
	case frame.Message != "":
		e.Message = frame.Message
	default:
		e.Message = string(body)
	}
	e.Message = blot(e.Message, o.cfg.APIKey)
	return e
}

// refusalText takes code and message from an error as servers send it: an
// object, or just text.
func refusalText(raw json.RawMessage) (code, message string) {
	var object struct {
		Code    any    `json:"code"`
		Type    string `json:"type"`
		Message string `json:"message"`
	}
	if json.Unmarshal(raw, &object) != nil {
		if json.Unmarshal(raw, &message) != nil {
			message = string(raw)
		}
		return "", message
	}
	if object.Code == nil {
		return object.Type, object.Message
	}
	return fmt.Sprint(object.Code), object.Message
}

// blot makes a server's words fit for a log: one bounded line without the key,
// which some servers repeat.
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

// worthRetrying tells a server that may be restarting from an address that is
// wrong.
func worthRetrying(err error) bool {
	var cert *tls.CertificateVerificationError
	var dns *net.DNSError
	return !errors.As(err, &cert) && !(errors.As(err, &dns) && dns.IsNotFound)
}

// retryAfter reads how long the server asks to wait, as seconds or as a date.
func retryAfter(h http.Header, now time.Time) time.Duration {
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
