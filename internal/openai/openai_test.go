package openai

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestComplete(t *testing.T) {
	t.Parallel()
	const padded = " http://localhost:11434/v1/ "
	for address, ok := range map[string]bool{
		"": true, padded: true, "https://api.example": true,
		"localhost:11434": false, "ftp://x": false, "http://": false, "http://u:secret@x/v1": false, "http://x/?q=1": false, "http://x/#f": false, "http://x/\x7f": false,
	} {
		s, err := Server{BaseURL: address}.Complete()
		if (err == nil) != ok || err != nil && (!strings.Contains(err.Error(), "BaseURL") || strings.Contains(err.Error(), "secret")) {
			t.Errorf("%q: %v", address, err)
		}
		if ok && (s.HTTPClient == nil || strings.HasSuffix(s.BaseURL, "/") || s.BaseURL == "") {
			t.Errorf("%q became %+v", address, s)
		}
	}
	if _, err := (Server{APIKey: "a\nb"}).Complete(); err == nil {
		t.Error("a key with a line break is taken")
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.RedirectHandler("http://127.0.0.1:1/", http.StatusFound))
	t.Cleanup(server.Close)
	s, err := Server{BaseURL: server.URL}.Complete()
	if err != nil {
		t.Fatal(err)
	}
	resp, err := s.HTTPClient.Get(s.BaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if e := s.Refusal(resp, time.Now()); e.Status != http.StatusFound || e.Message != "redirects are not followed; this one leads to http://127.0.0.1:1/" {
		t.Errorf("the refusal is %+v", e)
	}
}

func TestRefusal(t *testing.T) {
	t.Parallel()
	s := Server{APIKey: "sk-secret"}
	for body, want := range map[string]StatusError{
		`{"error":{"code":"quota","message":"no credit"}}`:   {Code: "quota", Message: "no credit"},
		`{"error":{"code":429,"message":"slow"}}`:            {Code: "429", Message: "slow"},
		`{"error":{"type":"bad","message":"key sk-secret"}}`: {Code: "bad", Message: "key [key]"},
		`{"error":"just text"}`:                              {Message: "just text"},
		`{"message":"no error"}`:                             {Message: "no error"},
		`{"detail":[1]}`:                                     {Message: "[1]"},
		"no\nJSON":                                           {Message: "no JSON"},
		`{"error":{"message":"Incorrect API key provided: sk-abc***xyz."}}`:                     {Message: "Incorrect API key provided: [key]"},
		`{"error":{"message":"Rate limit reached for m in organization org-SECRET on tokens"}}`: {Message: "Rate limit reached for m in organization [organization] on tokens"},
		`{"error":{"message":"Project proj_abc9 has no access; Bearer abcdefgh, by user-4x9"}}`: {Message: "Project [organization] has no access; [key], by [organization]"},
		`{"other":1}`: {Message: `{"other":1}`},
		`{"error":{"message":"` + strings.Repeat("x", 600) + `"}}`: {Message: strings.Repeat("x", maxMessage) + "…"},
	} {
		resp := &http.Response{StatusCode: 400, Header: http.Header{"Retry-After": {"7"}}, Body: io.NopCloser(strings.NewReader(body))}
		want.Status, want.RetryAfter = 400, 7*time.Second
		if got := s.Refusal(resp, time.Now()); *got != want {
			t.Errorf("%s: %+v", body, got)
		}
	}
	if got := (&StatusError{Status: 404, Code: "c", Message: "m"}).Error(); got != "status 404 Not Found (c): m" {
		t.Errorf("the error is %q", got)
	}
}

func TestRetries(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]bool{
		429: true, 408: true, 425: true, 500: true, 503: true, 501: false, 400: false, 401: false, 302: false,
	} {
		if got := Transient(status); got != want {
			t.Errorf("%d: %v", status, got)
		}
	}
	if !Unreachable(&url.Error{Err: &net.DNSError{IsNotFound: true}}) || Unreachable(errors.New("reset")) {
		t.Error("Unreachable takes one for the other")
	}
	for n := range 10 {
		if d, ok := Pause(time.Second, 0, n); !ok || d < time.Second/2 || d > maxBackoff {
			t.Errorf("pause %d is %v", n, d)
		}
	}
	if d, ok := Pause(time.Second, time.Hour, 0); ok || d != time.Hour {
		t.Errorf("an hour is waited for: %v", d)
	}
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "2": 2 * time.Second, "1.5": 1500 * time.Millisecond, "-1": 0, "1e99": 0, "x": 0,
		now.Add(9 * time.Second).Format(http.TimeFormat): 9 * time.Second, now.Add(-time.Hour).Format(http.TimeFormat): 0,
	} {
		if got := RetryAfter(http.Header{"Retry-After": {value}}, now); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
}

func TestLimit(t *testing.T) {
	t.Parallel()
	for limit, want := range map[int64]error{4: nil, 5: nil, 3: ErrTooLong, 0: ErrTooLong} {
		got, err := io.ReadAll(Limit(io.NopCloser(strings.NewReader("four")), limit))
		if !errors.Is(err, want) || want == nil && string(got) != "four" {
			t.Errorf("%d: %q, %v", limit, got, err)
		}
	}
}
