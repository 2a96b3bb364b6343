package main

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

// pause waits, or fails with ctx.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}

func (l *loadTest) idle(ctx context.Context, server *process) ([]loadRow, error) {
	first, err := l.enter(ctx) // what the server needs but once is not counted
	if err != nil {
		return nil, err
	}
	defer first.leave()
	if _, _, err := first.ask(ctx, l.question); err != nil {
		return nil, err
	}
	if err := pause(ctx, l.settle); err != nil {
		return nil, err
	}
	memory, _ := server.memory()
	begin := time.Now()
	users, err := l.enterAll(ctx, l.connections)
	defer func() { leaveAll(users) }()
	took := time.Since(begin)
	if err != nil {
		return []loadRow{{"connections", fmt.Sprint(len(users))}}, err
	}
	rows := []loadRow{{"connections", fmt.Sprintf("%d, %.0f a second", len(users), float64(len(users))/took.Seconds())}}
	if err := pause(ctx, l.settle); err != nil {
		return rows, err
	}
	rows = append(rows, server.grown("memory of each, connected", memory, len(users))...)
	const atOnce = 20
	if err := each(min(atOnce, len(users)), func(worker int) error {
		for i := worker; i < len(users); i += atOnce {
			if _, _, err := users[i].ask(ctx, l.question); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return rows, err
	}
	if err := pause(ctx, l.settle); err != nil {
		return rows, err
	}
	return append(rows, server.grown("memory of each, after one message", memory, len(users))...), nil
}

func (l *loadTest) echo(ctx context.Context, server *process) ([]loadRow, error) {
	frame := strings.Repeat("twelve words ", 76) // 1 KB
	return l.measure(ctx, server, "frames", l.users, func(ctx context.Context, u *loadUser) (time.Duration, error) {
		_, begin, err := u.send(ctx, "loadtest", frame, payload.ErrorAction)
		return time.Since(begin), err
	})
}

func (l *loadTest) turns(ctx context.Context, server *process) ([]loadRow, error) {
	return l.measure(ctx, server, "turns", l.users, func(ctx context.Context, u *loadUser) (time.Duration, error) {
		_, whole, err := u.ask(ctx, l.question)
		if err == nil && l.pause > 0 {
			err = pause(ctx, l.pause/2+rand.N(l.pause))
		}
		return whole, err
	})
}

func (l *loadTest) stream(ctx context.Context, server *process) (rows []loadRow, err error) {
	rows = l.writer(ctx)
	var firsts []time.Duration
	for _, users := range []int{1, 10, 100} {
		some, first, err := l.firstToken(ctx, server, users)
		if err != nil {
			return rows, err
		}
		rows, firsts = append(rows, some...), append(firsts, first)
	}
	ratio := func(i int) float64 { return float64(firsts[i]) / float64(max(1, firsts[0])) }
	return append(rows, loadRow{"p50 of 10 and 100 users against 1", fmt.Sprintf("%.2f, %.2f", ratio(1), ratio(2))}), nil
}

// thinking is the time between an answer and the next question of stream, on
// average, if nobody says another.
const thinking = time.Second

// firstToken measures the time to the first token with so many users.
func (l *loadTest) firstToken(ctx context.Context, server *process, users int) ([]loadRow, time.Duration, error) {
	all := make([]time.Duration, 0)
	rows, err := l.gather(ctx, server, "first tokens, users: "+fmt.Sprint(users), users, &all, func(ctx context.Context, u *loadUser) (time.Duration, error) {
		first, _, err := u.ask(ctx, l.question)
		if err == nil { // as somebody who reads: it is not about how much the server can take
			think := cmp.Or(l.pause, thinking)
			err = pause(ctx, think/2+rand.N(think))
		}
		return first, err
	})
	return rows, percentile(all, 0.5), err
}

func (l *loadTest) slow(ctx context.Context, server *process) ([]loadRow, error) {
	rows, err := l.turns(ctx, server)
	if err != nil {
		return rows, err
	}
	memory, _ := server.memory()
	silent := make([]*client.Conn, 0, l.connections)
	defer func() {
		_ = each(len(silent), func(i int) error { return silent[i].Close() }) // there is nobody to tell
	}()
	for range l.connections {
		u, err := l.enter(ctx)
		if err != nil {
			return rows, err
		}
		silent = append(silent, u.conn)
		for range 10 { // asks and does not read
			if err := u.say(ctx, payload.UserMessage, l.question); err != nil {
				return rows, err
			}
		}
	}
	more, err := l.turns(ctx, server)
	rows = append(append(rows, loadRow{"with clients that do not read", fmt.Sprint(l.connections)}), more...)
	return append(rows, server.grown("memory of each of them", memory, l.connections)...), err
}

func (l *loadTest) measure(ctx context.Context, server *process, name string, users int, do func(context.Context, *loadUser) (time.Duration, error)) ([]loadRow, error) {
	var all []time.Duration
	return l.gather(ctx, server, name, users, &all, do)
}

// gather lets users do something again and again, and collects how long each
// took.
func (l *loadTest) gather(
	ctx context.Context, server *process, name string, n int, all *[]time.Duration, do func(context.Context, *loadUser) (time.Duration, error),
) ([]loadRow, error) {
	users, err := l.enterAll(ctx, n)
	defer func() { leaveAll(users) }()
	if err != nil {
		return nil, err
	}
	if err := each(len(users), func(i int) error { // what happens but once is not counted
		_, err := do(ctx, users[i])
		return err
	}); err != nil {
		return nil, err
	}
	took := make([][]time.Duration, len(users))
	before, _ := server.processor()
	begin := time.Now()
	err = each(len(users), func(i int) error {
		for time.Since(begin) < l.duration {
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
