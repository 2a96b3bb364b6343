package load

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"docent/client"
	"docent/payload"
)

// pause waits, or fails when ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}

func (t *Test) idle(ctx context.Context, server *process) ([]Row, error) {
	first, err := t.enter(ctx) // memory that the server takes once is not counted
	if err != nil {
		return nil, err
	}
	defer first.Leave()
	if _, _, err := first.Ask(ctx, t.Question); err != nil {
		return nil, err
	}
	if err := pause(ctx, t.Settle); err != nil {
		return nil, err
	}
	memory, _ := server.memory()
	begin := time.Now()
	users, err := t.EnterAll(ctx, t.Connections)
	defer func() { leaveAll(users) }()
	took := time.Since(begin)
	if err != nil {
		return []Row{{"connections", fmt.Sprint(len(users))}}, err
	}
	rows := []Row{{"connections", fmt.Sprintf("%d, %.0f a second", len(users), float64(len(users))/took.Seconds())}}
	if err := pause(ctx, t.Settle); err != nil {
		return rows, err
	}
	rows = append(rows, server.grown("memory of each, connected", memory, len(users))...)
	const atOnce = 20
	if err := each(min(atOnce, len(users)), func(worker int) error {
		for i := worker; i < len(users); i += atOnce {
			if _, _, err := users[i].Ask(ctx, t.Question); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return rows, err
	}
	if err := pause(ctx, t.Settle); err != nil {
		return rows, err
	}
	return append(rows, server.grown("memory of each, after one message", memory, len(users))...), nil
}

func (t *Test) echo(ctx context.Context, server *process) ([]Row, error) {
	frame := strings.Repeat("twelve words ", 76) // 1 KB
	return t.measure(ctx, server, "frames", t.Users, func(ctx context.Context, u *User) (time.Duration, error) {
		_, begin, err := u.send(ctx, "loadtest", frame, payload.ErrorAction)
		return time.Since(begin), err
	})
}

func (t *Test) turns(ctx context.Context, server *process) ([]Row, error) {
	return t.measure(ctx, server, "turns", t.Users, func(ctx context.Context, u *User) (time.Duration, error) {
		_, whole, err := u.Ask(ctx, t.Question)
		if err == nil && t.Pause > 0 {
			err = pause(ctx, t.Pause/2+rand.N(t.Pause))
		}
		return whole, err
	})
}

func (t *Test) stream(ctx context.Context, server *process) (rows []Row, err error) {
	rows = t.writer(ctx)
	var firsts []time.Duration
	for _, users := range []int{1, 10, 100} {
		some, first, err := t.firstToken(ctx, server, users)
		if err != nil {
			return rows, err
		}
		rows, firsts = append(rows, some...), append(firsts, first)
	}
	ratio := func(i int) float64 { return float64(firsts[i]) / float64(max(1, firsts[0])) }
	return append(rows, Row{"p50 of 10 and 100 users against 1", fmt.Sprintf("%.2f, %.2f", ratio(1), ratio(2))}), nil
}

// thinking is the default average time between an answer and the next question
// of stream.
const thinking = time.Second

// firstToken measures the time to the first token with a number of users.
func (t *Test) firstToken(ctx context.Context, server *process, users int) ([]Row, time.Duration, error) {
	all := make([]time.Duration, 0)
	rows, err := t.gather(ctx, server, "first tokens, users: "+fmt.Sprint(users), users, &all,
		func(ctx context.Context, u *User) (time.Duration, error) {
			first, _, err := u.Ask(ctx, t.Question)
			if err == nil { // users read; the test measures latency, not throughput
				think := cmp.Or(t.Pause, thinking)
				err = pause(ctx, think/2+rand.N(think))
			}
			return first, err
		})
	return rows, percentile(all, 0.5), err
}

func (t *Test) slow(ctx context.Context, server *process) ([]Row, error) {
	rows, err := t.turns(ctx, server)
	if err != nil {
		return rows, err
	}
	memory, _ := server.memory()
	silent := make([]*client.Conn, 0, t.Connections)
	defer func() {
		_ = each(len(silent), func(i int) error { return silent[i].Close() }) // the test is over
	}()
	for range t.Connections {
		u, err := t.enter(ctx)
		if err != nil {
			return rows, err
		}
		silent = append(silent, u.conn)
		for range 10 { // it never reads the answers
			if err := u.say(ctx, payload.UserMessage, t.Question); err != nil {
				return rows, err
			}
		}
	}
	more, err := t.turns(ctx, server)
	rows = append(append(rows, Row{"with clients that do not read", fmt.Sprint(t.Connections)}), more...)
	return append(rows, server.grown("memory of each of them", memory, t.Connections)...), err
}

func (t *Test) measure(
	ctx context.Context, server *process, name string, users int, do func(context.Context, *User) (time.Duration, error),
) ([]Row, error) {
	var all []time.Duration
	return t.gather(ctx, server, name, users, &all, do)
}

// gather lets users repeat something, and collects how long each time took.
func (t *Test) gather(
	ctx context.Context, server *process, name string, n int, all *[]time.Duration, do func(context.Context, *User) (time.Duration, error),
) ([]Row, error) {
	users, err := t.EnterAll(ctx, n)
	defer func() { leaveAll(users) }()
	if err != nil {
		return nil, err
	}
	if err := each(len(users), func(i int) error { // the first time is not counted
		_, err := do(ctx, users[i])
		return err
	}); err != nil {
		return nil, err
	}
	took := make([][]time.Duration, len(users))
	before, _ := server.processor()
	begin := time.Now()
	err = each(len(users), func(i int) error {
		for time.Since(begin) < t.Duration {
			d, err := do(ctx, users[i])
			if err != nil {
				return err
			}
			took[i] = append(took[i], d)
		}
		return nil
	})
	during := time.Since(begin)
	for _, some := range took {
		*all = append(*all, some...)
	}
	return append(latencies(name, *all, during), server.spent(before, len(*all))...), err
}
