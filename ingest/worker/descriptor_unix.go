//go:build unix

package worker

import (
	"fmt"
	"net"
	"os"
	"syscall"
)

// channel is one end of a pair of sockets that carries frames and connections.
type channel struct {
	*net.UnixConn
	came []int // the connections that came with the input, in order; only the reader uses it
}

// newChannel returns the end of a pair of sockets with a descriptor.
func newChannel(descriptor int) (*channel, error) {
	file := os.NewFile(uintptr(descriptor), "server")
	defer file.Close() //nolint:errcheck // FileConn has its own copy
	conn, err := net.FileConn(file)
	if err != nil {
		return nil, fmt.Errorf("open the socket: %w", err)
	}
	return &channel{UnixConn: conn.(*net.UnixConn)}, nil
}

// pair returns one end of a pair of sockets, and the other one for a child process.
func pair() (*channel, *os.File, error) {
	ends, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("make a pair of sockets: %w", err)
	}
	syscall.CloseOnExec(ends[0])
	syscall.CloseOnExec(ends[1])
	theirs := os.NewFile(uintptr(ends[1]), "worker")
	ours, err := newChannel(ends[0])
	if err != nil {
		_ = theirs.Close()
		return nil, nil, err
	}
	return ours, theirs, nil
}

// Read reads input and keeps the connections that come with it.
func (c *channel) Read(p []byte) (int, error) {
	var control [64]byte
	n, m, _, _, err := c.ReadMsgUnix(p, control[:])
	if m > 0 {
		messages, failed := syscall.ParseSocketControlMessage(control[:m])
		for _, message := range messages {
			if rights, err := syscall.ParseUnixRights(&message); err == nil {
				c.came = append(c.came, rights...)
			}
		}
		if failed != nil && err == nil {
			err = failed
		}
	}
	if n == 0 && err == nil && len(p) > 0 {
		return 0, errEnded
	}
	return n, err
}

func (c *channel) taken() (uintptr, bool) {
	if len(c.came) == 0 {
		return 0, false
	}
	one := c.came[0]
	c.came = c.came[1:]
	return uintptr(one), true
}

// send writes a frame, with a connection unless it is 0.
func (c *channel) send(data []byte, conn uintptr) error {
	if conn != 0 {
		n, _, err := c.WriteMsgUnix(data, syscall.UnixRights(int(conn)), nil)
		if err != nil {
			return fmt.Errorf("send: %w", err)
		}
		data = data[n:]
	}
	_, err := c.Write(data)
	return err //nolint:wrapcheck // the caller knows the operation
}

func closeDescriptor(conn uintptr) { _ = syscall.Close(int(conn)) }

// connection returns the connection with a descriptor.
func connection(descriptor uintptr) (net.Conn, error) {
	file := os.NewFile(descriptor, "connection")
	defer file.Close() //nolint:errcheck // FileConn has its own copy
	return net.FileConn(file)
}

// descriptor returns a copy of the descriptor of a connection.
func descriptor(conn net.Conn) (out uintptr, err error) {
	raw, err := conn.(syscall.Conn).SyscallConn()
	if err != nil {
		return 0, err
	}
	var failed error
	err = raw.Control(func(fd uintptr) {
		n, err := syscall.Dup(int(fd))
		out, failed = uintptr(n), err
	})
	if err == nil {
		err = failed
	}
	return out, err
}
