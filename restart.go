package docent

import (
	"net"
	"sync/atomic"
	"time"
)

// kept is a listener that stays open after Close, so that the next server accepts its waiting connections.
type kept struct {
	net.Listener

	closed atomic.Bool
}

// keep returns a listener that does not close the other one.
func keep(l net.Listener) net.Listener {
	t, ok := l.(interface{ SetDeadline(t time.Time) error })
	if !ok || t.SetDeadline(time.Time{}) != nil {
		return l
	}
	return &kept{Listener: l}
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
	return k.Listener.(interface{ SetDeadline(t time.Time) error }).SetDeadline(time.Unix(1, 0)) //nolint:wrapcheck,forcetypeassert // keep has checked it
}
