package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"docent/agent"
	"docent/agent/agenttest"
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

func (b *switchboard) Dial(ctx context.Context, req agent.DialRequest) (agent.PeerConn, error) {
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
	agent.DialRequest
	said  chan payload.Frame // by the agent
	heard chan payload.Frame // by the agent
	cut   chan struct{}
	once  sync.Once
}

var errCut = fault.New(fault.Unavailable, "the line was cut")

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

// A BAF peer greets, answers without ids, and says things that do not cross.
// Its answers are matched in order, and the greeting answers nothing.
func TestPeerInOrder(t *testing.T) {
	bubble(t, func(t *testing.T) {
		board := newSwitchboard()
		rt := start(t, agent.RuntimeConfig{Agent: asker(), Store: agenttest.NewStore(), Dialer: board})
		sub, c, _ := open(t, rt, "S")
		send(t, sub, "", "one")
		peer := board.next(t)
		peer.say("hello")
		if f := peer.next(t); f.Action != payload.ReplyStr || string(f.Message) != `"one"` || f.Correlation == "" || f.Hops != 1 {
			t.Errorf("sent %+v", f)
		}
		wantTold(t, c, "0 hello (@, 1 hops)")
		send(t, sub, "", `{"request": "do", "message": "two"}`)
		if f := peer.next(t); string(f.Message) != `{"request": "do", "message": "two"}` && string(f.Message) != `{"request":"do","message":"two"}` {
			t.Errorf("sent %s", f.Message)
		}
		peer.heard <- payload.Frame{Action: payload.ReplyMarkdown, Message: quoted("does not cross")}
		peer.heard <- payload.Frame{Action: payload.ReplyStr, Message: quoted("replayed"), History: true}
		peer.heard <- payload.Frame{Action: "agent_reply_new", Message: quoted("unknown")}
		peer.say("first")
		wantTold(t, c, "1 first (@, 2 hops)")
		peer.heard <- payload.Frame{Action: payload.ReplyStr, Message: json.RawMessage(`{"message":"second","code":1}`)}
		wantTold(t, c, "2 second (@, 2 hops)")
		peer.say("unasked")
		wantTold(t, c, "0 unasked (@, 2 hops)")
	})
}

// A docent peer repeats the id: answers may come in any order, several to one
// request, as text, Markdown or answers from documents.
func TestPeerCorrelation(t *testing.T) {
	bubble(t, func(t *testing.T) {
		board := newSwitchboard()
		rt := start(t, agent.RuntimeConfig{Agent: asker(), Store: agenttest.NewStore(), Dialer: board})
		sub, c, _ := open(t, rt, "S")
		send(t, sub, "", "one")
		peer := board.next(t)
		one := peer.next(t)
		send(t, sub, "", "two")
		two := peer.next(t)
		peer.answer(two, "second")
		wantTold(t, c, "2 second (@, 2 hops)")
		peer.heard <- payload.Frame{Action: payload.ReplyMarkdown, Message: quoted("*more*"), Correlation: two.Correlation, Hops: 2}
		wantTold(t, c, "2 *more* (@, 2 hops)")
		peer.heard <- payload.Frame{Action: payload.ReplyStr, Message: quoted("foreign"), Correlation: "foreign", Hops: 7}
		wantTold(t, c, "0 foreign (@, 7 hops)")
		peer.say("by the way")
		wantTold(t, c, "0 by the way (@, 2 hops)")
		rag, err := payload.Marshal(agenttest.Message("one", "from documents [1]"))
		if err != nil {
			t.Fatal(err)
		}
		peer.heard <- payload.Frame{Action: payload.ReplyRAG, Message: rag, Correlation: one.Correlation, Hops: 2}
		wantTold(t, c, "1 from documents [1] (@, 2 hops)")
	})
}

