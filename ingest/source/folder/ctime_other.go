//go:build unix && !linux

package folder

import "syscall"

// ctime returns 0, because the field has other names on these systems.
func ctime(*syscall.Stat_t) (sec, nsec int64) { return 0, 0 }
