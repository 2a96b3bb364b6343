package speech

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	openai "github.com/sashabaranov/go-openai"

	"docent/internal/fault"
	"docent/internal/meter"
	"docent/payload"
)

// MaxSpokenRunes is the longest text for Speak, in characters: the limit of
// OpenAI's models.
const MaxSpokenRunes = 4096

// Client is a client of a server for transcription, speech, or both. It is safe
// for concurrent use. Errors have a fault kind, and contain neither the server's
// address nor its key. If the context is canceled, the error is that of the
// context.
type Client struct {
	cfg  Config
	api  *openai.Client
	took map[string]*meter.Seconds // by call
}

// New returns a client of the server that config describes. It does not call the
// server.
func New(config Config) (*Client, error) {
	cfg, err := config.complete()
	if err != nil {
		return nil, err
	}
	api := openai.DefaultConfig(cfg.APIKey)
	api.BaseURL = cfg.BaseURL
	api.HTTPClient = &exchange{server: cfg.server}
	c := &Client{cfg: cfg, api: openai.NewClientWithConfig(api), took: map[string]*meter.Seconds{}}
	for _, call := range []string{transcribing, speaking} {
		c.took[call] = meter.New(cfg.Metrics, "docent_speech_seconds", fmt.Sprintf("call=%q", call))
	}
	return c, nil
}

// The names of the calls in metrics.
const (
	transcribing = "transcribe"
	speaking     = "speak"
)

// count adds a call to the metrics.
func (c *Client) count(call string, begun time.Time, err error) {
	c.took[call].Observe(time.Since(begun))
	if err != nil {
		c.cfg.Metrics.GetOrCreateCounter(fmt.Sprintf("docent_speech_errors_total{call=%q,code=%q}", call, fault.KindOf(err))).Inc()
	}
}

// Transcribe returns the text of a recording, an audio file that FileName
// accepts. language is an ISO 639-1 code such as en; if it is empty, the model
// detects the language. It fails with fault.Invalid for other files and for
// recordings without speech, and with fault.Unavailable or fault.RateLimited if
// the server fails.
func (c *Client) Transcribe(ctx context.Context, recording []byte, language string) (string, error) {
	if c.cfg.Transcription == "" {
		return "", fault.New(fault.Unavailable, "listening_off", "this server does not transcribe recordings")
	}
	name, err := FileName(recording)
	if err != nil {
		return "", err
	}
	call, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	begun := time.Now()
	resp, err := c.api.CreateTranscription(call, openai.AudioRequest{
		Model: c.cfg.Transcription, FilePath: name, Reader: bytes.NewReader(recording),
		Language: language, Format: openai.AudioResponseFormatJSON,
	})
	if err != nil {
		err = fmt.Errorf("transcribe with %s: %w", c.cfg.Transcription, c.explain(ctx, call, err, "this recording"))
	}
	c.count(transcribing, begun, err)
	if err != nil {
		return "", err
	}
	text := strings.TrimSpace(resp.Text)
	if text == "" {
		return "", fault.New(fault.Invalid, "recording_without_words", "no words could be heard in this recording")
	}
	return text, nil
}

// Speak returns a text as sound. It fails with fault.Invalid if the text is empty
// or longer than MaxSpokenRunes. It fails with fault.Unavailable or
// fault.RateLimited if the server fails or sends no sound.
func (c *Client) Speak(ctx context.Context, text string) (payload.Audio, error) {
	switch {
	case c.cfg.Model == "":
		return payload.Audio{}, fault.New(fault.Unavailable, "speaking_off", "this server does not read texts aloud")
	case strings.TrimSpace(text) == "":
		return payload.Audio{}, fault.New(fault.Invalid, "speech_text_empty", "an empty text cannot be spoken")
	case utf8.RuneCountInString(text) > MaxSpokenRunes:
		return payload.Audio{}, fault.New(fault.Invalid,
			"speech_text_too_long", "at most %d characters can be spoken at once", MaxSpokenRunes)
	}
	call, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	begun := time.Now()
	sound, err := c.speak(call, text)
	if err != nil {
		err = fmt.Errorf("speak with %s: %w", c.cfg.Model, c.explain(ctx, call, err, "this text"))
	}
	c.count(speaking, begun, err)
	return sound, err
}

// speak sends the request and reads the response.
func (c *Client) speak(ctx context.Context, text string) (payload.Audio, error) {
	resp, err := c.api.CreateSpeech(ctx, openai.CreateSpeechRequest{
		Model: openai.SpeechModel(c.cfg.Model), Voice: openai.SpeechVoice(c.cfg.Voice), Input: text,
		ResponseFormat: openai.SpeechResponseFormatWav,
	})
	if err != nil {
		return payload.Audio{}, err
	}
	defer func() { _ = resp.Close() }()
	data, err := io.ReadAll(resp)
	if err != nil {
		return payload.Audio{}, err
	}
	if rate := rawRate(resp.Header().Get("Content-Type")); rate > 0 && !isWAV(data) {
		return pcm(data, rate, 1)
	}
	return ParseWAV(data)
}
