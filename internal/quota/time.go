package quota

import "context"

const (
	// spentUnit is the time in milliseconds after which Spend writes to the store. A restart
	// forgets at most this much of each client.
	spentUnit = 1000
	// maxSpenders bounds the clients whose time is in memory.
	maxSpenders = 10_000
)

// spent is the time of one client that the store does not have yet.
type spent struct {
	pending int64 // milliseconds
	over    bool  // the client has reached its limit today
}

// spender is a resource of one client.
type spender struct {
	client   string
	resource Resource
}

// Within fails with fault.RateLimited if the client of ctx has reached its limit of a time. It
// does not ask the store, so it knows only the time that this process has written with Spend.
func (q *Quotas) Within(ctx context.Context, r Resource) error {
	return q.each(ctx, r, func(_, client string, most int64) error {
		q.mu.Lock()
		over := q.times[spender{client, r}].over
		q.mu.Unlock()
		return q.result(r, most, most == 0 || !over, nil)
	})
}

// Spend counts a time in milliseconds that work of the client of ctx took, also if ctx has ended.
// It writes to the store once for each second, so short work costs no write.
func (q *Quotas) Spend(ctx context.Context, r Resource, amount int64) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), addTimeout)
	defer cancel()
	return q.each(ctx, r, func(day, client string, most int64) error {
		if most == 0 || amount <= 0 {
			return nil
		}
		due := q.collect(spender{client, r}, amount)
		if due == 0 {
			return nil
		}
		allowed, err := q.cfg.Store.Use(ctx, day, client, r, due, most)
		if err == nil && !allowed {
			q.mu.Lock()
			q.times[spender{client, r}] = spent{over: true}
			q.mu.Unlock()
		}
		return q.result(r, most, true, err)
	})
}

// collect adds a time to that of a client. It returns the whole time if the store must have it now.
func (q *Quotas) collect(s spender, amount int64) (due int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	v, known := q.times[s]
	if !known && len(q.times) >= maxSpenders {
		for other, v := range q.times {
			if !v.over {
				delete(q.times, other)
			}
		}
	}
	v.pending += amount
	if v.pending >= spentUnit {
		due, v.pending = v.pending, 0
	}
	if known || len(q.times) < maxSpenders {
		q.times[s] = v
	}
	return due
}
