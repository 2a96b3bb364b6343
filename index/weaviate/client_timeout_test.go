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
	c := newClient([]string{"http://a", "http://b", "http://c"}, "", transport)
	err := c.call(t.Context(), time.Second, http.MethodGet, "/v1/meta", nil, nil)
	if fault.KindOf(err) != fault.Unavailable || transport.calls != maxTimeouts {
		t.Errorf("%d attempts, %v", transport.calls, err)
	}
}

// TestOrder: requests begin at each node in turn, and avoid those that failed lately.
func TestOrder(t *testing.T) {
	t.Parallel()
	c := newClient([]string{"http://a", "http://b", "http://c"}, "", nil)
	first := func() map[int]int {
		counts := map[int]int{}
		for range 6 {
			order := c.order()
			if len(order) != len(c.nodes) {
				t.Fatalf("%v is not an order of all nodes", order)
			}
			counts[order[0]]++
		}
		return counts
	}
	if got := first(); got[0] != 2 || got[1] != 2 || got[2] != 2 {
		t.Errorf("6 requests begin at the nodes %v", got)
	}
	c.failed[1].Store(time.Now().UnixNano())
	if got := first(); got[1] != 0 {
		t.Errorf("requests begin at a node that failed: %v", got)
	}
	c.failed[1].Store(time.Now().Add(-2 * avoidance).UnixNano())
	if got := first(); got[1] != 2 {
		t.Errorf("requests do not come back to a node: %v", got)
	}
}
