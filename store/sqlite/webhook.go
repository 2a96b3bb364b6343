package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"docent/ingest/intake"
	"docent/store"
	"docent/webhook"
)

var _ webhook.Store = (*Store)(nil)

// AddWebhook adds a webhook; see webhook.Store.
func (s *webhooks) AddWebhook(ctx context.Context, w webhook.Webhook) (id int64, err error) {
	err = s.write(ctx, func(ctx context.Context, tx *writer) error {
		return missing(tx.row(ctx, `INSERT INTO webhook (url, events, content, private, secret, created_at) SELECT ?, ?, ?, ?, ?, ?
			WHERE (SELECT count(*) FROM webhook) < ? RETURNING id`,
			store.Text(w.URL), store.Events(w.Events), w.Content, w.Private, w.Secret, w.CreatedAt.UnixMicro(), webhook.MaxWebhooks).Scan(&id),
			store.TooManyWebhooks())
	})
	return id, fail("add a webhook", err)
}

// webhookRows reads all webhooks. The rows are for scanWebhook.
const webhookRows = `SELECT id, url, events, content, private, secret, created_at FROM webhook ORDER BY id`

func scanWebhook(rows *sql.Rows) (webhook.Webhook, error) {
	var w webhook.Webhook
	var events string
	var created int64
	err := rows.Scan(&w.ID, &w.URL, &events, &w.Content, &w.Private, &w.Secret, &created)
	w.Events, w.CreatedAt = store.ParseEvents(events), micro(created)
	return w, err
}

// Webhooks lists webhooks; see webhook.Store.
func (s *webhooks) Webhooks(ctx context.Context) ([]webhook.Webhook, error) {
	rows, err := s.reader.QueryContext(ctx, webhookRows)
	if err != nil {
		return nil, fail("list webhooks", err)
	}
	all, err := collect(rows, scanWebhook)
	return all, fail("list webhooks", err)
}

// RemoveWebhook removes a webhook; see webhook.Store.
func (s *webhooks) RemoveWebhook(ctx context.Context, id int64) error {
	return fail("remove a webhook", s.write(ctx, func(ctx context.Context, w *writer) error {
		return w.change(ctx, store.NoWebhook(), `DELETE FROM webhook WHERE id = ?`, id)
	}))
}

// AddDeliveries stores deliveries; see webhook.Store.
func (s *webhooks) AddDeliveries(ctx context.Context, deliveries []webhook.Delivery) (stored int, err error) {
	err = s.write(ctx, func(ctx context.Context, w *writer) (err error) {
		stored, err = addDeliveries(ctx, w, deliveries)
		return err
	})
	return stored, fail("store deliveries", err)
}

func addDeliveries(ctx context.Context, w *writer, deliveries []webhook.Delivery) (stored int, err error) {
	room := map[int64]int{} // by webhook
	for _, d := range deliveries {
		left, known := room[d.Webhook]
		if !known {
			err := w.row(ctx, `SELECT ?2 - count(d.id) FROM webhook w LEFT JOIN webhook_delivery d ON d.webhook_id = w.id AND d.next_at IS NOT NULL
				WHERE w.id = ?1 GROUP BY w.id`, d.Webhook, webhook.MaxWaiting).Scan(&left)
			if err != nil && !errors.Is(err, sql.ErrNoRows) { // a missing webhook has no room
				return 0, err
			}
		}
		room[d.Webhook] = left - 1
		if left <= 0 {
			continue
		}
		if _, err := w.exec(ctx, `INSERT INTO webhook_delivery (webhook_id, message_id, event, body, created_at, next_at) VALUES (?, ?, ?, ?, ?, ?)`,
			d.Webhook, d.MessageID, string(d.Event), d.Body, d.CreatedAt.UnixMicro(), d.NextAt.UnixMicro()); err != nil {
			return 0, err
		}
		stored++
	}
	return stored, nil
}

// tell stores the messages about documents in the transaction of the documents. It
// returns the number of messages for which a webhook has no room.
func tell(ctx context.Context, w *writer, puts []intake.Put, ids []int64, now time.Time) (dropped int, err error) {
	rows, err := w.query(ctx, webhookRows)
	if err != nil {
		return 0, err
	}
	all, err := collect(rows, scanWebhook)
	if err != nil {
		return 0, err
	}
	messages, err := store.DocumentMessages(all, puts, ids, now)
	if err != nil {
		return 0, err
	}
	stored, err := addDeliveries(ctx, w, messages)
	return len(messages) - stored, err
}

