package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// ring is an agent that cycles through three states and names the current one.
const ring = `name: ring
states:
  begin: {initial: true, on: [{message: any, to: one}]}
  one:
    body: &body [{reply: "{{.state}} {{.message}}"}, {options: ["{{.message}}"]}]
    on: [{message: any, to: two}]
  two: {body: *body, on: [{message: any, to: three}]}
  three: {body: *body, on: [{message: any, to: one}]}
`

// ringReply returns the agent's reply to message n.
func ringReply(n int) (reply, options string) {
	return fmt.Sprintf("%s m%d", []string{"one", "two", "three"}[n%3], n), fmt.Sprintf(`{"0": "m%d"}`, n)
}

// checkRing compares a session with the expected state after that number of
// messages.
func checkRing(t *testing.T, r record, messages int) {
	t.Helper()
	var users, replies []string
	for n := range messages {
		users = append(users, fmt.Sprint("m", n))
		reply, options := ringReply(n)
		replies = append(replies, reply, options)
	}
	if got := r.said(true); !slices.Equal(got, users) {
		t.Errorf("%d messages of the user are stored:\n%q", len(got), got)
	}
	got := r.said(false)
	for i, s := range got { // Postgres writes JSON anew
		var v any
		if json.Unmarshal([]byte(s), &v) == nil {
			got[i] = strings.ReplaceAll(s, `":"`, `": "`)
		}
	}
	if !slices.Equal(got, replies) {
		t.Errorf("%d replies are stored:\n%q", len(got), got)
	}
	r.checkSeq(t, 1)
	asked := map[int64]int64{}
	for _, m := range r.Messages {
		if m.IsUser {
			asked[m.Turn] = m.Seq
		} else if asked[m.Turn] == 0 {
			t.Errorf("reply %d comes before the message that it answers", m.Seq)
		}
	}
}

// checkHeard fails if a guest received something that differs from the stored
// messages.
func checkHeard(t *testing.T, heard []line, r record) {
	t.Helper()
	stored := map[int64]row{}
	for _, m := range r.Messages {
		stored[m.Seq] = m
	}
	for _, l := range heard {
		if l.Seq == nil || !strings.HasPrefix(l.Action, "agent_reply_str") {
			continue
		}
		if m := stored[*l.Seq]; m.IsUser || m.text() != l.text() {
			t.Errorf("heard %s as %d, stored is %s", l.Message, *l.Seq, m.Content)
		}
	}
}

// TestBurst: a client sends a hundred messages without waiting. They are stored
// and answered in order, and another client receives all of them in that order.
func TestBurst(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, env []string) {
		const messages = 100
		_, at := serve(t, env, "--agent", yamlAgent(t, ring))
		other := join(t, at, "S", true)
		g := join(t, at, "S", false)
		for n := range messages {
			g.tell(t, fmt.Sprint("m", n), "")
		}
		last, _ := ringReply(messages - 1)
		g.waitReply(t, last)
		other.until(t, "the end of every turn", func(heard []line) bool { return tally(heard, "turn_finished") == messages })
		r := recordOf(t, at, "S")
		checkRing(t, r, messages)
		checkHeard(t, other.lines(), r)
		seqs := map[int64]bool{} // those of messages and of replies may cross
		for _, l := range other.lines() {
			if l.Seq != nil {
				seqs[*l.Seq] = true
			}
		}
		if want := 3 * messages; len(seqs) != want || !seqs[1] || !seqs[int64(want)] {
			t.Errorf("the other client heard %d stored frames, want %d", len(seqs), want)
		}
	})
}

// TestBurstSurvivesKills kills the server in the middle of a burst a few times.
// The soak test does it more often.
func TestBurstSurvivesKills(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, env []string) { killBurst(t, env, 100, 40, 4, 1) })
}

// killBurst sends messages to a server and kills it repeatedly, at moments spread
// over acknowledgments and answers. Like other clients, it sends unacknowledged
// messages again with the same id. It sends at most atOnce messages to each
// server.
func killBurst(t *testing.T, env []string, messages, atOnce, kills int, seed uint64) {
	t.Helper()
	moments := rand.New(rand.NewPCG(seed, uint64(kills)))
	file := yamlAgent(t, ring)
	acked := 0
	var heard []line
	for life := 0; ; life++ {
		server, at := serve(t, env, "--agent", file)
		g := join(t, at, "S", true)
		last := acked >= messages
		for n := acked; n < min(acked+atOnce, messages); n++ {
			g.tell(t, fmt.Sprint("m", n), fmt.Sprint("id ", n))
		}
		if kills > 0 && !last {
			kind := []string{"ack", "agent_reply_str", "turn_finished"}[moments.IntN(3)]
			count := 1 + moments.IntN(min(atOnce, messages-acked))
			g.until(t, fmt.Sprint(count, " ", kind), func(heard []line) bool { return tally(heard, kind) >= count })
			<-time.After(time.Duration(moments.Int64N(int64(5 * time.Millisecond))))
			kills--
			server.kill(t)
			<-g.gone
			acked = max(acked, acknowledged(t, g.lines()))
			heard = append(heard, g.lines()...)
			t.Logf("killed after %d %s; %d messages are acknowledged", count, kind, acked)
			continue
		}
		want := min(acked+atOnce, messages)
		g.until(t, "every acknowledgement", func(heard []line) bool { return last || acknowledged(t, heard) >= want })
		acked = max(acked, acknowledged(t, g.lines()))
		eventually(t, "every message is answered", func() bool { return len(recordOf(t, at, "S").said(false)) >= 2*acked })
		heard = append(heard, g.lines()...)
		if acked < messages {
			server.kill(t) // which is another moment: when nothing is to be done
			continue
		}
		r := recordOf(t, at, "S")
		checkRing(t, r, messages)
		checkHeard(t, heard, r)
		s, _, _ := inDatabase(t, env, "ring", "S")
		if want, _, _ := strings.Cut(first(ringReply(messages-1)), " "); s.State != want {
			t.Errorf("the session is in state %s, want %s", s.State, want)
		}
		if kills > 0 {
			t.Errorf("%d kills are left", kills)
		}
		return
	}
}

func first(s, _ string) string { return s }

func tally(heard []line, action string) int {
	n := 0
	for _, l := range heard {
		if l.Action == action {
			n++
		}
	}
	return n
}

// acknowledged returns the highest number of an acknowledged message plus one.
// An error ends the test.
func acknowledged(t *testing.T, heard []line) int {
	t.Helper()
	most := 0
	for _, l := range heard {
		var n int
		switch l.Action {
		case "ack":
			if _, err := fmt.Sscanf(l.get("id"), "id %d", &n); err != nil {
				t.Fatalf("ack of %s", l.Message)
			}
			most = max(most, n+1)
		case "error":
			t.Fatalf("error: %s", l.Message)
		}
	}
	return most
}
