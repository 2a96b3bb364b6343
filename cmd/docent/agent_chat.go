package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"docent/agent"
	"docent/agent/definition"
	"docent/agent/intent"
	"docent/agent/session/journal"
	"docent/cmd/docent/dialog"
	"docent/config"
	"docent/internal/fault"
	"docent/internal/wiring"
)

func newAgentNew(std stdio) *cobra.Command {
	return &cobra.Command{
		Use:   "new FILE",
		Short: "Write a commented agent file to start from",
		Long:  "Write a commented agent file to start from. FILE ends in .yaml or .yml, and its\nname becomes the name of the agent. An existing file is not changed.",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			ext := filepath.Ext(args[0])
			if ext != ".yaml" && ext != ".yml" {
				return fault.New(fault.Invalid, "agent_file_ending", "%s: the name of the file must end in .yaml or .yml", args[0])
			}
			name := strings.TrimSuffix(filepath.Base(args[0]), ext)
			if name == "" {
				return fault.New(fault.Invalid, "agent_file_nameless", "%s: the file needs a name before %s, as in shop%s", args[0], ext, ext)
			}
			text, err := definition.New(name)
			if err != nil {
				return err
			}
			if err := writeNew(args[0], text); err != nil {
				return err
			}
			_, err = fmt.Fprintf(std.out, "wrote %s; try it with: docent agent chat %s\n", args[0], args[0])
			return err
		},
	}
}

// writeNew writes a file that does not exist.
func writeNew(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // people share agent files
	switch {
	case errors.Is(err, fs.ErrExist):
		return fault.New(fault.Conflict, "cli_file_exists", "%s exists already; choose another name, or remove it first", path)
	case errors.Is(err, fs.ErrNotExist):
		return fault.New(fault.Invalid, "cli_folder_missing", "there is no folder %s; make it first", filepath.Dir(path))
	case err != nil:
		return fault.New(fault.Invalid, "other_error", "%w", err)
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

func newAgentChat(std stdio) *cobra.Command {
	var times bool
	cmd := &cobra.Command{
		Use:   "chat FILE",
		Short: "Talk with an agent file in the terminal",
		Long: `Talk with an agent file in the terminal. Each line is a message. For each message,
the command shows the intent with its score, the states, and the replies. The
agent answers from the documents of the data folder. The conversation is not kept.
End it with /quit, or with Ctrl-D.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := openReading(cmd, std)
			if err != nil {
				return err
			}
			defer p.Close(cmd.Context())
			x, err := wiring.OpenIndexes(cmd.Context(), p.Store, p.Embedders)
			if err != nil {
				return err
			}
			a, err := wiring.OpenAnswers(p.Store, p.Embedders, x)
			if err != nil {
				return err
			}
			return chatWith(cmd.Context(), std, a, p.Readers, args[0], times)
		},
	}
	cmd.Flags().BoolVar(&times, "times", false, "show the time and the tokens of each turn")
	scoped(cmd, config.Answering, config.Chatting, config.Embedding)
	return cmd
}

// chatWith runs an agent until the user ends the conversation.
func chatWith(ctx context.Context, std stdio, answers *wiring.Answers, readers *wiring.Readers, file string, times bool) (err error) {
	classifier, err := intent.NewExamples(intent.ExamplesConfig{Threshold: leastScore})
	if err != nil {
		return fmt.Errorf("intents: %w", err)
	}
	var t *dialog.Dialog
	wrap := func(a *agent.Agent, s journal.Store) journal.Store {
		cfg := dialog.Config{Agent: a.Name(), Out: std.out, Times: times}
		if len(a.Intents()) > 0 {
			cfg.Closest = func(ctx context.Context, text string) (string, float64) {
				found, err := classifier.Classify(ctx, intent.Request{Text: text, Intents: a.Intents()})
				if err != nil {
					return intent.Fallback, 0
				}
				return found.Intent, found.Score
			}
		}
		t = dialog.New(cfg)
		return t.Watch(s)
	}
	trial, err := wiring.NewTrial(ctx, answers, readers, wiring.TrialConfig{File: file, Wrap: wrap})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, trial.Close(ctx)) }()
	fmt.Fprintf(std.out, "Each line is a message. /quit ends the conversation.\n")
	return t.Run(ctx, trial.Runtime, std.in)
}

// leastScore is a threshold that shows also remote intents.
const leastScore = 1e-6
