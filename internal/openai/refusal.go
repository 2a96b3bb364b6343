package openai

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"
)

const (
	// maxRefusal limits the bytes that are read of an error response.
	maxRefusal = 64 << 10
	// maxMessage limits the bytes that are kept of a server's message.
	maxMessage = 500
)

// StatusError is a server's refusal.
type StatusError struct {
	// Status is the HTTP status code.
	Status int
	// Code is the server's own code, or "".
	Code string
	// Message is the server's own text in one line of at most 500 bytes. It may
	// repeat the request, so it belongs in logs and not in answers to clients.
	Message string
	// RetryAfter is the wait that the server asks for, or 0.
	RetryAfter time.Duration
}

// Error returns status, code, and message.
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

// Refusal reads an error response. now is the time for a date in Retry-After.
func (s Server) Refusal(resp *http.Response, now time.Time) *StatusError {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal)) // half a message is better than none
	e := &StatusError{Status: resp.StatusCode, RetryAfter: RetryAfter(resp.Header, now)}
	var frame struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	switch err := json.Unmarshal(body, &frame); {
	case resp.StatusCode/100 == 3:
		e.Message = "redirects are not followed"
		if to, err := resp.Location(); err == nil {
			to.User, to.RawQuery, to.Fragment = nil, "", "" // they may have a key
			e.Message += "; this one leads to " + to.String()
		}
	case err != nil:
		e.Message = string(body)
	case len(frame.Error) > 0:
		e.Code, e.Message = ErrorText(frame.Error)
	case frame.Message != "":
		e.Message = frame.Message
	case len(frame.Detail) > 0:
		e.Message = string(frame.Detail)
	default:
		e.Message = string(body)
	}
	e.Message = s.Redact(e.Message)
	return e
}

// ErrorText returns the code and the message of an error as servers send it: an
// object whose code is text or a number, or just text.
func ErrorText(raw json.RawMessage) (code, message string) {
	var object struct {
		Code    any    `json:"code"`
		Type    string `json:"type"`
		Message any    `json:"message"`
	}
	if json.Unmarshal(raw, &object) != nil {
		if json.Unmarshal(raw, &message) != nil {
			message = string(raw)
		}
		return "", message
	}
	if object.Message != nil {
		message = fmt.Sprint(object.Message)
	}
	if object.Code == nil {
		return object.Type, message
	}
	return fmt.Sprint(object.Code), message
}

// Redact prepares a server's message for a log: one bounded line without keys and
// names of organizations, which some servers repeat.
func (s Server) Redact(message string) string {
	if s.APIKey != "" {
		message = strings.ReplaceAll(message, s.APIKey, "[key]")
	}
	message = strings.Join(strings.Fields(message), " ")
	message = keys.ReplaceAllString(message, "[key]")
	message = named.ReplaceAllString(message, "$1[key]")
	message = organizations.ReplaceAllString(message, "$1[organization]")
	if len(message) > maxMessage {
		message = strings.ToValidUTF8(message[:maxMessage], "") + "…"
	}
	return message
}

var (
	// keys matches keys of OpenAI, Anthropic, OpenRouter, Groq, Hugging Face, Google,
	// xAI, Perplexity, NVIDIA, and Replicate, also with stars in them, and tokens after
	// "Bearer".
	keys = regexp.MustCompile(`\b(?:sk|pk|rk|gsk|hf|xai|pplx|nvapi|r8|tgp|fw)[-_][\w*.…-]{4,}|\bAIza[\w*-]{8,}|(?i:\bbearer )[^\s"',;]{6,}`)
	// named matches keys of other forms after their name.
	named = regexp.MustCompile(`(\b(?i:api[ _-]?key)(?: provided)?["':= ]+)[\w*.…-]*[\d*][\w*.…-]{3,}`)
	// organizations matches the ids of organizations, projects, and accounts.
	organizations = regexp.MustCompile(`(\b(?i:organi[sz]ation|org|project|account|tenant|workspace|team)(?i: id)?[ :="']+)?\b(?:org|proj|acct|team|user)[-_][\w-]{3,}`)
)
