package llm_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"docent/internal/fault"
	"docent/llm"
	"docent/llm/llmtest"
)

// renamed is a model with another name.
type renamed struct {
	llm.Model

	name string
}

func (m renamed) Name() string { return m.name }

func scripted(name string, replies ...llmtest.Reply) renamed {
	return renamed{llmtest.NewModel(llmtest.Script(replies...)), name}
}

func fallback(t *testing.T, cfg llm.FallbackConfig) *llm.Fallback {
	t.Helper()
	f, err := llm.NewFallback(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

var errDown = fault.New(fault.Unavailable, "test_sentence", "down")

func TestFallbackConformance(t *testing.T) {
	t.Parallel()
	llmtest.TestModel(t, func(t *testing.T, respond func(int, llmtest.Request) llmtest.Reply) llm.Model {
		return fallback(t, llm.FallbackConfig{Models: []llm.Model{llmtest.NewModel(respond)}})
	})
}

// TestFallbackFrom has two orders of the same models, which share what they know.
func TestFallbackFrom(t *testing.T) {
	t.Parallel()
	all := fallback(t, llm.FallbackConfig{Models: []llm.Model{
		scripted("a", llmtest.Reply{Err: errDown}), scripted("b", llmtest.Say("from b"), llmtest.Say("from b again")),
	}})
	for name, names := range map[string][]string{"none": nil, "unknown": {"a", "c"}} {
		if _, err := all.From(names...); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	first, err := all.From("a", "b")
	if err != nil {
		t.Fatal(err)
	}
	if answer, err := llm.Ask(t.Context(), first, llm.Request{}); err != nil || answer.Text != "from b" || first.Name() != "a" {
		t.Errorf("%s: %+v, %v", first.Name(), answer, err)
	}
	for _, s := range all.States() {
		if !s.Known || (s.Failed != nil) != (s.Model == "a") {
			t.Errorf("%s: %+v", s.Model, s)
		}
	}
	second, err := all.From("b")
	if err != nil {
		t.Fatal(err)
	}
	if answer, err := llm.Ask(t.Context(), second, llm.Request{}); err != nil || answer.Text != "from b again" || answer.Model != "" {
		t.Errorf("%+v, %v", answer, err)
	}
}

func TestNextModelAnswers(t *testing.T) {
	t.Parallel()
	set := metrics.NewSet()
	f := fallback(t, llm.FallbackConfig{Metrics: set, Models: []llm.Model{
		scripted("a", llmtest.Reply{Err: errDown}, llmtest.Reply{Reasoning: []string{"hm"}, Err: errDown}, llmtest.Reply{Finish: "length"}, llmtest.Say("from a")),
		scripted("b", llmtest.Say("from b")),
	}})
	for i, want := range []string{"from b", "from b", "from b", "from a"} {
		a, err := llm.Ask(t.Context(), f, llm.Request{})
		if err != nil || a.Text != want || (a.Model == "b") != (want == "from b") {
			t.Errorf("answer %d is %+v, %v", i, a, err)
		}
		var out bytes.Buffer
		set.WritePrometheus(&out)
		up := `docent_model_up{model="a"} 0`
		if want == "from a" {
			up = `docent_model_up{model="a"} 1`
		}
		if !strings.Contains(out.String(), up) || !strings.Contains(out.String(), `docent_model_up{model="b"} 1`) {
			t.Errorf("after answer %d: %s", i, out.String())
		}
	}
	if s := f.States(); s[0].Failed != nil || !s[0].Known || s[1].Failed != nil {
		t.Errorf("the states are %+v", s)
	}
}

func TestAllModelsFail(t *testing.T) {
	t.Parallel()
	second := fault.New(fault.Unavailable, "test_sentence", "second")
	f := fallback(t, llm.FallbackConfig{Models: []llm.Model{scripted("a", llmtest.Reply{Err: errDown}), scripted("b", llmtest.Reply{Err: second})}})
	if a, err := llm.Ask(t.Context(), f, llm.Request{}); !errors.Is(err, errDown) {
		t.Errorf("%+v, %v", a, err)
	}
	// After text, no other model continues.
	f = fallback(t, llm.FallbackConfig{Models: []llm.Model{scripted("a", llmtest.Reply{Text: []string{"half"}, Err: errDown}), scripted("b", llmtest.Say("b"))}})
	if a, err := llm.Ask(t.Context(), f, llm.Request{}); !errors.Is(err, errDown) {
		t.Errorf("%+v, %v", a, err)
	}
	if s := f.States(); s[1].Known {
		t.Error("the second model was asked")
	}
	// A request that is too long, or with tools, is up to the caller.
	for _, failure := range []error{llm.ErrTooLong, llm.ErrNoTools} {
		f = fallback(t, llm.FallbackConfig{Models: []llm.Model{scripted("a", llmtest.Reply{Err: failure}), scripted("b", llmtest.Say("b"))}})
		if a, err := llm.Ask(t.Context(), f, llm.Request{}); !errors.Is(err, failure) {
			t.Errorf("%+v, %v", a, err)
		}
	}
}

// A refusal that is no fault of the question counts as a failure of the model.
func TestRefusingModelIsDown(t *testing.T) {
	t.Parallel()
	for says, down := range map[string]bool{
		"API key not valid. Please pass a valid API key.": true, "the field x is missing": true, "prompt is too long": false,
	} {
		o, s := refusing(t, llm.Config{APIKey: "geheim"}, 400, says, func(sent) bool { return true })
		f := fallback(t, llm.FallbackConfig{Models: []llm.Model{o}})
		_, err := llm.Ask(t.Context(), f, llm.Request{Messages: conversation.Messages})
		if state := f.States()[0]; err == nil || (state.Failed != nil) != down {
			t.Errorf("%s: %v, %+v", says, err, state)
		}
		if strings.Contains(says, "key") && (len(s.Requests()) != 1 || !strings.Contains(fault.Message(err), "API key")) {
			t.Errorf("%s: %v after %d requests", says, err, len(s.Requests()))
		}
	}
}

// A model that does not begin in time has failed. One that reasons has begun.
func TestFirstTokenIsLimited(t *testing.T) {
	t.Parallel()
	hang := llmtest.Reply{Text: []string{"late"}, Wait: func(ctx context.Context, _ int) error { <-ctx.Done(); return ctx.Err() }}
	f := fallback(t, llm.FallbackConfig{FirstToken: time.Millisecond, Models: []llm.Model{scripted("a", hang)}})
	if a, err := llm.Ask(t.Context(), f, llm.Request{}); fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.Message(err), "1ms") {
		t.Errorf("%+v, %v", a, err)
	}
	if f.States()[0].Failed == nil {
		t.Error("the model is up")
	}
}

// While a model is down, calls are not retried, so that users do not wait.
func TestDownModelIsNotRetried(t *testing.T) {
	t.Parallel()
	o, s, _ := serve(t, llm.Config{}, llmtest.Reply{Status: 503})
	f := fallback(t, llm.FallbackConfig{Models: []llm.Model{o}})
	for _, want := range []int{1 + llm.DefaultMaxRetries, 2 + llm.DefaultMaxRetries} {
		if _, err := llm.Ask(t.Context(), f, llm.Request{}); err == nil || len(s.Requests()) != want {
			t.Errorf("%v after %d requests, want %d", err, len(s.Requests()), want)
		}
	}
}

// TestServerAsksForAWait: until then, calls get the next model at once.
func TestServerAsksForAWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limited := fault.Wrap(fault.RateLimited, &llm.StatusError{Status: 429, RetryAfter: 20 * time.Second}, "test_sentence", "too many requests")
		f := fallback(t, llm.FallbackConfig{Models: []llm.Model{
			scripted("a", llmtest.Reply{Err: limited}, llmtest.Say("from a")), scripted("b", llmtest.Say("from b")),
		}})
		for i, want := range []string{"from b", "from b", "from a"} {
			if a, err := llm.Ask(t.Context(), f, llm.Request{}); err != nil || a.Text != want {
				t.Errorf("answer %d is %+v, %v", i, a, err)
			}
			<-time.After(11 * time.Second)
		}
	})
}

