package embed

import (
	"io"
	"math"
	"net/http"
	"strings"
	"testing"
)

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// FuzzOpenAIAnswer: every response results in an error or in two vectors of one
// length. The embedder remembers that length.
func FuzzOpenAIAnswer(f *testing.F) {
	for _, body := range []string{
		`{"data":[{"index":1,"embedding":[3,4]},{"index":0,"embedding":[0,0]}]}`, `{"data":[{"embedding":[1]},{"embedding":[2]}]}`,
		`{"data":null}`, `{"data":[null,null]}`, `[]`, `{"error":"x"}`, `{"error":{"code":5,"message":null}}`, "\x00", `{"data":[{"index":1e9},{}]}`,
	} {
		f.Add(200, body, "1")
		f.Add(429, body, "Mon, 02 Jan 2006 15:04:05 GMT")
	}
	f.Fuzz(func(t *testing.T, status int, body, retry string) {
		o, err := NewOpenAI(Config{Model: "m", MaxRetries: -1, HTTPClient: &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: status, Header: http.Header{"Retry-After": {retry}}, Body: io.NopCloser(strings.NewReader(body))}, nil
		})}})
		if err != nil {
			t.Fatal(err)
		}
		vectors, err := o.EmbedDocuments(t.Context(), []string{"a", "b"})
		if err != nil {
			return
		}
		if len(vectors) != 2 || len(vectors[0]) != o.Dimensions() || len(vectors[1]) != o.Dimensions() || o.Dimensions() == 0 {
			t.Fatalf("%q: %v, %d dimensions", body, vectors, o.Dimensions())
		}
		for _, v := range vectors {
			if square := Dot(v, v); square != 0 && math.Abs(float64(square)-1) > 1e-4 {
				t.Fatalf("%q: square of the length %g", body, square)
			}
		}
	})
}
