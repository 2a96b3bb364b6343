//go:build !linux

package worker

import (
	"errors"
	"time"
)

// began is the approximate start time of the process.
var began = time.Now()

// confine does nothing on this system. The limits of the guard and the deadline
// of the parent still apply.
func confine(hello) error { return nil }

func keepDescriptors() {}

// confineTool fails, because this system cannot confine another program.
func confineTool(string, int64, string) error {
	return errors.New("other programs are used on Linux only")
}

// confineTap fails, because this system cannot confine another program.
func confineTap(string, []string, string) error {
	return errors.New("other programs are used on Linux only")
}

// usedCPU is unknown on this system.
func usedCPU(int) (used time.Duration, known bool) { return 0, false }

// processorTime returns the time since the process started. The processor time
// cannot be larger, unless several threads run.
func processorTime() time.Duration { return time.Since(began) }
