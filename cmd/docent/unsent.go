//go:build linux || darwin

package main

import (
	"net"

	"golang.org/x/sys/unix"
)

// boundUnsent lets the kernel take no more of what is written to a connection
// than so many bytes beyond what it may send; 0 is its own bound. What is under
// way is not bounded, so nothing becomes slower.
func boundUnsent(conn net.Conn, bytes int) {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return // it is closed
	}
	_ = raw.Control(func(fd uintptr) {
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, bytes)
	})
}
