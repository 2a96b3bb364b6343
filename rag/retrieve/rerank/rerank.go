// Package rerank has the rerankers: the similarity of vectors, and the client of a
// reranking server. The server offers POST /rerank with the request and the
// response of Cohere and Jina, as vLLM, llama.cpp, and Infinity do, or another of the
// forms.
package rerank

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"docent/internal/openai"
	"docent/rag/corpus"
	"docent/rag/retrieve"
)

const (
	// DefaultTimeout bounds the scoring of one question's passages, with the retry.
	DefaultTimeout = 5 * time.Second
	// maxDocumentBytes bounds the text of a passage in a request. Most rerankers
	// read at most 512 tokens.
	maxDocumentBytes = 8 << 10
	// maxRequest bounds the text of all passages in a request.
	maxRequest = 4 << 20
	// maxResponse bounds a response in bytes. Some servers repeat the passages.
	maxResponse = 4 << 20
	// backoff is the wait before the retry.
	backoff = 200 * time.Millisecond
)

// Config describes a reranking server.
type Config struct {
	// BaseURL is the address in front of /rerank, such as https://api.jina.ai/v1.
	// Required.
	BaseURL string
	// APIKey is sent as bearer token. Default: none, for local servers.
	APIKey string
	// Model is the model's name on the server. Default: none, for servers with one
	// model.
	Model string
	// Documents is the largest number of passages in a request. Default: 1,000. If the
	// server refuses that, docent finds the number that it takes.
	Documents int
	// Timeout bounds a call of Score. Default: DefaultTimeout.
	Timeout time.Duration
	// HTTPClient sends the requests. It never follows redirects. Default: a client
	// with the settings of http.DefaultTransport.
	HTTPClient *http.Client
}

// Server is a Reranker on a server. It is safe for concurrent use.
type Server struct {
	cfg     Config
	server  openai.Server
	batches openai.Batches[float64]
	// form is the number of the form that has worked, from 1; 0 before.
	form atomic.Int32
}

var _ retrieve.Reranker = (*Server)(nil)

// New returns a client of the server. It does not call the server.
func New(cfg Config) (*Server, error) {
	switch {
	case cfg.BaseURL == "":
		return nil, errors.New("rerank: Config.BaseURL is required")
	case cfg.Timeout < 0 || cfg.Documents < 0:
		return nil, errors.New("rerank: Config.Timeout and Documents must not be negative")
	}
	server, err := openai.Server{BaseURL: cfg.BaseURL, APIKey: cfg.APIKey, HTTPClient: cfg.HTTPClient}.Complete()
	if err != nil {
		return nil, fmt.Errorf("rerank: %w", err)
	}
	cfg.Timeout = cmp.Or(cfg.Timeout, DefaultTimeout)
	s := &Server{cfg: cfg, server: server}
	// The best part of a divided passage decides.
	s.batches.MaxBytes, s.batches.Join = maxRequest, slices.Max[[]float64]
	s.batches.Limit(cmp.Or(cfg.Documents, 1000), 0)
	return s, nil
}

// request is the body of a request. Each form has some of the fields.
type request struct {
	Model     string   `json:"model,omitempty"`
	Query     string   `json:"query,omitempty"`
	Documents []string `json:"documents,omitempty"`
	TopN      int      `json:"top_n,omitempty"`
	Texts     []string `json:"texts,omitempty"`
	Text1     string   `json:"text_1,omitempty"`
	Text2     []string `json:"text_2,omitempty"`
}

// form is a path below the base URL and its request.
type form struct {
	path string
	make func(model, question string, documents []string) request
}

// forms are those of Cohere, Jina, vLLM, llama.cpp, and Infinity; of Voyage; of Text Embeddings Inference; and the scores
// of vLLM. They are tried in this order until one works.
var forms = []form{
	{"/rerank", func(m, q string, d []string) request {
		return request{Model: m, Query: q, Documents: d, TopN: len(d)}
	}},
	{"/rerank", func(m, q string, d []string) request { return request{Model: m, Query: q, Documents: d} }},
	{"/rerank", func(_, q string, d []string) request { return request{Query: q, Texts: d} }},
	{"/score", func(m, q string, d []string) request { return request{Model: m, Text1: q, Text2: d} }},
}

// otherForm reports whether a server may have refused the form of a request.
func otherForm(err error) bool {
	var refusal *openai.StatusError
	if !errors.As(err, &refusal) {
		return false
	}
	switch refusal.Status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusUnprocessableEntity:
		return true
	default:
		return false
	}
}

// response is the body of a response: a list of results, or an object with one.
type response struct {
	Results []result `json:"results"`
	Data    []result `json:"data"`
}

type result struct {
	Index     *int     `json:"index"`
	Relevance *float64 `json:"relevance_score"`
	Score     *float64 `json:"score"`
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *response) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '[' {
		return json.Unmarshal(data, &r.Results)
	}
	type plain response
	if err := json.Unmarshal(data, (*plain)(r)); err != nil {
		return err
	}
	if r.Results == nil {
		r.Results = r.Data
	}
	return nil
}