// deliveryColumns are the columns that scanDelivery reads.
const deliveryColumns = `id, webhook_id, message_id, event, body, created_at, next_at, attempts, delivered, result`

func scanDelivery(row scanner) (webhook.Delivery, error) {
	var m webhook.Delivery
	var created int64
	var next *int64
	err := row.Scan(&m.ID, &m.Webhook, &m.MessageID, &m.Event, &m.Body, &created, &next, &m.Attempts, &m.Delivered, &m.Result)
	m.CreatedAt, m.NextAt = micro(created), orZero(next)
	return m, err
}

// ClaimDelivery reserves the next delivery; see webhook.Store.
func (s *webhooks) ClaimDelivery(ctx context.Context, id int64, now, until time.Time) (m webhook.Delivery, found bool, err error) {
	var due bool // most calls find nothing, and writing would make others wait
	err = s.reader.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM webhook_delivery WHERE webhook_id = ? AND next_at <= ?)`, id, now.UnixMicro()).Scan(&due)
	if err != nil || !due {
		return m, false, fail("read the next delivery", err)
	}
	err = s.write(ctx, func(ctx context.Context, w *writer) error {
		m, err = scanDelivery(w.row(ctx, `UPDATE webhook_delivery SET next_at = ? WHERE id = (SELECT id FROM webhook_delivery
			WHERE webhook_id = ? AND next_at <= ? ORDER BY next_at, id LIMIT 1) RETURNING `+deliveryColumns, until.UnixMicro(), id, now.UnixMicro()))
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		found = err == nil
		return err
	})
	return m, found, fail("read the next delivery", err)
}

// EndAttempt stores the result of an attempt; see webhook.Store.
func (s *webhooks) EndAttempt(ctx context.Context, m webhook.Delivery, claimed time.Time) error {
	return fail("store the result of a delivery", s.write(ctx, func(ctx context.Context, w *writer) error {
		_, err := w.exec(ctx, `UPDATE webhook_delivery SET next_at = ?, attempts = ?, delivered = ?, result = ? WHERE id = ? AND next_at = ?`,
			orNull(m.NextAt), m.Attempts, m.Delivered, store.Text(m.Result), m.ID, claimed.UnixMicro())
		return err
	}))
}

// Deliveries lists deliveries; see webhook.Store.
func (s *webhooks) Deliveries(ctx context.Context, f webhook.Filter) ([]webhook.Delivery, error) {
	rows, err := s.reader.QueryContext(ctx, `SELECT `+deliveryColumns+` FROM webhook_delivery
		WHERE (?1 = 0 OR webhook_id = ?1) AND (NOT ?2 OR (next_at IS NULL AND NOT delivered)) ORDER BY id DESC LIMIT ?3`, f.Webhook, f.Failed, f.Limit)
	if err != nil {
		return nil, fail("list deliveries", err)
	}
	all, err := collect(rows, func(rows *sql.Rows) (webhook.Delivery, error) { return scanDelivery(rows) })
	return all, fail("list deliveries", err)
}

// ReplayDelivery makes a delivery wait again; see webhook.Store.
func (s *webhooks) ReplayDelivery(ctx context.Context, id int64, at time.Time) error {
	return fail("replay a delivery", s.write(ctx, func(ctx context.Context, w *writer) error {
		return w.change(ctx, store.NoDelivery(), `UPDATE webhook_delivery SET next_at = ?, attempts = 0, delivered = 0, result = '' WHERE id = ?`,
			at.UnixMicro(), id)
	}))
}

// ForgetDeliveries removes old deliveries; see webhook.Store.
func (s *webhooks) ForgetDeliveries(ctx context.Context, before time.Time) error {
	return fail("remove old deliveries", s.write(ctx, func(ctx context.Context, w *writer) error {
		_, err := w.exec(ctx, `DELETE FROM webhook_delivery WHERE next_at IS NULL AND created_at < ?`, before.UnixMicro())
		return err
	}))
}
