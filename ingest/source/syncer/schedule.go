package syncer

import (
	"context"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"sync"
	"time"

	"docent/ingest/source"
	"docent/internal/fault"
)

const (
	// jitter is the fraction of an interval by which a sync may be early or
	// late. It prevents many syncs at the same time.
	jitter = 0.1
	// firstRetry is the time between the first failed sync and the next one.
	firstRetry = time.Minute
	// lastRetry bounds the time between tries, unless the schedule is slower.
	lastRetry = 6 * time.Hour
	// maxDoublings bounds how often the time between tries is doubled.
	maxDoublings = 20
	// endTimeout bounds storing the result of a canceled sync.
	endTimeout = 5 * time.Second
	// watchRetry is the time before docent tries again to watch a source.
	watchRetry = 10 * time.Minute
)

// Sync syncs a source now, in this process. It fails with fault.Conflict if the
// source is already being synced. It regularly calls progress, if set.
func (m *Manager) Sync(ctx context.Context, id int64, retry bool, progress func(source.Progress)) (source.Summary, error) {
	r, err := m.cfg.Sources.Source(ctx, id)
	if err != nil {
		return source.Summary{}, err
	}
	if r.Stopped() && r.Last != nil {
		return *r.Last, ErrStopped
	}
	owner := newOwner()
	begun, err := m.lease(ctx, r, owner)
	if err != nil {
		return source.Summary{}, err
	}
	if begun > source.MaxBegun {
		return m.stop(ctx, r, owner)
	}
	s := &syncing{
		items: m.cfg.Items, documents: m.cfg.Documents, record: r,
		retry: retry || r.Requested == source.RetryRequest, now: m.cfg.Now, log: m.log, most: m.cfg.ItemBytes,
	}
	ended := func(source.Summary, error) {}
	if m.cfg.Track != nil {
		ctx, ended = m.cfg.Track(ctx, r, s.at)
	}
	ctx, stop := context.WithTimeoutCause(ctx, m.cfg.Longest, errLongest)
	defer stop()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	run := &running{cancel: cancel, done: make(chan struct{}), at: s.at}
	m.mu.Lock()
	m.running[id] = run
	m.mu.Unlock()
	defer func() {
		m.mu.Lock()
		delete(m.running, id)
		m.mu.Unlock()
		close(run.done)
	}()
	var keeping sync.WaitGroup
	over := make(chan struct{})
	keeping.Go(func() { m.keep(ctx, id, owner, s.at, over, cancel, progress) })
	sum, err := m.syncSource(source.WithFence(ctx, source.Fence{Source: id, Owner: owner}), s)
	close(over)
	keeping.Wait()
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	defer func() { ended(sum, err) }()
	return sum, m.end(ctx, r, owner, &sum, err)
}

// lease takes the lease of a source and counts the sync as begun. It fails with
// fault.Conflict if another process holds the lease.
func (m *Manager) lease(ctx context.Context, r source.Record, owner string) (begun int, err error) {
	if ours(r.BusyBy) && !r.BusyUntil.After(m.cfg.Now()) {
		// This process could not store the end of a sync, but it was not killed.
		if err := m.cfg.Leases.EndSync(ctx, r.ID, r.BusyBy, nil); err != nil {
			return 0, err
		}
	}
	for try := range 2 {
		now := m.cfg.Now()
		begun, err = m.cfg.Leases.StartSync(ctx, r.ID, source.Lease{Owner: owner, Now: now, Until: now.Add(m.cfg.Lease)})
		if err != nil || begun > 0 {
			return begun, err
		}
		if r, err = m.cfg.Sources.Source(ctx, r.ID); err != nil {
			return 0, err
		}
		if try > 0 || !dead(r.BusyBy) {
			break
		}
		if err := m.cfg.Leases.FreeSync(ctx, r.ID, r.BusyBy); err != nil {
			return 0, err
		}
	}
	return 0, fault.New(fault.Conflict, "sync_running", "the source %s is already being synced; try again after that", r.Name)
}

