package ws

import (
	"fmt"
	"os"
	"syscall"
)

// pollBatch is how many sockets one call may tell of.
const pollBatch = 128

// poll tells which of many sockets something has come of. It is a file that Go
// waits for as for any other, so that no thread waits in it.
type poll struct {
	file   *os.File
	raw    syscall.RawConn
	events [pollBatch]syscall.EpollEvent
}

func newPoll() (*poll, error) {
	fd, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("epoll: %w", err)
	}
	if err := syscall.SetNonblock(fd, true); err != nil { // or Go would not wait for it
		_ = syscall.Close(fd)
		return nil, fmt.Errorf("epoll: %w", err)
	}
	p := &poll{file: os.NewFile(uintptr(fd), "epoll")}
	if p.raw, err = p.file.SyscallConn(); err != nil {
		_ = p.file.Close()
		return nil, fmt.Errorf("epoll: %w", err)
	}
	return p, nil
}

// once asks to be told once when something comes of a socket, or is there
// already; again if that was asked of it before. A socket that is closed is
// forgotten.
func (p *poll) once(fd int, again bool) error {
	op := syscall.EPOLL_CTL_ADD
	if again {
		op = syscall.EPOLL_CTL_MOD
	}
	event := syscall.EpollEvent{Events: syscall.EPOLLIN | syscall.EPOLLRDHUP | syscall.EPOLLONESHOT, Fd: int32(fd)}
	var failed error
	err := p.raw.Control(func(own uintptr) { failed = syscall.EpollCtl(int(own), op, fd, &event) })
	if err == nil {
		err = failed
	}
	return err
}

// wait appends the sockets of which something has come. It fails once p is
// closed.
func (p *poll) wait(ready []int32) ([]int32, error) {
	var n int
	var failed error
	err := p.raw.Read(func(own uintptr) bool {
		for {
			if n, failed = syscall.EpollWait(int(own), p.events[:], 0); failed != syscall.EINTR { //nolint:errorlint // it is never wrapped
				return n != 0 || failed != nil
			}
		}
	})
	if err == nil {
		err = failed
	}
	for _, e := range p.events[:max(n, 0)] {
		ready = append(ready, e.Fd)
	}
	return ready, err
}

func (p *poll) close() { _ = p.file.Close() } // nothing is written to it