// TestModelThatHangs: after a call has waited in vain, others fail at once, or get the next model. Trials go on, and the
// first one with an answer ends this.
func TestModelThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var asked, lost atomic.Int64
		answers := false
		model := renamed{llmtest.NewModel(func(int, llmtest.Request) llmtest.Reply {
			asked.Add(1)
			if answers {
				return llmtest.Say("from a")
			}
			return llmtest.Reply{Text: []string{"late"}, Wait: func(ctx context.Context, _ int) error {
				<-ctx.Done()
				lost.Add(1)
				return ctx.Err()
			}}
		}), "a"}
		f := fallback(t, llm.FallbackConfig{FirstToken: time.Minute, Watched: true, Models: []llm.Model{model, scripted("b", llmtest.Say("from b"))}})
		ask := func() (string, time.Duration) {
			start := time.Now()
			a, err := llm.Ask(t.Context(), f, llm.Request{})
			if err != nil {
				t.Error(err)
			}
			return a.Text, time.Since(start)
		}
		var running sync.WaitGroup
		defer running.Wait()
		try := func() {
			f.Try(t.Context(), running.Go)
			synctest.Wait()
		}
		if try(); asked.Load() != 0 {
			t.Error("a model that nobody has asked is tried")
		}
		if text, waited := ask(); text != "from b" || waited != time.Minute {
			t.Errorf("the first call: %q after %v", text, waited)
		}
		if text, waited := ask(); text != "from b" || waited != 0 || asked.Load() != 1 {
			t.Errorf("the second call: %q after %v, and %d calls of the model", text, waited, asked.Load())
		}
		try()
		try() // the trial before still runs
		if asked.Load() != 2 {
			t.Errorf("%d calls of the model, want one trial", asked.Load()-1)
		}
		<-time.After(40 * time.Second)
		answers = true
		if try(); asked.Load() != 3 { // beside the one that is lost
			t.Errorf("%d trials, want 2", asked.Load()-1)
		}
		if text, waited := ask(); text != "from a" || waited != 0 || f.States()[0].Failed != nil {
			t.Errorf("after the return: %q after %v", text, waited)
		}
		<-time.After(time.Minute)
		synctest.Wait()
		if text, _ := ask(); text != "from a" || lost.Load() != 2 || f.States()[0].Failed != nil {
			t.Errorf("after the end of the lost trial: %q, %+v", text, f.States()[0])
		}
	})
}

