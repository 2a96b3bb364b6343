//go:build linux || darwin

package disk

import "golang.org/x/sys/unix"

// Free returns the bytes that a program can still write to the disk of a folder. known is
// false if the system does not tell.
func Free(dir string) (bytes uint64, known bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, false
	}
	return s.Bavail * uint64(s.Bsize), true
}
