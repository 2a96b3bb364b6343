package session

import (
	"encoding/json"
	"slices"
	"testing"

	"docent/agent/chat"
)

// testEvent returns an event of a turn.
func testEvent(turn int64) *queuedEvent {
	return newQueuedEvent(chat.Event{Turn: turn}, chat.Message{Content: json.RawMessage(`"text"`)})
}

func turnsOf(events []*queuedEvent) []int64 {
	var out []int64
	for _, e := range events {
		out = append(out, e.Event.Turn)
	}
	return out
}

// TestQueueOrder: steps take only the events before the first other work.
func TestQueueOrder(t *testing.T) {
	t.Parallel()
	var q queue
	for _, turn := range []int64{1, 2} {
		q.add(work{arrived: testEvent(turn)})
	}
	q.add(work{greet: true})
	q.add(work{arrived: testEvent(3)})
	if len(q.pendingEvents()) != 0 {
		t.Errorf("%v are pending before they arrived", turnsOf(q.pendingEvents()))
	}
	if !q.arrive() || q.arrive() || !slices.Equal(turnsOf(q.pendingEvents()), []int64{1, 2}) {
		t.Errorf("%v are pending", turnsOf(q.pendingEvents()))
	}
	if !slices.Equal(q.turns(), []int64{1, 2, 3}) || q.find(3) == nil || q.find(4) != nil {
		t.Errorf("the turns are %v", q.turns())
	}
	if w, ok := q.next(); !ok || !w.greet {
		t.Errorf("the next work is %+v", w)
	}
	if !q.arrive() || !slices.Equal(turnsOf(q.pendingEvents()), []int64{1, 2, 3}) {
		t.Errorf("%v are pending", turnsOf(q.pendingEvents()))
	}
	if _, ok := q.next(); ok {
		t.Error("there is work after the last event")
	}
}

// TestQueueTake: a refused event stays, an accepted one leaves.
func TestQueueTake(t *testing.T) {
	t.Parallel()
	var q queue
	first, second := testEvent(1), testEvent(2)
	q.add(work{arrived: first})
	q.add(work{arrived: second})
	q.arrive()
	if q.take(second.Pending, func(*queuedEvent) bool { return false }) != nil || len(q.pendingEvents()) != 2 {
		t.Error("a refused event left the queue")
	}
	if q.take(second.Pending, func(*queuedEvent) bool { return true }) != second || !slices.Equal(turnsOf(q.pendingEvents()), []int64{1}) {
		t.Errorf("%v are pending", turnsOf(q.pendingEvents()))
	}
	if q.take(second.Pending, func(*queuedEvent) bool { return true }) != nil {
		t.Error("an event was taken twice")
	}
}

// TestQueueOverflow: the oldest events leave first.
func TestQueueOverflow(t *testing.T) {
	t.Parallel()
	var q queue
	for turn := range int64(5) {
		q.add(work{arrived: testEvent(turn + 1)})
	}
	q.arrive()
	if over := q.overflow(3); !slices.Equal(turnsOf(over), []int64{1, 2}) || !slices.Equal(turnsOf(q.pendingEvents()), []int64{3, 4, 5}) {
		t.Errorf("%v left and %v stayed", turnsOf(over), turnsOf(q.pendingEvents()))
	}
	if over := q.overflow(3); len(over) != 0 {
		t.Errorf("%v left a queue within its limit", turnsOf(over))
	}
}
