//go:build !(linux || darwin || freebsd || netbsd || openbsd)

package scratch

import (
	"errors"
	"os"
)

// wait fails: this system cannot lock folders.
func wait(*os.File) error { return errors.ErrUnsupported }

// try locks nothing, so nothing is swept.
func try(*os.File) bool { return false }
