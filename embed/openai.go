package embed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
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
	// Texts is the largest number of texts in a request. Default: 64. If the server
	// refuses that, docent finds the number that it takes.
	Texts int
	// TextBytes is the length of the longest text that the server takes. Longer texts
	// are divided, and their vector is the mean of those of the parts. Default: 0,
	// docent finds the length if the server refuses a text.
	TextBytes int
	// QueryPrefix and PassagePrefix are put before questions and passages. Default: ""
	// selects the prefixes that the model was trained with, if docent knows the name of
	// the model. NoPrefix means none.
	QueryPrefix, PassagePrefix string
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
	// requestBytes bounds the texts of one request. Tests set other values.
	requestBytes int
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
	case c.Texts < 0 || c.TextBytes < 0:
		return c, errors.New("embed: Config.Texts and TextBytes must not be negative")
	case c.Timeout < 0 || c.Backoff < 0:
		return c, errors.New("embed: Config.Timeout and Backoff must not be negative")
	}
	c.Texts = cmp.Or(c.Texts, 64)
	c.requestBytes = cmp.Or(c.requestBytes, 128<<10)
	c.QueryPrefix, c.PassagePrefix = prefixes(c.Model, c.QueryPrefix, c.PassagePrefix)
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
// are not sent, because servers refuse them. It finds the limits of the server by
// trying, and divides texts over them.
type OpenAI struct {
	cfg  Config
	name string
	// learned is the length of the vectors; 0 before it is known.
	learned atomic.Int64
	// plain leaves encoding_format out, because the server refuses it.
	plain atomic.Bool
	// batches divides texts into requests.
	batches openai.Batches[[]float32]
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
	o := &OpenAI{cfg: cfg, name: "openai/" + cfg.Model + prefixMark(cfg.PassagePrefix), wait: openai.Wait, now: time.Now}
	o.batches.MaxBytes, o.batches.Join, o.batches.Learned = cfg.requestBytes, mean, func(texts, bytes int) {
		cfg.Logger.Info("the embedding server takes less at once", "embedder", o.name, "texts", texts, "text_bytes", bytes)
	}
	o.batches.Limit(cfg.Texts, cfg.TextBytes)
	if cfg.Dimensions > 0 {
		o.name = fmt.Sprintf("%s@%d", o.name, cfg.Dimensions)
		o.learned.Store(int64(cfg.Dimensions))
	}
	return o, nil
}

// Name returns "openai/MODEL", or "openai/MODEL@DIMENSIONS" if a length was
// requested, with a mark of the prefix of passages. It does not contain the server's address, so documents need not be
// embedded again after a move to another host. If a server replaces a model under
// the same name, configure a new name.
func (o *OpenAI) Name() string { return o.name }

// Dimensions returns the length of the vectors; 0 before the first call.
func (o *OpenAI) Dimensions() int { return int(o.learned.Load()) }

// Limits returns the number of texts in a request and the length of a text in bytes
// that the server takes, as far as they are known. 0 means no known limit.
func (o *OpenAI) Limits() (texts, bytes int) { return o.batches.Limits() }

// Check embeds two texts, in two requests. It fails if their vectors cannot tell texts
// apart.
func (o *OpenAI) Check(ctx context.Context) error {
	var vectors [][]float32
	for _, text := range []string{"How long are the vectors?", "Rain is expected in the mountains tomorrow."} {
		v, err := o.EmbedQuery(ctx, text)
		if err != nil {
			return err
		}
		vectors = append(vectors, v)
	}
	if slices.Equal(vectors[0], vectors[1]) {
		return fmt.Errorf("embed with %s: %w", o.name, o.explain(errSameVectors).err)
	}
	return nil
}

// EmbedQuery returns the vector of a question.
func (o *OpenAI) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	vectors, err := o.embed(ctx, o.cfg.QueryPrefix, []string{text})
	if err != nil {
		return nil, err
	}
	return vectors[0], nil
}

// EmbedDocuments returns the vectors of texts. It sends one request after the
// other.
func (o *OpenAI) EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error) {
	return o.embed(ctx, o.cfg.PassagePrefix, texts)
}

func (o *OpenAI) embed(ctx context.Context, prefix string, texts []string) ([][]float32, error) {
	var sent []string
	var places []int // of the sent texts
	for at, text := range texts {
		if strings.TrimSpace(text) != "" {
			sent, places = append(sent, text), append(places, at)
		}
	}
	vectors, err := o.batches.Send(ctx, sent, func(ctx context.Context, texts []string) ([][]float32, error) {
		return o.request(ctx, prefix, texts)
	})
	if err != nil {
		return nil, err
	}
	out := make([][]float32, len(texts))
	for i, at := range places {
		out[at] = vectors[i]
	}
	if err := o.fillBlank(ctx, out); err != nil {
		return nil, err
	}
	return out, nil
}

// mean returns the mean of vectors, scaled to length 1.
func mean(vectors [][]float32) []float32 {
	sum := make([]float32, len(vectors[0]))
	for _, v := range vectors {
		for i, x := range v {
			sum[i] += x
		}
	}
	return unit(sum)
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
			if _, err := o.request(ctx, "", []string{"length"}); err != nil {
				return err
			}
		}
		out[i] = make([]float32, o.Dimensions())
	}
	return nil
}
