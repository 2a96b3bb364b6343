package embedtest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"docent/embed"
)

// serverDimensions is the length of the vectors unless a request asks for
// another.
const serverDimensions = 64

// Server is an OpenAI-compatible embeddings server. It responds with the first
// components of the built-in model's vectors. The vectors are not scaled to
// length 1, and they come in no particular order. Like OpenAI, the server refuses
// blank texts.
type Server struct {
	// URL is the base URL for an embedder.
	URL string

	static *embed.Static

	mu        sync.Mutex // guards the fields below
	requests  []Request
	intercept func(w http.ResponseWriter, r Request, n int) bool
}

// Request is a request as the server received it.
type Request struct {
	// Header are its headers.
	Header http.Header `json:"-"`
	// Path is the path of the request.
	Path string `json:"-"`
	// Model is the requested model.
	Model string `json:"model"`
	// Input are the texts.
	Input []string `json:"input"`
	// EncodingFormat is the requested format of the vectors.
	EncodingFormat string `json:"encoding_format"`
	// Dimensions is the requested length; 0 without one.
	Dimensions int `json:"dimensions"`
}

// NewServer starts a server that stops at the end of the test.
func NewServer(t testing.TB) *Server {
	t.Helper()
	static, err := embed.NewStatic()
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{static: static}
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	s.URL = h.URL + "/v1"
	return s
}

// Intercept makes the server call f first for every later request. The requests
// are counted from 0. f reports whether it has sent the response itself.
func (s *Server) Intercept(f func(w http.ResponseWriter, r Request, n int) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.intercept, s.requests = f, nil
}

// Requests returns the requests since the last Intercept.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// ServeHTTP responds to a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var req Request
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil || r.Method != http.MethodPost {
		Refuse(w, http.StatusBadRequest, "not a request for embeddings")
		return
	}
	req.Header, req.Path = r.Header.Clone(), r.URL.Path
	s.mu.Lock()
	n, f := len(s.requests), s.intercept
	s.requests = append(s.requests, req)
	s.mu.Unlock()
	if f != nil && f(w, req, n) {
		return
	}
	type datum struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	}
	data := make([]datum, len(req.Input))
	for i, text := range req.Input {
		if strings.TrimSpace(text) == "" {
			Refuse(w, http.StatusBadRequest, "input cannot be an empty string")
			return
		}
		data[len(data)-1-i] = datum{i, s.vector(text, req.Dimensions)}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "model": req.Model, "data": data})
}

// vector returns an embedding of length 3.
func (s *Server) vector(text string, d int) []float32 {
	if d == 0 {
		d = serverDimensions
	}
	v := make([]float32, s.static.Dimensions())
	s.static.Mean(v, s.static.Tokenize(text))
	v = v[:min(d, len(v))]
	v[0] += 1e-6 // as of real models, the vector is never zero
	for i := range v {
		v[i] *= 3
	}
	return v
}

// Refuse responds with an error in the format of OpenAI.
func Refuse(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": message, "type": "test_error"}})
}
