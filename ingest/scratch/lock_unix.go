//go:build linux || darwin || freebsd || netbsd || openbsd

package scratch

import (
	"errors"
	"os"
	"syscall"
)

// wait locks a folder. It waits until no other process has the lock.
func wait(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// try locks a folder. It fails if another process has the lock.
func try(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
