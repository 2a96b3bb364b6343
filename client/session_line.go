package client

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"time"

	"github.com/gorilla/websocket"

	"docent/internal/fault"
	"docent/payload"
)

// stay keeps a connection until the session ends.
func (s *Session) stay(ctx context.Context) {
	for tries := 0; ; tries++ {
		err := s.connection(ctx)
		again, lived, refusal := s.lost()
		if ctx.Err() != nil {
			return
		}
		select {
		case <-s.opened:
		default: // Open tells that it failed
			if refusal != nil {
				err = fault.Wrap(fault.Kind(refusal.Code), err, "%s", refusal.Reason)
			}
			s.end(err)
			return
		}
		if again {
			continue
		}
		if last := final(err, refusal); last != nil {
			s.end(last)
			return
		}
		if lived {
			tries = 0
		}
		pause := max(s.pause(tries), retryAfter(err))
		s.cfg.Logger.Info("connection lost", "session", s.ID(), "retry", pause, "kind", fault.KindOf(err))
		s.tell(&Disconnected{Err: err, Retry: pause})
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
	}
}

// pause is how long to wait after so many times in vain.
func (s *state) pause(tries int) time.Duration {
	d := s.cfg.RetryMin << min(tries, 20)
	if d > s.cfg.RetryMax || d <= 0 {
		d = s.cfg.RetryMax
	}
	return d/2 + rand.N(d/2+1) //nolint:gosec // chance, no secret
}

// connection connects, says hello and listens until it ends.
func (s *Session) connection(ctx context.Context) error {
	conn, err := connect(ctx, s.path(), s.conn, protocol)
	if err != nil {
		return err
	}
	closed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(closed)
		_ = conn.Close()
	})
	defer func() {
		if !stop() {
			<-closed
		}
		conn.release()
	}()
	if conn.socket.Subprotocol() != protocol {
		return fault.New(fault.Invalid, "the server at %s does not speak %s", s.target.name, protocol)
	}
	hello := s.hello(conn)
	if err := conn.write(ctx, func() []byte { return hello.AppendV1(nil) }); err != nil {
		return err
	}
	welcomed := time.AfterFunc(s.conn.HandshakeTimeout, func() { _ = conn.socket.Close() })
	defer welcomed.Stop()
	for data, err := range conn.messages() {
		if err != nil {
			if closedWith(err, websocket.CloseMessageTooBig) {
				s.tooLarge(conn)
			}
			return err
		}
		var f frame
		if err := json.Unmarshal(data, &f); err != nil {
			conn.skipped(len(data), err)
			continue
		}
		if f.Action == payload.WelcomeAction {
			welcomed.Stop()
		}
		if err := s.take(f); err != nil {
			return err
		}
	}
	return errClosed
}

// hello is the first frame on a connection: it asks for what is stored after
// that which the reader of Events has, or else the session.
func (s *Session) hello(conn *Conn) payload.Frame {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := !s.isOpen()
	s.line.conn = conn
	if s.queue.empty() {
		s.queue.behind = false
	}
	if !s.queue.behind {
		s.line.seq = s.queue.seq
	}
	hello := payload.Hello{}
	if s.line.asked = !first || s.cfg.LastSeq != nil; s.line.asked {
		hello.LastSeq = &s.line.seq
	}
	message, err := payload.Marshal(hello)
	if err != nil { // a number always encodes
		message = []byte("{}")
	}
	return payload.Frame{Action: payload.HelloAction, Message: message}
}

func (s *state) isOpen() bool {
	select {
	case <-s.opened:
		return true
	default:
		return false
	}
}

// lost forgets the connection; lived tells that it was of use.
func (s *Session) lost() (again, lived bool, refusal *Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	again, lived, refusal = s.line.again, s.line.live, s.line.refusal
	s.line = line{seq: s.line.seq}
	s.giveUp()
	s.abandon()
	return again, lived, refusal
}
