package weaviate

import (
	"context"
	"net/http"
	"testing"
	"time"

	"docent/internal/fault"
)

// late is a transport whose requests time out.
type late struct{ calls int }

func (l *late) RoundTrip(*http.Request) (*http.Response, error) {
	l.calls++
	return nil, context.DeadlineExceeded
}

// TestTimeouts: nodes with too much work do not get each search in turn.
func TestTimeouts(t *testing.T) {
	t.Parallel()
	transport := &late{}
	c := &client{nodes: []string{"http://a", "http://b", "http://c"}, http: &http.Client{Transport: transport}}
	err := c.call(t.Context(), time.Second, http.MethodGet, "/v1/meta", nil, nil)
	if fault.KindOf(err) != fault.Unavailable || transport.calls != maxTimeouts {
		t.Errorf("%d attempts, %v", transport.calls, err)
	}
}
