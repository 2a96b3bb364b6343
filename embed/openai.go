package embed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"docent/internal/openai"
)

// Defaults of a Config.
const (
	// DefaultBaseURL is OpenAI's own API.
	DefaultBaseURL = openai.DefaultBaseURL
	// DefaultTimeout bounds one attempt at a request.
	DefaultTimeout = time.Minute
	// DefaultMaxRetries is the number of retries of a failed request.
	DefaultMaxRetries = 4
	// DefaultBackoff is the wait before the first retry.
	DefaultBackoff = 500 * time.Millisecond
)

// Config describes a model behind an OpenAI-compatible /embeddings endpoint.
type Config struct {
	// BaseURL is the API's address up to and with its version, such as
	// http://localhost:11434/v1 for Ollama. Default: DefaultBaseURL.
	BaseURL string
	// APIKey is sent as bearer token. Default: none, for local servers.
	APIKey string
	// Model is the model's name on the server. Required.
	Model string
	// Dimensions asks the server for vectors of this length, which not every
	// model supports. Default: 0, the model's own length.
	Dimensions int
	// Timeout bounds one attempt at a request. Default: DefaultTimeout.
	Timeout time.Duration
	// MaxRetries is the number of retries after 429, 5xx, a timeout, or a broken
	// connection; negative means none. Default: 0, which means
	// DefaultMaxRetries.
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
	// Logger logs retries. Default: nil, which discards.
	Logger *slog.Logger

	// server is the checked server.
	server openai.Server
	// batch bounds one request. Tests set other values.
	batch batch
}

// batch bounds one request.
type batch struct {
	texts int // at most 2,048, which OpenAI accepts
	bytes int // of all texts, unless a single text is larger
}

// Settings are the names that users know the fields of a Config by.
type Settings struct {
	// URL names BaseURL's setting. Default: "the embedder's base URL".
	URL string
	// Key names APIKey's setting. Default: "the embedder's API key".
	Key string
	// Model names Model's setting. Default: "the embedder's model".
	Model string
}

// complete applies the defaults and checks the rest.
func (c Config) complete() (Config, error) {
	server, err := openai.Server{BaseURL: c.BaseURL, APIKey: c.APIKey, HTTPClient: c.HTTPClient}.Complete()
	switch {
	case err != nil:
		return c, fmt.Errorf("embed: %w", err)
	case c.Model == "":
		return c, errors.New("embed: Config.Model is required")
	case c.Dimensions < 0:
		return c, fmt.Errorf("embed: Config.Dimensions is %d, want 0 or more", c.Dimensions)
	case c.Timeout < 0 || c.Backoff < 0:
		return c, errors.New("embed: Config.Timeout and Backoff must not be negative")
	}
	c.batch = cmp.Or(c.batch, batch{texts: 64, bytes: 128 << 10})
	c.Timeout = cmp.Or(c.Timeout, DefaultTimeout)
	c.MaxRetries = max(cmp.Or(c.MaxRetries, DefaultMaxRetries), 0)
	c.Backoff = cmp.Or(c.Backoff, DefaultBackoff)
	c.Settings.URL = cmp.Or(c.Settings.URL, "the embedder's base URL")
	c.Settings.Key = cmp.Or(c.Settings.Key, "the embedder's API key")
	c.Settings.Model = cmp.Or(c.Settings.Model, "the embedder's model")
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	c.BaseURL, c.HTTPClient, c.server = server.BaseURL, server.HTTPClient, server
	return c, nil
}

// OpenAI embeds through an OpenAI-compatible server, such as OpenAI, Ollama,
// llama.cpp, or vLLM. It is safe for concurrent use. Texts with only white space
// are not sent, because servers refuse them.
type OpenAI struct {
	cfg  Config
	name string
	// learned is the length of the vectors; 0 before it is known.
	learned atomic.Int64
	// wait pauses before a retry; tests replace it.
	wait func(context.Context, time.Duration) error
	// now returns the time for Retry-After dates; tests replace it.
	now func() time.Time
}

var _ Embedder = (*OpenAI)(nil)

// NewOpenAI returns an embedder. It does not call the server.
func NewOpenAI(cfg Config) (*OpenAI, error) {
	cfg, err := cfg.complete()
	if err != nil {
		return nil, err
	}
	o := &OpenAI{cfg: cfg, name: "openai/" + cfg.Model, wait: openai.Wait, now: time.Now}
	if cfg.Dimensions > 0 {
		o.name = fmt.Sprintf("%s@%d", o.name, cfg.Dimensions)
		o.learned.Store(int64(cfg.Dimensions))
	}
	return o, nil
}

// Name returns "openai/MODEL", or "openai/MODEL@DIMENSIONS" if a length was
// requested. It does not contain the server's address, so documents need not be
// embedded again after a move to another host. If a server replaces a model under
// the same name, configure a new name.
func (o *OpenAI) Name() string { return o.name }

// Dimensions returns the length of the vectors; 0 before the first call.
func (o *OpenAI) Dimensions() int { return int(o.learned.Load()) }

// EmbedQuery returns the vector of a question.
func (o *OpenAI) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	vectors, err := o.EmbedDocuments(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	return vectors[0], nil
}

// EmbedDocuments returns the vectors of texts. It sends one request after the
// other.
func (o *OpenAI) EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	var batch []int // positions of texts
	size := 0
	flush := func() error {
		input := make([]string, len(batch))
		for i, at := range batch {
			input[i] = texts[at]
		}
		vectors, err := o.request(ctx, input)
		if err != nil {
			return err
		}
		for i, at := range batch {
			out[at] = vectors[i]
		}
		batch, size = batch[:0], 0
		return nil
	}
	for at, text := range texts {
		if strings.TrimSpace(text) == "" {
			continue
		}
		if len(batch) > 0 && (len(batch) == o.cfg.batch.texts || size+len(text) > o.cfg.batch.bytes) {
			if err := flush(); err != nil {
				return nil, err
			}
		}
		batch, size = append(batch, at), size+len(text)
	}
	if len(batch) > 0 {
		if err := flush(); err != nil {
			return nil, err
		}
	}
	if err := o.fillBlank(ctx, out); err != nil {
		return nil, err
	}
	return out, nil
}

// fillBlank sets the zero vector for texts that were not sent. If no text was
// sent, it may have to ask the server for the length.
func (o *OpenAI) fillBlank(ctx context.Context, out [][]float32) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("embed with %s: %w", o.name, err)
	}
	for i := range out {
		if out[i] != nil {
			continue
		}
		if o.Dimensions() == 0 {
			if _, err := o.request(ctx, []string{"length"}); err != nil {
				return err
			}
		}
		out[i] = make([]float32, o.Dimensions())
	}
	return nil
}
