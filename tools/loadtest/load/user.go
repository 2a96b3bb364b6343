package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"docent/client"
	"docent/internal/fault"
	"docent/payload"
)

// User is one connection with a session of its own. Its methods are not safe for
// concurrent use.
type User struct {
	counts *counts
	conn   *client.Conn
	next   func() (payload.Frame, error, bool)
	stop   func()
}

// enter opens a connection with a new session and waits for the greeting.
func (t *Test) enter(ctx context.Context) (*User, error) {
	conn, err := client.Dial(ctx, client.Config{URL: t.URL, Header: t.header(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	u := &User{counts: t.counts, conn: conn}
	u.next, u.stop = iter.Pull2(conn.Frames())
	if t.Scenario == "idle" {
		u.attend()
	}
	if _, _, err := u.send(ctx, payload.HelloAction, map[string]any{}, payload.WelcomeAction); err != nil {
		u.Leave()
		return nil, err
	}
	if _, err := u.until(payload.ReplyStr, payload.ReplyMarkdown, payload.ReplyHTML); err != nil { // the greeting
		u.Leave()
		return nil, err
	}
	return u, nil
}

// attend keeps reading between questions, so that the user answers pings.
func (u *User) attend() {
	type heard struct {
		frame payload.Frame
		err   error
	}
	const atOnce = 16 // more frames than follow the end of a turn
	next, stop := u.next, u.stop
	frames, left := make(chan heard, atOnce), make(chan struct{})
	go func() { // ends when the user leaves
		defer close(frames)
		defer stop()
		for f, err, ok := next(); ok; f, err, ok = next() {
			select {
			case frames <- heard{f, err}:
			case <-left:
				return
			}
		}
	}()
	u.next = func() (payload.Frame, error, bool) {
		h, ok := <-frames
		return h.frame, h.err, ok
	}
	u.stop = func() { close(left) }
}

// welcomed keeps the id of the new session.
func (u *User) welcomed(message json.RawMessage) {
	var w payload.Welcome
	if json.Unmarshal(message, &w) != nil || w.SessionID == "" {
		return
	}
	u.counts.mu.Lock()
	defer u.counts.mu.Unlock()
	u.counts.sessions = append(u.counts.sessions, w.SessionID)
}

// Leave closes the connection.
func (u *User) Leave() {
	_ = u.conn.Close() // the test is over
	u.stop()
}

func (u *User) say(ctx context.Context, action payload.Action, message any) error {
	content, err := json.Marshal(message)
	if err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	if err := u.conn.Send(ctx, payload.Frame{Action: action, Message: content}); err != nil {
		return fmt.Errorf("send: %w", err)
	}
	return nil
}

// errTooFast reports that the server takes a frame only later.
var errTooFast = errors.New("the server takes no more frames a second")

// send sends a frame and reads up to one of the actions. It sends a frame again
// that came too fast; begin is when it sent the accepted one.
func (u *User) send(
	ctx context.Context, action payload.Action, message any, actions ...payload.Action,
) (got payload.Action, begin time.Time, err error) {
	const longest = time.Second
	wait := 50 * time.Millisecond // a frame's share of the default rate
	for {
		begin = time.Now()
		if err = u.say(ctx, action, message); err != nil {
			return "", begin, err
		}
		if got, err = u.until(actions...); !errors.Is(err, errTooFast) {
			return got, begin, err
		}
		u.counts.refused.Add(1)
		if err = pause(ctx, wait/2+rand.N(wait)); err != nil {
			return "", begin, err
		}
		wait = min(2*wait, longest)
	}
}

// until reads up to the first frame of one of the actions. It returns an error
// frame as an error, unless actions include it. It always returns a rate limit as
// errTooFast.
func (u *User) until(actions ...payload.Action) (payload.Action, error) {
	for {
		f, err, ok := u.next()
		if !ok {
			return "", errors.New("the server closed the connection")
		}
		if err != nil {
			return "", fmt.Errorf("read: %w", err)
		}
		var e payload.Error
		if f.Action == payload.ErrorAction {
			_ = json.Unmarshal(f.Message, &e) // the code decides
			if e.Code == string(fault.RateLimited) {
				return "", errTooFast
			}
		}
		if slices.Contains(actions, f.Action) {
			if f.Action == payload.WelcomeAction {
				u.welcomed(f.Message)
			}
			return f.Action, nil
		}
		if f.Action == payload.ErrorAction {
			return "", fault.New(fault.Unavailable, "cli_server_refused", "the server refused: %s (%s)", e.Message, e.Code)
		}
	}
}

// Ask asks a question. It returns the times to the first piece of the answer and
// to its end.
func (u *User) Ask(ctx context.Context, question string) (first, whole time.Duration, err error) {
	got, begin, err := u.send(ctx, payload.UserMessage, question, payload.DeltaAction, payload.TurnFinishedAction)
	first = time.Since(begin)
	if err == nil && got != payload.TurnFinishedAction {
		_, err = u.until(payload.TurnFinishedAction)
	}
	return first, time.Since(begin), err
}

// EnterAll opens connections, some at a time, and returns the open ones, even
// with an error. The caller lets each user leave.
func (t *Test) EnterAll(ctx context.Context, n int) ([]*User, error) {
	const atOnce = 50
	if err := t.prepare(); err != nil {
		return nil, err
	}
	users := make([]*User, n)
	err := each(min(n, atOnce), func(worker int) error {
		for i := worker; i < n; i += atOnce {
			u, err := t.enter(ctx)
			if err != nil {
				return err
			}
			users[i] = u
		}
		return nil
	})
	there := users[:0]
	for _, u := range users {
		if u != nil {
			there = append(there, u)
		}
	}
	return there, err
}

// each runs f for 0 to n-1 at once and returns the first error.
func each(n int, f func(i int) error) error {
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { errs[i] = f(i) })
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func leaveAll(users []*User) {
	_ = each(len(users), func(i int) error { users[i].Leave(); return nil }) // never fails
}
