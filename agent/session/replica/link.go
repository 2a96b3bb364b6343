package replica

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/google/uuid"

	"docent/internal/fault"
)

// Receiver receives the messages of a link, one at a time and in order. Its methods must not block
// and must not use the link.
type Receiver interface {
	// Receive passes a message on.
	Receive(op string, message json.RawMessage)
	// Gone is called once, if the link breaks before it is closed.
	Gone(err error)
}

// Link is a client's use of a session that another replica runs. It is safe for concurrent use.
type Link struct {
	m        *Member
	id, to   string
	receiver Receiver

	deliver sync.Mutex // held while the receiver is called, and guards the following fields
	opened  bool       // Open has succeeded
	early   []packet   // messages before that
	over    bool       // the receiver receives nothing more

	// The member's mu guards the following fields.
	sent, seen int64 // the numbers of the last packets
	calls      map[int64]chan packet
	next       int64
	err        error // why the link ended
}

// Open opens a session of another replica. It fails with ErrGone if that replica does not answer or
// does not run the session, and with the error of Host.Accept.
func (m *Member) Open(ctx context.Context, to string, request any, receiver Receiver) (*Link, error) {
	l := &Link{m: m, id: uuid.NewString(), to: to, receiver: receiver, calls: map[int64]chan packet{}}
	m.mu.Lock()
	switch {
	case m.stopped || m.host == nil:
		m.mu.Unlock()
		return nil, gone()
	case len(m.links) >= maxLinks:
		m.mu.Unlock()
		return nil, fault.New(fault.Busy, "replica_links_full", "too many conversations of this server run on others; try again in a moment")
	}
	m.links[l.id] = l
	m.mu.Unlock()
	ctx, cancel := context.WithTimeoutCause(ctx, openTimeout, gone())
	defer cancel()
	if err := l.call(ctx, kindOpen, "", request, nil); err != nil {
		l.end(err)
		return nil, err
	}
	l.deliver.Lock()
	defer l.deliver.Unlock()
	if l.over {
		return nil, gone()
	}
	for _, p := range l.early {
		receiver.Receive(p.Op, p.Body)
	}
	l.opened, l.early = true, nil
	return l, nil
}

// Call runs an operation on the other replica. out receives the result, unless it is nil.
func (l *Link) Call(ctx context.Context, op Op, in, out any) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return l.call(ctx, kindCall, string(op), in, out)
}

