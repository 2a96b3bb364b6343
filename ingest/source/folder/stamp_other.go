//go:build !unix

package folder

import (
	"fmt"
	"os"
	"time"
)

// stampOf tells versions of a file apart, and says when the file was changed
// last.
func stampOf(info os.FileInfo) (stamp string, changed time.Time) {
	return fmt.Sprintf("%d %d", info.Size(), info.ModTime().UnixNano()), info.ModTime()
}
