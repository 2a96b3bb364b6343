// Package quota limits the work that docent does for one client in a day. A day
// begins at 00:00 UTC. The database holds the counts, so all processes share them
// and a restart does not reset them.
package quota

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"docent/internal/fault"
)

// Resource is a kind of work.
type Resource string

// The resources.
const (
	// Questions are messages to an agent and questions over HTTP.
	Questions Resource = "questions"
	// Tokens are those that chat models read and write.
	Tokens Resource = "tokens"
	// Bytes are stored messages, files, and documents.
	Bytes Resource = "bytes"
	// PageTime is the time of drawing and reading pages, in milliseconds.
	PageTime Resource = "page_time"
	// SearchTime is the time of searching and of judging what was found, in milliseconds.
	SearchTime Resource = "search_time"
)

// Resources are all resources.
var Resources = []Resource{Questions, Tokens, Bytes, PageTime, SearchTime}

// Limits has the amount of each resource in a day. 0 means no limit.
type Limits map[Resource]int64

// Client is somebody whose work counts. Empty fields do not count, so work of the
// zero Client has no limit.
type Client struct {
	// Principal is an auth.Principal's ID.
	Principal string
	// Address is the address of a client that is not one person, see auth.Remote.
	Address string
}

type clientKey struct{}

// WithClient returns ctx with the client whose work it is.
func WithClient(ctx context.Context, c Client) context.Context {
	return context.WithValue(ctx, clientKey{}, c)
}

// ClientOf returns the client of ctx, or the zero Client.
func ClientOf(ctx context.Context) Client {
	c, _ := ctx.Value(clientKey{}).(Client)
	return c
}

// Store holds the counts. A day is written as 2006-01-02.
type Store interface {
	// Used returns the amount that a client has used on a day.
	Used(ctx context.Context, day, client string, resource Resource) (int64, error)
	// Use adds an amount if the sum so far is below most, and reports whether it
	// did.
	Use(ctx context.Context, day, client string, resource Resource, amount, most int64) (bool, error)
	// ForgetUse removes the counts of all days before this one.
	ForgetUse(ctx context.Context, day string) error
}

// Config configures Quotas.
type Config struct {
	// Store holds the counts. Required.
	Store Store
	// Principal limits each principal.
	Principal Limits
	// Address limits each address.
	Address Limits
	// Now returns the time. Default: time.Now.
	Now func() time.Time
	// Metrics counts refusals. Default: nil, they are not counted.
	Metrics *metrics.Set
}

// Quotas counts the work of clients and refuses more than their limits. It is safe
// for concurrent use. A nil *Quotas has no limits.
type Quotas struct {
	cfg     Config
	refused map[Resource]*metrics.Counter

	mu    sync.Mutex // guards the fields below
	day   string     // the day of the last use
	times map[spender]spent
}

// New returns Quotas.
func New(cfg Config) *Quotas {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Metrics == nil {
		cfg.Metrics = metrics.NewSet()
	}
	q := &Quotas{cfg: cfg, refused: map[Resource]*metrics.Counter{}, times: map[spender]spent{}}
	for _, r := range Resources {
		q.refused[r] = cfg.Metrics.NewCounter(fmt.Sprintf("docent_quota_refused_total{resource=%q}", string(r)))
	}
	return q
}

// unlimited is larger than every amount.
const unlimited = int64(1) << 62

// Take counts work of the client of ctx before it begins. It fails with
// fault.RateLimited if the client has reached its limit. Work that begins below
// the limit may exceed it.
func (q *Quotas) Take(ctx context.Context, r Resource, amount int64) error {
	return q.each(ctx, r, func(day, client string, most int64) error {
		if most == 0 {
			return nil
		}
		done, err := q.cfg.Store.Use(ctx, day, client, r, amount, most)
		return q.result(r, most, done, err)
	})
}

// Receive counts a received event with its bytes, and a message as a question. It
// fails as Take does.
func (q *Quotas) Receive(ctx context.Context, message bool, bytes int) error {
	if message {
		if err := q.Take(ctx, Questions, 1); err != nil {
			return err
		}
	}
	return q.Take(ctx, Bytes, int64(bytes))
}

