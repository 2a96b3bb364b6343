//go:build unix

package ws

import "syscall"

// canTry says that sockets can be read and written without waiting.
const canTry = true

// errAgain is what a socket says that would have to wait.
var errAgain error = syscall.EAGAIN

func tryRead(fd uintptr, p []byte) (int, error) {
	for {
		if n, err := syscall.Read(int(fd), p); err != syscall.EINTR { //nolint:errorlint // it is never wrapped
			return max(n, 0), err
		}
	}
}

func tryWrite(fd uintptr, p []byte) (int, error) {
	for {
		if n, err := syscall.Write(int(fd), p); err != syscall.EINTR { //nolint:errorlint // it is never wrapped
			return max(n, 0), err
		}
	}
}
