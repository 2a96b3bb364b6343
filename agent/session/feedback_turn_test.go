package session_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/internal/fault"
)

// rated is a store that keeps feedback.
type rated struct {
	*agenttest.Store
	kept []int64
}

func (r *rated) AddFeedback(_ context.Context, _ int64, f journal.FeedbackRecord) error {
	r.kept = append(r.kept, f.Turn)
	return nil
}

func (r *rated) Feedback(context.Context, int64) ([]journal.FeedbackRecord, error) { return nil, nil }

func (r *rated) LastFeedback(context.Context, int64, int64, int64) ([]journal.FeedbackRecord, error) {
	return nil, nil
}

// Feedback belongs to the named turn if it is over. Without a turn, it belongs to the last finished
// turn of the conversation.
func TestFeedbackTurn(t *testing.T) { bubble(t, testFeedbackTurn) }

func testFeedbackTurn(t *testing.T) {
	store := &rated{Store: agenttest.NewStore()}
	rt := start(t, session.RuntimeConfig{Agent: recalling(make(chan struct{})), Store: store})
	sub, _, _ := open(t, rt, "S")
	good := 1
	for _, text := range []string{"one", "two"} {
		send(t, sub, text, text)
		synctest.Wait()
	}
	if err := sub.Revise(t.Context(), session.Revision{Turn: 2, ID: "r", Content: quoted("hold")}); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	for turn, kind := range map[int64]fault.Kind{-1: fault.NotFound, 99: fault.NotFound, 3: fault.Conflict} {
		if _, err := sub.Feedback(t.Context(), journal.Feedback{Turn: turn, Rating: &good}); fault.KindOf(err) != kind {
			t.Errorf("turn %d: %v", turn, err)
		}
	}
	for _, turn := range []int64{0, 1, 2} { // 0: turn 2 was replaced, and turn 3 is running
		if _, err := sub.Feedback(t.Context(), journal.Feedback{Turn: turn, Rating: &good}); err != nil {
			t.Errorf("turn %d: %v", turn, err)
		}
	}
	if got := fmt.Sprint(store.kept); got != "[1 1 2]" {
		t.Errorf("kept %s", got)
	}
	if err := sub.Stop(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
}
