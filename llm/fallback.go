package llm

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"docent/internal/fault"
)

// FallbackConfig describes a Fallback.
type FallbackConfig struct {
	// Models are the models in the order of preference. Required.
	Models []Model
	// FirstToken limits the time to the first text or reasoning of each model. Default:
	// 0, the limits of the models.
	FirstToken time.Duration
	// Logger receives failures and recoveries. Default: nil, which discards.
	Logger *slog.Logger
	// Metrics receives docent_model_up for each model. Default: nil, none.
	Metrics *metrics.Set
	// Watched says that the program calls Try every few seconds. Default: false.
	Watched bool
}

// Fallback is a Model that asks several models: if one fails before its first word, the
// next one answers. It records which models work. A model that has failed is asked
// without retries until it answers again. If the Fallback is watched, a model that let a
// call wait in vain is asked only by Try until it answers, so that users do not wait for
// it. A server that has asked for a wait is not asked before. It is safe for concurrent
// use.
type Fallback struct {
	cfg    FallbackConfig
	states []*state // of cfg.Models
}

var _ Model = (*Fallback)(nil)

// state says whether a model works.
type state struct {
	mu     sync.Mutex
	known  bool
	failed error     // nil if the model works
	since  time.Time // of the first failure since the last success
	heard  int       // successes so far
	hangs  bool      // the model wrote nothing until the limit
	until  time.Time // the server has asked for a wait until then
	trials int       // running calls of Try
	tried  time.Time // the start of the last one
}

