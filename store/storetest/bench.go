package storetest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"docent/rag/corpus"

	"docent/agent"
	"docent/agent/session/journal"
	"docent/ingest/intake"
)

// The corpus that BulkBenchmark works on: about the PostgreSQL manual's size.
const (
	bulkDocuments = 1200
	bulkChunks    = 10 // per document
	bulkBatch     = 16 // documents per call
	bulkDims      = 256
)

// BulkBenchmark ingests a corpus, reads it as an index does at start, and asks
// what a second ingest run asks; it reports milliseconds of each.
func BulkBenchmark(b *testing.B, open func(b *testing.B) Store) {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a benchmark's data
	var puts []intake.Put
	text := strings.Repeat("The quick brown fox jumps over the lazy dog. ", 27) // 1.2 kB
	for i := range bulkDocuments {
		p := put(fmt.Sprintf("/usr/share/doc/page-%d.html", i), fmt.Sprint("w", i), bulkChunks)
		p.Document.Text, p.Original = strings.Repeat(text, bulkChunks), []byte(strings.Repeat(text, bulkChunks)+fmt.Sprint(i))
		for c := range p.Chunks {
			p.Chunks[c].Text, p.Vectors[c] = text, make([]float32, bulkDims)
			for k := range p.Vectors[c] {
				p.Vectors[c][k] = random.Float32()
			}
		}
		puts = append(puts, p)
	}
	var store, again, load, sources, unembedded time.Duration
	for b.Loop() {
		s := open(b)
		all := func() {
			for at := 0; at < len(puts); at += bulkBatch {
				if _, err := s.PutDocuments(b.Context(), puts[at:at+bulkBatch]); err != nil {
					b.Fatal(err)
				}
			}
		}
		store += clock(all)
		again += clock(all)
		load += clock(func() {
			n := 0
			for c, err := range s.Changes(b.Context(), 0, "e1") {
				if err != nil {
					b.Fatal(err)
				}
				n += len(c.Vectors)
			}
			if n != bulkDocuments*bulkChunks {
				b.Fatal(n)
			}
		})
		sources += clock(func() {
			if got, err := s.Sources(b.Context(), corpus.DefaultCollection, "e1", ""); err != nil || len(got) != bulkDocuments || got[0].Embedded != bulkChunks {
				b.Fatal(len(got), err)
			}
		})
		unembedded += clock(func() {
			if got, err := s.Unembedded(b.Context(), "e1", 0, 1000); err != nil || len(got) != 0 {
				b.Fatal(len(got), err)
			}
		})
	}
	for name, d := range map[string]time.Duration{
		"ms_put": store, "ms_replace": again, "ms_changes": load, "ms_sources": sources, "ms_unembedded": unembedded,
	} {
		b.ReportMetric(float64(d.Microseconds())/1000/float64(b.N), name)
	}
	b.ReportMetric(0, "ns/op") // the sum of different things says nothing
}

func clock(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

// TurnBenchmark measures a turn's writes, Receive and CommitTurn, in turns with
// the statements they are compared to: one INSERT of such a message, and BEGIN,
// three of them, COMMIT. It reports medians as ratios.
func TurnBenchmark(b *testing.B, s Store, insert, three func() error) {
	stored, _, err := s.OpenSession(b.Context(), journal.SessionRecord{Key: journal.SessionKey{Agent: "a", ID: "bench"}, Platform: "WebSocketPlatform"})
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
				Transitions: []agent.TransitionRecord{{Source: "answer", Dest: "answer", Event: "receive_message_text"}},
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

// BenchContent is a message of the size of a short answer with its passages.
var BenchContent = json.RawMessage(`{"answer":"` + strings.Repeat("word ", 80) + `","docs":[]}`)

// What MatchBenchmark looks through: as many sessions with as many messages each,
// which half of them are answers of BenchAnswer bytes. Owner o0 has one of a
// hundred sessions.
const (
	BenchSessions = 10_000
	BenchMessages = 20
	BenchAnswer   = 900
)

// MatchBenchmark measures looking for text in the sessions that fill has stored,
// whose messages say "word N" with their number; it reports milliseconds.
func MatchBenchmark(b *testing.B, s Store, fill func()) {
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
