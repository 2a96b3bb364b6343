package dial

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"docent/internal/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestPublic(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"8.8.8.8": true, "1.1.1.1": true, "2606:4700::1111": true, "::ffff:8.8.8.8": true,
		"64:ff9b::8.8.8.8": true, "2002:808:808::1": true,
		"127.0.0.1": false, "127.9.9.9": false, "10.0.0.1": false, "172.16.0.1": false, "192.168.1.1": false,
		"169.254.169.254": false, "100.64.0.1": false, "0.0.0.0": false, "255.255.255.255": false, "224.0.0.1": false,
		"198.18.0.1": false, "192.0.2.1": false, "240.0.0.1": false,
		"::1": false, "::": false, "fe80::1%eth0": false, "fc00::1": false, "fd00:ec2::254": false, "ff02::1": false,
		"::ffff:127.0.0.1": false, "::127.0.0.1": false, "64:ff9b::127.0.0.1": false, "64:ff9b::a9fe:a9fe": false,
		"2002:7f00:1::1": false, "2001:db8::1": false,
	} {
		if got := Public(netip.MustParseAddr(text)); got != want {
			t.Errorf("Public(%s) = %v, want %v", text, got, want)
		}
	}
}

func get(t *testing.T, client *http.Client, url string) (string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	res, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return string(body), err
}

func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func client(t *testing.T, o Options) *http.Client {
	t.Helper()
	if o.RetryWait == 0 {
		o.RetryWait = time.Millisecond
	}
	c := Client(o)
	t.Cleanup(c.CloseIdleConnections)
	return c
}

func TestPrivateAddressesAreRefused(t *testing.T) {
	t.Parallel()
	var hits atomic.Int32
	inside := serve(t, func(http.ResponseWriter, *http.Request) { hits.Add(1) })
	port := inside[strings.LastIndex(inside, ":"):]
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0.0.0.0", "2130706433"} {
		_, err := get(t, client(t, Options{}), "http://"+host+port)
		if err == nil {
			t.Errorf("%s is reached", host)
		}
		if host == "127.0.0.1" && fault.KindOf(err) != fault.Forbidden {
			t.Errorf("%s: kind %s of %v", host, fault.KindOf(err), err)
		}
	}
	if hits.Load() != 0 {
		t.Errorf("the server had %d requests", hits.Load())
	}
	if _, err := get(t, client(t, Options{AllowPrivate: true}), inside); err != nil {
		t.Errorf("allowed: %v", err)
	}
}

func TestProxyOfTheEnvironmentIsIgnored(t *testing.T) {
	var hits atomic.Int32
	proxy := serve(t, func(http.ResponseWriter, *http.Request) { hits.Add(1) })
	t.Setenv("HTTP_PROXY", proxy)
	t.Setenv("http_proxy", proxy)
	_, err := get(t, client(t, Options{Retries: -1}), "http://192.0.2.1/")
	if err == nil || hits.Load() != 0 {
		t.Errorf("the proxy had %d requests, error %v", hits.Load(), err)
	}
}

func TestFailedRequestsAreRepeated(t *testing.T) {
	t.Parallel()
	var hits atomic.Int32
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if n := hits.Add(1); n < 4 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader([]int{500, 429, 503}[n-1])
			return
		}
		_, _ = w.Write(append([]byte("got "), body...))
	})
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader("body"))
	res, err := client(t, Options{AllowPrivate: true}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, _ := io.ReadAll(res.Body); string(body) != "got body" || hits.Load() != 4 {
		t.Errorf("body %q after %d requests", body, hits.Load())
	}
}

func TestLongRetryAfterIsNotAwaited(t *testing.T) {
	t.Parallel()
	var hits atomic.Int32
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		hits.Add(1)
		w.Header().Set("Retry-After", "86400")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	if _, err := get(t, client(t, Options{AllowPrivate: true}), url); err != nil || hits.Load() != 1 {
		t.Errorf("%d requests, error %v", hits.Load(), err)
	}
}

func TestBodiesAreBounded(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		n := 10
		if r.URL.Path == "/over" {
			n = 11
		}
		_, _ = w.Write(make([]byte, n))
	})
	c := client(t, Options{AllowPrivate: true, MaxBody: 10})
	if body, err := get(t, c, url); err != nil || len(body) != 10 {
		t.Errorf("at the limit: %d bytes, error %v", len(body), err)
	}
	if _, err := get(t, c, url+"/over"); fault.KindOf(err) != fault.Invalid {
		t.Errorf("over the limit: %v", err)
	}
}

func TestSlowBodiesEnd(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte("x"))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	_, err := get(t, client(t, Options{AllowPrivate: true, Timeout: 50 * time.Millisecond}), url)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	var leaked atomic.Bool
	other := serve(t, func(w http.ResponseWriter, r *http.Request) {
		leaked.Store(r.Header.Get("Authorization") != "")
		_, _ = w.Write([]byte("other"))
	})
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret" {
			t.Errorf("%s comes without authorization", r.URL.Path)
		}
		switch r.URL.Path {
		case "/other":
			http.Redirect(w, r, other, http.StatusFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		}
	})
	c := client(t, Options{AllowPrivate: true, Redirects: 5, Authorization: "Bearer secret"})
	if body, err := get(t, c, url+"/other"); err != nil || body != "other" {
		t.Errorf("body %q, error %v", body, err)
	}
	if leaked.Load() {
		t.Error("the authorization went to another host")
	}
	if _, err := get(t, c, url+"/loop"); err == nil {
		t.Error("the loop ends without an error")
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "x": 0, "-3": 0, "7": 7 * time.Second, "99999999999": time.Hour,
		now.Add(time.Minute).Format(http.TimeFormat): time.Minute, now.Add(-time.Minute).Format(http.TimeFormat): 0,
	} {
		if got := retryAfter(value, now); got != want {
			t.Errorf("retryAfter(%q) = %v, want %v", value, got, want)
		}
	}
}

func TestParseURL(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "ftp://x/", "https://", "https://u:p@x/", "http://127.0.0.1/", "http://[::1]/", "http://localhost/", "%zz"} {
		if _, err := ParseURL(text, false, "https", "http"); err == nil || !strings.Contains(err.Error(), "url: ") {
			t.Errorf("ParseURL(%q): %v", text, err)
		}
	}
	if _, err := ParseURL(" https://example.com/x ", false, "https", "http"); err != nil {
		t.Error(err)
	}
}
