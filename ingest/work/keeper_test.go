package work_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"docent/ingest/work"
	"docent/internal/fault"
)

// records is a work.Store for one item that runs.
type records struct {
	work.Store // panics

	mu       sync.Mutex // guards the following fields
	refused  error      // of BeginWork
	broken   error      // of KeepWork
	lost     bool       // the lease is lost, or the item is canceled
	progress []work.Progress
	ends     []work.End
}

func (r *records) BeginWork(context.Context, work.Item, work.Lease) (int64, error) {
	if r.refused != nil {
		return 0, r.refused
	}
	return 7, nil
}

func (r *records) KeepWork(_ context.Context, _ int64, _ work.Lease, p work.Progress) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.progress = append(r.progress, p)
	return !r.lost, r.broken
}

func (r *records) EndWork(ctx context.Context, _ int64, _ string, end work.End) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ctx.Err() == nil {
		r.ends = append(r.ends, end)
	}
	return ctx.Err()
}

func (r *records) set(change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
}

// TestCancel: work ends if its item is canceled, or if its lease cannot be extended.
func TestCancel(t *testing.T) {
	t.Parallel()
	for name, stop := range map[string]func(*records){
		"canceled":          func(r *records) { r.lost = true },
		"a database is off": func(r *records) { r.broken = errors.New("down") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				store := &records{}
				ctx, job := work.NewKeeper(store, nil).Begin(t.Context(), work.Item{Kind: work.Upload})
				<-time.After(time.Minute) // of the fake clock; longer than a lease
				if ctx.Err() != nil {
					t.Fatalf("ended: %v", context.Cause(ctx))
				}
				store.set(func() { stop(store) })
				<-ctx.Done()
				job.End(ctx, work.End{Forget: true}, ctx.Err())
				if len(store.ends) != 1 || store.ends[0].State != work.Canceled || store.ends[0].Forget {
					t.Errorf("ends %+v", store.ends)
				}
			})
		})
	}
}

// TestProgress: progress is stored while the work runs.
func TestProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &records{}
		ctx, job := work.NewKeeper(store, nil).Begin(t.Context(), work.Item{Kind: work.Upload, Total: 3})
		job.Set(func(p *work.Progress) { p.Done = 2 })
		<-time.After(2 * time.Second)
		job.Follow(func(p *work.Progress) { p.Done = 3 })
		<-time.After(2 * time.Second)
		job.End(ctx, work.End{}, nil)
		first, last := store.progress[0], store.progress[len(store.progress)-1]
		if first.Done != 2 || last.Done != 3 || last.Total != 3 {
			t.Errorf("progress %+v", store.progress)
		}
	})
}

// TestEnd checks the stored results.
func TestEnd(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		end    work.End
		err    error
		state  work.State
		reason string
		forget bool
	}{
		"done":             {work.End{}, nil, work.Done, "", false},
		"nothing to say":   {work.End{Forget: true}, nil, work.Done, "", true},
		"a failed file":    {work.End{State: work.Failed, Reason: fault.NewText("pdf_damaged", "damaged")}, nil, work.Failed, "pdf_damaged", false},
		"a known error":    {work.End{Forget: true}, fault.New(fault.Busy, "quota", "too much"), work.Failed, "quota", false},
		"the client left":  {work.End{}, context.Canceled, work.Failed, "work_interrupted", false},
		"an unknown error": {work.End{}, errors.New("secret detail"), work.Failed, "work_failed", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := &records{}
			request, leave := context.WithCancel(t.Context())
			ctx, job := work.NewKeeper(store, nil).Begin(request, work.Item{Kind: work.Upload})
			leave() // the result is stored all the same
			job.End(ctx, tt.end, tt.err)
			if len(store.ends) != 1 || store.ends[0].State != tt.state || store.ends[0].Reason.ID != tt.reason || store.ends[0].Forget != tt.forget {
				t.Errorf("ends %+v", store.ends)
			}
		})
	}
}

// TestUnrecorded: work goes on if its item cannot be stored.
func TestUnrecorded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &records{refused: errors.New("down")}
		ctx, job := work.NewKeeper(store, nil).Begin(t.Context(), work.Item{Kind: work.Upload})
		<-time.After(time.Minute)
		if ctx.Err() != nil {
			t.Errorf("ended: %v", context.Cause(ctx))
		}
		job.End(ctx, work.End{}, nil)
		if len(store.progress)+len(store.ends) != 0 {
			t.Errorf("stored %+v %+v", store.progress, store.ends)
		}
	})
}
