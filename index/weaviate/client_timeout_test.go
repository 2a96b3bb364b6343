package weaviate

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
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

// slow is a transport whose requests take a time.
type slow struct {
	took  time.Duration
	calls int
}

func (s *slow) RoundTrip(r *http.Request) (*http.Response, error) {
	s.calls++
	select {
	case <-r.Context().Done():
		return nil, r.Context().Err()
	case <-time.After(s.took):
		return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
	}
}

// TestSlowNodes: while a node loads its shards, searches through all nodes can be slow. The
// second attempt has the time to wait for that.
func TestSlowNodes(t *testing.T) {
	t.Parallel()
	for took, attempts := range map[time.Duration]int{searchTimeout - 1: 1, searchTimeout + 1: 2, retryTimeout - 1: 2} {
		synctest.Test(t, func(t *testing.T) {
			transport := &slow{took: took}
			c := newClient([]string{"http://a", "http://b", "http://c"}, "", transport)
			if err := c.call(t.Context(), searchTimeout, http.MethodGet, "/v1/meta", nil, nil); err != nil || transport.calls != attempts {
				t.Errorf("nodes that take %v: %d attempts, %v", took, transport.calls, err)
			}
		})
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