// ErrStopped is the error of a sync of a source that docent has paused. See
// source.Record.Stopped.
var ErrStopped = fault.New(fault.Conflict,
	"source_stopped", "docent ended twice while it read this source, so it paused the source; to try again, resume it on the page or with docent source resume")

// errLongest is the error of a sync that takes longer than Config.Longest.
var errLongest = fault.New(fault.Unavailable,
	"source_slow", "reading this source takes too long; the next sync continues with the rest")

// stop pauses a source whose syncs ended docent.
func (m *Manager) stop(ctx context.Context, r source.Record, owner string) (source.Summary, error) {
	now := m.cfg.Now().UTC()
	sum := source.Summary{StartedAt: now, EndedAt: now}
	sum.Fail(fault.TextOf(ErrStopped))
	m.log.Warn("a source is paused, because docent ended twice while it read the source", "source", r.Name)
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	return sum, errors.Join(ErrStopped, m.cfg.Leases.EndSync(last, r.ID, owner, &source.End{Last: sum, Errors: r.Errors + 1, Stops: true}))
}

// resume requests the syncs again that killed processes of this machine left
// unfinished.
func (m *Manager) resume(ctx context.Context) {
	all, err := m.cfg.Sources.ListSources(ctx)
	for _, r := range all {
		if r.BusyBy != "" && dead(r.BusyBy) && err == nil {
			if err = m.cfg.Leases.RequestSync(ctx, r.ID, source.SyncRequest); err == nil {
				err = m.cfg.Leases.FreeSync(ctx, r.ID, r.BusyBy)
			}
		}
	}
	if err != nil && ctx.Err() == nil {
		m.log.Warn("look for interrupted syncs", "error", err)
	}
}

// syncSource opens the source and syncs it.
func (m *Manager) syncSource(ctx context.Context, s *syncing) (sum source.Summary, err error) {
	sum.StartedAt = m.cfg.Now().UTC()
	sum.EndedAt = sum.StartedAt
	if s.source, err = m.openSource(s.record); err != nil {
		return sum, err
	}
	defer func() {
		if failed := closeSource(s.source); failed != nil {
			m.log.Warn("close a source", "source", s.record.Name, "error", failed)
		}
	}()
	return s.run(ctx, m.cfg.Ingester)
}

