//go:build linux || darwin

package disk

import "golang.org/x/sys/unix"

// Space returns the bytes that a program can still write to the disk of a folder, and all bytes of
// the disk. known is false if the system does not tell.
func Space(dir string) (free, total uint64, known bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, 0, false
	}
	return s.Bavail * uint64(s.Bsize), s.Blocks * uint64(s.Bsize), true
}
