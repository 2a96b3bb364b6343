package weaviate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"sync/atomic"
	"time"

	"docent/internal/fault"
)

const (
	// searchTimeout bounds the first attempt of a search.
	searchTimeout = 3 * time.Second
	// retryTimeout is the minimum timeout of later attempts. While a node loads its shards
	// after a start, searches through other nodes wait for it, too: each node selects a copy
	// of a shard by chance, and does not try the other copy in time.
	retryTimeout = 15 * time.Second
	// writeTimeout bounds one attempt of a write.
	writeTimeout = 30 * time.Second
	// maxTimeouts is the number of attempts that may time out. A cluster with too much
	// work answers no node in time, and each attempt adds to the work.
	maxTimeouts = 2
	// avoidance is the time for which requests begin at other nodes after a node failed.
	avoidance = 5 * time.Second
	// maxResponse limits the body of a response, in bytes.
	maxResponse = 64 << 20
	// maxError limits the text of an error of Weaviate, in bytes.
	maxError = 300
)

// client talks to the nodes of a cluster. It is safe for concurrent use.
type client struct {
	nodes []string
	key   string
	http  *http.Client
	// started counts requests, so that each begins at the next node.
	started atomic.Uint32
	// failed has the time of the last failure of each node, in nanoseconds.
	failed []atomic.Int64
}

func newClient(nodes []string, key string, transport http.RoundTripper) *client {
	return &client{nodes: nodes, key: key, http: &http.Client{Transport: transport}, failed: make([]atomic.Int64, len(nodes))}
}

// order returns the indexes of the nodes in the order of attempts. Each request begins
// at the next node, because this node gathers the results of all shards. Nodes that
// failed lately are last.
func (c *client) order() []int {
	var order, late []int
	now, first := time.Now().UnixNano(), int((c.started.Add(1)-1)%uint32(len(c.nodes)))
	for i := range c.nodes {
		n := (first + i) % len(c.nodes)
		if failed := c.failed[n].Load(); failed != 0 && now-failed < int64(avoidance) {
			late = append(late, n)
		} else {
			order = append(order, n)
		}
	}
	return append(order, late...)
}

// statusError is a response that is not a success.
type statusError struct {
	status int
	text   string
}

func (e *statusError) Error() string {
	return fmt.Sprintf("status %d: %s", e.status, e.text)
}

// call sends a request to one node, and to the others in turn if it fails. They have at
// least retryTimeout. After maxTimeouts, call gives up. in is a JSON value, and out points to one; nil means none.
// It fails with fault.Unavailable if no node answers, and with a statusError if all
// nodes refuse the request. One node is not enough: while it starts, it refuses requests,
// because it does not know the classes yet.
func (c *client) call(ctx context.Context, timeout time.Duration, method, path string, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return fmt.Errorf("weaviate: write a request: %w", err)
		}
	}
	var failures []error
	timeouts, refusals := 0, 0
	for _, n := range c.order() {
		if timeouts == maxTimeouts {
			break
		}
		err := c.try(ctx, timeout, c.nodes[n], method, path, body, out)
		var status *statusError
		switch {
		case err == nil:
			c.failed[n].Store(0)
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &status) && status.status < http.StatusInternalServerError:
			if refusals++; refusals == len(c.nodes) {
				return fmt.Errorf("weaviate: %s %s: %w", method, path, err)
			}
		case errors.Is(err, context.DeadlineExceeded):
			timeouts++
		}
		c.failed[n].Store(time.Now().UnixNano())
		failures = append(failures, fmt.Errorf("%s: %w", c.nodes[n], err))
		timeout = max(timeout, retryTimeout)
	}
	return unavailable(errors.Join(failures...))
}

func unavailable(err error) error {
	return fault.Wrap(fault.Unavailable, err, "weaviate_unavailable",
		"the search engine Weaviate does not answer; check its nodes and the setting weaviate.nodes")
}

// try sends a request to one node.
func (c *client) try(ctx context.Context, timeout time.Duration, node, method, path string, body []byte, out any) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, node+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.key != "" {
		request.Header.Set("Authorization", "Bearer "+c.key)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close() //nolint:errcheck // it is only read
	text, err := io.ReadAll(io.LimitReader(response.Body, maxResponse))
	if err != nil {
		return err
	}
	if response.StatusCode >= http.StatusMultipleChoices {
		return &statusError{response.StatusCode, short(text)}
	}
	if out == nil {
		return nil
	}
	reflect.ValueOf(out).Elem().SetZero() // another node may have filled it
	if err := json.Unmarshal(text, out); err != nil {
		return fmt.Errorf("read the response: %w", err)
	}
	if r, ok := out.(interface{ failed() error }); ok {
		return r.failed()
	}
	return nil
}

// short cuts the text of an error.
func short(text []byte) string {
	s := strings.TrimSpace(string(text))
	return strings.ToValidUTF8(s[:min(len(s), maxError)], "")
}

// isStatus reports whether an error is a response with a status.
func isStatus(err error, status int) bool {
	var s *statusError
	return errors.As(err, &s) && s.status == status
}
