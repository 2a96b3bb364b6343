package insight

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// The pauses of a Follower. Together with Batch, they bound its work while many people ask.
const (
	idlePause = 2 * time.Second
	busyPause = time.Second
	// expireEvery is the time between removals of old facts.
	expireEvery = 10 * time.Minute
	// expireBatch bounds the facts of one removal.
	expireBatch = 1000
	// maxPause bounds the pause after a failure.
	maxPause = time.Minute
)

// FollowerConfig configures a Follower.
type FollowerConfig struct {
	// Store keeps the facts. Required.
	Store Store
	// Keep is the time for which facts are kept. 0 keeps no facts, only totals. Default: 0.
	Keep time.Duration
	// Expired is called with the number of removed facts. Default: none.
	Expired func(ctx context.Context, removed int)
	// Now returns the time. Default: time.Now.
	Now func() time.Time
	// Logger receives failures. Default: none.
	Logger *slog.Logger
}

// Follower derives facts from stored turns, and removes old facts. Several processes may run
// one: they take turns.
type Follower struct{ cfg FollowerConfig }

// NewFollower returns a Follower.
func NewFollower(cfg FollowerConfig) (*Follower, error) {
	if cfg.Store == nil {
		return nil, errors.New("insight: FollowerConfig.Store is missing")
	}
	if cfg.Expired == nil {
		cfg.Expired = func(context.Context, int) {}
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	return &Follower{cfg}, nil
}

// Run follows until ctx ends. It logs failures and tries again.
func (f *Follower) Run(ctx context.Context) error {
	var expired time.Time
	total := 0
	return repeat(ctx, f.cfg.Logger, "derive facts about answers", func(ctx context.Context) (more bool, err error) {
		more, err = f.Step(ctx)
		if err == nil && f.cfg.Now().Sub(expired) >= expireEvery {
			var removed int
			removed, err = f.Expire(ctx)
			if total += removed; removed < expireBatch {
				expired = f.cfg.Now()
				if total > 0 {
					f.cfg.Expired(ctx, total)
				}
				total = 0
			}
		}
		return more, err
	})
}

// repeat runs a step again and again until ctx ends. It logs failures under a name.
func repeat(ctx context.Context, log *slog.Logger, name string, step func(ctx context.Context) (more bool, err error)) error {
	failures := time.Duration(1)
	for {
		pause := idlePause
		switch more, err := step(ctx); {
		case ctx.Err() != nil:
			return nil //nolint:nilerr // the end of ctx is why the step failed
		case err != nil:
			failures = min(2*failures, maxPause/idlePause)
			pause = failures * idlePause
			log.WarnContext(ctx, name, "error", err, "again_in", pause)
		default:
			failures = 1
			if more {
				pause = busyPause
			}
		}
		again := time.NewTimer(pause)
		select {
		case <-ctx.Done():
		case <-again.C:
		}
		again.Stop()
	}
}

// Step derives the facts of the next turns. It returns whether there may be more.
func (f *Follower) Step(ctx context.Context) (more bool, err error) {
	before := f.cfg.Now().Add(-f.cfg.Keep)
	more, err = f.cfg.Store.FollowAnswers(ctx, func(s Said) (Entry, bool) { return spoken(s, before) })
	if err != nil {
		return false, fmt.Errorf("follow stored turns: %w", err)
	}
	return more, nil
}

// Expire removes facts of the days (UTC) that ended longer than Keep before now, at most a batch.
func (f *Follower) Expire(ctx context.Context) (removed int, err error) {
	now := f.cfg.Now().UTC()
	if f.cfg.Keep > 0 {
		now = now.Truncate(24 * time.Hour) // one removal in a day
	}
	if removed, err = f.cfg.Store.ExpireAnswers(ctx, now.Add(-f.cfg.Keep), expireBatch); err != nil {
		return 0, fmt.Errorf("remove old facts: %w", err)
	}
	return removed, nil
}
