//go:build !unix

package folder

import (
	"fmt"
	"os"
	"time"
)

// stampOf returns a string that differs between versions of a file. It also
// returns the time of the file's last change.
func stampOf(info os.FileInfo) (stamp string, changed time.Time) {
	return fmt.Sprintf("%d %d", info.Size(), info.ModTime().UnixNano()), info.ModTime()
}
