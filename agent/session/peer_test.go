package session_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/internal/fault"
	"docent/payload"
)

// A BAF peer greets and answers without ids, one request at a time. Its answers match the requests
// in order. The greeting answers no request.
//
// BAF W38
func TestPeerInOrder(t *testing.T) {
	bubble(t, func(t *testing.T) {
		board := newSwitchboard()
		rt := start(t, session.RuntimeConfig{Agent: asker(), Store: agenttest.NewStore(), Dialer: board})
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

// A docent peer repeats the id of the request. Its answers may come in any order, with several for
// one request, as text, Markdown, or answers from documents.
//
// BAF W38
func TestPeerCorrelation(t *testing.T) {
	bubble(t, func(t *testing.T) {
		board := newSwitchboard()
		rt := start(t, session.RuntimeConfig{Agent: asker(), Store: agenttest.NewStore(), Dialer: board})
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

// The first message waits for a short time for the greeting of a possible BAF peer. It does not
// wait for a peer that is known to repeat ids.
func TestPeerGreeting(t *testing.T) {
	bubble(t, func(t *testing.T) {
		board := newSwitchboard()
		rt := start(t, session.RuntimeConfig{Agent: asker(), Store: agenttest.NewStore(), Dialer: board})
		for i, tc := range []struct {
			greets []time.Duration
			waits  time.Duration
		}{
			{nil, 500 * time.Millisecond},
			{[]time.Duration{100 * time.Millisecond, 20 * time.Millisecond}, 170 * time.Millisecond},
			{nil, 500 * time.Millisecond}, // repeats ids, and the session remembers it
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

// A broken connection is made again, to the same session of the peer. Unwritten messages are then
// sent. Written messages are sent again to docent, which ignores repeated ids, but not to a BAF
// peer, which does not.
//
// BAF W38
func TestPeerReconnect(t *testing.T) {
	bubble(t, func(t *testing.T) {
		board := newSwitchboard()
		rt := start(t, session.RuntimeConfig{Agent: asker(), Store: agenttest.NewStore(), Dialer: board})
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
		baf.say("second") // does not answer the first
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
		// A request that breaks each connection is not sent forever.
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

// The session tries to reach an unavailable peer several times, with growing pauses. Then it tells
// the user and continues.
func TestPeerDown(t *testing.T) {
	bubble(t, func(t *testing.T) {
		board := newSwitchboard()
		board.refuse = func(call int) error {
			if call <= 5 {
				return fault.Wrap(fault.Unavailable, errors.New("dial tcp 10.0.0.1: refused"),
					"test_sentence", "the agent at 10.0.0.1 does not answer")
			}
			return nil
		}
		rt := start(t, session.RuntimeConfig{Agent: asker(), Store: agenttest.NewStore(), Dialer: board})
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

// The session does not ask a peer again that refuses.
func TestPeerRefuses(t *testing.T) {
	bubble(t, func(t *testing.T) {
		board := newSwitchboard()
		board.refuse = func(int) error { return fault.New(fault.Forbidden, "test_sentence", "no") }
		rt := start(t, session.RuntimeConfig{Agent: asker(), Store: agenttest.NewStore(), Dialer: board})
		sub, c, _ := open(t, rt, "S")
		send(t, sub, "", "one")
		if got := told(t, c); !strings.Contains(got, "cannot be reached") || len(board.called()) != 1 {
			t.Errorf("told %q after %d calls", got, len(board.called()))
		}
	})
}

// The session leaves an idle peer, and then leaves memory. Later it returns to the same session of
// the peer.
func TestPeerIdle(t *testing.T) {
	bubble(t, func(t *testing.T) {
		board := newSwitchboard()
		rt := start(t, session.RuntimeConfig{Agent: asker(), Store: agenttest.NewStore(), Dialer: board})
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

// A peer that has answered before may be away for the time of a restart.
func TestPeerRestarts(t *testing.T) {
	bubble(t, func(t *testing.T) {
		board := newSwitchboard()
		board.refuse = func(call int) error {
			if call > 1 && call < 10 {
				return fault.New(fault.Unavailable, "test_sentence", "down")
			}
			return nil
		}
		sub, c, _ := open(t, start(t, session.RuntimeConfig{Agent: asker(), Store: agenttest.NewStore(), Dialer: board}), "S")
		send(t, sub, "", "one")
		before := board.next(t)
		before.answer(before.next(t), "first")
		wantTold(t, c, "1 first (@, 2 hops)")
		send(t, sub, "", "two")
		asked := before.next(t)
		_ = before.Close()
		begin := time.Now()
		after := board.next(t)
		if away := time.Since(begin); away < 10*time.Second || after.SessionID != before.SessionID {
			t.Errorf("back after %v, in session %s; it was %s", away, after.SessionID, before.SessionID)
		}
		if again := after.next(t); again.Correlation != asked.Correlation {
			t.Errorf("asked again with id %s, before with %s", again.Correlation, asked.Correlation)
		} else {
			after.answer(again, "second")
		}
		wantTold(t, c, "2 second (@, 2 hops)")
	})
}
