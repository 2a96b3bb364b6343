package sse_test

import (
	"net/http/httptest"
	"testing"

	"docent/api/sse"
)

func TestEvents(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	out := sse.NewWriter(w)
	for _, err := range []error{
		out.Send("delta", map[string]string{"text": "a\nb"}), out.Send("", map[string]int{"n": 1}), out.SendText("[DONE]"),
		sse.SendAll(out, "n", []int{1, 2}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	const want = "event: delta\ndata: {\"text\":\"a\\nb\"}\n\ndata: {\"n\":1}\n\ndata: [DONE]\n\nevent: n\ndata: 1\n\nevent: n\ndata: 2\n\n"
	if got := w.Body.String(); got != want || w.Header().Get("Content-Type") != sse.MediaType {
		t.Errorf("%q as %s, want %q", got, w.Header().Get("Content-Type"), want)
	}
	if out.Send("", func() {}) == nil {
		t.Error("data without JSON is sent")
	}
}
