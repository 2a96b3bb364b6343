//go:build linux || darwin || freebsd || netbsd || openbsd

package scratch

import (
	"errors"
	"os"
	"syscall"
)

// wait locks a folder as soon as nobody else does.
func wait(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// try locks a folder if nobody else does.
func try(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