// NewFallback returns a Fallback.
func NewFallback(cfg FallbackConfig) (*Fallback, error) {
	if len(cfg.Models) == 0 {
		return nil, errors.New("llm: FallbackConfig.Models is required")
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	f := &Fallback{cfg: cfg}
	for _, m := range cfg.Models {
		s := &state{}
		f.states = append(f.states, s)
		if cfg.Metrics != nil {
			cfg.Metrics.UnregisterMetric(gaugeOf(m)) // of an earlier Fallback
			cfg.Metrics.GetOrCreateGauge(gaugeOf(m), s.gauge)
		}
	}
	return f, nil
}

// gaugeOf returns the name of the gauge of a model.
func gaugeOf(m Model) string { return fmt.Sprintf("docent_model_up{model=%q}", m.Name()) }

// Retire removes the gauges of the models that next, which may be nil, does not have.
func (f *Fallback) Retire(next *Fallback) {
	for _, m := range f.cfg.Models {
		if f.cfg.Metrics != nil && (next == nil || !slices.ContainsFunc(next.cfg.Models, func(n Model) bool { return n.Name() == m.Name() })) {
			f.cfg.Metrics.UnregisterMetric(gaugeOf(m))
		}
	}
}

// From returns a Fallback that asks only the named models, in this order. Both share what
// they know about the models. It returns an error for an unknown name.
func (f *Fallback) From(names ...string) (*Fallback, error) {
	out := &Fallback{cfg: f.cfg}
	out.cfg.Models = nil
	for _, name := range names {
		i := slices.IndexFunc(f.cfg.Models, func(m Model) bool { return m.Name() == name })
		if i < 0 {
			return nil, fmt.Errorf("llm: there is no model %q", name)
		}
		out.cfg.Models, out.states = append(out.cfg.Models, f.cfg.Models[i]), append(out.states, f.states[i])
	}
	if len(out.cfg.Models) == 0 {
		return nil, errors.New("llm: From needs the name of a model")
	}
	return out, nil
}

// Name is the name of the first model.
func (f *Fallback) Name() string { return f.cfg.Models[0].Name() }

// Chat implements Model. Answer.Model names another model than the first.
func (f *Fallback) Chat(ctx context.Context, req Request) iter.Seq2[Delta, error] {
	return func(yield func(Delta, error) bool) {
		var first error
		for i, m := range f.cfg.Models {
			last := i == len(f.cfg.Models)-1
			err, done := f.ask(ctx, i, m, req, yield, last)
			if done {
				return
			}
			if first == nil {
				first = err
			}
			if last || ctx.Err() != nil {
				break
			}
			f.cfg.Logger.LogAttrs(ctx, slog.LevelWarn, "a model failed; the next one answers", slog.String("model", m.Name()),
				slog.String("next", f.cfg.Models[i+1].Name()), slog.String("reason", fault.Message(err)))
		}
		yield(Delta{}, first)
	}
}

var errFirstToken = errors.New("timeout of the first token")

// late is the error of a model that wrote nothing within a limit.
func late(model string, limit time.Duration) error {
	return fault.Wrap(fault.Unavailable, errFirstToken, "model_first_token",
		"the model %s wrote nothing within %v", model, limit.Round(time.Millisecond))
}

// reserve is the time that a call leaves for each further model, and for an answer
// without a model.
const reserve = 30 * time.Second

// limit returns the time for the first token if left models have not been asked; 0 means
// the limits of the model.
func (f *Fallback) limit(ctx context.Context, left int) time.Duration {
	limit := f.cfg.FirstToken
	if deadline, ok := ctx.Deadline(); ok {
		rest := time.Until(deadline) - time.Duration(left)*reserve
		if rest > reserve/2 && (limit == 0 || rest < limit) {
			return rest
		}
	}
	return limit
}

// ask asks one model, unless it hangs or its server has asked for a wait. done says that the call is over. Otherwise the
// model has failed before its first word.
func (f *Fallback) ask(
	ctx context.Context, i int, m Model, req Request, yield func(Delta, error) bool, last bool,
) (failed error, done bool) {
	if err := f.states[i].hanging(); err != nil && f.cfg.Watched {
		return err, false
	}
	if err := f.states[i].resting(time.Now()); err != nil {
		return err, false
	}
	return f.call(ctx, i, m, req, yield, last)
}

// call asks one model, as ask does.
func (f *Fallback) call(
	ctx context.Context, i int, m Model, req Request, yield func(Delta, error) bool, last bool,
) (failed error, done bool) {
	call, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if f.states[i].down() {
		call = withoutRetries(call)
	}
	limit := f.limit(ctx, len(f.cfg.Models)-i)
	if limit > 0 {
		timer := time.AfterFunc(limit, func() { cancel(errFirstToken) })
		defer timer.Stop()
		inner := yield
		yield = func(d Delta, err error) bool { timer.Stop(); return inner(d, err) }
	}
	begun, heard := false, false
	before := f.states[i].successes()
	for d, err := range m.Chat(call, req) {
		if err != nil && ctx.Err() == nil && errors.Is(context.Cause(call), errFirstToken) {
			err = late(m.Name(), limit)
		}
		switch {
		case err != nil && (begun || ctx.Err() != nil || errors.Is(err, ErrTooLong) || errors.Is(err, ErrNoTools)):
			yield(Delta{}, err)
			return nil, true
		case err != nil:
			if waited(err) && f.states[i].successes() != before {
				return err, false // the connection was lost, but the model answers others
			}
			f.note(ctx, i, err, !heard && waited(err))
			return err, false
		case d.Answer != nil && !begun && !last && (len(d.Answer.Calls) == 0 || len(req.Tools) == 0):
			return EmptyError(m.Name(), *d.Answer), false
		case d.Answer != nil:
			f.note(ctx, i, nil, false)
			if i > 0 {
				d.Answer.Model = m.Name()
			}
		}
		heard = true
		begun = begun || strings.TrimSpace(d.Text) != ""
		if !yield(d, nil) {
			return nil, true
		}
	}
	return nil, true
}

// Note records the result of a test of a model, such as OpenAI.Probe.
func (f *Fallback) Note(ctx context.Context, model string, err error) {
	for i, m := range f.cfg.Models {
		if m.Name() == model {
			f.note(ctx, i, err, waited(err))
		}
	}
}

// waited reports whether a call failed because it waited in vain.
func waited(err error) bool {
	return errors.Is(err, errFirstToken) || errors.Is(err, errTimeout) || errors.Is(err, errIdle)
}

// Limits of the calls of Try.
const (
	// nextTrial is the time after which a trial no longer keeps the next one from
	// starting: its connection may be lost.
	nextTrial = 30 * time.Second
	// maxTrials limits the trials of a model that run at the same time.
	maxTrials = 4
)

// Try asks each model that hangs for a short text. run starts the calls, which end with
// ctx. A model that answers is asked by all calls again.
func (f *Fallback) Try(ctx context.Context, run func(func())) {
	for i, m := range f.cfg.Models {
		if f.states[i].claim(time.Now()) {
			run(func() { f.try(ctx, i, m) })
		}
	}
}

func (f *Fallback) try(ctx context.Context, i int, m Model) {
	heard := false
	err, _ := f.call(ctx, i, m, Request{Messages: probe}, func(_ Delta, err error) bool {
		heard = err == nil
		return false
	}, true)
	if heard {
		f.note(ctx, i, nil, false)
	}
	f.states[i].release(heard || err != nil && !waited(err))
}

// note records whether a model works or hangs, and logs changes.
func (f *Fallback) note(ctx context.Context, i int, err error, hangs bool) {
	if err != nil && !unavailable(err) {
		return
	}
	name := f.cfg.Models[i].Name()
	switch was, known := f.states[i].set(err, hangs); {
	case err == nil && was != nil:
		f.cfg.Logger.LogAttrs(ctx, slog.LevelInfo, "the model answers again", slog.String("model", name))
	case err != nil && (was == nil || !known):
		f.cfg.Logger.LogAttrs(ctx, slog.LevelWarn, "the model does not answer", slog.String("model", name),
			slog.String("reason", fault.Message(err)))
	}
}

// Refused reports whether docent itself refused a call because its client has reached a limit. The model is then well.
func Refused(err error) bool {
	var limit interface{ RetryAfter() time.Duration }
	var answered *StatusError
	return fault.KindOf(err) == fault.RateLimited && errors.As(err, &limit) && !errors.As(err, &answered)
}

// unavailable reports whether an error is about the model and not about one request.
func unavailable(err error) bool {
	var refusal *StatusError
	if errors.As(err, &refusal) && (errors.Is(err, ErrTooLong) || errors.Is(err, ErrFiltered) || errors.Is(err, ErrNoTools)) {
		return false
	}
	kind := fault.KindOf(err)
	return kind == fault.Unavailable || kind == fault.RateLimited && refusal != nil || kind == fault.Internal && refusal != nil
}

func (s *state) set(err error, hangs bool) (was error, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	was, known = s.failed, s.known
	now := time.Now()
	if s.failed, s.known, s.hangs = err, true, hangs; was == nil {
		s.since = now
	}
	s.until = time.Time{}
	var refusal *StatusError
	if errors.As(err, &refusal) {
		s.until = now.Add(min(refusal.RetryAfter, maxRest))
	}
	if err == nil {
		s.heard++
	}
	return was, known
}

func (s *state) down() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed != nil
}

