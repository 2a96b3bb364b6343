//go:build unix

package folder

import (
	"fmt"
	"os"
	"syscall"
	"time"
)

// stampOf returns a string that differs between versions of a file. It also
// returns the time of the file's last status change, which programs cannot set
// back.
func stampOf(info os.FileInfo) (stamp string, changed time.Time) {
	changed = info.ModTime()
	stamp = fmt.Sprintf("%d %d", info.Size(), info.ModTime().UnixNano())
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		at := time.Unix(ctime(st))
		if at.After(changed) {
			changed = at
		}
		stamp += fmt.Sprintf(" %d %d", at.UnixNano(), st.Ino)
	}
	return stamp, changed
}
