package main

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"docent/payload"
)

// parrot repeats each message.
const parrot = `name: parrot
states:
  begin: {initial: true, on: [{message: any, to: repeat}]}
  repeat: {body: [{reply: "{{.message}}!"}], on: [{message: any, to: repeat}]}
`

// TestExactlyOnce: a message sent three times with one id, from two sockets at
// once, is stored once and answered once. The soak test covers more.
func TestExactlyOnce(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, env []string) { thrice(t, env, 14) })
}

// thrice sends 15 messages in each of several sessions, each message three
// times. That is the burst limit of a client.
func thrice(t *testing.T, env []string, sessions int) {
	t.Helper()
	const messages = 15
	_, at := serve(t, env, "--agent", yamlAgent(t, parrot))
	for i := range sessions {
		session := fmt.Sprint("session ", i)
		a, b := join(t, at, session, true), join(t, at, session, true)
		for n := range messages {
			text, id := fmt.Sprint("m", n), fmt.Sprint("id ", n)
			var at sync.WaitGroup
			at.Go(func() { a.tell(t, text, id); a.tell(t, text, id) })
			at.Go(func() { b.tell(t, text, id) })
			at.Wait()
		}
		last := fmt.Sprintf("m%d!", messages-1)
		a.until(t, "every answer", func(heard []line) bool { return tally(heard, "ack") == 2*messages && replied(heard, last) })
		b.until(t, "every answer", func(heard []line) bool { return tally(heard, "ack") == messages && replied(heard, last) })
		stored := 0
		for _, l := range append(a.lines(), b.lines()...) {
			switch {
			case l.Action == "error":
				t.Errorf("error %s", l.Message)
			case l.Action == "ack" && l.get("duplicate") == "false":
				stored++
			}
		}
		if stored != messages {
			t.Errorf("%s: %d acknowledgements are no duplicates, want %d", session, stored, messages)
		}
		for _, g := range []*guest{a, b} {
			if n := tally(g.lines(), "agent_reply_str"); n != messages {
				t.Errorf("%s: %d replies were heard, want %d", session, n, messages)
			}
		}
		a.leave()
		b.leave()
		checkOnce(t, env, session, messages)
	}
}

func replied(heard []line, text string) bool {
	return slices.ContainsFunc(heard, func(l line) bool { return l.Action == "agent_reply_str" && l.text() == text })
}

// checkOnce checks that a session has each message once, in a turn of its own
// that has one reply.
func checkOnce(t *testing.T, env []string, session string, messages int) {
	t.Helper()
	asked, turns, replies := map[string]int{}, map[int64]string{}, map[string]int{}
	for _, e := range entriesOf(t, env, "parrot", session) {
		if e.Action == payload.UserMessage {
			asked[e.ID+" "+e.Text()]++
			turns[e.Turn] = e.Text()
		} else if want := turns[e.Turn] + "!"; e.Text() != want {
			t.Errorf("%s: turn %d is answered %q, want %q", session, e.Turn, e.Text(), want)
		} else {
			replies[want]++
		}
	}
	for n := range messages {
		if key := fmt.Sprintf("id %d m%d", n, n); asked[key] != 1 || replies[fmt.Sprintf("m%d!", n)] != 1 {
			t.Errorf("%s: %q is stored %d times and answered %d times", session, key, asked[key], replies[fmt.Sprintf("m%d!", n)])
		}
	}
	if len(asked) != messages || len(turns) != messages || len(replies) != messages {
		t.Errorf("%s: %d messages in %d turns with %d replies, want %d each", session, len(asked), len(turns), len(replies), messages)
	}
}
