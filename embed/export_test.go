package embed

import (
	"context"
	"time"
)

// SetBatch bounds one request.
func SetBatch(c *Config, texts, bytes int) { c.Texts, c.requestBytes = texts, bytes }

// RecordWaits makes an embedder record its waits before retries instead of
// waiting. It returns the records.
func RecordWaits(o *OpenAI, now time.Time) *[]time.Duration {
	var waits []time.Duration
	o.wait = func(ctx context.Context, d time.Duration) error {
		waits = append(waits, d)
		return ctx.Err()
	}
	o.now = func() time.Time { return now }
	return &waits
}
