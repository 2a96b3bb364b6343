package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"docent/agent/recording"
	"docent/config"
	"docent/eval"
	"docent/internal/fault"
)

func newAgentEval(std stdio) *cobra.Command {
	var against string
	var models bool
	cmd := &cobra.Command{
		Use:   "eval FILE RECORDING...",
		Short: "Measure an agent with tasks, and compare two versions",
		Long: `Play recordings as tasks, and count what the agent does as expected: intents, states,
calls of tools, replies, and goals. A task is solved if all of it is as expected. The
report has 95 % intervals, and the tokens and the time of the tasks.

With --against, the report compares FILE with another version of the agent on the same
tasks. Models answer from the recordings; with --models, the configured chat model
answers, and the lines "model" and "prompt" have no effect. Each task has its own empty
data folder and its own clock.`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := load(cmd)
			if err != nil {
				return err
			}
			warnWithoutModel(std, cfg, models)
			var tasks []recording.Recording
			for _, file := range args[1:] {
				rec, err := readRecording(file)
				if err != nil {
					return err
				}
				if models {
					rec = rec.Unanswered()
				}
				tasks = append(tasks, rec)
			}
			now, err := (&rehearsal{std: std, cfg: cfg, file: args[0], models: models}).scores(cmd.Context(), tasks)
			if err != nil {
				return err
			}
			writeScores(std.out, args[0], now)
			if against == "" {
				return nil
			}
			before, err := (&rehearsal{std: std, cfg: cfg, file: against, models: models}).scores(cmd.Context(), tasks)
			if err != nil {
				return err
			}
			fmt.Fprintln(std.out)
			writeScores(std.out, against, before)
			fmt.Fprintln(std.out)
			compareScores(std.out, args[0], against, now, before)
			return nil
		},
	}
	cmd.Flags().StringVar(&against, "against", "", "the agent file of another version")
	cmd.Flags().BoolVar(&models, "models", false, "ask the configured chat model")
	scoped(cmd, config.Answering, config.Chatting, config.Embedding)
	return cmd
}

// warnWithoutModel says that --models has no configured model to ask.
func warnWithoutModel(std stdio, cfg config.Config, models bool) {
	if models && !cfg.LLM.Enabled() {
		fmt.Fprintln(std.err, "warning: no chat model is configured, so only models of the agent file answer; add --model NAME")
	}
}

// scores plays all tasks.
func (r *rehearsal) scores(ctx context.Context, tasks []recording.Recording) (_ []recording.Score, err error) {
	defer func() { err = errors.Join(err, r.close(ctx)) }()
	var out []recording.Score
	for _, task := range tasks {
		score, err := r.score(ctx, task)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil:
			return nil, err
		case fault.KindOf(score.Failed) == fault.Invalid:
			return nil, score.Failed
		}
		out = append(out, score)
	}
	return out, nil
}

// measures are the rows of a report: the kinds of lines of each.
var measures = []struct {
	name  string
	kinds []string
}{
	{"intents", []string{recording.Intent}},
	{"states", []string{recording.State}},
	{"tool calls", []string{recording.Called}},
	{"replies", []string{recording.Agent, recording.Sound}},
	{"goals", []string{recording.Goal}},
	{"other", []string{recording.Heard, recording.Step, recording.Sent, recording.Failure, recording.Prompt}},
}

// measured counts the lines of kinds in a task.
func measured(s recording.Score, kinds []string) (met, wanted int) {
	for _, kind := range kinds {
		met, wanted = met+s.Met[kind], wanted+s.Wanted[kind]
	}
	return met, wanted
}

// writeScores writes the report of one version.
func writeScores(out io.Writer, file string, all []recording.Score) {
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintf(w, "%s\tlines\ttasks\tshare\t95 %% interval\n", file)
	row := func(name, lines string, tasks, of int) {
		i := eval.ShareInterval(tasks, of)
		fmt.Fprintf(w, "%s\t%s\t%d of %d\t%.2f\t%.2f to %.2f\n", name, lines, tasks, of, float64(tasks)/float64(of), i.Low, i.High)
	}
	for _, m := range measures {
		tasks, of, lines, wanted := 0, 0, 0, 0
		for _, s := range all {
			met, want := measured(s, m.kinds)
			lines, wanted = lines+met, wanted+want
			if want > 0 {
				of++
			}
			if want > 0 && met == want {
				tasks++
			}
		}
		if of > 0 {
			row(m.name, fmt.Sprintf("%d of %d", lines, wanted), tasks, of)
		}
	}
	solved := 0
	var tokens, times []float64
	for _, s := range all {
		if s.Solved {
			solved++
		}
		tokens = append(tokens, float64(s.PromptTokens+s.CompletionTokens))
		times = append(times, s.Took.Seconds()/float64(max(1, s.Turns)))
	}
	row("solved", "", solved, len(all))
	mean, i := eval.MeanInterval(tokens)
	fmt.Fprintf(w, "tokens of a task\t\t\t%.0f\t%.0f to %.0f\n", mean, i.Low, i.High)
	mean, i = eval.MeanInterval(times)
	fmt.Fprintf(w, "seconds of a turn\t\t\t%.3f\t%.3f to %.3f\n", mean, i.Low, i.High)
	_ = w.Flush() // a failure of the output has no remedy here
	for _, s := range all {
		switch {
		case s.Failed != nil:
			fmt.Fprintf(out, "failed: %s: %s\n", s.Name, strings.TrimPrefix(s.Failed.Error(), s.Name+": "))
		case !s.Solved:
			fmt.Fprintf(out, "not solved: %s\n", s.Name)
			for _, d := range s.Differences {
				fmt.Fprint(out, d)
			}
		}
	}
}

// compareScores writes the differences of two versions on the same tasks.
func compareScores(out io.Writer, file, against string, now, before []recording.Score) {
	var gained, lost []string
	var tokens, times []float64
	for i, s := range now {
		switch {
		case s.Solved && !before[i].Solved:
			gained = append(gained, s.Name)
		case !s.Solved && before[i].Solved:
			lost = append(lost, s.Name)
		}
		tokens = append(tokens, float64(s.PromptTokens+s.CompletionTokens-before[i].PromptTokens-before[i].CompletionTokens))
		times = append(times, s.Took.Seconds()/float64(max(1, s.Turns))-before[i].Took.Seconds()/float64(max(1, before[i].Turns)))
	}
	fmt.Fprintf(out, "%s against %s:\n", file, against)
	fmt.Fprintf(out, "only %s solves %d, only %s solves %d (p = %.3f)\n",
		file, len(gained), against, len(lost), eval.SignTest(len(gained), len(lost)))
	mean, i := eval.MeanInterval(tokens)
	fmt.Fprintf(out, "tokens of a task %+.0f (%+.0f to %+.0f)\n", mean, i.Low, i.High)
	mean, i = eval.MeanInterval(times)
	fmt.Fprintf(out, "seconds of a turn %+.3f (%+.3f to %+.3f)\n", mean, i.Low, i.High)
	for _, name := range slices.Sorted(slices.Values(gained)) {
		fmt.Fprintf(out, "gained: %s\n", name)
	}
	for _, name := range slices.Sorted(slices.Values(lost)) {
		fmt.Fprintf(out, "lost: %s\n", name)
	}
}
