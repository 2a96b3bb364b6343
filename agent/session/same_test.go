package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/payload"
)

// A repeated id with another message is refused. With the same message it is a duplicate, however a
// database writes the message.
func TestSameID(t *testing.T) { bubble(t, testSameID) }

func testSameID(t *testing.T) {
	store := &rewriting{Store: agenttest.NewStore()}
	rt := start(t, session.RuntimeConfig{Agent: echo(nil), Store: store, QueueSize: 2})
	sub, c, _ := open(t, rt, "S")
	say := func(id, content string) func() error {
		return func() error {
			return sub.Send(t.Context(), session.Message{ID: id, Content: json.RawMessage(content), Human: true})
		}
	}
	revise := func(id string, turn int64, content string) func() error {
		return func() error {
			return sub.Revise(t.Context(), session.Revision{ID: id, Turn: turn, Content: json.RawMessage(content)})
		}
	}
	file := func(id, content string) func() error {
		return func() error {
			return sub.SendFile(t.Context(), session.File{ID: id, File: payload.NewFile("n.txt", "", []byte(content))})
		}
	}
	heard := func() error {
		return sub.Send(t.Context(), session.Message{ID: "text", Content: quoted("who"), Human: true, Heard: true})
	}
	for i, tc := range []struct {
		send   func() error
		stored string // the form in the database
		same   bool
	}{
		{send: say("text", `"how"`)}, // turn 1
		{send: say("json", `{"b":[1e2,-0.50,"\u0000\ud800"],"a":null,"a":{"x":true}}`), stored: `{"a": {"x": true}, "b": [100, -0.5, "\ufffd\ufffd"]}`},
		{send: say("raw", "\"a\xffb\u00e9\""), stored: `"a?bé"`},
		{send: file("file", "hi")},
		{send: revise("edit", 1, `"why"`)}, // turn 5
		{send: say("keys", `{"a":["\u0000"],"\u0000":1,"\ufffd":2,"b\u0000":1,"b?":{"x":3}}`), stored: `{"a": ["\ufffd"], "b?": {"x": 3}, "\ufffd": 2, "b\ufffd": 1}`},
		{send: say("text", `"how"`), same: true},
		{send: say("json", `{"b":[1e2,-0.50,"\u0000\ud800"],"a":null,"a":{"x":true}}`), same: true},
		{send: say("raw", "\"a\xffb\u00e9\""), same: true},
		{send: file("file", "hi"), same: true},
		{send: revise("edit", 1, `"why"`), same: true},
		{send: heard, same: true},
		{send: say("keys", `{"a":["\u0000"],"\u0000":1,"\ufffd":2,"b\u0000":1,"b?":{"x":3}}`), same: true},
		{send: say("text", `"when"`)},
		{send: say("text", `{"message":"how"}`)},
		{send: say("json", `{"b":["100",-0.5,"??"],"a":{"x":true}}`)},
		{send: say("raw", `"a?be"`)},
		{send: say("keys", `{"a":["!"],"\u0000":1,"\ufffd":2,"b\u0000":1,"b?":{"x":3}}`)},
		{send: say("keys", `{"b":["\u0000"],"\u0000":1,"\ufffd":2,"b\u0000":1,"b?":{"x":3}}`)},
		{send: say("keys", `{"a":["\u0000"]}`)},
		{send: file("file", "ho")},
		{send: file("text", "how")},
		{send: say("edit", `"why"`)},
		{send: revise("edit", 5, `"why"`)},
		{send: revise("text", 1, `"how"`)},
		{send: revise("edit", 1, `"how"`)},
	} {
		store.content = tc.stored
		err := tc.send()
		synctest.Wait()
		acked := false
		for len(c.Heard) > 0 {
			d := c.Next()
			acked = acked || d.Frame.Action == payload.AckAction
		}
		switch fresh := i < 6; {
		case fresh || tc.same:
			if err != nil || !acked {
				t.Errorf("%d: %v, acknowledged %v", i, err, acked)
			}
		case fault.KindOf(err) != fault.Conflict || fault.Message(err) != "this id was used for another message" || acked:
			t.Errorf("%d: %v, acknowledged %v", i, err, acked)
		}
	}
	if _, messages, _ := store.Stored("S"); len(messages) != 1+2*6 {
		t.Errorf("%d messages", len(messages))
	}
}

// rewriting is a store that writes messages in another form.
type rewriting struct {
	*agenttest.Store
	content string
	written map[string]string
}

func (r *rewriting) Receive(ctx context.Context, in journal.Incoming) (journal.Receipt, error) {
	if r.content != "" {
		if r.written == nil {
			r.written = map[string]string{}
		}
		r.written[in.ClientID] = r.content
	}
	receipt, err := r.Store.Receive(ctx, in)
	if content := r.written[in.ClientID]; content != "" && err == nil {
		receipt.Event.Message.Content = json.RawMessage(content)
	}
	return receipt, err
}

// Only the sender receives the acknowledgment of a repeated message. A failed turn that was
// replaced does not run again.
func TestSentAgainAlone(t *testing.T) { bubble(t, testSentAgainAlone) }

func testSentAgainAlone(t *testing.T) {
	ran := 0
	rt := start(t, session.RuntimeConfig{Store: agenttest.NewStore(), Agent: echo(func(_ context.Context, s *agent.Session) error {
		if s.Message() == "bad" {
			ran++
			return fault.New(fault.Unavailable, "test_sentence", "not now")
		}
		return nil
	})})
	sub, c, _ := open(t, rt, "S")
	_, other, _ := open(t, rt, "S")
	send(t, sub, "a", "good")
	send(t, sub, "b", "bad")
	synctest.Wait()
	if got := ends(c); !slices.Equal(got, []string{`1 "done"}`, `2 "failed"}`}) || !slices.Equal(ends(other), got) {
		t.Errorf("ends %q", got)
	}
	send(t, sub, "b", "bad")
	synctest.Wait()
	if got := ends(other); ran != 2 || !slices.Equal(got, []string{`2 "failed"}`}) {
		t.Errorf("ran %d times, others heard %q", ran, got)
	}
	if err := sub.Revise(t.Context(), session.Revision{Turn: 2, ID: "c", Content: quoted("better")}); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	ends(c)
	ends(other)
	for n, id := range []string{"a", "b"} {
		send(t, sub, id, []string{"good", "bad"}[n])
		synctest.Wait()
		if got := ends(c); !slices.Equal(got, []string{fmt.Sprint(n+1, ` "done"}`)}) || ran != 2 {
			t.Errorf("%s again: ran %d times, heard %q", id, ran, got)
		}
		other.Quiet()
	}
}