// The first message waits for the greeting of a peer that may be BAF, but not
// for long, and not at all once the peer is known to repeat ids.
func TestPeerGreeting(t *testing.T) {
	bubble(t, func(t *testing.T) {
		board := newSwitchboard()
		rt := start(t, agent.RuntimeConfig{Agent: asker(), Store: agenttest.NewStore(), Dialer: board})
		for i, tc := range []struct {
			greets []time.Duration
			waits  time.Duration
		}{
			{nil, 500 * time.Millisecond},
			{[]time.Duration{100 * time.Millisecond, 20 * time.Millisecond}, 170 * time.Millisecond},
			{nil, 500 * time.Millisecond}, // echoes, and is remembered for it
			{nil, 0},
		} {
			sub, c, _ := open(t, rt, fmt.Sprint("S", i))
			begin := time.Now()
			send(t, sub, "", "one")
			peer := board.next(t)
			for _, after := range tc.greets {
				<-time.After(after)
				peer.say("hello")
			}
			f := peer.next(t)
			if waited := time.Since(begin); waited != tc.waits {
				t.Errorf("session %d: waited %v, want %v", i, waited, tc.waits)
			}
			for range tc.greets {
				wantTold(t, c, "0 hello (@, 1 hops)")
			}
			if i >= 2 {
				peer.answer(f, "yes")
			} else {
				peer.say("yes")
			}
			wantTold(t, c, "1 yes (@, 2 hops)")
		}
	})
}

// A connection that breaks is made again, to the same session of the peer. What
// was not written is sent then; what was written is not sent twice to a BAF
// peer, which would do it twice, and is to docent, which would not.
func TestPeerReconnect(t *testing.T) {
	bubble(t, func(t *testing.T) {
		board := newSwitchboard()
		rt := start(t, agent.RuntimeConfig{Agent: asker(), Store: agenttest.NewStore(), Dialer: board})
		sub, c, _ := open(t, rt, "S")
		send(t, sub, "", "one")
		baf := board.next(t)
		session := baf.SessionID
		baf.next(t)
		send(t, sub, "", "two")
		synctest.Wait() // it waits to be written
		_ = baf.Close()
		baf = board.next(t)
		if baf.SessionID != session || session == "" {
			t.Errorf("reconnected to session %q, was %q", baf.SessionID, session)
		}
		if f := baf.next(t); string(f.Message) != `"two"` {
			t.Errorf("sent %s", f.Message)
		}
		baf.say("second") // not matched to the first
		wantTold(t, c, "2 second (@, 2 hops)")

		send(t, sub, "", "three")
		baf.answer(baf.next(t), "docent by now")
		wantTold(t, c, "3 docent by now (@, 2 hops)")
		send(t, sub, "", "four")
		four := baf.next(t)
		send(t, sub, "", "five")
		five := baf.next(t)
		_ = baf.Close()
		peer := board.next(t)
		for _, want := range []payload.Frame{four, five} {
			if f := peer.next(t); f.Correlation != want.Correlation || !bytes.Equal(f.Message, want.Message) {
				t.Errorf("sent %+v, want %+v", f, want)
			}
		}
		peer.answer(five, "fifth")
		wantTold(t, c, "5 fifth (@, 2 hops)")
		if peer.SessionID != session {
			t.Errorf("reconnected to session %q, was %q", peer.SessionID, session)
		}
		// A request that each connection breaks at is not sent for ever.
		_ = peer.Close()
		peer = board.next(t)
		peer.next(t)
		_ = peer.Close()
		<-time.After(time.Minute)
		synctest.Wait()
		if n := len(board.called()); n != 4 {
			t.Errorf("%d calls", n)
		}
	})
}

// A peer that is down is called several times with growing pauses, and then the
// user is told; the session goes on.
func TestPeerDown(t *testing.T) {
	bubble(t, func(t *testing.T) {
		board := newSwitchboard()
		board.refuse = func(call int) error {
			if call <= 5 {
				return fault.Wrap(fault.Unavailable, errors.New("dial tcp 10.0.0.1: refused"), "the agent at 10.0.0.1 does not answer")
			}
			return nil
		}
		rt := start(t, agent.RuntimeConfig{Agent: asker(), Store: agenttest.NewStore(), Dialer: board})
		sub, c, _ := open(t, rt, "S")
		send(t, sub, "", "one")
		if got := told(t, c); !strings.Contains(got, "the other agent cannot be reached") || strings.Contains(got, "10.0.0.1") {
			t.Errorf("told %q", got)
		}
		calls := board.called()
		for i, pause := range []time.Duration{250, 500, 1000, 2000} {
			got := calls[i+1].Sub(calls[i])
			if most := pause * time.Millisecond; got < most/2 || got > most {
				t.Errorf("pause %d is %v, want %v to %v", i, got, most/2, most)
			}
		}
		send(t, sub, "", "two")
		peer := board.next(t)
		peer.answer(peer.next(t), "here again")
		wantTold(t, c, "1 here again (@, 2 hops)")
	})
}

