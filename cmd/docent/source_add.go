package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"docent/config"
	"docent/ingest/source"
	"docent/internal/fault"
	"docent/internal/terminal"
	"docent/internal/wiring"
	"docent/rag/corpus"
)

// maxSecret bounds a secret on standard input, in bytes.
const maxSecret = 16 << 10

// onlySecret means the only secret option of a kind.
const onlySecret = "\x00"

func newSourceAdd(std stdio) *cobra.Command {
	var (
		n                  source.New
		options, secretEnv []string
		secretStdin        string
	)
	cmd := &cobra.Command{
		Use:   "add KIND LOCATION",
		Short: "Add a source",
		Long: `Add a source. A running server syncs it at once and then on its schedule. Without
a server, run docent source sync.

Do not put passwords, tokens, or keys on the command line. Pass one secret on
standard input with --secret-stdin, or name environment variables with
--secret-env. docent encrypts secrets and never shows them again.

Kinds:
` + kindsHelp(),
		Example: `  docent source add folder ~/manuals
  docent source add folder /srv/docs --name manuals --collection support --every 15m`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			n.Kind, n.Location = args[0], args[1]
			p, err := open(cmd, std)
			if err != nil {
				return err
			}
			defer p.Close(cmd.Context())
			manager, err := wiring.OpenSources(p, nil)
			if err != nil {
				return err
			}
			if err := completeSource(&n, manager.Kinds(), options, secretEnv, secretStdin, std.in); err != nil {
				return err
			}
			r, err := manager.Add(cmd.Context(), n)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(std.out,
				"added %s; a running server syncs it now, or run: docent source sync %s\n", r.Name, terminal.ShellWord(r.Name))
			return err
		},
	}
	cmd.Flags().StringVar(&n.Name, "name", "", "name of the source (default the location)")
	cmd.Flags().StringVar(&n.Collection, "collection", corpus.DefaultCollection, "collection for its documents")
	cmd.Flags().StringVar(&n.Schedule, "every", "", "interval between syncs, such as 15m, 1h, or 7d; or manual (default depends on the kind)")
	cmd.Flags().StringArrayVar(&options, "option", nil, "option of the kind as NAME=VALUE; can be repeated")
	cmd.Flags().StringArrayVar(&secretEnv, "secret-env", nil, "environment variable that holds a secret option, as NAME=VARIABLE; can be repeated")
	cmd.Flags().StringVar(&secretStdin, "secret-stdin", "", "read a secret option from standard input; use =NAME if the kind has several")
	cmd.Flags().Lookup("secret-stdin").NoOptDefVal = onlySecret
	scoped(cmd, config.Sourced)
	return cmd
}

// kindsHelp lists the kinds with their settings.
func kindsHelp() string {
	var b strings.Builder
	for _, k := range wiring.SourceKinds(config.Config{}) {
		schedule := k.Schedule
		if schedule == "" {
			schedule = "24h"
		}
		fmt.Fprintf(&b, "  %s (every %s)\n", k.Name, schedule)
		for _, o := range k.Options {
			note := ""
			switch {
			case o.Secret:
				note = " (secret)"
			case o.Default != "":
				note = " (default " + o.Default + ")"
			}
			fmt.Fprintf(&b, "    %-16s %s%s\n", o.Name, o.Title.Message, note)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// completeSource adds the options and secrets to a new source.
func completeSource(n *source.New, kinds []source.Kind, options, secretEnv []string, secretStdin string, in io.Reader) error {
	n.Options, n.Secret = map[string]string{}, map[string]string{}
	for _, o := range options {
		name, value, ok := strings.Cut(o, "=")
		if !ok {
			return fault.New(fault.Invalid, "cli_option_syntax", "--option %q is not NAME=VALUE", o)
		}
		n.Options[name] = value
	}
	for _, s := range secretEnv {
		name, variable, ok := strings.Cut(s, "=")
		value, set := config.Variable(variable)
		if !ok || !set || value == "" {
			return fault.New(fault.Invalid, "cli_secret_env_syntax", "--secret-env %q is not NAME=VARIABLE of a variable with a value", s)
		}
		n.Secret[name] = value
	}
	if secretStdin != "" {
		name, err := secretName(kinds, n.Kind, secretStdin)
		if err != nil {
			return err
		}
		data, err := io.ReadAll(io.LimitReader(in, maxSecret+1))
		if err != nil {
			return fmt.Errorf("read the secret: %w", err)
		}
		n.Secret[name] = strings.TrimRight(string(data), "\r\n")
	}
	if n.Kind == "singer" {
		return findTap(n)
	}
	if n.Kind != "folder" {
		return nil
	}
	abs, err := filepath.Abs(n.Location)
	if err != nil {
		return fault.Wrap(fault.Invalid, err, "not_a_path", "%s: not a path", n.Location)
	}
	if info, err := os.Stat(abs); err != nil || !info.IsDir() {
		return fault.New(fault.Invalid, "not_a_folder", "%s is not a folder", abs)
	}
	n.Location = abs
	return nil
}

// findTap sets the location of a new source to the path of its tap.
func findTap(n *source.New) error {
	at, err := exec.LookPath(n.Location)
	if err == nil {
		at, err = filepath.Abs(at)
	}
	if err != nil {
		return fault.Wrap(fault.Invalid, err, "not_a_program", "%s is not a program; install the tap first, or give its path", n.Location)
	}
	n.Location = at
	return nil
}

// secretName returns the secret option on standard input.
func secretName(kinds []source.Kind, kind, given string) (string, error) {
	if given != onlySecret {
		return given, nil
	}
	var names []string
	for _, k := range kinds {
		for _, o := range k.Options {
			if k.Name == kind && o.Secret {
				names = append(names, o.Name)
			}
		}
	}
	switch len(names) {
	case 0:
		return "", fault.New(fault.Invalid, "cli_source_without_secrets", "sources of kind %s have no secrets", kind)
	case 1:
		return names[0], nil
	default:
		return "", fault.New(fault.Invalid,
			"cli_source_secrets_ambiguous", "sources of kind %s have several secrets; use --secret-stdin=NAME with one of %s", kind, strings.Join(names, ", "))
	}
}
