package llm_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tmc/langchaingo/llms"

	"docent/internal/openai"
	"docent/llm"
)

// canned answers every request with one body.
type canned string

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(c))), Request: r}, nil
}

// FuzzStream passes any data to the reader of streams. It returns an answer or
// an error, and the streamed text is the returned text.
func FuzzStream(f *testing.F) {
	for _, s := range []string{
		"", "\n", "data: [DONE]\n\n", ": comment\n\ndata:{\"choices\":[{\"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}\r\n\r\ndata: [DONE]",
		"data: {\"error\":\"boom\"}\n\n", ": x\ndata: {\"error\":{\"message\":[\"a\"],\"code\":5}}", "\ufeffdata: {\"choices\":null}\n",
		"{\"choices\":[{\"message\":{\"content\":\"x\"}}]}", "{\n\"choices\":\n[{}]}", "data: null\n\ndata: []\n\n", "data: {\"choices\":[{\"index\":-1}]}\n",
		"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":9999999,\"function\":{\"arguments\":[1]}}]}}]}\n\ndata: [DONE]\n",
		"event: x\nid: 1\ndata: {\"choices\":[{\"delta\":{\"content\":[{\"text\":[{\"text\":\"deep\"}]}]}}]}\n\ndata: [DONE]\n\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		o, err := llm.NewOpenAI(llm.Config{BaseURL: "http://test/v1", Model: "m", MaxRetries: -1, HTTPClient: &http.Client{Transport: canned(body)}})
		if err != nil {
			t.Fatal(err)
		}
		var streamed strings.Builder
		resp, err := o.GenerateContent(t.Context(), nil, llms.WithStreamingFunc(func(_ context.Context, chunk []byte) error {
			streamed.Write(chunk)
			return nil
		}))
		if (resp == nil) == (err == nil) {
			t.Fatalf("answer %v and error %v", resp, err)
		}
		if resp != nil && resp.Choices[0].Content != streamed.String() {
			t.Fatalf("streamed %q, returned %q", streamed.String(), resp.Choices[0].Content)
		}
	})
}

// FuzzRetryAfter reads a header with arbitrary data.
func FuzzRetryAfter(f *testing.F) {
	for _, s := range []string{"", "5", "0.5", "-1", "1e99", "NaN", "Inf", "Fri, 31 Dec 2027 23:59:59 GMT", "soon"} {
		f.Add(s, s)
	}
	now := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, seconds, millis string) {
		h := http.Header{}
		h.Set("Retry-After", seconds)
		h.Set("Retry-After-Ms", millis)
		if d := openai.RetryAfter(h, now); d < 0 {
			t.Fatalf("waits %v", d)
		}
	})
}