// A peer that refuses is not asked again.
func TestPeerRefuses(t *testing.T) {
	bubble(t, func(t *testing.T) {
		board := newSwitchboard()
		board.refuse = func(int) error { return fault.New(fault.Forbidden, "no") }
		rt := start(t, agent.RuntimeConfig{Agent: asker(), Store: agenttest.NewStore(), Dialer: board})
		sub, c, _ := open(t, rt, "S")
		send(t, sub, "", "one")
		if got := told(t, c); !strings.Contains(got, "cannot be reached") || len(board.called()) != 1 {
			t.Errorf("told %q after %d calls", got, len(board.called()))
		}
	})
}

// A peer to which nothing is said for long is left, the session leaves memory,
// and comes back to the same session of the peer.
func TestPeerIdle(t *testing.T) {
	bubble(t, func(t *testing.T) {
		board := newSwitchboard()
		rt := start(t, agent.RuntimeConfig{Agent: asker(), Store: agenttest.NewStore(), Dialer: board})
		sub, c, _ := open(t, rt, "S")
		send(t, sub, "", "one")
		peer := board.next(t)
		peer.answer(peer.next(t), "yes")
		wantTold(t, c, "1 yes (@, 2 hops)")
		sub.Close()
		<-time.After(4 * time.Minute)
		peer.say("late")
		synctest.Wait()
		if rt.Sessions() != 1 {
			t.Error("the session left although its peer is connected")
		}
		begin := time.Now()
		peer.closed(t)
		synctest.Wait()
		if idle := time.Since(begin); idle != 5*time.Minute || rt.Sessions() != 0 {
			t.Errorf("closed after %v, %d sessions in memory", idle, rt.Sessions())
		}
		sub, c, _ = open(t, rt, "S")
		send(t, sub, "", "two")
		again := board.next(t)
		if again.SessionID != peer.SessionID {
			t.Errorf("session %q, was %q", again.SessionID, peer.SessionID)
		}
		again.answer(again.next(t), "there you are")
		wantTold(t, c, "2 there you are (@, 2 hops)")
	})
}

// body runs a body for each message, with what it is told.
func body(t *testing.T, b agent.Body) *agent.Agent {
	t.Helper()
	a := agent.New("body")
	idle, run := a.State("idle", agent.Initial), a.State("run")
	idle.OnMessage().GoTo(run)
	run.OnMessage().GoTo(run)
	run.Body(b)
	return a
}

// A peer that does not read holds up as many messages as the queue holds; more
// are refused. What a body that is stopped wanted to send is not sent.
func TestPeerQueueFull(t *testing.T) {
	bubble(t, func(t *testing.T) {
		board := newSwitchboard()
		done := make(chan error, 1)
		rt := start(t, agent.RuntimeConfig{
			Store: agenttest.NewStore(), Dialer: board,
			Agent: body(t, func(ctx context.Context, s *agent.Session) error {
				if err := s.CreateAgentConnection(ctx, peerURL); err != nil {
					return err
				}
				ctx, cancel := context.WithTimeout(ctx, time.Minute)
				defer cancel()
				errs := make(chan error)
				for i := range agent.MaxPeerQueue + 2 { // one of them is being written
					go func() {
						_, err := s.SendToPeer(ctx, peerURL, i)
						errs <- err
					}()
					synctest.Wait()
					<-time.After(time.Second)
				}
				err := <-errs
				for range agent.MaxPeerQueue {
					if late := <-errs; !errors.Is(late, context.DeadlineExceeded) {
						err = errors.Join(err, late)
					}
				}
				go func() { <-errs }() // what is being written
				done <- err
				return nil
			}),
		})
		sub, _, _ := open(t, rt, "S")
		send(t, sub, "", "go")
		peer := board.next(t)
		if err := <-done; fault.KindOf(err) != fault.Busy {
			t.Errorf("got %v", err)
		}
		if f := peer.next(t); string(f.Message) != "0" {
			t.Errorf("sent %s", f.Message)
		}
		select {
		case f := <-peer.said:
			t.Errorf("sent %s after its body had given up", f.Message)
		case <-time.After(time.Minute):
		}
	})
}

