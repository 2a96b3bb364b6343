package enrich

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"docent/ingest/intake"
	"docent/internal/fault"
)

// run is one run of an Enricher.
type run struct {
	*Enricher
	Report
	// unusable are the passages of the latest unusable answers in a row. They are
	// stored with the next usable answer.
	unusable []intake.Enrichment

	mu     sync.Mutex // guards the fields below
	streak streak
	ending error // the reason to end the run, or nil
}

// streak counts results in a row.
type streak struct{ failed, unusable int }

// errSkipped marks a passage that was left out because the run ends.
var errSkipped = errors.New("not tried because the run ends")

// page writes the missing texts of a page and returns the number of calls.
func (r *run) page(ctx context.Context, page []intake.Enrichable) (calls int, err error) {
	groups, put, err := r.missing(ctx, page)
	if err != nil {
		return 0, err
	}
	r.Reused += len(put)
	texts, errs := r.writeAll(ctx, groups)
	for i, group := range groups {
		stored := make([]intake.Enrichment, len(group))
		for n, t := range group {
			t.Text = texts[i]
			stored[n] = t.Enrichment
		}
		switch err := errs[i]; {
		case err == nil:
			r.Written++
			put = append(append(put, r.unusable...), stored...)
			r.unusable = nil
		case errors.Is(err, errSkipped):
			continue
		case errors.Is(err, errUnusable):
			r.Unusable++
			r.unusable = append(r.unusable, stored...)
		default:
			r.Failed++
			r.Err = err
		}
	}
	return len(groups), r.put(ctx, put)
}

// writeAll lets the model write a text for each group, several at a time. It makes
// no more calls once the run has a reason to end.
func (r *run) writeAll(ctx context.Context, groups [][]task) ([]string, []error) {
	texts, errs := make([]string, len(groups)), make([]error, len(groups))
	slots := make(chan struct{}, r.cfg.Parallel)
	var wg sync.WaitGroup
	for i, group := range groups {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			if r.ended(ctx) != nil {
				errs[i] = errSkipped
				return
			}
			texts[i], errs[i] = r.write(ctx, group[0].passage)
			r.count(errs[i])
		})
	}
	wg.Wait()
	return texts, errs
}

// count counts the result of a call. After several bad results in a row, the run ends.
func (r *run) count(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := &r.streak
	switch {
	case err == nil:
		*s = streak{}
	case errors.Is(err, errUnusable):
		s.failed = 0
		s.unusable++
	default:
		s.failed++
	}
	switch {
	case r.ending != nil:
	case s.failed >= maxFailures:
		r.ending = fmt.Errorf("%d calls failed in a row: %w", s.failed, err)
	case s.unusable >= maxUnusable:
		r.ending = fault.Wrap(fault.Unavailable, err, "enrich_unusable",
			"the model %s wrote no usable questions for %d passages in a row; check its settings, or choose a larger model",
			r.cfg.Model.Name(), s.unusable)
	}
}

// ended returns the reason to end the run, or nil.
func (r *run) ended(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	return r.ending
}
