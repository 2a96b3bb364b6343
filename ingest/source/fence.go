package source

import (
	"context"

	"docent/internal/fault"
)

// ErrLost ends a sync whose lease another process holds.
var ErrLost = fault.New(fault.Conflict, "sync_taken_over", "another process has taken over the sync of this source")

// Fence is the lease under which a sync writes.
type Fence struct {
	// Source is the source of the lease.
	Source int64
	// Owner is the holder of the lease.
	Owner string
}

type fenceKey struct{}

// WithFence returns a context for the writes of a sync. With it, each write of a store
// checks the lease in its transaction. It fails with ErrLost if another process holds
// the lease. So a process that was stopped for a while writes nothing stale.
func WithFence(ctx context.Context, f Fence) context.Context {
	return context.WithValue(ctx, fenceKey{}, f)
}

// FenceOf returns the fence of a context; ok is false without one.
func FenceOf(ctx context.Context) (f Fence, ok bool) {
	f, ok = ctx.Value(fenceKey{}).(Fence)
	return f, ok
}
