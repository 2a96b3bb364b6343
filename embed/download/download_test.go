package download

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// slow is a server that pauses before its response and before each byte of it. It
// sends the bytes only while the request lasts.
type slow struct{ first, each time.Duration }

func (s slow) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := pause(req.Context(), s.first); err != nil {
		return nil, err
	}
	r, w := io.Pipe()
	go func() {
		for range 10 {
			if err := pause(req.Context(), s.each); err != nil {
				w.CloseWithError(err)
				return
			}
			if _, err := w.Write([]byte("x")); err != nil {
				return
			}
		}
		w.Close()
	}()
	return &http.Response{StatusCode: http.StatusOK, Body: r}, nil
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

func TestIdle(t *testing.T) {
	t.Parallel()
	const stalled = "no data arrived for 10s"
	for _, c := range []struct {
		slow slow
		want string
	}{
		{slow{time.Second, 9 * time.Second}, ""}, // in all it takes much longer than idle
		{slow{11 * time.Second, 0}, stalled},
		{slow{0, 11 * time.Second}, stalled},
	} {
		synctest.Test(t, func(t *testing.T) {
			got, err := get(t.Context(), c.slow)
			if c.want == "" && (err != nil || got != "xxxxxxxxxx") || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%+v: %q, %v", c.slow, got, err)
			}
		})
	}
}

// TestCanceled: the error of a caller that leaves is not that of a stalled server.
func TestCanceled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		for _, s := range []slow{{0, 5 * time.Second}, {5 * time.Second, 0}} {
			if _, err := get(ctx, s); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%+v: %v", s, err)
			}
		}
	})
}

func get(ctx context.Context, s slow) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost/", nil)
	if err != nil {
		return "", err
	}
	resp, err := (&http.Client{Transport: transport{s, 10 * time.Second}}).Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return string(b), err
}