func (l *Link) call(ctx context.Context, kind, op string, in, out any) error {
	body, err := encode(in)
	if err != nil {
		return err
	}
	m := l.m
	answer := make(chan packet, 1)
	m.mu.Lock()
	if l.err != nil {
		m.mu.Unlock()
		return l.err
	}
	l.next++
	n := l.next
	l.calls[n] = answer
	l.sent++
	err = m.postLocked(l.to, packet{Link: l.id, N: l.sent, Kind: kind, Call: n, Op: op, Body: body, Caller: callerOf(ctx)})
	m.mu.Unlock()
	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(l.calls, n)
	}()
	if err != nil {
		return err
	}
	select {
	case p, ok := <-answer:
		switch {
		case !ok:
			m.mu.Lock()
			defer m.mu.Unlock()
			return l.err
		case p.Failure != nil:
			return m.failed(p.Failure)
		case out == nil:
			return nil
		}
		if err := json.Unmarshal(p.Body, out); err != nil {
			return fmt.Errorf("answer of another replica: %w", err)
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Close ends the link. It may be called more than once.
func (l *Link) Close() {
	l.deliver.Lock()
	l.over = true
	l.deliver.Unlock()
	l.end(gone())
}

// end ends the link with an error. It tells the other replica and the receiver.
func (l *Link) end(err error) {
	m := l.m
	m.mu.Lock()
	first := l.err == nil
	if first {
		l.err = err
		delete(m.links, l.id)
		for _, answer := range l.calls {
			close(answer)
		}
		clear(l.calls)
		l.sent++
		_ = m.postLocked(l.to, packet{Link: l.id, N: l.sent, Kind: kindClose})
	}
	m.mu.Unlock()
	if !first {
		return
	}
	l.deliver.Lock()
	defer l.deliver.Unlock()
	if l.opened && !l.over {
		l.receiver.Gone(err)
	}
	l.over = true
}

// accept handles a packet of the other replica. Only the listening goroutine calls it.
func (l *Link) accept(p packet) {
	switch p.Kind {
	case kindMessage:
		l.deliver.Lock()
		defer l.deliver.Unlock()
		switch {
		case l.over:
		case l.opened:
			l.receiver.Receive(p.Op, p.Body)
		default:
			l.early = append(l.early, p)
		}
	case kindAnswer:
		l.m.mu.Lock()
		defer l.m.mu.Unlock()
		if answer := l.calls[p.Call]; answer != nil {
			delete(l.calls, p.Call)
			answer <- p
		}
	case kindClose:
		err := gone()
		if p.Failure != nil {
			err = l.m.failed(p.Failure)
		}
		l.end(err)
	}
}

// Stream is the other end of a Link. It is safe for concurrent use.
type Stream struct {
	m        *Member
	id, from string
	ctx      context.Context //nolint:containedctx // of the calls; ends with the link
	cancel   context.CancelFunc

	// The member's mu guards the following fields.
	sent, seen int64
	guest      Guest // nil until it is accepted
	running    int   // calls
	over       bool
}

// Send sends a message to the receiver of the link. It never blocks.
func (s *Stream) Send(op string, message any) {
	body, err := encode(message)
	if err == nil {
		s.m.mu.Lock()
		err = s.postLocked(packet{Kind: kindMessage, Op: op, Body: body})
		s.m.mu.Unlock()
	}
	if err != nil { // the other replica reads too slowly
		s.m.work.Go(func() { s.end(true) })
	}
}

// Gone tells the receiver that the session has left memory, and ends the link.
func (s *Stream) Gone(err error) {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	_ = s.postLocked(packet{Kind: kindClose, Failure: s.m.failure(err)})
}

func (s *Stream) postLocked(p packet) error {
	if s.over {
		return nil
	}
	s.sent++
	p.Link, p.N = s.id, s.sent
	return s.m.postLocked(s.from, p)
}

// end closes the guest. It tells the other replica if tell is true.
func (s *Stream) end(tell bool) {
	m := s.m
	m.mu.Lock()
	if s.over {
		m.mu.Unlock()
		return
	}
	if tell {
		_ = s.postLocked(packet{Kind: kindClose})
	}
	s.over = true
	delete(m.streams, s.id)
	guest := s.guest
	m.mu.Unlock()
	s.cancel()
	if guest != nil {
		guest.Close()
	}
}

// accept handles a packet of the other replica. Only the listening goroutine calls it.
func (s *Stream) accept(p packet) {
	switch p.Kind {
	case kindOpen:
		s.m.work.Go(func() { s.answer(p, s.open) })
	case kindCall:
		s.m.mu.Lock()
		busy := s.running >= maxCalls
		if !busy {
			s.running++
		}
		s.m.mu.Unlock()
		if busy {
			s.answer(p, func(context.Context, packet) (any, error) {
				return nil, fault.New(fault.Busy, "replica_calls_full", "too many requests of this conversation are waiting; try again in a moment")
			})
			return
		}
		s.m.work.Go(func() {
			s.answer(p, s.run)
			s.m.mu.Lock()
			defer s.m.mu.Unlock()
			s.running--
		})
	case kindClose:
		s.m.work.Go(func() { s.end(false) })
	}
}

// answer runs a call and posts its result.
func (s *Stream) answer(p packet, do func(context.Context, packet) (any, error)) {
	answer := packet{Kind: kindAnswer, Call: p.Call}
	out, err := do(p.Caller.context(s.ctx), p)
	if err == nil {
		answer.Body, err = encode(out)
	}
	if err != nil {
		answer.Failure = s.m.failure(err)
	}
	s.m.mu.Lock()
	err = s.postLocked(answer)
	s.m.mu.Unlock()
	if err != nil {
		s.end(true)
	}
}

// open accepts the guest.
func (s *Stream) open(ctx context.Context, p packet) (any, error) {
	guest, err := s.m.host.Accept(ctx, p.Body, s)
	if err != nil {
		return nil, err //nolint:wrapcheck // the other replica shows it
	}
	s.m.mu.Lock()
	s.guest = guest
	over := s.over
	s.m.mu.Unlock()
	if over {
		guest.Close()
		return nil, gone()
	}
	return struct{}{}, nil
}

// run runs a call of the guest.
func (s *Stream) run(ctx context.Context, p packet) (any, error) {
	s.m.mu.Lock()
	guest := s.guest
	s.m.mu.Unlock()
	if guest == nil {
		return nil, gone()
	}
	return guest.Call(ctx, Op(p.Op), p.Body) //nolint:wrapcheck // the other replica shows it
}
