// Package webhook tells other programs about events over HTTP. Deliveries and their
// signatures follow Standard Webhooks (https://www.standardwebhooks.com). Each message
// is stored for each receiver before it is sent, and retried until the receiver
// accepts it or the attempts are used up.
package webhook

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"docent/internal/fault"
)

// Event is a kind of event.
type Event string

// The events.
const (
	// DocumentIngested: a new document, or a new version of one, is stored.
	DocumentIngested Event = "document.ingested"
	// DocumentFailed: a document cannot be read.
	DocumentFailed Event = "document.failed"
	// AnswerUnanswered: the documents do not answer a question.
	AnswerUnanswered Event = "answer.unanswered"
	// AnswerRated: a user has rated an answer.
	AnswerRated Event = "answer.rated"
	// SessionStarted: a conversation has begun.
	SessionStarted Event = "session.started"
	// DigestWeekly: things to do and the numbers of questions, once a week or on demand.
	DigestWeekly Event = "digest.weekly"
)

// Events are all events.
var Events = []Event{DocumentIngested, DocumentFailed, AnswerUnanswered, AnswerRated, SessionStarted, DigestWeekly}

// Limits.
const (
	// MaxWebhooks is the maximum number of webhooks.
	MaxWebhooks = 20
	// MaxWaiting is the maximum number of waiting deliveries of a webhook. Later ones
	// are dropped.
	MaxWaiting = 10_000
	// MaxBody bounds the body of a message, in bytes.
	MaxBody = 64 << 10
	// MaxURL bounds a URL, in bytes.
	MaxURL = 2_000
	// Kept is the time for which finished deliveries are kept.
	Kept = 7 * 24 * time.Hour
)

// Webhook is a receiver of messages.
type Webhook struct {
	// ID is the id of the row, or 0 before it is stored.
	ID int64
	// URL receives the messages.
	URL string
	// Events are the events to send.
	Events []Event
	// Content adds words of users to messages: questions and comments.
	Content bool
	// Private allows a URL whose address is not public.
	Private bool
	// Secret is the encrypted key of the signatures.
	Secret []byte
	// CreatedAt is the time of creation.
	CreatedAt time.Time
}

// Delivery is a message for one webhook.
type Delivery struct {
	// ID is the id of the row.
	ID int64
	// Webhook is the id of the webhook.
	Webhook int64
	// MessageID is the header webhook-id. All attempts and all webhooks have the same.
	MessageID string
	// Event is the kind of event that the message reports.
	Event Event
	// Body is the JSON to send.
	Body []byte
	// CreatedAt is the time of the event.
	CreatedAt time.Time
	// NextAt is the time of the next attempt. It is zero for a finished delivery.
	NextAt time.Time
	// Attempts counts the finished attempts.
	Attempts int
	// Delivered reports whether the receiver accepted the message.
	Delivered bool
	// Result describes the last attempt in one line, such as "200 OK". "" before it.
	Result string
}

// State returns "waiting", "delivered", or "failed".
func (d Delivery) State() string {
	switch {
	case d.Delivered:
		return "delivered"
	case d.NextAt.IsZero():
		return "failed"
	default:
		return "waiting"
	}
}

// Filter selects deliveries.
type Filter struct {
	// Webhook is the id of a webhook, or 0 for all.
	Webhook int64
	// Failed selects only failed deliveries.
	Failed bool
	// Limit is the maximum number of deliveries.
	Limit int
}

