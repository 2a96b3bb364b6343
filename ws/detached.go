package ws

import "time"

// detached is the context that those of connections come from. They outlive
// their request, and its context would keep half a kilobyte of each.
type detached struct{}

// Deadline implements context.Context.
func (detached) Deadline() (deadline time.Time, ok bool) { return time.Time{}, false }

// Done implements context.Context.
func (detached) Done() <-chan struct{} { return nil }

// Err implements context.Context.
func (detached) Err() error { return nil }

// Value implements context.Context.
func (detached) Value(any) any { return nil }
