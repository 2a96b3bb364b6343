package session_test

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"testing"
	"time"

	"docent/agent/peer"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/internal/fault"
	"docent/payload"
)

// corridor is a peer.Dialer that connects to another runtime, like a WebSocket between two docents.
type corridor struct{ to **session.Runtime }

func (c corridor) Dial(ctx context.Context, req peer.DialRequest) (peer.Conn, error) {
	e := &doorway{frames: make(chan payload.Frame, 10_000), cut: make(chan struct{})}
	var err error
	e.sub, err = (*c.to).Open(ctx, session.OpenRequest{ID: req.SessionID}, e)
	return e, err
}

type doorway struct {
	sub    *session.Subscription
	frames chan payload.Frame
	cut    chan struct{}
	once   sync.Once
}

func (e *doorway) Opened(session.Opened) {}

func (e *doorway) Deliver(d session.Delivery) {
	if d.Audience == session.Streaming {
		return
	}
	if d.Text != nil {
		d.Frame.Action, d.Frame.Message = payload.ReplyStr, d.Text
	}
	select {
	case e.frames <- d.Frame:
	default:
	}
}

func (e *doorway) Send(ctx context.Context, f payload.Frame) error {
	err := e.sub.Send(ctx, session.Message{ID: f.Correlation, Content: f.Message, Correlation: f.Correlation, Hops: f.Hops, Wait: true})
	if fault.KindOf(err) == fault.Conflict { // the frame was written but refused
		return nil
	}
	return err
}

func (e *doorway) Frames() iter.Seq2[payload.Frame, error] {
	return func(yield func(payload.Frame, error) bool) {
		for {
			select {
			case f := <-e.frames:
				if !yield(f, nil) {
					return
				}
			case <-e.cut:
				return
			}
		}
	}
}

func (e *doorway) Close() error {
	e.once.Do(func() { close(e.cut); e.sub.Close() })
	return nil
}

// Two agents that answer each message and ask each other stop. Hops alone would allow 65,536
// messages, because each message causes two. The user may begin again.
func TestReplyAndAsk(t *testing.T) {
	const limit = 40
	bubble(t, func(t *testing.T) {
		var mu sync.Mutex
		var a, b *session.Runtime
		turns, deepest := 0, 0
		run := func(ctx context.Context, s *agent.Session) error {
			mu.Lock()
			turns++
			deepest = max(deepest, s.Event().Hops)
			mu.Unlock()
			if err := s.Reply(ctx, "got it"); err != nil {
				return err
			}
			_, err := s.SendToPeer(ctx, peerURL, "ping")
			return err
		}
		most := session.Limits{Exchange: limit}
		a = start(t, session.RuntimeConfig{Agent: body(t, run), Store: agenttest.NewStore(), Dialer: corridor{&b}}.With(most))
		b = start(t, session.RuntimeConfig{Agent: body(t, run), Store: agenttest.NewStore(), Dialer: corridor{&a}}.With(most))
		sub, err := a.Open(t.Context(), session.OpenRequest{ID: "S"}, &doorway{frames: make(chan payload.Frame, 10_000)})
		if err != nil {
			t.Fatal(err)
		}
		for round := range 2 {
			turns = 0
			send(t, sub, "", fmt.Sprint("go ", round))
			<-time.After(time.Hour) // everything ends within an hour
			mu.Lock()
			if turns < limit/2 || turns > 2*limit+1 || deepest > 17 {
				t.Errorf("%d turns, at most %d hops", turns, deepest)
			}
			before := turns
			mu.Unlock()
			<-time.After(time.Hour)
			mu.Lock()
			if turns != before {
				t.Errorf("%d turns more in another hour", turns-before)
			}
			mu.Unlock()
		}
		sub.Close()
	})
}