func (s *state) successes() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.heard
}

// hanging returns the failure of a model that hangs, or nil.
func (s *state) hanging() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.hangs {
		return nil
	}
	return s.failed
}

// maxRest limits the time for which a server is not asked because it has asked for a
// wait. Some ask for hours.
const maxRest = time.Minute

// resting returns the failure of a model whose server has asked for a wait, or nil.
func (s *state) resting(now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !now.Before(s.until) {
		return nil
	}
	return s.failed
}

// claim reports whether a trial of the model begins now. release ends it.
func (s *state) claim(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.hangs || s.trials == maxTrials || s.trials > 0 && now.Sub(s.tried) < nextTrial {
		return false
	}
	s.trials++
	s.tried = now
	return true
}

// release ends a trial. answered says that the model answered, even with a refusal.
func (s *state) release(answered bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trials--
	s.hangs = s.hangs && !answered
}

// gauge is 0 for a model that has failed, and 1 for others.
func (s *state) gauge() float64 {
	if s.down() {
		return 0
	}
	return 1
}

// ModelState says whether a model works.
type ModelState struct {
	// Model is the name of the model.
	Model string
	// Known says that the model was asked before.
	Known bool
	// Failed is the error of the last call, or nil.
	Failed error
	// Since is the time of the first failure since the last success. It counts only with Failed.
	Since time.Time
}

// States returns the states of the models in the order of preference.
func (f *Fallback) States() []ModelState {
	out := make([]ModelState, len(f.states))
	for i, s := range f.states {
		s.mu.Lock()
		out[i] = ModelState{f.cfg.Models[i].Name(), s.known, s.failed, s.since}
		s.mu.Unlock()
	}
	return out
}