// Check fails as Take does, and counts nothing. It is for work whose amount is
// known only at its end; Add then counts it.
func (q *Quotas) Check(ctx context.Context, r Resource) error {
	return q.each(ctx, r, func(day, client string, most int64) error {
		if most == 0 {
			return nil
		}
		used, err := q.cfg.Store.Used(ctx, day, client, r)
		return q.result(r, most, used < most, err)
	})
}

// Add counts finished work of the client of ctx, also if ctx has ended.
func (q *Quotas) Add(ctx context.Context, r Resource, amount int64) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), addTimeout)
	defer cancel()
	return q.each(ctx, r, func(day, client string, most int64) error {
		if most == 0 || amount <= 0 {
			return nil
		}
		_, err := q.cfg.Store.Use(ctx, day, client, r, amount, unlimited)
		return q.result(r, most, true, err)
	})
}

// addTimeout bounds the time of Add.
const addTimeout = 5 * time.Second

// each calls f for each part of the client of ctx. The address is first, so that a
// refused address does not count for the principal that it shares with others.
func (q *Quotas) each(ctx context.Context, r Resource, f func(day, client string, most int64) error) error {
	client := ClientOf(ctx)
	if q == nil || client == (Client{}) {
		return nil
	}
	now := q.cfg.Now().UTC()
	day := now.Format(time.DateOnly)
	if err := q.begin(ctx, day, now.AddDate(0, 0, -keptDays).Format(time.DateOnly)); err != nil {
		return err
	}
	if client.Address != "" {
		if err := f(day, "address:"+client.Address, q.cfg.Address[r]); err != nil {
			return err
		}
	}
	if client.Principal != "" {
		return f(day, client.Principal, q.cfg.Principal[r])
	}
	return nil
}

// keptDays is the number of earlier days whose counts stay, so that a clock that is wrong
// for a while gives no client the limit of a day twice.
const keptDays = 7

// begin removes the counts of the days before oldest once a day.
func (q *Quotas) begin(ctx context.Context, day, oldest string) error {
	q.mu.Lock()
	first := q.day != day
	q.day = day
	if first {
		clear(q.times)
	}
	q.mu.Unlock()
	if !first {
		return nil
	}
	return q.result("", 0, true, q.cfg.Store.ForgetUse(ctx, oldest))
}

// result returns the error of a use, or nil.
func (q *Quotas) result(r Resource, most int64, allowed bool, err error) error {
	if err != nil {
		return fmt.Errorf("count the use of a client: %w", err)
	}
	if allowed {
		return nil
	}
	q.refused[r].Inc()
	now := q.cfg.Now().UTC()
	return &exceededError{error: exceeded(r, most, reset(now).Sub(now)), after: reset(now).Sub(now)}
}

// reset returns the beginning of the next day.
func reset(now time.Time) time.Time {
	return time.Date(now.Year(), now.Month(), now.Day()+1, 0, 0, 0, 0, time.UTC)
}

// exceeded explains a reached limit and the time until it resets.
func exceeded(r Resource, most int64, wait time.Duration) error {
	in := fmt.Sprintf("%d h %d min", int(wait.Hours()), int(wait.Minutes())%60)
	switch r {
	case Questions:
		return fault.New(fault.RateLimited, "quota_questions",
			"you have reached the limit of %d questions per day; ask again after 00:00 UTC, in %s", most, in)
	case Tokens:
		return fault.New(fault.RateLimited, "quota_tokens",
			"you have reached the limit of %d tokens of the chat model per day; ask again after 00:00 UTC, in %s", most, in)
	case Bytes:
		return fault.New(fault.RateLimited, "quota_bytes",
			"you have reached the limit of %d MiB of messages and files per day; send more after 00:00 UTC, in %s", (most+1<<20-1)>>20, in)
	case SearchTime:
		return fault.New(fault.RateLimited, "quota_search_time",
			"you have reached the limit of %d s for searching per day; ask again after 00:00 UTC, in %s", most/1000, in)
	default:
		return fault.New(fault.RateLimited, "quota_page_time",
			"you have reached the limit of %d s for showing pages per day; open more after 00:00 UTC, in %s", most/1000, in)
	}
}

// exceededError is the error of a client that has reached a limit.
type exceededError struct {
	error
	after time.Duration
}

// Unwrap returns the fault.
func (e *exceededError) Unwrap() error { return e.error }

// RetryAfter returns the time after which the limit resets.
func (e *exceededError) RetryAfter() time.Duration { return e.after }
