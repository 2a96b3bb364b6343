package sessiontest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"docent/agent"
	"docent/agent/chat"
	"docent/agent/session/journal"
)

// clock returns how long f takes.
func clock(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

// TurnBenchmark compares the writes of a turn, Receive and CommitTurn, with plain statements.
// insert inserts one message, and three inserts three of them in a transaction. TurnBenchmark
// reports ratios of medians.
func TurnBenchmark(b *testing.B, s journal.Store, insert, three func() error) {
	stored, _, err := s.OpenSession(b.Context(),
		journal.SessionRecord{Key: journal.SessionKey{Agent: "a", ID: "bench"}, Platform: "WebSocketPlatform"})
	if err != nil {
		b.Fatal(err)
	}
	var took [4][]time.Duration // insert, three, Receive, CommitTurn
	for n := 0; b.Loop(); n++ {
		in := message(stored.RowID, fmt.Sprint("m", n), strings.Repeat("a question ", 10))
		in.History = 4
		var receipt journal.Receipt
		for i, step := range []func() error{insert, three, func() (err error) {
			receipt, err = s.Receive(b.Context(), in)
			return err
		}, func() error {
			_, err := s.CommitTurn(b.Context(), journal.TurnRecord{
				Session: stored.RowID, Turn: receipt.Event.Turn, Handled: []int64{receipt.Event.ID}, State: "answer",
				Entries:     []journal.Entry{{Message: &agent.ChatMessage{Type: "rag_answer", Content: BenchContent}}},
				Transitions: []chat.Transition{{Source: "answer", Dest: "answer", Event: "receive_message_text"}},
			})
			return err
		}} {
			var err error
			took[i] = append(took[i], clock(func() { err = step() }))
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	median := func(i int) float64 {
		slices.Sort(took[i])
		return float64(took[i][len(took[i])/2].Nanoseconds())
	}
	one, batch, receive, commit := median(0), median(1), median(2), median(3)
	b.ReportMetric(one/1000, "us_insert")
	b.ReportMetric(receive/1000, "us_receive")
	b.ReportMetric(commit/1000, "us_commit")
	b.ReportMetric(receive/one, "x_insert_receive")
	b.ReportMetric(commit/one, "x_insert_commit")
	b.ReportMetric((receive+commit)/batch, "x_begin3_turn")
	b.ReportMetric(0, "ns/op")
}

// BenchContent is a message as large as a short answer with its passages.
var BenchContent = json.RawMessage(`{"answer":"` + strings.Repeat("word ", 80) + `","docs":[]}`)

// Sizes of MatchBenchmark: the number of sessions and of messages in each. Half of the messages are
// answers of BenchAnswer bytes. Owner o0 has one of a hundred sessions.
const (
	BenchSessions = 10_000
	BenchMessages = 20
	BenchAnswer   = 900
)

// MatchBenchmark measures the search for text in the sessions that fill has stored. Their messages
// say "word N" with their number. It reports milliseconds.
func MatchBenchmark(b *testing.B, s journal.Directory, fill func()) {
	fill()
	took := map[string]time.Duration{}
	for b.Loop() {
		for name, c := range map[string]struct {
			filter journal.SessionFilter
			found  int
		}{
			"ms_none":   {journal.SessionFilter{Match: "nobody said this"}, 0},
			"ms_one":    {journal.SessionFilter{Match: "WORD 150000 "}, 1},
			"ms_common": {journal.SessionFilter{Match: "word"}, 200},
			"ms_owner":  {journal.SessionFilter{Match: "nobody said this", Owner: "o0"}, 0},
			"ms_list":   {journal.SessionFilter{}, 200},
		} {
			took[name] += clock(func() {
				if all, err := s.Sessions(b.Context(), c.filter); err != nil || len(all) != c.found {
					b.Fatal(name, len(all), err)
				}
			})
		}
	}
	for name, d := range took {
		b.ReportMetric(float64(d.Microseconds())/1000/float64(b.N), name)
	}
	b.ReportMetric(0, "ns/op")
}
