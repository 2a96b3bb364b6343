//go:build unix && !linux

package folder

import "syscall"

// ctime is unknown where its field has other names.
func ctime(*syscall.Stat_t) (sec, nsec int64) { return 0, 0 }
