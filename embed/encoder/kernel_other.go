//go:build !amd64 && !arm64

package encoder

// runnable returns the kernels that this processor can run.
func runnable() []*kernel { return nil }
