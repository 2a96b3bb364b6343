package client_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"docent/client"
	"docent/internal/fault"
	"docent/internal/wstest"
	"docent/payload"
)

// Errors contain the server's reason for a refusal, but no secret and no HTML
// page.
func TestRefusalSaysWhy(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		status int
		media  string
		body   string
		kind   fault.Kind
		says   string
	}{
		"json":    {401, "application/json", `{"code":"unauthorized","message":"The token has expired.","retryable":false}`, fault.Unauthorized, "status 401: The token has expired. (unauthorized)"},
		"text":    {503, "text/plain; charset=utf-8", "Too many\nconnections.\x07\n", fault.Unavailable, "status 503: Too many connections."},
		"long":    {403, "text/plain", strings.Repeat("é", 10_000), fault.Forbidden, strings.Repeat("é", 300) + "…"},
		"page":    {502, "text/html", "<h1>Bad Gateway</h1>", fault.Unavailable, "status 502: websocket: bad handshake"},
		"secret":  {401, "text/plain", "token=hidden-token is wrong", fault.Unauthorized, "status 401: websocket: bad handshake"},
		"header":  {401, "text/plain", "hidden-header is wrong", fault.Unauthorized, "status 401: websocket: bad handshake"},
		"user":    {401, "text/plain", "hidden-password is wrong", fault.Unauthorized, "status 401: websocket: bad handshake"},
		"strange": {400, "application/json", `[1]`, fault.Invalid, "status 400: websocket: bad handshake"},
		"empty":   {404, "text/plain", "\n", fault.NotFound, "status 404: websocket: bad handshake"},
	} {
		h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", tc.media)
			w.WriteHeader(tc.status)
			_, _ = w.Write([]byte(tc.body))
		}))
		t.Cleanup(h.Close)
		address := strings.Replace(h.URL, "http://", "http://ada:hidden-password@", 1) + "/ws?token=hidden-token"
		_, err := client.Dial(t.Context(), client.Config{URL: address, Header: http.Header{"X-Key": {"hidden-header"}}})
		if err == nil || fault.KindOf(err) != tc.kind || !strings.HasSuffix(err.Error(), tc.says) || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: %s %v", name, fault.KindOf(err), err)
		}
	}
}

// The client waits as long as a full server asks for, up to a limit.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	const inAMinute = "a time of day"
	for value, want := range map[string][2]time.Duration{
		"7":       {7 * time.Second, 7 * time.Second},
		"9999999": {5 * time.Minute, 5 * time.Minute},
		inAMinute: {50 * time.Second, time.Minute},
		"soon":    {0, 5 * time.Millisecond},
		"-1":      {0, 5 * time.Millisecond},
	} {
		full := make(chan bool, 1)
		h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-full:
				full <- true
				after := value
				if after == inAMinute {
					after = time.Now().Add(time.Minute).UTC().Format(http.TimeFormat)
				}
				w.Header().Set("Retry-After", after)
				http.Error(w, "Come back later.", http.StatusTooManyRequests)
				return
			default:
			}
			conn, err := wstest.Accept(w, r, "docent.v1")
			if err != nil {
				return
			}
			l := &scriptLine{t, conn, r}
			l.read("hello")
			l.say(welcome(0, 0), `synced {"seq":0,"turns":[]}`)
			full <- true
			l.cut()
		}))
		t.Cleanup(h.Close)
		s, err := client.Open(t.Context(), client.SessionConfig{URL: h.URL, RetryMin: time.Millisecond, RetryMax: 5 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		for e, err := range s.Events(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			d, ok := e.(*client.Disconnected)
			if !ok || fault.KindOf(d.Err) != fault.RateLimited {
				continue
			}
			if d.Retry < want[0] || d.Retry > want[1] || !strings.HasSuffix(d.Err.Error(), "Come back later.") {
				t.Errorf("%s: %s, %v", value, d.Retry, d.Err)
			}
			break
		}
	}
}

// A message over the server's limit is not sent, and others are not affected.
func TestSessionFrameLimit(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	var l *scriptLine
	v := openTab(t, s.config(), func() {
		l = s.next(-1)
		l.say(strings.Replace(welcome(0, 0), `"message_bytes":100000000`, `"message_bytes":100000000,"frame_bytes":1000`, 1), `synced {"seq":0,"turns":[]}`)
	})
	v.hears("connected 0", "synced 0 []")
	if _, err := v.s.Send(t.Context(), strings.Repeat("é", 500)); fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.Message(err), "1000 bytes") {
		t.Errorf("%v", err)
	}
	done := v.send(strings.Repeat("x", 700))
	f := l.read(payload.UserMessage)
	l.say(`ack {"id":"` + f.ID + `","seq":1,"duplicate":false} | "turn":1`)
	if got := wait(t, done); got.err != nil {
		t.Error(got.err)
	}
}

// A frame that closes the connection anyway is dropped, and the session ends.
// Another session can be opened.
func TestSessionFrameTooLarge(t *testing.T) {
	t.Parallel()
	s, v, l := begin(t)
	l.conn.SetReadLimit(100_000)
	small := v.send("small")
	l.read(payload.UserMessage)
	large := v.send(strings.Repeat("x", 20<<20))
	if _, _, err := l.conn.Read(t.Context()); err == nil { // which closes it with 1009
		t.Error("a frame that is too large was read")
	}
	if got := wait(t, large); fault.KindOf(got.err) != fault.Invalid {
		t.Errorf("large: %v", got.err)
	}
	v.ends(fault.Conflict, "too large")
	if got := wait(t, small); fault.KindOf(got.err) != fault.Conflict {
		t.Errorf("small: %v", got.err)
	}
	again := openTab(t, s.config(), func() {
		l = s.next(-1)
		l.say(welcome(3, 0), `synced {"seq":3,"turns":[]}`)
	})
	done := again.send("more")
	f := l.read(payload.UserMessage)
	l.say(`ack {"id":"` + f.ID + `","seq":4,"duplicate":false} | "turn":2`)
	if got := wait(t, done); got.err != nil {
		t.Error(got.err)
	}
}

// After a crash of the server a turn streams again from its start, and the
// earlier output is dropped.
func TestSessionAfterCrash(t *testing.T) {
	t.Parallel()
	s, v, l := begin(t)
	done := v.send("why")
	f := l.read(payload.UserMessage)
	l.say(`ack {"id":"`+f.ID+`","seq":4,"duplicate":false} | "turn":2`, `agent_reply_reasoning_step {"kind":"note","step":0,"summary":"thinks"} | "turn":2,"n":1`,
		`agent_reply_delta {"text":"Be"} | "turn":2,"n":2`, `agent_reply_delta {"text":"cause"} | "turn":2,"n":3`)
	wait(t, done)
	v.hears("4 user of 2: why", `step of 2: {"kind":"note","step":0,"summary":"thinks"}`, "delta of 2: Be", "delta of 2: cause")
	l.cut()
	l = s.next(4)
	l.say(welcome(4, 0), `synced {"seq":4,"turns":[{"turn":2,"state":"waiting"}]}`, `agent_reply_delta {"text":"As"} | "turn":2,"n":1`)
	v.hears("disconnected", "connected 4", "synced 4 [{2 waiting}]", "delta of 2: As")
	if got := v.made.Running(); len(got) != 1 || got[0].Text != "As" || len(got[0].Steps) != 0 {
		t.Errorf("running: %+v", got)
	}
}
