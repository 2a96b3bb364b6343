package main

import (
	"context"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// When a server gives memory back: Go keeps as much as it has in use for what
// comes next, and returns it slowly, or never if nothing more comes.
const (
	// quietTime is how long little has to be allocated.
	quietTime = 5 * time.Second
	// quietBytes is little: pings of 10,000 idle connections take a tenth.
	quietBytes = 8 << 20
	// stirredBytes, allocated since memory was given back last, make it worth
	// the processor time of another collection.
	stirredBytes = 32 << 20
	// sweeps come first: the second one empties pools, and each halves
	// stacks that are larger than they need to be.
	sweeps = 2
)

// giveBack returns to the system, whenever the server has become quiet, what it
// does not need any more, until ctx ends.
func giveBack(ctx context.Context) error {
	ticks := time.NewTicker(quietTime)
	defer ticks.Stop()
	var w activity
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ticks.C:
		}
		if w.ended(allocated()) {
			for range sweeps {
				runtime.GC()
			}
			debug.FreeOSMemory()
		}
	}
}

// activity is how much was ever allocated: when it was looked at last, and when
// memory was given back last, in bytes.
type activity struct{ looked, gave uint64 }

// ended reports whether it is time to give memory back.
func (a *activity) ended(now uint64) bool {
	quiet := now-a.looked < quietBytes
	a.looked = now
	if !quiet || now-a.gave < stirredBytes {
		return false
	}
	a.gave = now
	return true
}

// allocated counts the bytes that the program ever allocated.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
