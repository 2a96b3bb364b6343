package speech

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"docent/llm"
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
	// llm.DefaultBaseURL.
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
}

// complete applies the defaults and checks the rest.
func (c Config) complete() (Config, error) {
	c.BaseURL = strings.TrimRight(cmp.Or(strings.TrimSpace(c.BaseURL), llm.DefaultBaseURL), "/")
	u, err := url.Parse(c.BaseURL)
	switch {
	case err != nil:
		return c, errors.New("speech: Config.BaseURL is not a URL") // the parser's error repeats the text, which may hold a password
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return c, errors.New("speech: Config.BaseURL must begin with http:// or https:// and name a host")
	case u.User != nil, u.RawQuery != "", u.Fragment != "":
		return c, errors.New("speech: Config.BaseURL must not hold a password, a query or a fragment; the key goes in Config.APIKey")
	case strings.ContainsAny(c.APIKey, "\r\n"):
		return c, errors.New("speech: Config.APIKey holds a line break")
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
	client := http.Client{}
	if c.HTTPClient != nil {
		client = *c.HTTPClient
	} else if t, ok := http.DefaultTransport.(*http.Transport); ok {
		client.Transport = t.Clone()
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.HTTPClient = &client
	return c, nil
}