// keep extends the lease until the sync ends. It cancels the sync if the lease
// is lost.
func (m *Manager) keep(ctx context.Context, id int64, owner string, at func() source.Progress,
	over <-chan struct{}, cancel context.CancelCauseFunc, progress func(source.Progress),
) {
	step := min(m.cfg.Lease/10, time.Second)
	tick := time.NewTicker(step)
	defer tick.Stop()
	held := time.Now().Add(m.cfg.Lease)
	for {
		select {
		case <-over:
			return
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if progress != nil {
			progress(at())
		}
		if time.Until(held) > m.cfg.Lease-3*step { // three tries for each renewal
			continue
		}
		now := m.cfg.Now()
		ok, err := m.cfg.Leases.KeepSync(ctx, id, source.Lease{Owner: owner, Now: now, Until: now.Add(m.cfg.Lease)}, at())
		switch {
		case err == nil && ok:
			held = time.Now().Add(m.cfg.Lease)
		case err == nil, time.Now().After(held):
			cancel(source.ErrLost)
			return
		}
	}
}

// end stores the result of a sync and returns its error.
func (m *Manager) end(ctx context.Context, r source.Record, owner string, sum *source.Summary, err error) error {
	// The lease is also released after a canceled sync.
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	if canceled(err) {
		return errors.Join(err, m.cfg.Leases.EndSync(last, r.ID, owner, nil))
	}
	end := &source.End{}
	if err != nil {
		sum.Fail(message(err))
		if end.Errors = r.Errors; fault.KindOf(err) != fault.Canceled { // somebody canceled it
			end.Errors++
			m.log.Warn("a source could not be synced", "source", r.Name, "error", err)
		}
	}
	if now, failed := m.cfg.Sources.Source(last, r.ID); failed == nil {
		r.Schedule = now.Schedule // the schedule may have changed meanwhile
	}
	interval, _ := source.ParseSchedule(r.Schedule) //nolint:errcheck // an unreadable schedule counts as manual
	end.Last, end.NextAt = *sum, next(sum.EndedAt, interval, end.Errors, temporary(err))
	if failed := m.cfg.Leases.EndSync(last, r.ID, owner, end); failed != nil {
		return errors.Join(err, fmt.Errorf("end the sync of source %s: %w", r.Name, failed))
	}
	return err
}

// canceled reports whether the caller canceled a sync.
func canceled(err error) bool {
	return err != nil && (errors.Is(err, source.ErrLost) || errors.Is(err, errRemoved) || errors.Is(err, context.Canceled))
}

// message returns the message of an error for users.
func message(err error) fault.Text {
	var known *fault.Fault
	if errors.As(err, &known) {
		return reason(fault.TextOf(err))
	}
	return fault.NewText("sync_failed", "the sync failed; the log of the server has the details")
}

// temporary reports whether a sync may succeed soon, although nobody changes anything.
func temporary(err error) bool {
	switch fault.KindOf(err) {
	case fault.Invalid, fault.Unauthorized, fault.Forbidden:
		return false
	}
	return true
}

// next returns the time of the next sync of a source, after one that ended at a time.
// After a failure that may disappear by itself, it comes sooner than scheduled.
func next(ended time.Time, interval time.Duration, failures int, temporary bool) time.Time {
	if interval <= 0 {
		return time.Time{}
	}
	if failures > 0 {
		wait := min(firstRetry<<min(failures-1, maxDoublings), max(interval, lastRetry))
		if interval = max(interval, wait); temporary {
			interval = wait
		}
	}
	spread := (mathrand.Float64()*2 - 1) * jitter //nolint:gosec // nobody gains by guessing it
	return ended.Add(interval + time.Duration(float64(interval)*spread))
}

// Run syncs sources when they are due, until ctx ends. It then cancels running
// syncs. The next Run continues them.
func (m *Manager) Run(ctx context.Context) error {
	tick := time.NewTicker(m.cfg.Poll)
	defer tick.Stop()
	var working sync.WaitGroup
	defer working.Wait()
	w := &watching{m: m, watched: map[int64]*watched{}}
	defer w.stop()
	s := &slots{}
	m.resume(ctx)
	for woken := true; ; {
		w.reconcile(ctx, woken)
		ids, err := m.cfg.Leases.DueSources(ctx, m.cfg.Now())
		if err != nil && ctx.Err() == nil {
			m.log.Warn("look for sources that are due", "error", err)
		}
		for _, id := range ids {
			alone := m.alone(ctx, id)
			if !s.take(alone) {
				if alone {
					break // so that the others end
				}
				continue
			}
			working.Go(func() {
				defer func() { s.giveBack(); m.notify() }()
				m.background(ctx, id)
			})
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			woken = false
		case <-m.wake:
			woken = true
		}
	}
}

// alone reports whether a source must be synced alone, because its last sync has no
// end. If that sync ended docent, no other source is then blamed for it.
func (m *Manager) alone(ctx context.Context, id int64) bool {
	r, err := m.cfg.Sources.Source(ctx, id)
	return err == nil && r.Begun > 0
}

// slots bound the syncs of a Run.
type slots struct {
	mu    sync.Mutex // guards the fields below
	taken int
	alone bool // the only sync must stay alone
}

// take reserves a slot. With alone, it needs all slots.
func (s *slots) take(alone bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.alone || s.taken >= concurrency || alone && s.taken > 0 {
		return false
	}
	s.taken++
	s.alone = alone
	return true
}

func (s *slots) giveBack() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken--
	s.alone = false
}

