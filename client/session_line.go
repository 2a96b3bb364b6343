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

// stay keeps the session connected until it ends.
func (s *Session) stay(ctx context.Context) {
	for tries := 0; ; tries++ {
		err := s.connection(ctx)
		again, lived, refusal := s.lost()
		if ctx.Err() != nil {
			return
		}
		select {
		case <-s.opened:
		default: // Open returns the failure
			if refusal != nil {
				err = refusal.fault(err)
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

// pause returns the waiting time after a number of failed attempts.
func (s *state) pause(tries int) time.Duration {
	d := s.cfg.RetryMin << min(tries, 20)
	if d > s.cfg.RetryMax || d <= 0 {
		d = s.cfg.RetryMax
	}
	return d/2 + rand.N(d/2+1) //nolint:gosec // not a secret
}

// connection connects, sends hello, and reads until the connection ends.
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
		return fault.New(fault.Invalid, "client_protocol_unknown", "the server at %s does not speak %s", s.target.name, protocol)
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

// hello returns the first frame of a connection. It asks for the entries after
// those that the reader of Events has.
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
	if err != nil { // numbers always encode
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

// lost forgets the connection; lived reports whether it was useful.
func (s *Session) lost() (again, lived bool, refusal *Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	again, lived, refusal = s.line.again, s.line.live, s.line.refusal
	s.line = line{seq: s.line.seq}
	s.giveUp()
	s.abandon()
	return again, lived, refusal
}
