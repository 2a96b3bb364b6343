package queue_test

import (
	"encoding/json"
	"slices"
	"testing"

	"docent/agent/chat"
	"docent/agent/session/queue"
)

// event returns an event of a turn.
func event(turn int64) *queue.Event {
	return queue.NewEvent(chat.Event{Turn: turn}, chat.Message{Content: json.RawMessage(`"text"`)})
}

func turns(events []*queue.Event) []int64 {
	var out []int64
	for _, e := range events {
		out = append(out, e.Event.Turn)
	}
	return out
}

// TestOrder: steps take only the events before the first other work.
func TestOrder(t *testing.T) {
	t.Parallel()
	var q queue.Queue
	for _, turn := range []int64{1, 2} {
		q.Add(queue.Work{Arrived: event(turn)})
	}
	q.Add(queue.Work{Greet: true})
	q.Add(queue.Work{Arrived: event(3)})
	if len(q.Pending()) != 0 {
		t.Errorf("%v are pending before they arrived", turns(q.Pending()))
	}
	if !q.Arrive() || q.Arrive() || !slices.Equal(turns(q.Pending()), []int64{1, 2}) {
		t.Errorf("%v are pending", turns(q.Pending()))
	}
	if !slices.Equal(q.Turns(), []int64{1, 2, 3}) || q.Find(3) == nil || q.Find(4) != nil {
		t.Errorf("the turns are %v", q.Turns())
	}
	if w, ok := q.Next(); !ok || !w.Greet {
		t.Errorf("the next work is %+v", w)
	}
	if !q.Arrive() || !slices.Equal(turns(q.Pending()), []int64{1, 2, 3}) {
		t.Errorf("%v are pending", turns(q.Pending()))
	}
	if _, ok := q.Next(); ok {
		t.Error("there is work after the last event")
	}
}

// TestTake: a refused event stays, an accepted one leaves.
func TestTake(t *testing.T) {
	t.Parallel()
	var q queue.Queue
	first, second := event(1), event(2)
	q.Add(queue.Work{Arrived: first})
	q.Add(queue.Work{Arrived: second})
	q.Arrive()
	if q.Take(second.Pending, func(*queue.Event) bool { return false }) != nil || len(q.Pending()) != 2 {
		t.Error("a refused event left the queue")
	}
	if q.Take(second.Pending, func(*queue.Event) bool { return true }) != second || !slices.Equal(turns(q.Pending()), []int64{1}) {
		t.Errorf("%v are pending", turns(q.Pending()))
	}
	if q.Take(second.Pending, func(*queue.Event) bool { return true }) != nil {
		t.Error("an event was taken twice")
	}
}

// TestOverflow: the oldest events leave first.
func TestOverflow(t *testing.T) {
	t.Parallel()
	var q queue.Queue
	for turn := range int64(5) {
		q.Add(queue.Work{Arrived: event(turn + 1)})
	}
	q.Arrive()
	if over := q.Overflow(3); !slices.Equal(turns(over), []int64{1, 2}) || !slices.Equal(turns(q.Pending()), []int64{3, 4, 5}) {
		t.Errorf("%v left and %v stayed", turns(over), turns(q.Pending()))
	}
	if over := q.Overflow(3); len(over) != 0 {
		t.Errorf("%v left a queue within its limit", turns(over))
	}
}
