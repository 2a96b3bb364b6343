//go:build !linux && !darwin && !windows

package disk

// Free does not know how much room there is.
func Free(string) (bytes uint64, known bool) { return 0, false }
