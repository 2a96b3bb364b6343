package session

// alarmHeap is a heap by time that knows the position of each session.
type alarmHeap struct {
	list  []alarm
	where map[string]int
}

// Len implements heap.Interface.
func (h *alarmHeap) Len() int { return len(h.list) }

// Less implements heap.Interface.
func (h *alarmHeap) Less(i, j int) bool { return h.list[i].At.Before(h.list[j].At) }

// Swap implements heap.Interface.
func (h *alarmHeap) Swap(i, j int) {
	h.list[i], h.list[j] = h.list[j], h.list[i]
	h.where[h.list[i].ID], h.where[h.list[j].ID] = i, j
}

// Push implements heap.Interface.
func (h *alarmHeap) Push(x any) {
	a, _ := x.(alarm)
	if h.where == nil {
		h.where = map[string]int{}
	}
	h.where[a.ID] = len(h.list)
	h.list = append(h.list, a)
}

// Pop implements heap.Interface.
func (h *alarmHeap) Pop() any {
	last := len(h.list) - 1
	a := h.list[last]
	h.list[last] = alarm{}
	h.list = h.list[:last]
	delete(h.where, a.ID)
	return a
}
