package eval

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"docent/rag/retrieve"

	"docent/internal/fault"
)

// Retriever finds passages. retrieve.Retriever implements it.
type Retriever interface {
	// Retrieve returns the result of a query.
	Retrieve(ctx context.Context, q retrieve.Query) (retrieve.Retrieval, error)
}

// Variant is a retrieval method to compare with others.
type Variant struct {
	// Name is the name in reports.
	Name string
	// Mode chooses the stages.
	Mode retrieve.Mode
	// Without excludes features of the second stage.
	Without []string
}

// Full is the name of the complete variant.
const Full = "full"

// Stages are the variants that show the effect of each stage.
func Stages() []Variant {
	return []Variant{
		{Name: "bm25", Mode: retrieve.Keywords},
		{Name: "vectors", Mode: retrieve.Vectors},
		{Name: "hybrid", Mode: retrieve.Hybrid},
		{Name: Full, Mode: retrieve.Full},
	}
}

// Ablations are the full variant, and one variant without each feature.
func Ablations(features []string) []Variant {
	out := []Variant{{Name: Full, Mode: retrieve.Full}}
	for _, f := range features {
		out = append(out, Variant{Name: Full + " − " + f, Mode: retrieve.Full, Without: []string{f}})
	}
	return out
}

// RetrievalConfig configures MeasureRetrieval.
type RetrievalConfig struct {
	// Retriever is the measured retriever. Required.
	Retriever Retriever
	// Questions are the questions to ask. Unanswerable ones are skipped. Required.
	Questions []Question
	// Variants are the compared variants. Default: Stages.
	Variants []Variant
	// Base names the variant that the others are compared with. Default: Full if it is among Variants, else the first.
	Base string
	// Collections are the searched collections. Default: none, which means all.
	Collections []string
	// Workers is the number of concurrent questions. Default: GOMAXPROCS.
	Workers int
	// Progress is called after each question with the number of finished ones. Default: nil.
	Progress func(done, total int)
}

// complete applies the defaults and checks the rest.
func (c RetrievalConfig) complete() (RetrievalConfig, error) {
	if c.Retriever == nil {
		return c, fault.New(fault.Internal, "eval_retriever_missing", "eval: RetrievalConfig.Retriever is required")
	}
	c.Questions = slices.DeleteFunc(slices.Clone(c.Questions), func(q Question) bool { return !q.Answerable() })
	if len(c.Questions) == 0 {
		return c, fault.New(fault.Invalid, "eval_no_evidence", "there are no questions with evidence, so retrieval cannot be measured")
	}
	if len(c.Variants) == 0 {
		c.Variants = Stages()
	}
	named := func(name string) bool {
		return slices.ContainsFunc(c.Variants, func(v Variant) bool { return v.Name == name })
	}
	switch {
	case c.Base == "" && named(Full):
		c.Base = Full
	case c.Base == "":
		c.Base = c.Variants[0].Name
	case !named(c.Base):
		return c, fault.New(fault.Internal, "eval_base_unknown", "eval: RetrievalConfig.Base %q is not a variant", c.Base)
	}
	if c.Workers <= 0 {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	return c, nil
}

// MeasureRetrieval asks every question in every variant and measures the retrieved evidence. It stops at the first error.
func MeasureRetrieval(ctx context.Context, cfg RetrievalConfig) (*RetrievalReport, error) {
	cfg, err := cfg.complete()
	if err != nil {
		return nil, err
	}
	results := make([][]scores, len(cfg.Variants)) // by variant and question
	for i := range results {
		results[i] = make([]scores, len(cfg.Questions))
	}
	err = each(ctx, len(cfg.Questions), cfg.Workers, cfg.Progress, func(ctx context.Context, i int) error {
		q := cfg.Questions[i]
		j := newJudge(q)
		for v, variant := range cfg.Variants {
			found, err := cfg.Retriever.Retrieve(ctx, retrieve.Query{
				Question: q.Text, Turns: q.Turns(), K: Depth, Collections: cfg.Collections, Mode: variant.Mode, Without: variant.Without,
			})
			if err != nil {
				return fmt.Errorf("question %s, %s: %w", q.ID, variant.Name, err)
			}
			results[v][i] = j.rate(found.Results)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return newRetrievalReport(cfg, results), nil
}

// each calls f for 0 to n-1 with the given number of workers, until one call fails.
func each(ctx context.Context, n, workers int, progress func(done, total int), f func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next, done atomic.Int64
	var report sync.Mutex // one call of progress at a time
	var wg sync.WaitGroup
	for range min(workers, n) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if err := f(ctx, i); err != nil {
					cancel(err)
					return
				}
				if progress != nil {
					report.Lock()
					progress(int(done.Add(1)), n)
					report.Unlock()
				}
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}
