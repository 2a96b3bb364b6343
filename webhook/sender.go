package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"docent/internal/fault"
)

// The waits before the second and later attempts, as Standard Webhooks recommends.
var retries = []time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

const (
	// reservation is the time for which a process reserves a delivery. It is longer than an
	// attempt.
	reservation = time.Minute
	// attemptTimeout bounds one attempt.
	attemptTimeout = 15 * time.Second
	// storeTimeout bounds one call of the store.
	storeTimeout = 10 * time.Second
	// maxResult bounds Delivery.Result, in bytes.
	maxResult = 200
)

// Vault encrypts secrets. Texts sealed for a purpose cannot be opened for another one.
type Vault interface {
	// Seal encrypts settings.
	Seal(purpose string, settings map[string]string) ([]byte, error)
	// Open decrypts settings.
	Open(purpose string, sealed []byte) (map[string]string, error)
}

// Config configures a Sender.
type Config struct {
	// Store keeps webhooks and deliveries. Required.
	Store Store
	// Vault encrypts the secrets. Required.
	Vault Vault
	// Client returns the HTTP client of public or of all addresses. It must not follow
	// redirects. Required by Run.
	Client func(private bool) *http.Client
	// Poll is the time between two searches for due deliveries, which other processes may
	// have stored. Default: 2 seconds.
	Poll time.Duration
	// Now returns the time. Default: time.Now.
	Now func() time.Time
	// Logger receives failures. Default: nil, which discards them.
	Logger *slog.Logger
	// Metrics counts deliveries. Default: nil, they are not counted.
	Metrics *metrics.Set
}

// Sender stores messages about events and sends them. It is safe for concurrent use.
// A nil Sender ignores events.
type Sender struct {
	cfg  Config
	wake chan struct{} // holds a token after new messages
	sent map[string]*metrics.Counter
}