// Store keeps webhooks and deliveries. It is safe for concurrent use.
type Store interface {
	// AddWebhook stores a webhook and returns its id. With MaxWebhooks webhooks it
	// fails with fault.Conflict.
	AddWebhook(ctx context.Context, w Webhook) (int64, error)
	// Webhooks returns all webhooks by id.
	Webhooks(ctx context.Context) ([]Webhook, error)
	// RemoveWebhook removes a webhook and its deliveries, or fails with fault.NotFound.
	RemoveWebhook(ctx context.Context, id int64) error
	// AddDeliveries stores waiting deliveries. It leaves out those of missing webhooks,
	// and of webhooks with MaxWaiting waiting ones. It returns the number of stored ones.
	AddDeliveries(ctx context.Context, deliveries []Delivery) (int, error)
	// ClaimDelivery returns the next due delivery of a webhook, and sets its NextAt to the
	// given time. No other call then returns it before. ClaimDelivery returns false if
	// there is none.
	ClaimDelivery(ctx context.Context, webhook int64, now, until time.Time) (Delivery, bool, error)
	// EndAttempt stores the NextAt, Attempts, Delivered, and Result of a delivery.
	// claimed is the NextAt that ClaimDelivery returned. If the delivery has another one
	// now, it was claimed or replayed again, or removed. EndAttempt then does nothing.
	EndAttempt(ctx context.Context, d Delivery, claimed time.Time) error
	// Deliveries returns deliveries, newest first.
	Deliveries(ctx context.Context, f Filter) ([]Delivery, error)
	// ReplayDelivery makes a delivery wait for a first attempt at the given time, or
	// fails with fault.NotFound.
	ReplayDelivery(ctx context.Context, id int64, at time.Time) error
	// ForgetDeliveries removes the finished deliveries of events before the given time.
	ForgetDeliveries(ctx context.Context, before time.Time) error
}

// Messages returns the messages about an event for those of the webhooks that want it.
// content has words of users; only webhooks with Content get it.
func Messages(webhooks []Webhook, event Event, data, content map[string]any, now time.Time) ([]Delivery, error) {
	id := "msg_" + rand.Text()
	var deliveries []Delivery
	for _, w := range webhooks {
		if !slices.Contains(w.Events, event) {
			continue
		}
		fields := maps.Clone(data)
		if w.Content {
			maps.Copy(fields, content)
		}
		body, err := json.Marshal(map[string]any{"type": event, "timestamp": now.UTC().Format(time.RFC3339Nano), "data": fields})
		if err != nil {
			return nil, fmt.Errorf("write message: %w", err)
		}
		if len(body) > MaxBody {
			return nil, fmt.Errorf("the message has %d bytes, the limit is %d", len(body), MaxBody)
		}
		deliveries = append(deliveries, Delivery{Webhook: w.ID, MessageID: id, Event: event, Body: body, CreatedAt: now, NextAt: now})
	}
	return deliveries, nil
}

// secretPrefix begins the text of a key, as in Standard Webhooks.
const secretPrefix = "whsec_"

// NewSecret returns a random key of 32 bytes as text.
func NewSecret() string {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // it never fails
	return secretPrefix + base64.StdEncoding.EncodeToString(key)
}

// Sign returns the header webhook-signature for a message: "v1," and the HMAC-SHA256
// of id, time, and body in base64.
func Sign(secret, id string, at time.Time, body []byte) (string, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
	if err != nil || len(key) == 0 {
		return "", fault.New(fault.Invalid, "webhook_secret_invalid", "the secret of the webhook is damaged; remove the webhook and add it again")
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.", id, strconv.FormatInt(at.Unix(), 10))
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)), nil
}

// Check fails for a webhook with an invalid URL or unknown events.
func (w Webhook) Check() error {
	u, err := url.Parse(w.URL)
	switch {
	case len(w.URL) > MaxURL, err != nil, u.Scheme != "https" && u.Scheme != "http", u.Host == "", u.User != nil, u.Fragment != "":
		return fault.New(fault.Invalid, "webhook_url_invalid",
			"the URL of a webhook must begin with https:// or http://, name a host, and have no password and no fragment")
	case len(w.Events) == 0:
		return fault.New(fault.Invalid, "webhook_events_missing", "a webhook needs at least one event: %s", Names(Events))
	}
	for _, e := range w.Events {
		if !slices.Contains(Events, e) {
			return fault.New(fault.Invalid, "webhook_event_unknown", "there is no event %q; there are: %s", string(e), Names(Events))
		}
	}
	return nil
}

// Names lists events for a sentence.
func Names(events []Event) string {
	names := make([]string, len(events))
	for i, e := range events {
		names[i] = string(e)
	}
	return strings.Join(names, ", ")
}
