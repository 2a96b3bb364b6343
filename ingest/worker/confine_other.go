//go:build !linux

package worker

import (
	"errors"
	"time"
)

// began is when the process started, nearly.
var began = time.Now()

// confine does nothing here: the guard's limits and the parent's deadline hold.
func confine(hello) error { return nil }

func keepDescriptors() {}

// confineTool is for systems that can confine another program.
func confineTool(string, int64, string) error {
	return errors.New("other programs are used on Linux only")
}

// usedCPU is not known here.
func usedCPU(int) (used time.Duration, known bool) { return 0, false }

// processorTime is the time since the process started, which bounds its
// processor time from above.
func processorTime() time.Duration { return time.Since(began) }
