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
	// DefaultVoice is a voice of OpenAI's models.
	DefaultVoice = "alloy"
)

// Config describes a server for transcription and speech.
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
	// Voice is the voice of Model. Default: DefaultVoice.
	Voice string
	// Timeout bounds a call. Default: DefaultTimeout.
	Timeout time.Duration
	// HTTPClient sends the requests. Redirects are never followed, because they
	// could send recordings and the key elsewhere. Default: a client with the
	// settings of http.DefaultTransport.
	HTTPClient *http.Client
	// Metrics gets the duration of calls as docent_speech_seconds, and their
	// failures by fault kind as docent_speech_errors_total. Both are labeled
	// with the call, transcribe or speak. Default: nil, a set of its own.
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
