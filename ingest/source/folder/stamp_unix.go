//go:build unix

package folder

import (
	"fmt"
	"os"
	"syscall"
	"time"
)

// stampOf tells versions of a file apart, and says when the file was changed
// last. The time of the last status change cannot be set back by programs.
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
