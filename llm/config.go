package llm

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"docent/internal/openai"
)

// DefaultBaseURL is OpenAI's own API.
const DefaultBaseURL = openai.DefaultBaseURL

// Defaults of a Config.
const (
	// DefaultTimeout bounds a whole call with its retries.
	DefaultTimeout = 5 * time.Minute
	// DefaultIdleTimeout bounds the time between two pieces of a stream.
	DefaultIdleTimeout = time.Minute
	// DefaultMaxRetries is the number of retries of a failed call.
	DefaultMaxRetries = 3
	// DefaultBackoff is the wait before the first retry.
	DefaultBackoff = 500 * time.Millisecond
)

// Config describes a model on an OpenAI-compatible server.
type Config struct {
	// BaseURL is the API's address up to and with its version, such as
	// http://localhost:11434/v1. Default: DefaultBaseURL.
	BaseURL string
	// APIKey is sent as bearer token. Default: none, for local servers.
	APIKey string
	// Model is the model's name on the server. Required.
	Model string
	// Name is the name of the model that people see. Default: Model.
	Name string
	// Temperature of sampling. Default: nil, the server's own.
	Temperature *float64
	// MaxTokens bounds an answer's length. Default: 0, the server's own.
	MaxTokens int
	// Timeout bounds a whole call with its retries. Default: DefaultTimeout.
	Timeout time.Duration
	// FirstToken bounds the time to the first text or reasoning in [OpenAI.Probe].
	// Default: 0, Timeout.
	FirstToken time.Duration
	// IdleTimeout bounds the time between two pieces of a stream, after the first
	// piece. Default: DefaultIdleTimeout.
	IdleTimeout time.Duration
	// MaxRetries is the number of retries after 429, 5xx, or a broken connection. A
	// call is not retried after text was streamed. A negative value means no
	// retries. Default: 0, which means DefaultMaxRetries.
	MaxRetries int
	// Backoff is the wait before the first retry. It doubles with each retry,
	// unless the server sends Retry-After. Default: DefaultBackoff.
	Backoff time.Duration
	// HTTPClient sends the requests. Redirects are never followed, because they
	// could send documents and the key elsewhere. Default: a client with the
	// settings of http.DefaultTransport.
	HTTPClient *http.Client
	// Settings are the names of the settings in error messages. Default: plain
	// words.
	Settings Settings
	// ForUsers writes errors for users, who cannot change settings. Logger then gets
	// the explanation of a wrong setting, and the error is not retryable. Default:
	// false, errors are for the operator.
	ForUsers bool
	// Logger logs retries. Default: nil, which discards.
	Logger *slog.Logger
	// Metrics receives the duration of calls with their retries as
	// docent_llm_seconds, and their failures by fault kind as
	// docent_llm_errors_total. Default: nil, a set of its own.
	Metrics *metrics.Set

	// server is the checked server.
	server openai.Server
}

// Settings are the names that users know the fields of a Config by.
type Settings struct {
	// URL names BaseURL's setting. Default: "the model's base URL".
	URL string
	// Key names APIKey's setting. Default: "the model's API key".
	Key string
	// Model names Model's setting. Default: "the model's name".
	Model string
	// Timeout names Timeout's setting. Default: "the model's timeout".
	Timeout string
}

// complete applies the defaults and checks the rest.
func (c Config) complete() (Config, error) {
	server, err := openai.Server{BaseURL: c.BaseURL, APIKey: c.APIKey, HTTPClient: c.HTTPClient}.Complete()
	switch {
	case err != nil:
		return c, fmt.Errorf("llm: %w", err)
	case c.Model == "":
		return c, errors.New("llm: Config.Model is required")
	case c.Temperature != nil && (*c.Temperature < 0 || *c.Temperature > 2):
		return c, fmt.Errorf("llm: Config.Temperature is %g, want 0 to 2", *c.Temperature)
	case c.MaxTokens < 0:
		return c, fmt.Errorf("llm: Config.MaxTokens is %d, want 0 or more", c.MaxTokens)
	case c.Timeout < 0, c.FirstToken < 0, c.IdleTimeout < 0, c.Backoff < 0:
		return c, errors.New("llm: Config.Timeout, FirstToken, IdleTimeout and Backoff must not be negative")
	}
	c.Name = cmp.Or(c.Name, c.Model)
	c.Timeout = cmp.Or(c.Timeout, DefaultTimeout)
	c.IdleTimeout = cmp.Or(c.IdleTimeout, DefaultIdleTimeout)
	c.MaxRetries = max(cmp.Or(c.MaxRetries, DefaultMaxRetries), 0)
	c.Backoff = cmp.Or(c.Backoff, DefaultBackoff)
	c.Settings.URL = cmp.Or(c.Settings.URL, "the model's base URL")
	c.Settings.Key = cmp.Or(c.Settings.Key, "the model's API key")
	c.Settings.Model = cmp.Or(c.Settings.Model, "the model's name")
	c.Settings.Timeout = cmp.Or(c.Settings.Timeout, "the model's timeout")
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Metrics == nil {
		c.Metrics = metrics.NewSet()
	}
	c.BaseURL, c.HTTPClient, c.server = server.BaseURL, server.HTTPClient, server
	return c, nil
}
