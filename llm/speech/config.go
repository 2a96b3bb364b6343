package speech

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"docent/internal/openai"
)

// Defaults of a Config.
const (
	// DefaultTimeout bounds a call.
	DefaultTimeout = time.Minute
	// DefaultVoice is one that OpenAI's models have.
	DefaultVoice = "alloy"
)

// Config describes a server that listens and speaks.
type Config struct {
	// BaseURL is the API's address up to and with its version. Default:
	// openai.DefaultBaseURL.
	BaseURL string
	// APIKey is sent as bearer token. Default: none, for local servers.
	APIKey string
	// Transcription is the model that turns recordings into text. Default: none,
	// Transcribe then fails.
	Transcription string
	// Model is the model that speaks. Default: none, Speak then fails.
	Model string
	// Voice is the one it speaks with. Default: DefaultVoice.
	Voice string
	// Timeout bounds a call. Default: DefaultTimeout.
	Timeout time.Duration
	// HTTPClient sends the requests; redirects are never followed, because a
	// request with a recording and a key must not wander. Default: a client with
	// http.DefaultTransport's settings.
	HTTPClient *http.Client
	// Metrics gets how long calls take, as docent_speech_seconds, and how they
	// failed, as docent_speech_errors_total by fault kind; both by call, which is
	// transcribe or speak. Default: nil, a set of its own.
	Metrics *metrics.Set

	// server is the checked server.
	server openai.Server
}

// complete applies the defaults and checks the rest.
func (c Config) complete() (Config, error) {
	server, err := openai.Server{BaseURL: c.BaseURL, APIKey: c.APIKey, HTTPClient: c.HTTPClient}.Complete()
	switch {
	case err != nil:
		return c, fmt.Errorf("speech: %w", err)
	case c.Transcription == "" && c.Model == "":
		return c, errors.New("speech: Config.Transcription or Config.Model is required")
	case c.Timeout < 0:
		return c, errors.New("speech: Config.Timeout must not be negative")
	}
	c.Voice = cmp.Or(c.Voice, DefaultVoice)
	c.Timeout = cmp.Or(c.Timeout, DefaultTimeout)
	if c.Metrics == nil {
		c.Metrics = metrics.NewSet()
	}
	c.BaseURL, c.HTTPClient, c.server = server.BaseURL, server.HTTPClient, server
	return c, nil
}
