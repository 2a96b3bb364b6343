package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/payload"
)

func afterwards(d time.Duration) <-chan time.Time { return time.After(d) }

// recalling returns an agent that answers with the conversation that it knows.
func recalling(hold chan struct{}) *agent.Agent {
	return echo(func(ctx context.Context, s *agent.Session) error {
		if hold != nil && s.Message() == "hold" {
			select {
			case <-hold:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		history, err := s.ChatHistory(ctx, 0, time.Time{})
		if err != nil {
			return err
		}
		var all []string
		for _, m := range history {
			all = append(all, strings.Trim(string(m.Content), `"`))
		}
		return s.ReplyMarkdown(ctx, "after "+strings.Join(all, ", "))
	})
}

// Replaced turns leave the conversation but stay in the record. Clients recognize them by the
// message that replaces them.
func TestRevise(t *testing.T) { bubble(t, testRevise) }

func testRevise(t *testing.T) {
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{Agent: recalling(nil), Store: store})
	sub, c, _ := open(t, rt, "S")
	_, other, _ := open(t, rt, "S")
	revise := func(r session.Revision) {
		t.Helper()
		if err := sub.Revise(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
	}
	for _, text := range []string{"one", "two", "three"} {
		send(t, sub, text, text)
		synctest.Wait()
	}
	for len(c.Heard) > 0 {
		c.Next()
	}
	for len(other.Heard) > 0 {
		other.Next()
	}
	revise(session.Revision{Turn: 2, ID: "r1", Content: quoted("zwei")})
	ack := c.Until(payload.AckAction).Frame
	if ack.Replaces != 2 || *ack.Turn != 4 || string(ack.Message) != `{"id":"r1","seq":11,"duplicate":false}` {
		t.Errorf("ack %+v %s", ack, ack.Message)
	}
	if d := c.Until(payload.ReplyMarkdown); text(t, d) != "after hello, one, after hello, one, one, zwei" {
		t.Errorf("answer %s", d.Frame.Message)
	}
	if f := other.Until(payload.UserMessage).Frame; f.Replaces != 2 || f.ID != "r1" || string(f.Message) != `"zwei"` {
		t.Errorf("another heard %+v", f)
	}
	revise(session.Revision{Turn: 2, ID: "r1", Content: quoted("zwei")}) // repeated
	if ack := c.Until(payload.AckAction).Frame; !strings.Contains(string(ack.Message), `"duplicate":true`) || ack.Replaces != 2 {
		t.Errorf("ack %s", ack.Message)
	}
	revise(session.Revision{Turn: 4, ID: "r2"}) // the same message again
	if f := other.Until(payload.UserMessage).Frame; f.Replaces != 2 && f.Replaces != 4 || string(f.Message) != `"zwei"` {
		t.Errorf("another heard %+v", f)
	}
	if d := c.Until(payload.ReplyMarkdown); text(t, d) != "after hello, one, after hello, one, one, zwei" {
		t.Errorf("answer %s", d.Frame.Message)
	}
	for turn, kind := range map[int64]fault.Kind{
		0: fault.Invalid, 2: fault.Conflict, 3: fault.Conflict, 4: fault.Conflict, 99: fault.NotFound,
	} {
		for _, content := range []json.RawMessage{nil, quoted("x")} {
			err := sub.Revise(t.Context(), session.Revision{Turn: turn, ID: fmt.Sprint("bad", turn), Content: content})
			if fault.KindOf(err) != kind || strings.Contains(fault.Message(err), "went wrong") || errors.Is(err, journal.ErrNoTurn) != (kind == fault.NotFound) {
				t.Errorf("turn %d to %s: %v", turn, content, err)
			}
		}
	}
	for _, content := range []string{`""`, `" \n"`, `null`, `{"message":" "}`} {
		if err := sub.Revise(t.Context(), session.Revision{Turn: 5, ID: "blank", Content: json.RawMessage(content)}); fault.KindOf(err) != fault.Invalid {
			t.Errorf("edited to %s: %v", content, err)
		}
	}
	if err := rt.Dispatch(t.Context(), "S", agent.Event{Name: agent.EventText, Text: "by a program"}); err != nil {
		t.Fatal(err)
	}
	if err := rt.Dispatch(t.Context(), "S", agent.Event{Name: "nothing takes it"}); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	for turn := int64(6); turn <= 7; turn++ {
		for _, content := range []json.RawMessage{nil, quoted("x")} {
			if err := sub.Revise(t.Context(), session.Revision{Turn: turn, ID: "p", Content: content}); fault.KindOf(err) != fault.Invalid {
				t.Errorf("of a program to %s: %v", content, err)
			}
		}
	}
	_, messages, _ := store.Stored("S")
	if len(messages) != 1+6*3 {
		t.Errorf("%d messages on record", len(messages))
	}
	said, err := sub.Recent(t.Context(), 100)
	if err != nil || len(said) != 1+3*3 {
		t.Errorf("%d messages, %v", len(said), err)
	}
	var all []int64
	back, _ := resume(t, rt, 0)
	if err := back.CatchUp(t.Context(), func(e journal.Entry) bool { all = append(all, e.Message.Replaces); return true }); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(all) != "[0 0 0 0 0 0 0 0 0 0 2 0 0 4 0 0 0 0 0]" {
		t.Errorf("replaced %v", all)
	}
	if err := sub.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	for _, content := range []json.RawMessage{nil, quoted("x")} { // it was replaced
		if err := sub.Revise(t.Context(), session.Revision{Turn: 5, Content: content}); !errors.Is(err, journal.ErrNoTurn) {
			t.Errorf("after a reset to %s: %v", content, err)
		}
	}
}

// A revision stops the turns that run or wait from its turn on. Earlier turns continue.
func TestReviseRunning(t *testing.T) { bubble(t, testReviseRunning) }

func testReviseRunning(t *testing.T) {
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{Agent: recalling(make(chan struct{})), Store: store})
	sub, c, _ := open(t, rt, "S")
	synctest.Wait()
	send(t, sub, "a", "one")
	synctest.Wait()
	send(t, sub, "b", "hold")
	send(t, sub, "c", "waits")
	synctest.Wait()
	if err := sub.Revise(t.Context(), session.Revision{Turn: 2, ID: "r", Content: quoted("now")}); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	if got := fmt.Sprint(ends(c)); got != `[1 "done"} 2 "stopped"} 3 "stopped"} 4 "done"}]` {
		t.Errorf("ends %s", got)
	}
	said, err := sub.Recent(t.Context(), 2)
	if err != nil || string(said[0].Content) != `"after hello, one, after hello, one, one, now"` {
		t.Errorf("answered %s, %v", said[0].Content, err)
	}
	if n := len(store.Pending("S")); n != 0 {
		t.Errorf("%d events wait", n)
	}
}

// After a restart, the turns that a stored revision replaces do not run.
func TestReviseAcrossRestart(t *testing.T) { bubble(t, testReviseAcrossRestart) }

func testReviseAcrossRestart(t *testing.T) {
	store := agenttest.NewStore()
	stored, _, err := store.OpenSession(t.Context(), journal.SessionRecord{Key: journal.SessionKey{Agent: "echo", ID: "S"}, State: "answer"})
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{"one", "two", "better"} {
		in := journal.Incoming{
			Session: stored.RowID, ClientID: text, Type: payload.TypeStr, Content: quoted(text),
			Event: journal.EventRecord{Name: agent.EventText, Info: text, Human: true},
		}
		if i == 2 {
			in.Replaces = 1
		}
		if _, err := store.Receive(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	rt := start(t, session.RuntimeConfig{Agent: recalling(nil), Store: store})
	_, c, _ := open(t, rt, "S")
	synctest.Wait()
	if got := fmt.Sprint(ends(c)); got != `[3 "done"}]` {
		t.Errorf("ends %s", got)
	}
}

// A file is answered again as a file.
func TestRegenerateFile(t *testing.T) { bubble(t, testRegenerateFile) }

func testRegenerateFile(t *testing.T) {
	a := agent.New("files")
	one := a.State("one", agent.Initial)
	one.OnFile("txt").GoTo(one)
	one.Body(func(ctx context.Context, s *agent.Session) error {
		if f := s.Event().File; f != nil {
			return s.Reply(ctx, s.Event().Name+" "+f.Name+" "+f.Base64)
		}
		return nil
	})
	rt := start(t, session.RuntimeConfig{Agent: a, Store: agenttest.NewStore()})
	sub, c, _ := open(t, rt, "S")
	if err := sub.SendFile(t.Context(), session.File{ID: "f", File: payload.NewFile("n.txt", "", []byte("hi"))}); err != nil {
		t.Fatal(err)
	}
	first := text(t, c.Until(payload.ReplyStr))
	c.Until(payload.TurnFinishedAction)
	if err := sub.Revise(t.Context(), session.Revision{Turn: 1, ID: "r"}); err != nil {
		t.Fatal(err)
	}
	if again := text(t, c.Until(payload.ReplyStr)); again != first || !strings.HasPrefix(again, "receive_file n.txt ") {
		t.Errorf("%q, then %q", first, again)
	}
}
