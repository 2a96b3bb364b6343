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

// switchboard is a peer.Dialer that connects to peers which the test plays.
type switchboard struct {
	// refuse, if set, may refuse a call; calls count from 1.
	refuse func(call int) error

	mu    sync.Mutex // guards the following fields
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

// next returns the next connection.
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

// line is a connection to a peer that the test plays.
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

// next returns the agent's next frame.
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

// say sends a reply like a BAF peer, without the ids of the request.
func (l *line) say(text string) {
	l.heard <- payload.Frame{Action: payload.ReplyStr, Message: quoted(text)}
}

// answer answers a request like docent.
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

// asker returns an agent that passes messages of its user to a peer. It tells its user the peer's
// answers with the number of their request, counted from 1.
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

// told returns the agent's next message to its user.
func told(t *testing.T, c *client) string {
	t.Helper()
	return text(t, c.Until(payload.ReplyStr))
}

func wantTold(t *testing.T, c *client, want string) {
	t.Helper()
	want = strings.ReplaceAll(want, "@", peerURL)
	if got := told(t, c); got != want {
		t.Errorf("the agent says %q, want %q", got, want)
	}
}
