package sql

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"docent/store"
	"docent/webhook"
)

var _ webhook.Store = Store{}

// webhooks stores webhooks with their messages.
type webhooks struct{ db Database }

// AddWebhook adds a webhook; see webhook.Store. Concurrent calls may add a few too many.
func (s webhooks) AddWebhook(ctx context.Context, w webhook.Webhook) (id int64, err error) {
	err = s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		err := row(ctx, tx, `INSERT INTO webhook (url, events, content, private, secret, created_at) SELECT $1, $2, $3, $4, $5, $6
			WHERE (SELECT count(*) FROM webhook) < $7 RETURNING id`,
			store.Text(w.URL), store.Events(w.Events), w.Content, w.Private, w.Secret, w.CreatedAt, webhook.MaxWebhooks).Scan(&id)
		return missing(err, store.TooManyWebhooks())
	})
	return id, s.db.Fail("add a webhook", err)
}

// AllWebhooks selects all webhooks. The rows are for ScanWebhook.
const AllWebhooks = `SELECT id, url, events, content, private, secret, created_at FROM webhook ORDER BY id`

// ScanWebhook reads a row of AllWebhooks.
func ScanWebhook(row Row) (webhook.Webhook, error) {
	var w webhook.Webhook
	var events string
	err := row.Scan(&w.ID, &w.URL, &events, &w.Content, &w.Private, &w.Secret, Time(&w.CreatedAt))
	w.Events = store.ParseEvents(events)
	return w, err
}

// Webhooks lists webhooks; see webhook.Store.
func (s webhooks) Webhooks(ctx context.Context) ([]webhook.Webhook, error) {
	all, err := list(ctx, s.db, ScanWebhook, AllWebhooks)
	return all, s.db.Fail("list webhooks", err)
}

// RemoveWebhook removes a webhook; see webhook.Store.
func (s webhooks) RemoveWebhook(ctx context.Context, id int64) error {
	return s.db.Fail("remove a webhook", change(ctx, s.db, store.NoWebhook(), `DELETE FROM webhook WHERE id = $1`, id))
}

// AddDeliveries stores deliveries; see webhook.Store. Concurrent calls may add a few too
// many.
func (s webhooks) AddDeliveries(ctx context.Context, deliveries []webhook.Delivery) (stored int, err error) {
	err = s.db.Write(ctx, func(ctx context.Context, tx Tx) (err error) {
		stored, err = AddDeliveries(ctx, tx, deliveries)
		return err
	})
	return stored, s.db.Fail("store deliveries", err)
}

// AddDeliveries stores deliveries in a transaction. It returns the number of stored ones.
func AddDeliveries(ctx context.Context, tx Tx, deliveries []webhook.Delivery) (stored int, err error) {
	room := map[int64]int{} // by webhook
	var waiting [][]any
	for _, d := range deliveries {
		left, known := room[d.Webhook]
		if !known {
			err := row(ctx, tx, `SELECT $2 - (SELECT count(*) FROM webhook_delivery d WHERE d.webhook_id = w.id AND d.next_at IS NOT NULL)
				FROM webhook w WHERE w.id = $1 FOR KEY SHARE`, d.Webhook, webhook.MaxWaiting).Scan(&left)
			if err != nil && !errors.Is(err, sql.ErrNoRows) { // a missing webhook has no room
				return 0, err
			}
		}
		room[d.Webhook] = left - 1
		if left > 0 {
			waiting = append(waiting, []any{d.Webhook, d.MessageID, string(d.Event), d.Body, d.CreatedAt, d.NextAt})
		}
	}
	return len(waiting), tx.ExecAll(ctx, `INSERT INTO webhook_delivery (webhook_id, message_id, event, body, created_at, next_at)
		VALUES ($1, $2, $3, $4, $5, $6)`, waiting)
}

// deliveryColumns are the columns that scanDelivery reads.
const deliveryColumns = `id, webhook_id, message_id, event, body, created_at, next_at, attempts, delivered, result`

func scanDelivery(row Row) (webhook.Delivery, error) {
	var m webhook.Delivery
	err := row.Scan(&m.ID, &m.Webhook, &m.MessageID, &m.Event, &m.Body, Time(&m.CreatedAt), Time(&m.NextAt),
		&m.Attempts, &m.Delivered, &m.Result)
	return m, err
}

// ClaimDelivery reserves the next delivery; see webhook.Store.
func (s webhooks) ClaimDelivery(ctx context.Context, id int64, now, until time.Time) (m webhook.Delivery, found bool, err error) {
	var due bool // most calls find nothing, and in SQLite, writing makes others wait
	err = row(ctx, s.db, `SELECT EXISTS (SELECT 1 FROM webhook_delivery WHERE webhook_id = $1 AND next_at <= $2)`, id, now).Scan(&due)
	if err != nil || !due {
		return m, false, s.db.Fail("read the next delivery", err)
	}
	err = s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		m, err = scanDelivery(row(ctx, tx, `UPDATE webhook_delivery SET next_at = $3 WHERE id = (SELECT o.id FROM webhook_delivery o
			WHERE o.webhook_id = $1 AND o.next_at <= $2 ORDER BY o.next_at, o.id LIMIT 1 FOR UPDATE SKIP LOCKED)
			RETURNING `+deliveryColumns, id, now, until))
		found = err == nil
		return missing(err, nil)
	})
	return m, found && err == nil, s.db.Fail("read the next delivery", err)
}

// EndAttempt stores the result of an attempt; see webhook.Store.
func (s webhooks) EndAttempt(ctx context.Context, m webhook.Delivery, claimed time.Time) error {
	return s.db.Fail("store the result of a delivery", change(ctx, s.db, nil,
		`UPDATE webhook_delivery SET next_at = $2, attempts = $3, delivered = $4, result = $5 WHERE id = $1 AND next_at = $6`,
		m.ID, m.NextAt, m.Attempts, m.Delivered, store.Text(m.Result), claimed))
}

// Deliveries lists deliveries; see webhook.Store.
func (s webhooks) Deliveries(ctx context.Context, f webhook.Filter) ([]webhook.Delivery, error) {
	all, err := list(ctx, s.db, scanDelivery, `SELECT `+deliveryColumns+` FROM webhook_delivery
		WHERE ($1 = 0 OR webhook_id = $1) AND (NOT $2 OR (next_at IS NULL AND NOT delivered)) ORDER BY id DESC LIMIT $3`, f.Webhook, f.Failed, f.Limit)
	return all, s.db.Fail("list deliveries", err)
}

// ReplayDelivery makes a delivery wait again; see webhook.Store.
func (s webhooks) ReplayDelivery(ctx context.Context, id int64, at time.Time) error {
	return s.db.Fail("replay a delivery", change(ctx, s.db, store.NoDelivery(),
		`UPDATE webhook_delivery SET next_at = $2, attempts = 0, delivered = FALSE, result = '' WHERE id = $1`, id, at))
}

// ForgetDeliveries removes old deliveries; see webhook.Store.
func (s webhooks) ForgetDeliveries(ctx context.Context, before time.Time) error {
	return s.db.Fail("remove old deliveries", change(ctx, s.db, nil,
		`DELETE FROM webhook_delivery WHERE next_at IS NULL AND created_at < $1`, before))
}
