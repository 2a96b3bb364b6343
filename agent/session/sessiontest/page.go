package sessiontest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"docent/agent"
	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/internal/storetest"
)

var pageTests = map[string]func(*testing.T, Conversations){
	"Bytes":   pageBytes,
	"Content": pageContent,
	"History": pageHistory,
}

// noise returns a JSON string of a size that hardly compresses.
func noise(bytes int) json.RawMessage {
	var b strings.Builder
	for i := 0; b.Len() < bytes; i++ {
		sum := sha256.Sum256([]byte(fmt.Sprint(i)))
		b.WriteString(hex.EncodeToString(sum[:]))
	}
	return json.RawMessage(`"` + b.String()[:bytes-2] + `"`)
}

// plain returns a JSON string of a size that compresses well.
func plain(bytes int) json.RawMessage {
	return json.RawMessage(`"` + strings.Repeat("a", bytes-2) + `"`)
}

// record stores messages and steps with these contents, alternately.
func record(t *testing.T, s journal.Store, row int64, contents ...json.RawMessage) {
	t.Helper()
	var turn journal.TurnRecord
	turn.Session = row
	for _, c := range contents {
		step := thought("s", 0)
		step.Step.Payload = c
		turn.Entries = append(turn.Entries, journal.Entry{Message: &agent.ChatMessage{Type: "str", Content: c}}, step)
	}
	commit(t, s, turn)
}

// pageBytes reads small pages. Together they are the whole record in order.
func pageBytes(t *testing.T, db Conversations) {
	const limit, small = 20_000, 6_000
	s, ctx := db.Open(t), t.Context()
	row := open(t, s, "x").RowID
	contents := []json.RawMessage{json.RawMessage(`1`), noise(50_000)}
	for range 6 {
		contents = append(contents, noise(small), plain(9_000))
	}
	contents = append(contents, plain(3_000_000), json.RawMessage(`2`), plain(50_000), json.RawMessage(`3`))
	record(t, s, row, contents...)
	for name, read := range map[string]func(q journal.MessageQuery) (seqs []int64, bytes int){
		"messages": func(q journal.MessageQuery) (seqs []int64, bytes int) {
			got, err := s.Messages(ctx, row, q)
			storetest.OK(t, err)
			for _, m := range got {
				seqs, bytes = append(seqs, m.Seq), bytes+len(m.Content)
			}
			return seqs, bytes
		},
		"steps": func(q journal.MessageQuery) (seqs []int64, bytes int) {
			got, err := s.Steps(ctx, row, q)
			storetest.OK(t, err)
			for _, r := range got {
				seqs, bytes = append(seqs, r.Seq), bytes+len(r.Payload)
			}
			return seqs, bytes
		},
	} {
		all, _ := read(journal.MessageQuery{})
		storetest.Want(t, name, len(all), len(contents))
		var paged []int64
		pages := 0
		q := journal.MessageQuery{Last: len(contents) - 1, Before: all[len(all)-1], Bytes: limit}
		for {
			got, bytes := read(q)
			if len(got) == 0 {
				break
			}
			if len(got) > 1 && bytes > limit {
				t.Errorf("%s: a page of %d has %d bytes", name, len(got), bytes)
			}
			paged, q.After = append(paged, got...), got[len(got)-1]
			pages++
		}
		storetest.Want(t, name+" in pages", paged, all[:len(all)-1])
		if pages > len(contents)-2 {
			t.Errorf("%s: %d pages", name, pages)
		}
		last, _ := read(journal.MessageQuery{Last: 2, Bytes: 1})
		storetest.Want(t, name+" of the last two", last, all[len(all)-2:len(all)-1])
	}
}

// pageContent omits large contents and nothing else.
func pageContent(t *testing.T, db Conversations) {
	const limit = 1000
	s, ctx := db.Open(t), t.Context()
	row := open(t, s, "x").RowID
	record(t, s, row, noise(limit-100), noise(limit+1), plain(limit-100), plain(limit+1), plain(1_000_000), noise(1_000_000),
		json.RawMessage(`1`))
	messages, err := s.Messages(ctx, row, journal.MessageQuery{MaxContent: limit})
	storetest.OK(t, err)
	steps, err := s.Steps(ctx, row, journal.MessageQuery{MaxContent: limit})
	storetest.OK(t, err)
	whole, err := s.Messages(ctx, row, journal.MessageQuery{})
	storetest.OK(t, err)
	var got, got2 []int
	for i, m := range messages {
		got, got2 = append(got, len(m.Content)), append(got2, len(steps[i].Payload))
		m.Content, whole[i].Content = nil, nil
		storetest.Want(t, "the rest", m, whole[i])
	}
	// A database may count a few bytes more than the text has.
	storetest.Want(t, "messages", got, []int{limit - 100, 0, limit - 100, 0, 0, 0, 1})
	storetest.Want(t, "steps", got2, []int{limit - 100, 0, limit - 100, 0, 0, 0, 1})
}

// pageHistory omits large contents from the history of a message, but not from the message itself.
func pageHistory(t *testing.T, db Conversations) {
	s, ctx := db.Open(t), t.Context()
	row := open(t, s, "x").RowID
	large, small := noise(chat.MaxHistoryContent+1), noise(chat.MaxHistoryContent-100)
	send := func(id string, content json.RawMessage) journal.Receipt {
		r, err := s.Receive(ctx, journal.Incoming{
			Session: row, ClientID: id, Type: "file", Content: content, History: 10, Event: journal.EventRecord{Name: "receive_file"},
		})
		storetest.OK(t, err)
		storetest.Want(t, "content", len(r.Event.Message.Content), len(content))
		return r
	}
	sizes := func(messages []agent.ChatMessage) []int {
		out := []int{}
		for _, m := range messages {
			out = append(out, len(m.Content))
		}
		return out
	}
	storetest.Want(t, "none", sizes(send("1", large).History), []int{})
	storetest.Want(t, "after a large one", sizes(send("2", small).History), []int{0})
	storetest.Want(t, "after both", sizes(send("3", plain(10*chat.MaxHistoryContent)).History), []int{0, len(small)})
	again := send("2", small)
	storetest.Want(t, "again", []any{again.Duplicate, sizes(again.History)}, []any{true, []int{0}})
	storetest.Want(t, "a large one again", sizes(send("3", plain(10*chat.MaxHistoryContent)).History), []int{0, len(small)})
	r, err := s.Receive(ctx, journal.Incoming{Session: row, History: 10, Event: journal.EventRecord{Name: "e"}})
	storetest.OK(t, err)
	storetest.Want(t, "of an event", sizes(r.History), []int{0, len(small), 0})
	queue := open(t, s, "x").Pending
	storetest.Want(t, "queue",
		[]int{len(queue[0].Message.Content), len(queue[2].Message.Content)}, []int{len(large), 10 * chat.MaxHistoryContent})
}
