package work

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"docent/internal/fault"
)

const (
	// leaseFor is the time after which the work of a killed process is free.
	leaseFor = 30 * time.Second
	// progressEvery is the time between two reports of progress.
	progressEvery = time.Second
	// endTimeout bounds storing the result of canceled work.
	endTimeout = 5 * time.Second
)

// ErrCanceled ends work that somebody canceled, or whose lease is lost.
var ErrCanceled = fault.New(fault.Canceled, "work_canceled", "canceled")

// Keeper records the work of this process. Work goes on if its record cannot be stored. It is
// safe for concurrent use.
type Keeper struct {
	store Store
	owner string
	log   *slog.Logger
}

// NewKeeper returns a Keeper.
func NewKeeper(store Store, log *slog.Logger) *Keeper {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Keeper{store: store, owner: uuid.NewString(), log: log}
}

func (k *Keeper) lease() Lease {
	now := time.Now()
	return Lease{Owner: k.owner, Now: now, Until: now.Add(leaseFor)}
}

// Job is work of this process. Its methods are safe for concurrent use.
type Job struct {
	keeper *Keeper
	id     int64 // 0 if it is not recorded
	cancel context.CancelCauseFunc
	over   chan struct{}
	ended  sync.WaitGroup

	mu     sync.Mutex // guards the fields below
	at     Progress
	source func(*Progress) // nil if Set reports progress
}

// Begin records work that begins. Somebody may cancel it: the returned context then ends with
// ErrCanceled. The caller calls End.
func (k *Keeper) Begin(ctx context.Context, item Item) (context.Context, *Job) {
	id, err := k.store.BeginWork(ctx, item, k.lease())
	if err != nil && ctx.Err() == nil {
		k.log.Warn("record work", "kind", item.Kind, "error", err)
	}
	return k.follow(ctx, id, Progress{Stage: item.Stage, Done: item.Done, Total: item.Total, Size: item.Size})
}

// follow keeps the lease of an item until the end of the job.
func (k *Keeper) follow(ctx context.Context, id int64, at Progress) (context.Context, *Job) {
	ctx, cancel := context.WithCancelCause(ctx)
	j := &Job{keeper: k, id: id, cancel: cancel, over: make(chan struct{}), at: at}
	if id != 0 {
		j.ended.Go(func() { j.keep(ctx) })
	}
	return ctx, j
}

// Set reports progress.
func (j *Job) Set(change func(*Progress)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	change(&j.at)
}

// Follow reports the progress that f sets, whenever it is to be stored.
func (j *Job) Follow(f func(*Progress)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.source = f
}

func (j *Job) progress() Progress {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.source != nil {
		j.source(&j.at)
	}
	return j.at
}

// keep stores progress and extends the lease until the job ends. It cancels the job if somebody
// has canceled it, or if the lease is lost.
func (j *Job) keep(ctx context.Context) {
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	kept := time.Now()
	for {
		select {
		case <-j.over:
			return
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		ok, err := j.keeper.store.KeepWork(ctx, j.id, j.keeper.lease(), j.progress())
		switch {
		case err == nil && ok:
			kept = time.Now()
		case err == nil, time.Since(kept) > leaseFor:
			j.cancel(ErrCanceled)
			return
		}
	}
}

// End records the result. err is that of the work, or nil.
func (j *Job) End(ctx context.Context, end End, err error) {
	canceled := errors.Is(context.Cause(ctx), ErrCanceled) || errors.Is(err, ErrCanceled)
	close(j.over)
	j.ended.Wait()
	j.cancel(nil)
	if j.id == 0 {
		return
	}
	switch {
	case canceled:
		end.State, end.Forget = Canceled, false
	case err != nil:
		end.State, end.Reason, end.Forget = Failed, reasonOf(err), false
	case end.State == "":
		end.State = Done
	}
	// The end is also recorded after a canceled request.
	last, stop := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer stop()
	if err := j.keeper.store.EndWork(last, j.id, j.keeper.owner, end); err != nil {
		j.keeper.log.Warn("record the end of work", "work", j.id, "error", err)
	}
}

// reasonOf returns the reason of an error for people.
func reasonOf(err error) fault.Text {
	var known *fault.Fault
	switch {
	case errors.As(err, &known):
		return fault.TextOf(err)
	case errors.Is(err, context.Canceled):
		return Interrupted()
	}
	return fault.NewText("work_failed", "docent failed to do this work; the log of the server has the details")
}

// Interrupted returns the reason for work whose process ended before it.
func Interrupted() fault.Text {
	return fault.NewText("work_interrupted", "interrupted: docent or the client stopped before the work ended")
}
