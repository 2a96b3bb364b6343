package sessiontest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"

	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/internal/storetest"
)

var togetherTests = map[string]func(*testing.T, Conversations){
	"CommitRace": togetherCommit,
	"NoGaps":     togetherNoGaps,
	"Sessions":   togetherSessions,
	"Burst":      togetherBurst,
}

// togetherCommit commits each turn from several connections at once.
func togetherCommit(t *testing.T, db Conversations) {
	const turns, callers = 10, 4
	ctx := storetest.Within(t)
	handles := []journal.Store{db.Open(t), db.Open(t)}
	row := open(t, handles[0], "x").RowID
	for n := range turns {
		e := say(t, handles[0], row, "", "text").Event
		var running sync.WaitGroup
		got := make([]journal.Written, callers)
		for i := range callers {
			running.Go(func() {
				var err error
				if got[i], err = handles[i%2].CommitTurn(ctx, begun(row, e, thought(fmt.Sprint(i), 2), told(fmt.Sprint(i)))); err != nil {
					t.Error(err)
				}
			})
		}
		running.Wait()
		first := 0
		for i := range callers {
			storetest.Want(t, "entries", entryLines(got[i].Entries), entryLines(got[0].Entries))
			if !got[i].Repeated {
				first++
			}
		}
		storetest.Want(t, "written and seq", []int64{int64(first), open(t, handles[0], "x").Seq}, []int64{1, int64(3 * (n + 1))})
	}
	db.rows(t, map[string]int{"chat": 2 * turns, "reasoning_step": turns})
}

// exchange stores a message, a part of its turn, and the end of the turn.
func exchange(ctx context.Context, a, b journal.Store, session int64, name string) error {
	r, err := a.Receive(ctx, message(session, name, name))
	if err != nil {
		return err
	}
	turn := begun(session, r.Event, told("wait "+name), thought("t "+name, 1))
	turn.Partial = true
	if _, err = b.CommitTurn(ctx, turn); err != nil {
		return err
	}
	end := begun(session, r.Event, thought("u "+name, 2), told("re "+name))
	end.Set = map[string]json.RawMessage{name: json.RawMessage("1")}
	end.Predictions = []chat.Prediction{{Message: name, Intent: "i", Parameters: []chat.Parameter{{Name: "p"}, {Name: "q"}}}}
	_, err = a.CommitTurn(ctx, end)
	return err
}

// togetherNoGaps writes to one session from everywhere at once.
func togetherNoGaps(t *testing.T, db Conversations) {
	const callers, each = 4, 6
	ctx := storetest.Within(t)
	handles := []journal.Store{db.Open(t), db.Open(t)}
	row := open(t, handles[0], "x").RowID
	var running sync.WaitGroup
	for i := range callers {
		running.Go(func() {
			for n := range each {
				if err := exchange(ctx, handles[i%2], handles[(i+1)%2], row, fmt.Sprintf("%d-%d", i, n)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	running.Wait()
	storetest.Want(t, "record", len(all(t, handles[0], row)), callers*each*5)
	messages, err := handles[0].Messages(ctx, row, journal.MessageQuery{})
	storetest.OK(t, err)
	var turns []int64
	for _, m := range messages {
		if m.IsUser {
			turns = append(turns, m.Turn)
		}
	}
	slices.Sort(turns)
	for i, turn := range turns {
		storetest.Want(t, "turn", turn, int64(i+1))
	}
	after := open(t, handles[1], "x")
	storetest.Want(t, "session", []any{len(after.Variables), len(after.Pending), after.Turn}, []any{callers * each, 0, int64(callers * each)})
	db.rows(t, map[string]int{"intent_prediction": callers * each, "parameter": callers * each * 2})
}

// togetherSessions writes to many sessions at once.
func togetherSessions(t *testing.T, db Conversations) {
	const sessions, each = 12, 3
	ctx := storetest.Within(t)
	handles := []journal.Store{db.Open(t), db.Open(t)}
	var running sync.WaitGroup
	for i := range sessions {
		running.Go(func() {
			record, _, err := handles[i%2].OpenSession(ctx,
				journal.SessionRecord{Key: journal.SessionKey{Agent: "a", ID: fmt.Sprint(i)}, Platform: "P"})
			for n := 0; n < each && err == nil; n++ {
				err = exchange(ctx, handles[(i+n)%2], handles[(i+n+1)%2], record.RowID, fmt.Sprint(n))
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
	var wanted []string
	for n := range each {
		seq, turn := 5*n, n+1
		wanted = append(wanted, fmt.Sprintf(`%d/%d user "%d"`, seq+1, turn, n), fmt.Sprintf(`%d/%d agent "wait %d"`, seq+2, turn, n),
			fmt.Sprintf("%d/%d thought t %d", seq+3, turn, n), fmt.Sprintf("%d/%d thought u %d", seq+4, turn, n),
			fmt.Sprintf(`%d/%d agent "re %d"`, seq+5, turn, n))
	}
	for i := range sessions {
		storetest.Want(t, "record", all(t, handles[0], open(t, handles[0], fmt.Sprint(i)).RowID), wanted)
	}
}

// togetherBurst stores a hundred messages and answers them at the same time.
func togetherBurst(t *testing.T, db Conversations) {
	const messages = 100
	ctx := storetest.Within(t)
	s := db.Open(t)
	row := open(t, s, "x").RowID
	events := make(chan journal.EventRecord, messages)
	var running sync.WaitGroup
	running.Go(func() {
		defer close(events)
		for n := range messages {
			r, err := s.Receive(ctx, message(row, fmt.Sprint(n), fmt.Sprint(n)))
			if err != nil {
				t.Error(err)
				return
			}
			events <- r.Event
		}
	})
	for e := range events {
		if _, err := s.CommitTurn(ctx, begun(row, e, told("re "+e.Info))); err != nil {
			t.Error(err)
		}
	}
	running.Wait()
	storetest.Want(t, "record", len(all(t, s, row)), 2*messages)
	got, err := s.Messages(ctx, row, journal.MessageQuery{})
	storetest.OK(t, err)
	var said, answered []string
	for _, m := range got {
		if m.IsUser {
			said = append(said, fmt.Sprintf(`"re %d" %d`, len(said), m.Turn))
		} else {
			answered = append(answered, fmt.Sprintf("%s %d", m.Content, m.Turn))
		}
	}
	storetest.Want(t, "said", len(said), messages)
	storetest.Want(t, "answers", answered, said)
	storetest.Want(t, "pending", pending(t, s, "x"), []string{})
}