// New returns a Sender. It sends while Run runs.
func New(cfg Config) *Sender {
	if cfg.Poll == 0 {
		cfg.Poll = 2 * time.Second
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Metrics == nil {
		cfg.Metrics = metrics.NewSet()
	}
	s := &Sender{cfg: cfg, wake: make(chan struct{}, 1), sent: map[string]*metrics.Counter{}}
	for _, result := range []string{"delivered", "retried", "failed", "dropped"} {
		s.sent[result] = cfg.Metrics.NewCounter(fmt.Sprintf("docent_webhook_deliveries_total{result=%q}", result))
	}
	return s
}

// Purpose is the place to which the secret of a webhook is bound.
func Purpose(url string) string { return "webhook " + url }

// Add stores a new webhook. It returns its id, and its secret, which nobody can read
// later.
func (s *Sender) Add(ctx context.Context, w Webhook) (id int64, secret string, err error) {
	if err := w.Check(); err != nil {
		return 0, "", err
	}
	secret, w.CreatedAt = NewSecret(), s.cfg.Now()
	if w.Secret, err = s.cfg.Vault.Seal(Purpose(w.URL), map[string]string{"secret": secret}); err != nil {
		return 0, "", err //nolint:wrapcheck // the vault names the failure
	}
	if id, err = s.cfg.Store.AddWebhook(ctx, w); err != nil {
		return 0, "", fmt.Errorf("add webhook: %w", err)
	}
	return id, secret, nil
}

// Wanted reports whether a webhook wants an event.
func (s *Sender) Wanted(ctx context.Context, event Event) (bool, error) {
	all, err := s.cfg.Store.Webhooks(ctx)
	if err != nil {
		return false, err //nolint:wrapcheck // the store names the operation
	}
	return slices.ContainsFunc(all, func(w Webhook) bool { return slices.Contains(w.Events, event) }), nil
}

// Notify stores messages about an event for the webhooks that want it. content has
// words of users; only webhooks with Content get it. Notify logs failures and drops the
// event, because the event itself has already happened.
func (s *Sender) Notify(ctx context.Context, event Event, data, content map[string]any) {
	if s == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	if err := s.notify(ctx, event, data, content); err != nil {
		s.cfg.Logger.WarnContext(ctx, "store the messages of webhooks", "event", event, "error", err)
	}
}

func (s *Sender) notify(ctx context.Context, event Event, data, content map[string]any) error {
	all, err := s.cfg.Store.Webhooks(ctx)
	if err != nil {
		return err //nolint:wrapcheck // the store names the operation
	}
	deliveries, err := Messages(all, event, data, content, s.cfg.Now())
	if err != nil || len(deliveries) == 0 {
		return err
	}
	stored, err := s.cfg.Store.AddDeliveries(ctx, deliveries)
	if err != nil {
		return err //nolint:wrapcheck // the store names the operation
	}
	if dropped := len(deliveries) - stored; dropped > 0 {
		s.Dropped(ctx, dropped)
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
	return nil
}

// Dropped counts and logs messages for which a webhook has no room.
func (s *Sender) Dropped(ctx context.Context, messages int) {
	s.sent["dropped"].Add(messages)
	s.cfg.Logger.WarnContext(ctx, "a webhook has too many waiting messages", "dropped", messages, "limit", MaxWaiting)
}

// Run sends messages until ctx ends. Each webhook gets one message at a time. Among
// several processes, one sends each message.
func (s *Sender) Run(ctx context.Context) error {
	var running sync.WaitGroup
	defer running.Wait()
	var mu sync.Mutex
	busy := map[int64]bool{} // guarded by mu
	tick := time.NewTicker(s.cfg.Poll)
	defer tick.Stop()
	forget := s.cfg.Now()
	for {
		all, err := s.cfg.Store.Webhooks(ctx)
		if err != nil && ctx.Err() == nil {
			s.cfg.Logger.WarnContext(ctx, "read webhooks", "error", err)
		}
		for _, w := range all {
			mu.Lock()
			start := !busy[w.ID]
			busy[w.ID] = true
			mu.Unlock()
			if start {
				running.Go(func() {
					s.drain(ctx, w)
					mu.Lock()
					defer mu.Unlock()
					delete(busy, w.ID)
				})
			}
		}
		if now := s.cfg.Now(); !now.Before(forget) {
			forget = now.Add(time.Hour)
			if err := s.cfg.Store.ForgetDeliveries(ctx, now.Add(-Kept)); err != nil && ctx.Err() == nil {
				s.cfg.Logger.WarnContext(ctx, "remove old messages of webhooks", "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-s.wake:
		case <-tick.C:
		}
	}
}

// drain sends the due messages of a webhook.
func (s *Sender) drain(ctx context.Context, w Webhook) {
	for ctx.Err() == nil {
		now := s.cfg.Now()
		m, found, err := s.cfg.Store.ClaimDelivery(ctx, w.ID, now, now.Add(reservation))
		if err != nil && ctx.Err() == nil {
			s.cfg.Logger.WarnContext(ctx, "read the messages of a webhook", "webhook", w.ID, "error", err)
		}
		if err != nil || !found {
			return
		}
		claimed := m.NextAt
		again := s.attempt(ctx, w, &m)
		if ctx.Err() != nil && !m.Delivered {
			return // the shutdown has cut it off; it is due again when the reservation ends
		}
		s.end(ctx, w, m, claimed, again)
		if !m.Delivered {
			return // the others wait for the next look, so that a broken receiver gets few requests
		}
	}
}

// end stores the result of an attempt.
func (s *Sender) end(ctx context.Context, w Webhook, m Delivery, claimed time.Time, again time.Duration) {
	switch {
	case m.Delivered:
		s.sent["delivered"].Inc()
	case !m.NextAt.IsZero():
		s.sent["retried"].Inc()
		s.cfg.Logger.InfoContext(ctx, "a webhook did not accept a message", "webhook", w.ID, "message", m.ID, "result", m.Result, "again", again)
	default:
		s.sent["failed"].Inc()
		s.cfg.Logger.WarnContext(ctx, "a webhook never accepted a message", "webhook", w.ID, "message", m.ID, "attempts", m.Attempts, "result",
			m.Result)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	if err := s.cfg.Store.EndAttempt(ctx, m, claimed); err != nil {
		s.cfg.Logger.WarnContext(ctx, "store the result of a message", "webhook", w.ID, "message", m.ID, "error", err)
	}
}

// attempt sends a message once. It returns the wait before the next attempt.
func (s *Sender) attempt(ctx context.Context, w Webhook, m *Delivery) (again time.Duration) {
	result, err := s.post(ctx, w, *m)
	if m.Result = result; err != nil {
		m.Result = strings.Join(strings.Fields(err.Error()), " ") // one line
	}
	m.Result = strings.ToValidUTF8(m.Result[:min(len(m.Result), maxResult)], "")
	m.Attempts++
	m.Delivered, m.NextAt = err == nil, time.Time{}
	if err != nil && m.Attempts <= len(retries) {
		again = retries[m.Attempts-1]
		m.NextAt = s.cfg.Now().Add(again)
	}
	return again
}

// post sends a message. It fails unless the receiver answers with a status of 200 to 299.
func (s *Sender) post(ctx context.Context, w Webhook, m Delivery) (string, error) {
	secret, err := s.cfg.Vault.Open(Purpose(w.URL), w.Secret)
	if err != nil {
		return "", err //nolint:wrapcheck // the vault names the failure
	}
	now := s.cfg.Now()
	signature, err := Sign(secret["secret"], m.MessageID, now, m.Body)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL, bytes.NewReader(m.Body))
	if err != nil {
		return "", errors.New("the URL is invalid")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Webhook-Id", m.MessageID)
	req.Header.Set("Webhook-Timestamp", strconv.FormatInt(now.Unix(), 10))
	req.Header.Set("Webhook-Signature", signature)
	resp, err := s.cfg.Client(w.Private).Do(req)
	if fault.KindOf(err) == fault.Forbidden {
		return "", errors.New("the address is private; to allow it, add the webhook again with --private")
	}
	var failed *url.Error
	if errors.As(err, &failed) {
		return "", failed.Err // without the URL, which may contain a password
	}
	if err != nil {
		return "", err //nolint:wrapcheck // the client names the failure
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, MaxBody)) // so that the connection can be used again
	status := fmt.Sprintf("%d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
	if resp.StatusCode < 200 || resp.StatusCode >= 300 {
		return "", errors.New(status)
	}
	return status, nil
}
