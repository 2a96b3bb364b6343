//go:build !amd64 && !arm64

package flat

// runnable returns the kernels in assembly that this processor can run.
func runnable() []*kernel { return nil }