// Score implements retrieve.Reranker with one request, or several if the server refuses
// many or long passages. It sends a request once more if a busy server may answer within
// the timeout.
func (s *Server) Score(ctx context.Context, question string, passages []corpus.Passage) ([]retrieve.Score, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("rerank: %w", err)
	}
	documents := make([]string, len(passages))
	for i, p := range passages {
		documents[i] = document(p)
	}
	limited, cancel := context.WithTimeout(ctx, s.cfg.Timeout)
	defer cancel()
	relevance, err := s.batches.Send(limited, documents, func(ctx context.Context, documents []string) ([]float64, error) {
		return s.score(ctx, question, documents)
	})
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("rerank: %w", ctx.Err())
	case limited.Err() != nil && err != nil:
		return nil, fmt.Errorf("rerank: the server did not answer within %v: %w", s.cfg.Timeout, err)
	case err != nil:
		return nil, fmt.Errorf("rerank: %w", err)
	}
	scores := make([]retrieve.Score, len(relevance))
	for i, r := range relevance {
		scores[i].Relevance = r
	}
	return scores, nil
}

// score scores documents in the form that the server takes.
func (s *Server) score(ctx context.Context, question string, documents []string) ([]float64, error) {
	if known := s.form.Load(); known > 0 {
		return s.scoreIn(ctx, forms[known-1], question, documents)
	}
	var first error
	for i, f := range forms {
		scores, err := s.scoreIn(ctx, f, question, documents)
		if err == nil {
			s.form.Store(int32(i) + 1)
			return scores, nil
		}
		if first == nil {
			first = err
		}
		if !otherForm(err) || ctx.Err() != nil {
			break
		}
	}
	return nil, first
}

// scoreIn scores documents with one request, and with a second one if that may succeed.
func (s *Server) scoreIn(ctx context.Context, f form, question string, documents []string) ([]float64, error) {
	body, err := json.Marshal(f.make(s.cfg.Model, question, documents))
	if err != nil {
		return nil, err
	}
	scores, err := s.send(ctx, f.path, body, len(documents))
	if pause, ok := again(ctx, err, documents); ok && openai.Wait(ctx, pause) == nil {
		scores, err = s.send(ctx, f.path, body, len(documents))
	}
	return scores, err
}

// document returns the text of a passage for the server: headings and text.
func document(p corpus.Passage) string {
	text := corpus.IndexText(p.Document.Title, p.Chunk)
	if len(text) > maxDocumentBytes {
		text = text[:maxDocumentBytes]
	}
	return strings.ToValidUTF8(text, "")
}

// again reports whether a failed request may succeed after a pause.
func again(ctx context.Context, err error, documents []string) (time.Duration, bool) {
	var refusal *openai.StatusError
	var answer *answerError
	switch {
	case err == nil, ctx.Err() != nil, errors.As(err, &answer):
		return 0, false
	case !errors.As(err, &refusal):
		return backoff, !openai.Unreachable(err)
	case !openai.Transient(refusal.Status), refusal.Status == http.StatusInternalServerError && openai.Halvable(documents):
		return 0, false
	}
	pause, ok := openai.Pause(backoff, refusal.RetryAfter, 0)
	deadline, _ := ctx.Deadline()
	return pause, ok && pause < time.Until(deadline)
}

// answerError is a response with unexpected content.
type answerError struct{ error }

// Unwrap returns the reason.
func (e *answerError) Unwrap() error { return e.error }

// send sends a request and returns the scores of its n documents.
func (s *Server) send(ctx context.Context, path string, body []byte, n int) ([]float64, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.server.BaseURL+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	if s.cfg.APIKey != "" {
		req.Header.Set("Authorization", "Bearer "+s.cfg.APIKey)
	}
	resp, err := s.server.HTTPClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode/100 != 2 {
		return nil, s.server.Refusal(resp, time.Now())
	}
	var r response
	if err := json.NewDecoder(openai.Limit(resp.Body, maxResponse)).Decode(&r); err != nil {
		return nil, &answerError{fmt.Errorf("read the answer: %w", err)}
	}
	return scores(r, n)
}

// scores returns the scores of a response in the order of the documents.
func scores(r response, n int) ([]float64, error) {
	if len(r.Results) != n {
		return nil, &answerError{fmt.Errorf("the server returned %d scores for %d passages", len(r.Results), n)}
	}
	out, seen := make([]float64, n), make([]bool, n)
	for _, result := range r.Results {
		score := cmp.Or(result.Relevance, result.Score)
		switch {
		case result.Index == nil || score == nil:
			return nil, &answerError{errors.New("a result lacks its index or its relevance_score")}
		case *result.Index < 0 || *result.Index >= n || seen[*result.Index]:
			return nil, &answerError{fmt.Errorf("index %d is out of range or repeated among %d results", *result.Index, n)}
		}
		seen[*result.Index] = true
		out[*result.Index] = *score
	}
	return out, nil
}
