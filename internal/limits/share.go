package limits

import (
	"maps"
	"time"
)

// Share makes several processes share the bound of each key. The caller passes the amounts of Shared
// to Others of the other processes. The bound of all keys together stays that of one process.
func (l *Limit) Share() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shared, l.taken, l.others = true, map[string]int64{}, map[string]map[string]int64{}
}

// Rate reports whether the Limit bounds a rate.
func (l *Limit) Rate() bool { return l.cfg.PerSecond > 0 }

// Shared returns the amounts that other processes need, by key. For a rate, they are the amounts
// taken since the last call. Otherwise they are all amounts in use.
func (l *Limit) Shared() map[string]int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.Rate() {
		taken := l.taken
		l.taken = map[string]int64{}
		return taken
	}
	used := make(map[string]int64, len(l.keys))
	for key, v := range l.keys {
		used[key] = int64(v.amount)
	}
	return used
}

// Others takes over the amounts of another process. nil forgets the process.
func (l *Limit) Others(process string, amounts map[string]int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.Rate() {
		if amounts == nil {
			delete(l.others, process)
			return
		}
		l.others[process] = maps.Clone(amounts)
		return
	}
	now := time.Now()
	for key, n := range amounts {
		v, known := l.keys[key]
		if !known && !l.room(now) {
			continue
		}
		v = l.drained(v, now)
		v.amount += float64(n)
		l.keys[key] = v
	}
}
