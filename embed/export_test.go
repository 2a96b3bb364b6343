package embed

import (
	"context"
	"time"
)

// RecordWaits makes an embedder not wait before retries, and returns where the
// waits it would have made are kept.
func RecordWaits(o *OpenAI, now time.Time) *[]time.Duration {
	var waits []time.Duration
	o.wait = func(ctx context.Context, d time.Duration) error {
		waits = append(waits, d)
		return ctx.Err()
	}
	o.now = func() time.Time { return now }
	return &waits
}