// A session and a runtime are connected to so many peers and no more.
func TestPeerCaps(t *testing.T) {
	bubble(t, func(t *testing.T) {
		board := newSwitchboard()
		var busy sync.Map
		rt := start(t, agent.RuntimeConfig{
			Store: agenttest.NewStore(), Dialer: board, MaxPeers: agent.MaxSessionPeers + 1,
			Agent: body(t, func(ctx context.Context, s *agent.Session) error {
				for i := range agent.MaxSessionPeers + 1 {
					err := s.CreateAgentConnection(ctx, fmt.Sprintf("ws://peer%d.example", i))
					if err != nil && fault.KindOf(err) != fault.Busy {
						return err
					}
					if err != nil {
						busy.Store(fmt.Sprint(s.ID(), i), true)
					}
				}
				return s.Reply(ctx, "done")
			}),
		})
		for _, id := range []string{"A", "B"} {
			sub, c, _ := open(t, rt, id)
			send(t, sub, "", "go")
			if got := told(t, c); got != "done" {
				t.Errorf("told %q", got)
			}
		}
		for i := range agent.MaxSessionPeers + 1 {
			_, a := busy.Load(fmt.Sprint("A", i))
			_, b := busy.Load(fmt.Sprint("B", i))
			if a != (i == agent.MaxSessionPeers) || b != (i > 0) {
				t.Errorf("peer %d: A busy %v, B busy %v", i, a, b)
			}
		}
	})
}

// Two agents that answer each other come to an end, also if one of them does
// not count.
func TestPeerHops(t *testing.T) {
	for name, counts := range map[string]bool{"docent": true, "BAF": false} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				board := newSwitchboard()
				rt := start(t, agent.RuntimeConfig{
					Store: agenttest.NewStore(), Dialer: board, MaxHops: 9,
					Agent: body(t, func(ctx context.Context, s *agent.Session) error {
						_, err := s.SendToPeer(ctx, peerURL, "ping")
						return err
					}),
				})
				sub, c, _ := open(t, rt, "S")
				send(t, sub, "", "go")
				peer := board.next(t)
				for i := range 5 {
					f := peer.next(t)
					if f.Hops != 2*i+1 {
						t.Errorf("ping %d has %d hops", i, f.Hops)
					}
					if counts {
						peer.answer(f, "pong")
					} else {
						peer.say("pong")
					}
				}
				if got := told(t, c); !strings.Contains(got, "answered each other 9 times") {
					t.Errorf("told %q", got)
				}
				send(t, sub, "", "go") // the user may begin again
				if f := peer.next(t); f.Hops != 1 {
					t.Errorf("%d hops", f.Hops)
				}
			})
		})
	}
}

// A peer that talks without end is heard in order, and not faster than is good.
func TestPeerStorm(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const n = 200
		board := newSwitchboard()
		rt := start(t, agent.RuntimeConfig{Agent: asker(), Store: agenttest.NewStore(), Dialer: board, MailboxSize: 4})
		sub, c, _ := open(t, rt, "S")
		send(t, sub, "", "one")
		peer := board.next(t)
		f := peer.next(t)
		begin := time.Now()
		for i := range n {
			peer.answer(f, fmt.Sprint(i))
		}
		for i := range n {
			wantTold(t, c, fmt.Sprintf("1 %d (@, 2 hops)", i))
		}
		if took := time.Since(begin); took < 6*time.Second {
			t.Errorf("heard %d messages in %v", n, took)
		}
	})
}

// Open connections end with a reset, which also forgets the session at the
// peer, with the session's deletion and with the runtime.
func TestPeerEnds(t *testing.T) {
	for name, end := range map[string]func(t *testing.T, rt *agent.Runtime, sub *agent.Subscription, store *agenttest.Store){
		"reset": func(t *testing.T, _ *agent.Runtime, sub *agent.Subscription, _ *agenttest.Store) {
			if err := sub.Reset(t.Context()); err != nil {
				t.Error(err)
			}
		},
		"deletion": func(t *testing.T, rt *agent.Runtime, _ *agent.Subscription, store *agenttest.Store) {
			if err := rt.Directory(deleter{store: store}).DeleteSession(t.Context(), agent.SessionKey{Agent: "asker", ID: "S"}); err != nil {
				t.Error(err)
			}
		},
		"shutdown": func(t *testing.T, rt *agent.Runtime, _ *agent.Subscription, _ *agenttest.Store) { stop(t, rt) },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				board, store := newSwitchboard(), agenttest.NewStore()
				rt := start(t, agent.RuntimeConfig{Agent: asker(), Store: store, Dialer: board})
				sub, c, _ := open(t, rt, "S")
				send(t, sub, "", "one")
				peer := board.next(t)
				peer.next(t)
				begin := time.Now()
				end(t, rt, sub, store)
				peer.closed(t)
				if took := time.Since(begin); took > time.Second {
					t.Errorf("it took %v", took)
				}
				if name != "reset" {
					return
				}
				peer.say("late") // is not heard
				send(t, sub, "", "two")
				again := board.next(t)
				if again.SessionID == peer.SessionID {
					t.Error("the session at the peer is the one before the reset")
				}
				again.answer(again.next(t), "fresh")
				wantTold(t, c, "1 fresh (@, 2 hops)")
			})
		})
	}
}