// TestRefusalEndsHanging: a server that refuses a trial answers, so the next call learns what it says.
func TestRefusalEndsHanging(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hang := llmtest.Reply{Text: []string{"late"}, Wait: func(ctx context.Context, _ int) error { <-ctx.Done(); return ctx.Err() }}
		refused := fault.New(fault.Invalid, "test_sentence", "refused")
		f := fallback(t, llm.FallbackConfig{FirstToken: time.Minute, Watched: true, Models: []llm.Model{
			scripted("a", hang, llmtest.Reply{Err: refused}, llmtest.Say("from a")),
		}})
		if _, err := llm.Ask(t.Context(), f, llm.Request{}); err == nil {
			t.Error("no error")
		}
		f.Try(t.Context(), func(try func()) { try() })
		if a, err := llm.Ask(t.Context(), f, llm.Request{}); err != nil || a.Text != "from a" {
			t.Errorf("%+v, %v", a, err)
		}
	})
}

// TestTurnLeavesTimeForQuotes: of a turn that ends before the limit of the model, enough is left for the next model, and
// for an answer without one.
func TestTurnLeavesTimeForQuotes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hang := llmtest.Reply{Text: []string{"late"}, Wait: func(ctx context.Context, _ int) error { <-ctx.Done(); return ctx.Err() }}
		f := fallback(t, llm.FallbackConfig{FirstToken: time.Hour, Models: []llm.Model{scripted("a", hang), scripted("b", hang)}})
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		if _, err := llm.Ask(ctx, f, llm.Request{}); fault.KindOf(err) != fault.Unavailable || ctx.Err() != nil {
			t.Errorf("%v, and the turn: %v", err, ctx.Err())
		}
		// A call that is short anyway, such as that for a search, says nothing about the model.
		short, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		other := fallback(t, llm.FallbackConfig{FirstToken: time.Hour, Models: []llm.Model{scripted("a", hang)}})
		if _, err := llm.Ask(short, other, llm.Request{}); err == nil || other.States()[0].Failed != nil {
			t.Errorf("%v, %+v", err, other.States())
		}
	})
}
