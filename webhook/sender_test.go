package webhook_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"docent/ingest/source/dial"
	"docent/ingest/source/syncer"
	"docent/internal/fault"
	"docent/store/sqlite"
	"docent/webhook"
)

// TestSign checks the example of the specification of Standard Webhooks.
func TestSign(t *testing.T) {
	t.Parallel()
	got, err := webhook.Sign("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek",
		time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want || err != nil {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	if _, err := webhook.Sign("whsec_", "m", time.Now(), nil); fault.KindOf(err) != fault.Invalid {
		t.Errorf("no key: %v", err)
	}
}

// clock is a time that tests move.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// world has a Sender, its store, and its clock.
type world struct {
	*webhook.Sender
	store *sqlite.Store
	clock *clock
}

// open starts a Sender.
func open(t *testing.T) world {
	t.Helper()
	dir := t.TempDir()
	store, err := sqlite.Open(t.Context(), sqlite.Config{Path: filepath.Join(dir, "docent.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	vault, err := syncer.NewVault(filepath.Join(dir, "secret.key"), "")
	if err != nil {
		t.Fatal(err)
	}
	c := &clock{at: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	w := world{webhook.New(webhook.Config{
		Store: store, Vault: vault, Now: c.now, Poll: 5 * time.Millisecond,
		Client: func(private bool) *http.Client { return dial.Client(dial.Options{AllowPrivate: private, Retries: -1}) },
	}), store, c}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return w
}

// add adds a webhook and returns its secret.
func (w world) add(t *testing.T, hook webhook.Webhook) string {
	t.Helper()
	if hook.Events == nil {
		hook.Events = webhook.Events
	}
	_, secret, err := w.Add(t.Context(), hook)
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

// delivery waits until the only delivery satisfies a condition.
func (w world) delivery(t *testing.T, is func(webhook.Delivery) bool) webhook.Delivery {
	t.Helper()
	for {
		all, err := w.store.Deliveries(t.Context(), webhook.Filter{Limit: 10})
		if err != nil || len(all) != 1 {
			t.Fatalf("deliveries %v, %v", all, err)
		}
		if is(all[0]) {
			return all[0]
		}
		select {
		case <-time.After(time.Millisecond):
		case <-t.Context().Done():
			t.Fatalf("the delivery stays %+v", all[0])
		}
	}
}

// call is a request that a receiver got.
type call struct {
	header http.Header
	body   string
}

// receiver answers with the statuses in turn, then with the last one.
func receiver(t *testing.T, statuses ...int) (url string, calls chan call) {
	t.Helper()
	calls = make(chan call, 100)
	n := 0
	var mu sync.Mutex
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		if statuses[n] == http.StatusFound {
			rw.Header().Set("Location", "/elsewhere")
		}
		rw.WriteHeader(statuses[n])
		n = min(n+1, len(statuses)-1)
		calls <- call{r.Header, string(body)}
	}))
	t.Cleanup(s.Close)
	return s.URL + "/hook?key=k", calls
}

// TestDelivery: a message is signed, and holds words of users only with Content.
func TestDelivery(t *testing.T) {
	t.Parallel()
	for _, content := range []bool{false, true} {
		w := open(t)
		url, calls := receiver(t, http.StatusNoContent)
		secret := w.add(t, webhook.Webhook{URL: url, Private: true, Content: content})
		w.Notify(t.Context(), webhook.AnswerUnanswered, map[string]any{"model": "m"}, map[string]any{"question": "how?"})
		got := <-calls
		want := map[string]any{"model": "m"}
		if content {
			want["question"] = "how?"
		}
		var body struct {
			Type, Timestamp string
			Data            map[string]any
		}
		if err := json.Unmarshal([]byte(got.body), &body); err != nil || body.Type != "answer.unanswered" ||
			body.Timestamp != "2026-01-02T03:04:05Z" || fmt.Sprint(body.Data) != fmt.Sprint(want) {
			t.Errorf("got %s (%v), want %v", got.body, err, want)
		}
		id := got.header.Get("Webhook-Id")
		signature, err := webhook.Sign(secret, id, w.clock.now(), []byte(got.body))
		if err != nil || !strings.HasPrefix(id, "msg_") || got.header.Get("Webhook-Signature") != signature ||
			got.header.Get("Webhook-Timestamp") != fmt.Sprint(w.clock.now().Unix()) {
			t.Errorf("the headers are %v, want the signature %s (%v)", got.header, signature, err)
		}
		if d := w.delivery(t, func(d webhook.Delivery) bool { return d.Delivered }); d.Attempts != 1 || d.Result != "204 No Content" {
			t.Errorf("delivered: %+v", d)
		}
	}
}

// TestRetries: a message is sent again after each wait, with the same id, and fails in
// the end. A replay sends it again.
func TestRetries(t *testing.T) {
	t.Parallel()
	w := open(t)
	url, calls := receiver(t, http.StatusInternalServerError)
	w.add(t, webhook.Webhook{URL: url, Private: true})
	w.Notify(t.Context(), webhook.SessionStarted, map[string]any{"session_id": "s"}, nil)
	ids := map[string]int{}
	var waited []time.Duration
	for n := 1; ; n++ {
		got := <-calls
		ids[got.header.Get("Webhook-Id")]++
		d := w.delivery(t, func(d webhook.Delivery) bool { return d.Attempts == n })
		if d.Result != "500 Internal Server Error" {
			t.Errorf("attempt %d: %+v", n, d)
		}
		if d.State() == "failed" {
			break
		}
		wait := d.NextAt.Sub(w.clock.now())
		waited = append(waited, wait)
		w.clock.pass(wait)
	}
	if len(ids) != 1 || fmt.Sprint(waited) != "[5s 5m0s 30m0s 2h0m0s 5h0m0s 10h0m0s 14h0m0s 20h0m0s 24h0m0s]" {
		t.Errorf("ids %v, waits %v", ids, waited)
	}
	all, err := w.store.Deliveries(t.Context(), webhook.Filter{Failed: true, Limit: 1})
	if err != nil || len(all) != 1 {
		t.Fatalf("failed: %v, %v", all, err)
	}
	if err := w.store.ReplayDelivery(t.Context(), all[0].ID, w.clock.now()); err != nil {
		t.Fatal(err)
	}
	if got := <-calls; ids[got.header.Get("Webhook-Id")] == 0 {
		t.Errorf("replayed with another id: %v", got.header)
	}
}

// TestRefused: docent connects to no private address unless allowed, and follows no
// redirect. Results name no URL, which may hold a password.
func TestRefused(t *testing.T) {
	t.Parallel()
	for _, private := range []bool{false, true} {
		w := open(t)
		url, calls := receiver(t, http.StatusFound)
		w.add(t, webhook.Webhook{URL: url, Private: private})
		w.Notify(t.Context(), webhook.SessionStarted, nil, nil)
		d := w.delivery(t, func(d webhook.Delivery) bool { return d.Attempts == 1 })
		if d.State() != "waiting" || strings.Contains(d.Result, "key=k") || private != (d.Result == "302 Found") || len(calls) > 1 ||
			!private && d.Result != "the address is private; to allow it, add the webhook again with --private" {
			t.Errorf("private %v: %+v, %d calls", private, d, len(calls))
		}
	}
}

// TestEvents: a webhook gets only its events, and a nil Sender ignores all.
func TestEvents(t *testing.T) {
	t.Parallel()
	w := open(t)
	url, calls := receiver(t, http.StatusOK)
	w.add(t, webhook.Webhook{URL: url, Private: true, Events: []webhook.Event{webhook.AnswerRated}})
	w.Notify(t.Context(), webhook.SessionStarted, nil, nil)
	w.Notify(t.Context(), webhook.AnswerRated, map[string]any{"rating": 1}, nil)
	if got := <-calls; !strings.Contains(got.body, `"rating":1`) {
		t.Errorf("got %s", got.body)
	}
	var none *webhook.Sender
	none.Notify(t.Context(), webhook.AnswerRated, nil, nil)
}

// TestSlowReceiver: a receiver that does not answer holds up nobody else, nor the end.
func TestSlowReceiver(t *testing.T) {
	t.Parallel()
	reached := make(chan bool, 1)
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil { // a server notices only then that the client leaves
			t.Error(err)
		}
		reached <- true
		<-r.Context().Done()
	}))
	t.Cleanup(slow.Close)
	w := open(t)
	url, calls := receiver(t, http.StatusOK)
	w.add(t, webhook.Webhook{URL: slow.URL, Private: true})
	w.add(t, webhook.Webhook{URL: url, Private: true})
	w.Notify(t.Context(), webhook.SessionStarted, nil, nil)
	<-reached
	<-calls
}

func TestCheck(t *testing.T) {
	t.Parallel()
	w := open(t)
	for url, want := range map[string]string{
		"https://a.example/x?y=z": "", "http://a.example": "", "ftp://a.example/": "webhook_url_invalid", "https:///x": "webhook_url_invalid",
		"https://u:p@a.example/": "webhook_url_invalid", "https://a.example/#f": "webhook_url_invalid", "a b": "webhook_url_invalid",
		"https://a.example/" + strings.Repeat("x", webhook.MaxURL): "webhook_url_invalid",
	} {
		_, _, err := w.Add(t.Context(), webhook.Webhook{URL: url, Events: webhook.Events})
		if id := fault.TextOf(err).ID; id != want && err != nil || (err == nil) != (want == "") {
			t.Errorf("%.40s: %v, want %q", url, err, want)
		}
	}
	for _, events := range [][]webhook.Event{nil, {"document.lost"}} {
		if _, _, err := w.Add(t.Context(), webhook.Webhook{URL: "https://a.example", Events: events}); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%v: %v", events, err)
		}
	}
}