// A shutdown does not wait for a peer that is being called or does not read.
func TestPeerShutdownWhileWaiting(t *testing.T) {
	bubble(t, func(t *testing.T) {
		board := newSwitchboard()
		board.refuse = func(int) error { return fault.New(fault.Unavailable, "down") }
		rt := start(t, agent.RuntimeConfig{Agent: asker(), Store: agenttest.NewStore(), Dialer: board})
		sub, c, _ := open(t, rt, "S")
		send(t, sub, "", "one")
		synctest.Wait() // between two attempts
		begin := time.Now()
		stop(t, rt)
		if took := time.Since(begin); took > 0 {
			t.Errorf("it took %v", took)
		}
		if got := told(t, c); !strings.Contains(got, "shutting down") {
			t.Errorf("told %q", got)
		}
	})
}

// Secrets of a URL are in no log, no frame, no variable and no event.
func TestPeerSecrets(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const url = "ws://ada:hunter2@peer.example/agent?token=hunter2#hunter2"
		var log bytes.Buffer
		board, store := newSwitchboard(), agenttest.NewStore()
		board.refuse = func(call int) error {
			if call > 1 {
				return fault.New(fault.Forbidden, "no")
			}
			return nil
		}
		rt := start(t, agent.RuntimeConfig{
			Store: store, Dialer: board, Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
			Agent: body(t, func(ctx context.Context, s *agent.Session) error {
				if !s.Event().Human {
					return s.Reply(ctx, s.Event().From)
				}
				_, err := s.SendToPeer(ctx, url, "hello")
				return err
			}),
		})
		sub, c, _ := open(t, rt, "S")
		send(t, sub, "", "one")
		peer := board.next(t)
		f := peer.next(t)
		peer.say("hi")
		if got := told(t, c); got != "ws://peer.example/agent" {
			t.Errorf("from %q", got)
		}
		send(t, sub, "", "two")
		peer.next(t)
		_ = peer.Close()
		<-time.After(time.Second)
		send(t, sub, "", "three")
		if got := told(t, c); strings.Contains(got, "hunter2") {
			t.Errorf("told %q", got)
		}
		record, _, _ := store.Session("S")
		frame := string(f.AppendBAF(nil))
		if all := log.String() + fmt.Sprint(record) + frame; strings.Contains(all, "hunter2") {
			t.Errorf("a secret is in\n%s", all)
		}
		if !strings.Contains(log.String(), "ws://peer.example/agent") {
			t.Errorf("the log does not name the peer:\n%s", log.String())
		}
	})
}

// What cannot be a peer is refused at once.
func TestPeerInvalid(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var got []error
		run := body(t, func(ctx context.Context, s *agent.Session) error {
			for _, url := range []string{"", "peer.example", "http://peer.example", "ws://", "ws://:8765", "ws://%zz", "wss:peer", "file:///etc/passwd"} {
				_, err := s.SendToPeer(ctx, url, "hello")
				got = append(got, err, s.CreateAgentConnection(ctx, url))
			}
			_, err := s.SendToPeer(ctx, peerURL, strings.Repeat("x", agent.MaxPeerMessageBytes))
			got = append(got, err)
			return s.Reply(ctx, "done")
		})
		rt := start(t, agent.RuntimeConfig{Store: agenttest.NewStore(), Dialer: newSwitchboard(), Agent: run})
		sub, c, _ := open(t, rt, "S")
		send(t, sub, "", "go")
		told(t, c)
		for i, err := range got {
			if fault.KindOf(err) != fault.Invalid {
				t.Errorf("call %d: %v", i, err)
			}
		}
		rt = start(t, agent.RuntimeConfig{Store: agenttest.NewStore(), Agent: asker()})
		sub, c, _ = open(t, rt, "S")
		send(t, sub, "", "go")
		if got := told(t, c); !strings.Contains(got, "cannot reach other agents") {
			t.Errorf("without a dialer: %q", got)
		}
	})
}
