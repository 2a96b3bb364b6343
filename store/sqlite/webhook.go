package sqlite

import (
	"context"
	"database/sql"
	"time"

	"docent/ingest/intake"
	"docent/store"
	records "docent/store/sql"
	"docent/webhook"
)

// tell stores the messages about documents in the transaction of the documents. It
// returns the number of messages for which a webhook has no room.
func tell(ctx context.Context, w *writer, puts []intake.Put, ids []int64, now time.Time) (dropped int, err error) {
	rows, err := w.query(ctx, records.AllWebhooks)
	if err != nil {
		return 0, err
	}
	all, err := collect(rows, func(rows *sql.Rows) (webhook.Webhook, error) { return records.ScanWebhook(rows) })
	if err != nil {
		return 0, err
	}
	messages, err := store.DocumentMessages(all, puts, ids, now)
	if err != nil {
		return 0, err
	}
	stored, err := records.AddDeliveries(ctx, recordTx{w}, messages)
	return len(messages) - stored, err
}
