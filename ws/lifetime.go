package ws

import (
	"context"
	"sync"
	"time"
)

// lifetime is the context of a connection, which outlives that of its request.
// Those of package context keep four times as much memory of each connection.
type lifetime struct {
	mu    sync.Mutex // guards what follows
	done  chan struct{}
	over  bool
	after []*func() // what is to be called when it is over
}

// Deadline implements context.Context.
func (*lifetime) Deadline() (deadline time.Time, ok bool) { return time.Time{}, false }

// Done implements context.Context.
func (l *lifetime) Done() <-chan struct{} { return l.done }

// Err implements context.Context.
func (l *lifetime) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return context.Canceled
	}
	return nil
}

// Value implements context.Context.
func (*lifetime) Value(any) any { return nil }

// AfterFunc is what package context asks for, so that contexts made from this
// one end with it.
func (l *lifetime) AfterFunc(f func()) (stop func() bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		go f() // as context.AfterFunc does
		return func() bool { return false }
	}
	l.after = append(l.after, &f)
	return func() bool { return l.forget(&f) }
}

// forget removes a call; false if it was made already.
func (l *lifetime) forget(f *func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, known := range l.after {
		if known == f {
			l.after[i] = l.after[len(l.after)-1]
			if l.after = l.after[:len(l.after)-1]; len(l.after) == 0 {
				l.after = nil
			}
			return true
		}
	}
	return false
}

// end ends it.
func (l *lifetime) end() {
	l.mu.Lock()
	after := l.after
	if !l.over {
		l.over, l.after = true, nil
		close(l.done)
	}
	l.mu.Unlock()
	for _, f := range after {
		(*f)()
	}
}
