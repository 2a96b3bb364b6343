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

// serverDimensions is the vectors' length unless a request asks for another.
const serverDimensions = 64

// Server is an OpenAI-compatible embeddings server. It answers with the first
// components of the built-in model's vectors, neither of length 1 nor in order,
// and refuses blank texts as OpenAI does.
type Server struct {
	// URL is what an embedder's base URL is set to.
	URL string

	static *embed.Static

	mu        sync.Mutex // guards what follows
	requests  []Request
	intercept func(w http.ResponseWriter, r Request, n int) bool
}

// Request is one request as the server saw it.
type Request struct {
	// Header are its headers.
	Header http.Header `json:"-"`
	// Path is where it went.
	Path string `json:"-"`
	// Model is the model asked for.
	Model string `json:"model"`
	// Input are the texts.
	Input []string `json:"input"`
	// EncodingFormat is how vectors should be written.
	EncodingFormat string `json:"encoding_format"`
	// Dimensions is the length asked for, 0 if none is.
	Dimensions int `json:"dimensions"`
}

// NewServer starts a server that ends with the test.
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

// Intercept has f see every later request first, with its number counted from
// 0; f reports whether it has answered.
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

// ServeHTTP answers one request.
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
	for i := range v {
		v[i] *= 3
	}
	return v
}

// Refuse answers with an error as OpenAI writes it.
func Refuse(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": message, "type": "test_error"}})
}
