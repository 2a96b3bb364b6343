package embed

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"time"

	"docent/internal/fault"
	"docent/internal/openai"
)

const (
	// maxResponse bounds a response in bytes. 2,048 vectors of 4,096 numbers as
	// text fit.
	maxResponse = 192 << 20
)

// StatusError reports that the server refused a request. Errors of an OpenAI
// embedder wrap it.
type StatusError = openai.StatusError

var (
	// errTimeout is the cause of an attempt that timed out.
	errTimeout = errors.New("timeout of the request")
	// These errors report vectors without meaning.
	errConstantVector = errors.New("all numbers of a vector are equal")
	errNotFinite      = errors.New("a number of a vector is not finite")
	errSameVectors    = errors.New("two different texts have the same vector")
)

// embeddingsRequest is the body of a request.
type embeddingsRequest struct {
	Model          string   `json:"model"`
	Input          []string `json:"input"`
	EncodingFormat string   `json:"encoding_format,omitempty"`
	Dimensions     int      `json:"dimensions,omitempty"`
}

// embeddingsResponse is the body of a response.
type embeddingsResponse struct {
	Data []struct {
		Index     *int   `json:"index"`
		Embedding vector `json:"embedding"`
	} `json:"data"`
	Error json.RawMessage `json:"error"`
}

// vectorError reports a vector that cannot be decoded.
type vectorError string

// Error implements error.
func (e vectorError) Error() string { return string(e) }

// vector is a list of numbers, or the base64 of float32 in little-endian order. Some servers send
// base64 although docent asks for numbers.
type vector []float32

// UnmarshalJSON implements json.Unmarshaler.
func (v *vector) UnmarshalJSON(data []byte) error {
	if len(data) == 0 || data[0] != '"' {
		if bytes.Contains(data, []byte("null")) { // servers send it for a number that is not finite
			return errNotFinite
		}
		return json.Unmarshal(data, (*[]float32)(v))
	}
	var packed []byte
	if err := json.Unmarshal(data, &packed); err != nil {
		return err
	}
	if len(packed)%4 != 0 {
		return vectorError(fmt.Sprintf("a vector of %d bytes is no list of float32", len(packed)))
	}
	*v = make(vector, len(packed)/4)
	for i := range *v {
		x := math.Float32frombits(binary.LittleEndian.Uint32(packed[4*i:]))
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return errNotFinite
		}
		(*v)[i] = x
	}
	return nil
}

// request embeds a batch, and retries if a retry may succeed. If the server refuses a
// short text, it tries again without encoding_format, which not all servers know.
func (o *OpenAI) request(ctx context.Context, prefix string, texts []string) ([][]float32, error) {
	divisible := openai.Halvable(texts)
	if prefix != "" {
		texts = slices.Clone(texts)
		for i := range texts {
			texts[i] = prefix + texts[i]
		}
	}
	format := "float"
	if o.plain.Load() {
		format = ""
	}
	for n := 0; ; n++ {
		vectors, err := o.attempt(ctx, embeddingsRequest{o.cfg.Model, texts, format, o.cfg.Dimensions})
		if err == nil {
			o.plain.Store(format == "")
			return vectors, nil
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("embed with %s: %w", o.name, ctx.Err())
		}
		f := o.explain(err)
		status := statusOf(err)
		switch {
		case divisible && status == http.StatusInternalServerError: // smaller requests are the retries
			return nil, fmt.Errorf("embed with %s: %w", o.name, f.err)
		case !divisible && format != "" && (status == http.StatusBadRequest || status == http.StatusUnprocessableEntity):
			format = ""
			continue
		}
		pause, patient := openai.Pause(o.cfg.Backoff, f.after, n)
		if !f.retry || !patient || n >= o.cfg.MaxRetries {
			return nil, fmt.Errorf("embed with %s: %w", o.name, f.err)
		}
		o.cfg.Logger.WarnContext(ctx, "embedding server failed, trying again", "embedder", o.name, "attempt", n+1, "pause", pause, "error", f.err)
		if err := o.wait(ctx, pause); err != nil {
			return nil, fmt.Errorf("embed with %s: %w", o.name, err)
		}
	}
}

