//go:build !linux

package worker

import "time"

// began is when the process started, nearly.
var began = time.Now()

// confine does nothing here: the guard's limits and the parent's deadline hold.
func confine(hello) error { return nil }

// processorTime is the time since the process started, which bounds its
// processor time from above.
func processorTime() time.Duration { return time.Since(began) }
