package quality

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"docent/internal/fault"
	"docent/internal/lease"
	"docent/rag"
)

const (
	// job is the name of the lease.
	job = "quality"
	// maxRun bounds a run.
	maxRun = 30 * time.Minute
	// maxAnswer bounds the answer to one question.
	maxAnswer = time.Minute
	// storeTimeout bounds the last writes of a run while the server stops.
	storeTimeout = 4 * time.Second
	// MaxRuns bounds the kept runs.
	MaxRuns = 100
)

// Run is one time that kept questions were asked.
type Run struct {
	ID int64
	// Started and Ended are its times. Ended is zero while it runs, and if its process was killed.
	Started, Ended time.Time
	// Questions is their number, Done the number of asked ones, and Failed of those without an answer.
	Questions, Done, Failed int
	// Problem says why the first of them failed, or why the run ended early.
	Problem fault.Text
	// Running reports that a process works on it. It is not stored.
	Running bool
}

// Answerer answers questions for the reader of ctx, and checks the rights. *pipeline.Pipeline implements it.
type Answerer interface {
	// Run returns the whole answer.
	Run(ctx context.Context, req rag.Request) (rag.Answer, error)
}

// Config configures a Runner. All fields except Logger are required.
type Config struct {
	Store  Store
	Leases lease.Jobs
	// Answerer answers without a model, so that runs cost nothing.
	Answerer Answerer
	// Rank returns the place of the first passage of an answer that has a quote of a document, from 1, or 0.
	Rank func(answer rag.Answer, file, quote string) int
	// Logger receives failures. Default: none.
	Logger *slog.Logger
}

// Runner asks kept questions in the background. Several processes may have one. It is safe for
// concurrent use.
type Runner struct {
	cfg   Config
	asked chan started
}

// started is a run to do.
type started struct {
	ctx       context.Context // has the reader, and no end
	owner     string          // of the lease
	run       Run
	questions []Question
}

// New returns a Runner.
func New(cfg Config) (*Runner, error) {
	if cfg.Store == nil || cfg.Leases == nil || cfg.Answerer == nil || cfg.Rank == nil {
		return nil, errors.New("quality: a field of Config is missing")
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	return &Runner{cfg: cfg, asked: make(chan started, 1)}, nil
}

// errRunning is the error for a second run at the same time.
var errRunning = fault.New(fault.Conflict, "quality_running", "kept questions are being asked already; wait until the run is complete")

// Start begins to ask the questions of collections, and returns before they are asked; nil means all.
// The questions are asked for the reader of ctx. Start fails with fault.Conflict during another run.
func (r *Runner) Start(ctx context.Context, collections []string) (Run, error) {
	owner, err := lease.Take(ctx, r.cfg.Leases, job, time.Now)
	if err != nil {
		return Run{}, err //nolint:wrapcheck // the store names the operation
	}
	if owner == "" {
		return Run{}, errRunning
	}
	s, err := r.begin(ctx, collections)
	if err == nil {
		s.owner = owner
		select {
		case r.asked <- s:
			return s.run, nil
		default:
			err = errRunning
		}
	}
	return Run{}, errors.Join(err, r.cfg.Leases.EndJob(ctx, job, owner))
}

func (r *Runner) begin(ctx context.Context, collections []string) (s started, err error) {
	if s.questions, err = r.cfg.Store.Kept(ctx, collections); err != nil {
		return s, err //nolint:wrapcheck // the store names the operation
	}
	if len(s.questions) == 0 {
		return s, fault.New(fault.Conflict, "quality_nothing", "there are no kept questions yet")
	}
	s.ctx = context.WithoutCancel(ctx) // the run survives the request
	s.run = Run{Started: time.Now(), Questions: len(s.questions), Running: true}
	s.run.ID, err = r.cfg.Store.BeginRun(ctx, s.run)
	return s, err //nolint:wrapcheck // the store names the operation
}

// Last returns the latest run; ok is false without one.
func (r *Runner) Last(ctx context.Context) (run Run, ok bool, err error) {
	// The order matters: a run that ends between the two looks has its end.
	running, err := r.cfg.Leases.JobRuns(ctx, job)
	if err == nil {
		run, ok, err = r.cfg.Store.LastRun(ctx)
	}
	run.Running = running && run.Ended.IsZero()
	return run, ok, err //nolint:wrapcheck // the store names the operation
}

// Run asks questions until ctx ends.
func (r *Runner) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case s := <-r.asked:
			err := lease.Hold(ctx, r.cfg.Leases, job, s.owner, time.Now, func(ctx context.Context) error { return r.run(ctx, &s) })
			if err != nil {
				r.cfg.Logger.WarnContext(ctx, "ask kept questions", "error", err)
			}
		}
	}
}

// run asks the questions of a run, and records its end.
func (r *Runner) run(ctx context.Context, s *started) error {
	work, cancel := context.WithTimeout(s.ctx, maxRun)
	defer cancel()
	stop := context.AfterFunc(ctx, cancel) // the reader is in s.ctx, and the end of the server in ctx
	defer stop()
	err := r.ask(work, s)
	if work.Err() != nil {
		s.run.Problem = fault.TextOf(fault.New(fault.Canceled, "quality_stopped", "the run was stopped; run it again"))
	}
	s.run.Ended = time.Now()
	rest, done := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer done()
	return errors.Join(err, r.cfg.Store.KeepRun(rest, s.run))
}

// ask asks the questions, one at a time, so that people wait for nothing. It returns the first failure to store a result.
func (r *Runner) ask(ctx context.Context, s *started) error {
	for i := range s.questions {
		q := &s.questions[i]
		result, err := r.answer(ctx, q)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // the caller records the early end
		}
		s.run.Done++
		if err != nil {
			if s.run.Failed++; s.run.Failed == 1 {
				s.run.Problem = fault.TextOf(err)
			}
		} else if err := r.cfg.Store.SaveResult(ctx, q.ID, q.Edits, result); err != nil {
			return fmt.Errorf("question %d: %w", q.ID, err)
		}
		if err := r.cfg.Store.KeepRun(ctx, s.run); err != nil {
			return fmt.Errorf("progress: %w", err)
		}
	}
	return nil
}

func (r *Runner) answer(ctx context.Context, q *Question) (Result, error) {
	ctx, cancel := context.WithTimeout(ctx, maxAnswer)
	defer cancel()
	req := rag.Request{Question: q.Text, Model: rag.Extractive, History: len(q.History), Turns: q.History}
	if q.Collection != "" {
		req.Collections = []string{q.Collection}
	}
	answer, err := r.cfg.Answerer.Run(ctx, req)
	if err != nil {
		return Result{}, err //nolint:wrapcheck // the answering names the step
	}
	out := Result{At: time.Now(), Outcome: answer.Outcome}
	if answer.Search != nil {
		out.Evidence = &answer.Search.Evidence
	}
	if q.Expect == Passage {
		out.Rank = r.cfg.Rank(answer, q.File, q.Quote)
	}
	return out, nil
}
