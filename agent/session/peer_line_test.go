package session_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"
	"time"

	"docent/agent/peer"

	"docent/agent"
	"docent/internal/fault"
	"docent/payload"
)

// switchboard is an agent.Dialer that puts calls through to the test, which
// plays the peers.
type switchboard struct {
	// refuse, if set, may refuse a call; calls count from 1.
	refuse func(call int) error

	mu    sync.Mutex // guards what follows
	calls []time.Time
	lines chan *line
}

func newSwitchboard() *switchboard { return &switchboard{lines: make(chan *line, 100)} }

func (b *switchboard) Dial(ctx context.Context, req peer.DialRequest) (peer.Conn, error) {
	b.mu.Lock()
	b.calls = append(b.calls, time.Now())
	call := len(b.calls)
	b.mu.Unlock()
	if b.refuse != nil {
		if err := b.refuse(call); err != nil {
			return nil, err
		}
	}
	l := &line{DialRequest: req, said: make(chan payload.Frame), heard: make(chan payload.Frame, 1000), cut: make(chan struct{})}
	b.lines <- l
	return l, ctx.Err()
}

func (b *switchboard) called() []time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]time.Time(nil), b.calls...)
}

// next is the next connection that was made.
func (b *switchboard) next(t *testing.T) *line {
	t.Helper()
	select {
	case l := <-b.lines:
		return l
	case <-time.After(time.Minute):
		t.Fatal("nobody called")
		return nil
	}
}

// line is a connection to the peer that the test plays.
type line struct {
	peer.DialRequest
	said  chan payload.Frame // by the agent
	heard chan payload.Frame // by the agent
	cut   chan struct{}
	once  sync.Once
}

var errCut = fault.New(fault.Unavailable, "test_sentence", "the line was cut")

func (l *line) Send(ctx context.Context, f payload.Frame) error {
	select {
	case l.said <- f:
		return nil
	case <-l.cut:
		return errCut
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *line) Frames() iter.Seq2[payload.Frame, error] {
	return func(yield func(payload.Frame, error) bool) {
		defer func() { _ = l.Close() }()
		for {
			select {
			case f := <-l.heard:
				if !yield(f, nil) {
					return
				}
			case <-l.cut:
				yield(payload.Frame{}, errCut)
				return
			}
		}
	}
}

func (l *line) Close() error {
	l.once.Do(func() { close(l.cut) })
	return nil
}

// next is what the agent says next.
func (l *line) next(t *testing.T) payload.Frame {
	t.Helper()
	select {
	case f := <-l.said:
		return f
	case <-l.cut:
		t.Fatal("the line was cut")
	case <-time.After(time.Minute):
		t.Fatal("the agent says nothing")
	}
	return payload.Frame{}
}

// say is what a BAF peer says: it repeats nothing of the request.
func (l *line) say(text string) {
	l.heard <- payload.Frame{Action: payload.ReplyStr, Message: quoted(text)}
}

// answer is how docent answers a request.
func (l *line) answer(to payload.Frame, text string) {
	l.heard <- payload.Frame{Action: payload.ReplyStr, Message: quoted(text), Correlation: to.Correlation, Hops: to.Hops + 1}
}

// closed waits until the agent hangs up.
func (l *line) closed(t *testing.T) {
	t.Helper()
	select {
	case <-l.cut:
	case <-time.After(time.Hour):
		t.Fatal("the line is open")
	}
}

const peerURL = "ws://peer.example:8765/agent"

// asker hands what its user says on to the peer, and tells its user what the
// peer says, with the number of the request that it answers, from 1.
func asker() *agent.Agent {
	a := agent.New("asker")
	idle, talk := a.State("idle", agent.Initial), a.State("talk")
	idle.OnMessage().GoTo(talk)
	talk.OnMessage().GoTo(talk)
	talk.Body(func(ctx context.Context, s *agent.Session) error {
		e := s.Event()
		var asked []string
		if _, err := s.Get("asked", &asked); err != nil {
			return err
		}
		if e.Human && e.Text == "reset" {
			return s.Reset(ctx)
		}
		if e.Human {
			var message any = e.Text
			if e.JSON != nil {
				message = e.JSON
			}
			id, err := s.SendToPeer(ctx, peerURL, message)
			if err != nil {
				return err
			}
			return s.Set("asked", append(asked, id))
		}
		number := 0
		for i, id := range asked {
			if id == e.Correlation {
				number = i + 1
			}
		}
		if number == 0 && e.Correlation != "" {
			return errors.New("a foreign correlation")
		}
		return s.Reply(ctx, fmt.Sprintf("%d %s (%s, %d hops)", number, e.Text, e.From, e.Hops))
	})
	return a
}

// told is the next thing that the agent says to its user.
func told(t *testing.T, c *client) string {
	t.Helper()
	return text(t, c.until(payload.ReplyStr))
}

func wantTold(t *testing.T, c *client, want string) {
	t.Helper()
	want = strings.ReplaceAll(want, "@", peerURL)
	if got := told(t, c); got != want {
		t.Errorf("the agent says %q, want %q", got, want)
	}
}
