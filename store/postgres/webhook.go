package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"docent/store"
	"docent/webhook"
)

var _ webhook.Store = (*Store)(nil)

// AddWebhook adds a webhook; see webhook.Store. Concurrent calls may add a few too many.
func (s *webhooks) AddWebhook(ctx context.Context, w webhook.Webhook) (id int64, err error) {
	err = s.write(ctx, func(tx pgx.Tx) error {
		return missing(tx.QueryRow(ctx, `INSERT INTO webhook (url, events, content, private, secret, created_at) SELECT $1, $2, $3, $4, $5, $6
			WHERE (SELECT count(*) FROM webhook) < $7 RETURNING id`,
			store.Text(w.URL), store.Events(w.Events), w.Content, w.Private, w.Secret, w.CreatedAt, webhook.MaxWebhooks).Scan(&id),
			store.TooManyWebhooks())
	})
	return id, fail("add a webhook", err)
}

// webhookRows reads all webhooks. The rows are for scanWebhook.
const webhookRows = `SELECT id, url, events, content, private, secret, created_at FROM webhook ORDER BY id`

func scanWebhook(row pgx.CollectableRow) (webhook.Webhook, error) {
	var w webhook.Webhook
	var events string
	err := row.Scan(&w.ID, &w.URL, &events, &w.Content, &w.Private, &w.Secret, &w.CreatedAt)
	w.Events, w.CreatedAt = store.ParseEvents(events), w.CreatedAt.UTC()
	return w, err
}

// Webhooks lists webhooks; see webhook.Store.
func (s *webhooks) Webhooks(ctx context.Context) ([]webhook.Webhook, error) {
	all, err := query(ctx, s, scanWebhook, webhookRows)
	return all, fail("list webhooks", err)
}

// RemoveWebhook removes a webhook; see webhook.Store.
func (s *webhooks) RemoveWebhook(ctx context.Context, id int64) error {
	return fail("remove a webhook", s.alter(ctx, store.NoWebhook(), `DELETE FROM webhook WHERE id = $1`, id))
}

// AddDeliveries stores deliveries; see webhook.Store. Concurrent calls may add a few too
// many.
func (s *webhooks) AddDeliveries(ctx context.Context, deliveries []webhook.Delivery) (stored int, err error) {
	err = s.write(ctx, func(tx pgx.Tx) (err error) {
		stored, err = addDeliveries(ctx, tx, deliveries)
		return err
	})
	return stored, fail("store deliveries", err)
}

func addDeliveries(ctx context.Context, tx pgx.Tx, deliveries []webhook.Delivery) (stored int, err error) {
	room := map[int64]int{} // by webhook
	batch := &pgx.Batch{}
	for _, d := range deliveries {
		left, known := room[d.Webhook]
		if !known {
			err := tx.QueryRow(ctx, `SELECT $2 - (SELECT count(*) FROM webhook_delivery d WHERE d.webhook_id = w.id AND d.next_at IS NOT NULL)
				FROM webhook w WHERE w.id = $1 FOR KEY SHARE OF w`, d.Webhook, webhook.MaxWaiting).Scan(&left)
			if err != nil && !errors.Is(err, pgx.ErrNoRows) { // a missing webhook has no room
				return 0, err
			}
		}
		room[d.Webhook] = left - 1
		if left <= 0 {
			continue
		}
		batch.Queue(`INSERT INTO webhook_delivery (webhook_id, message_id, event, body, created_at, next_at) VALUES ($1, $2, $3, $4, $5, $6)`,
			d.Webhook, d.MessageID, string(d.Event), d.Body, d.CreatedAt, d.NextAt)
	}
	return batch.Len(), tx.SendBatch(ctx, batch).Close()
}

// deliveryColumns are the columns that scanDelivery reads.
const deliveryColumns = `m.id, m.webhook_id, m.message_id, m.event, m.body, m.created_at, m.next_at, m.attempts, m.delivered, m.result`

func scanDelivery(row pgx.Row) (webhook.Delivery, error) {
	var m webhook.Delivery
	var next *time.Time
	err := row.Scan(&m.ID, &m.Webhook, &m.MessageID, &m.Event, &m.Body, &m.CreatedAt, &next, &m.Attempts, &m.Delivered, &m.Result)
	m.CreatedAt, m.NextAt = m.CreatedAt.UTC(), orZero(next)
	return m, err
}

// ClaimDelivery reserves the next delivery; see webhook.Store.
func (s *webhooks) ClaimDelivery(ctx context.Context, id int64, now, until time.Time) (webhook.Delivery, bool, error) {
	m, err := scanDelivery(s.pool.QueryRow(ctx, `UPDATE webhook_delivery m SET next_at = $3 WHERE m.id = (SELECT o.id FROM webhook_delivery o
		WHERE o.webhook_id = $1 AND o.next_at <= $2 ORDER BY o.next_at, o.id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING `+deliveryColumns, id, now, until))
	if errors.Is(err, pgx.ErrNoRows) {
		return webhook.Delivery{}, false, nil
	}
	return m, err == nil, fail("read the next delivery", err)
}

// EndAttempt stores the result of an attempt; see webhook.Store.
func (s *webhooks) EndAttempt(ctx context.Context, m webhook.Delivery, claimed time.Time) error {
	_, err := s.pool.Exec(ctx, `UPDATE webhook_delivery SET next_at = $2, attempts = $3, delivered = $4, result = $5 WHERE id = $1 AND next_at = $6`,
		m.ID, orNull(m.NextAt), m.Attempts, m.Delivered, store.Text(m.Result), claimed)
	return fail("store the result of a delivery", err)
}

// Deliveries lists deliveries; see webhook.Store.
func (s *webhooks) Deliveries(ctx context.Context, f webhook.Filter) ([]webhook.Delivery, error) {
	all, err := query(ctx, s, func(row pgx.CollectableRow) (webhook.Delivery, error) { return scanDelivery(row) },
		`SELECT `+deliveryColumns+` FROM webhook_delivery m
		WHERE ($1 = 0 OR m.webhook_id = $1) AND (NOT $2 OR (m.next_at IS NULL AND NOT m.delivered)) ORDER BY m.id DESC LIMIT $3`, f.Webhook, f.Failed, f.Limit)
	return all, fail("list deliveries", err)
}

// ReplayDelivery makes a delivery wait again; see webhook.Store.
func (s *webhooks) ReplayDelivery(ctx context.Context, id int64, at time.Time) error {
	return fail("replay a delivery", s.alter(ctx, store.NoDelivery(),
		`UPDATE webhook_delivery SET next_at = $2, attempts = 0, delivered = FALSE, result = '' WHERE id = $1`, id, at))
}

// ForgetDeliveries removes old deliveries; see webhook.Store.
func (s *webhooks) ForgetDeliveries(ctx context.Context, before time.Time) error {
	_, err := s.pool.Exec(ctx, `DELETE FROM webhook_delivery WHERE next_at IS NULL AND created_at < $1`, before)
	return fail("remove old deliveries", err)
}
