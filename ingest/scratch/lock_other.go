//go:build !(linux || darwin || freebsd || netbsd || openbsd)

package scratch

import (
	"errors"
	"os"
)

// wait fails, because this system cannot lock folders.
func wait(*os.File) error { return errors.ErrUnsupported }

// try fails, so Sweep removes nothing.
func try(*os.File) bool { return false }