// background runs a sync that no caller waits for.
func (m *Manager) background(ctx context.Context, id int64) {
	sum, err := m.Sync(ctx, id, false, nil)
	switch {
	case err == nil:
		m.log.Info("source synced", "source", id, "added", sum.Added, "changed", sum.Changed, "unchanged", sum.Unchanged, "removed", sum.Removed,
			"failed", sum.Failed)
	case ctx.Err() != nil:
		// An interrupted request is stored again for the next start.
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
		defer cancel()
		if err := m.cfg.Leases.RequestSync(last, id, source.SyncRequest); err != nil && fault.KindOf(err) != fault.NotFound {
			m.log.Warn("note an interrupted sync", "source", id, "error", err)
		}
	case canceled(err), fault.KindOf(err) == fault.Conflict, fault.KindOf(err) == fault.NotFound:
		m.log.Debug("source not synced", "source", id, "error", err)
	}
}

// watching has the watches of a Run. It is not safe for concurrent use.
type watching struct {
	m       *Manager
	watched map[int64]*watched
	all     sync.WaitGroup
	looked  time.Time
}

// watched is one watch.
type watched struct {
	cancel context.CancelFunc
	again  time.Time // time for the next try after the watch ended
	done   chan struct{}
}

// lookEvery is the interval between readings of the list of sources to watch.
const lookEvery = 10 * time.Second

// reconcile watches all sources that support it and are not paused. It checks
// them regularly, and after possible changes.
func (w *watching) reconcile(ctx context.Context, woken bool) {
	watches := map[string]bool{}
	for _, k := range w.m.cfg.Kinds {
		watches[k.Name] = k.Watches
	}
	if time.Since(w.looked) < lookEvery && !woken {
		return
	}
	w.looked = time.Now()
	all, err := w.m.cfg.Sources.ListSources(ctx)
	if err != nil {
		return // the next check reports the error
	}
	wanted := map[int64]bool{}
	for _, r := range all {
		if !watches[r.Kind] || r.Paused || r.Schedule == source.Manual {
			continue
		}
		wanted[r.ID] = true
		if old := w.watched[r.ID]; old != nil {
			select {
			case <-old.done:
				if time.Now().Before(old.again) {
					continue
				}
			default:
				continue
			}
		}
		w.watch(ctx, r)
	}
	for id, one := range w.watched {
		if !wanted[id] {
			one.cancel()
			delete(w.watched, id)
		}
	}
}

// watch starts watching a source.
func (w *watching) watch(ctx context.Context, r source.Record) {
	ctx, cancel := context.WithCancel(ctx)
	one := &watched{cancel: cancel, again: time.Now().Add(watchRetry), done: make(chan struct{})}
	w.watched[r.ID] = one
	w.all.Go(func() {
		defer close(one.done)
		defer cancel()
		err := w.m.watchSource(ctx, r)
		if err != nil && ctx.Err() == nil {
			w.m.log.Warn("a source cannot be watched and follows its schedule", "source", r.Name, "schedule", r.Schedule, "error", err)
		}
	})
}

func (m *Manager) watchSource(ctx context.Context, r source.Record) error {
	src, err := m.openSource(r)
	if err != nil {
		return err
	}
	defer func() { _ = closeSource(src) }() // a failed Close loses nothing
	watcher, ok := src.(source.Watcher)
	if !ok {
		return nil
	}
	return watcher.Watch(ctx, func() {
		if err := m.Request(ctx, r.ID, false); err != nil && ctx.Err() == nil && fault.KindOf(err) != fault.NotFound {
			m.log.Warn("note a change of a source", "source", r.Name, "error", err)
		}
	})
}

// stop ends all watches and waits for them.
func (w *watching) stop() {
	for _, one := range w.watched {
		one.cancel()
	}
	w.all.Wait()
}
