package docent

import (
	"net"
	"sync/atomic"
	"time"
)

// kept is a listener that stays open after Close, so that the next server accepts its waiting connections.
type kept struct {
	net.Listener

	bound  deadline // the same listener
	closed atomic.Bool
}

// deadline is a listener with a limit for Accept, such as net.TCPListener.
type deadline interface{ SetDeadline(t time.Time) error }

// keep returns a listener that does not close the other one.
func keep(l net.Listener) net.Listener {
	bound, ok := l.(deadline)
	if !ok || bound.SetDeadline(time.Time{}) != nil {
		return l
	}
	return &kept{Listener: l, bound: bound}
}

// Accept implements net.Listener.
func (k *kept) Accept() (net.Conn, error) {
	conn, err := k.Listener.Accept()
	if err != nil && k.closed.Load() {
		return nil, net.ErrClosed
	}
	return conn, err //nolint:wrapcheck // http.Server looks at the error
}

// Close ends Accept.
func (k *kept) Close() error {
	k.closed.Store(true)
	return k.bound.SetDeadline(time.Unix(1, 0)) //nolint:wrapcheck // http.Server looks at the error
}