// statusOf returns the status of a refusal, or 0.
func statusOf(err error) int {
	var refusal *StatusError
	if errors.As(err, &refusal) {
		return refusal.Status
	}
	return 0
}

// attempt sends a batch once and returns its vectors.
func (o *OpenAI) attempt(ctx context.Context, r embeddingsRequest) ([][]float32, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, o.cfg.Timeout, errTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, o.cfg.BaseURL+"/embeddings", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	if o.cfg.APIKey != "" {
		req.Header.Set("Authorization", "Bearer "+o.cfg.APIKey)
	}
	resp, err := o.cfg.HTTPClient.Do(req)
	if err != nil {
		return nil, errors.Join(context.Cause(ctx), err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode/100 != 2 {
		return nil, o.cfg.server.Refusal(resp, o.now())
	}
	var answer embeddingsResponse
	limited := &io.LimitedReader{R: resp.Body, N: maxResponse}
	if err := json.NewDecoder(limited).Decode(&answer); err != nil {
		var syntax *json.SyntaxError
		var kind *json.UnmarshalTypeError
		var vector vectorError
		whole := errors.As(err, &syntax) || errors.As(err, &kind) || errors.As(err, &vector) || errors.Is(err, errNotFinite) || limited.N <= 0
		err = fmt.Errorf("read the answer: %w", err)
		if !whole {
			return nil, errors.Join(context.Cause(ctx), &cutError{err})
		}
		return nil, errors.Join(context.Cause(ctx), &UnusableError{err})
	}
	if len(answer.Error) > 0 && string(answer.Error) != "null" {
		code, message := openai.ErrorText(answer.Error)
		return nil, &StatusError{Status: resp.StatusCode, Code: code, Message: o.cfg.server.Redact(message)}
	}
	vectors, err := o.vectors(answer, len(r.Input))
	if err != nil {
		return nil, &UnusableError{err}
	}
	return vectors, nil
}

// vectors returns the vectors of a response in the order of the texts, checked
// and scaled to length 1. The order comes from their indexes, unless the server
// sends none.
func (o *OpenAI) vectors(r embeddingsResponse, n int) ([][]float32, error) {
	if len(r.Data) != n {
		return nil, fmt.Errorf("%d vectors for %d texts", len(r.Data), n)
	}
	bare := true
	for _, d := range r.Data {
		bare = bare && d.Index == nil
	}
	out := make([][]float32, n)
	for place, d := range r.Data {
		at := place
		if !bare {
			if d.Index == nil {
				return nil, fmt.Errorf("vector %d has no index", place)
			}
			at = *d.Index
		}
		if at < 0 || at >= n || out[at] != nil {
			return nil, fmt.Errorf("index %d is out of range or there twice among %d vectors", at, n)
		}
		if len(d.Embedding) == 0 {
			return nil, fmt.Errorf("vector %d is empty", at)
		}
		if constant(d.Embedding) {
			return nil, errConstantVector
		}
		out[at] = unit(d.Embedding)
	}
	for i, v := range out {
		if len(v) != len(out[0]) {
			return nil, fmt.Errorf("vector %d has %d dimensions, the first of the same answer %d", i, len(v), len(out[0]))
		}
	}
	o.learned.CompareAndSwap(0, int64(len(out[0])))
	if want := o.Dimensions(); len(out[0]) != want {
		return nil, fmt.Errorf("vectors of %d dimensions, want %d as asked for or seen before", len(out[0]), want)
	}
	return out, nil
}

// constant reports whether all numbers of a vector are equal, such as 0.
func constant(v []float32) bool {
	for _, x := range v {
		if x != v[0] {
			return false
		}
	}
	return len(v) > 1 || v[0] == 0
}

// unit scales v to length 1 in place; a zero vector stays one.
func unit(v []float32) []float32 {
	var square float64
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	if square > 0 {
		length := math.Sqrt(square)
		for i := range v {
			v[i] = float32(float64(v[i]) / length)
		}
	}
	return v
}

// UnusableError reports a whole answer of an embedding server without usable vectors, such as zeros. Vectors of other
// texts may be usable.
type UnusableError struct{ Err error }

// Error implements error.
func (e *UnusableError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *UnusableError) Unwrap() error { return e.Err }

// cutError is an answer that ended too early. A retry may succeed.
type cutError struct{ error }

func (e *cutError) Unwrap() error { return e.error }

// failure is a failed attempt with its explanation.
type failure struct {
	err   error
	retry bool          // the same request may succeed soon
	after time.Duration // the waiting time that the server asks for; 0 without one
}

// explain returns the failure for the error of an attempt.
func (o *OpenAI) explain(err error) failure {
	var refusal *StatusError
	var unusable *UnusableError
	var cut *cutError
	switch {
	case errors.As(err, &refusal):
		return o.refused(refusal)
	case errors.Is(err, errTimeout):
		return failure{retry: true, err: fault.Wrap(fault.Unavailable, errTimeout,
			"embedder_slow", "the embedding server did not answer within %v", o.cfg.Timeout)}
	case errors.Is(err, errConstantVector), errors.Is(err, errNotFinite), errors.Is(err, errSameVectors):
		return failure{err: fault.Wrap(fault.Unavailable, err,
			"embedder_vectors_useless", "the vectors of the model %q on the embedding server %s do not tell texts apart; check that %s is an embedding model and that the server loaded it",
			o.cfg.Model, o.cfg.BaseURL, o.cfg.Settings.Model)}
	case errors.As(err, &unusable), errors.As(err, &cut):
		return failure{retry: cut != nil, err: fault.Wrap(fault.Unavailable, err,
			"embedder_answer_invalid", "the answer of the embedding server %s is not valid; check %s and %s",
			o.cfg.BaseURL, o.cfg.Settings.URL, o.cfg.Settings.Model)}
	default:
		return failure{retry: !openai.Unreachable(err), err: fault.Wrap(fault.Unavailable, err,
			"embedder_unreachable", "the embedding server does not answer; is %s right and the server running?", o.cfg.Settings.URL)}
	}
}

// refused explains a status. Only the cause has the text of the server. A
// refused key is Unavailable to clients of docent: a wrong configuration of
// docent is not theirs to fix.
func (o *OpenAI) refused(e *StatusError) failure {
	s := o.cfg.Settings
	f := failure{after: e.RetryAfter}
	wrap := func(kind fault.Kind, id, format string, args ...any) failure {
		f.err = fault.Wrap(kind, e, id, format, args...)
		return f
	}
	switch {
	case e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden:
		if o.cfg.APIKey == "" {
			return wrap(fault.Unavailable, "embedder_key_missing", "the embedding server needs a key; set %s", s.Key)
		}
		return wrap(fault.Unavailable, "embedder_key_refused", "the embedding server does not accept the key or does not allow it the model %q: check %s", o.cfg.Model, s.Key)
	case e.Status == http.StatusNotFound:
		return wrap(fault.Unavailable, "embedder_model_unknown", "the embedding server knows no model %q, or nothing is at this address: check %s and %s, which often ends in /v1", o.cfg.Model, s.Model, s.URL)
	case e.Status == http.StatusPaymentRequired || e.Code == "insufficient_quota":
		return wrap(fault.Unavailable, "embedder_no_credit", "the embedding account has no credit left")
	case e.Status == http.StatusTooManyRequests:
		f.retry = true
		return wrap(fault.RateLimited, "embedder_rate_limited", "the embedding server is asked too often; try again later")
	case openai.Transient(e.Status):
		f.retry = true
		return wrap(fault.Unavailable, "embedder_problem", "the embedding server has a problem (status %d)", e.Status)
	case e.Status/100 == 3:
		return wrap(fault.Unavailable, "embedder_moved", "the embedding server is at another address (status %d): check %s", e.Status, s.URL)
	default:
		return wrap(fault.Invalid, "embedder_refused", "the embedding server refused the request (status %d); the log has its reason", e.Status)
	}
}
