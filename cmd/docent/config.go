package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"docent/auth/audit"
	"docent/config"
	"docent/internal/fault"
	"docent/internal/wiring"
	"docent/settings"
)

// newConfig has the commands for stored settings. Its help documents all settings.
func newConfig(std stdio) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "List all settings, and change those in the database",
		Long: `Flags override environment variables. Variables override the configuration file,
the file overrides the values in the database, and these override the defaults.
The file is named by --config or ` + config.FileEnv + `. The default is docent.yaml in the
data folder. Dots in a key stand for nesting.

The database can hold some settings, which the column "in the console" shows. The
console and docent config set change them, also while a server runs.

` + config.Table(),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newConfigLs(std), newConfigGet(std), newConfigSet(std), newConfigUnset(std), newConfigRotate(std))
	return cmd
}

func newConfigLs(std stdio) *cobra.Command {
	return &cobra.Command{
		Use:   "ls",
		Short: "List the settings that the database can hold, with their origins",
		Args:  cobra.NoArgs,
		RunE: withWebhooks(std, func(ctx context.Context, p *wiring.Store, _ []string) error {
			all, err := p.Settings.List(ctx)
			if err != nil {
				return err
			}
			w := tabwriter.NewWriter(std.out, 0, 4, 2, ' ', 0)
			fmt.Fprintln(w, "KEY\tVALUE\tFROM\tA CHANGE APPLIES")
			for _, item := range all {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", item.Key, cmp.Or(listed(item), "-"), from(item), item.Storage)
			}
			return w.Flush()
		}),
	}
}

// listed shortens a value for the list, such as that of a picture. It hides secrets.
func listed(item settings.Item) string {
	const runes = 100
	if item.Has {
		return "(secret)"
	}
	value := item.Value
	if r := []rune(value); len(r) > runes {
		return string(r[:runes]) + "…"
	}
	return value
}

// from describes the origin of a setting.
func from(item settings.Item) string {
	switch {
	case item.Problem != nil:
		return "default (the stored value is ignored: " + fault.Message(item.Problem) + ")"
	case item.Origin.Kind == config.ByDefault:
		return "default"
	}
	return item.Origin.String()
}

func newConfigGet(std stdio) *cobra.Command {
	return &cobra.Command{
		Use:   "get KEY",
		Short: "Print the value of a setting",
		Args:  cobra.ExactArgs(1),
		RunE: withWebhooks(std, func(ctx context.Context, p *wiring.Store, args []string) error {
			item, err := p.Settings.Get(ctx, args[0])
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(std.out, item.Value)
			return err
		}),
	}
}

func newConfigSet(std stdio) *cobra.Command {
	return &cobra.Command{
		Use:   "set KEY VALUE",
		Short: "Store the value of a setting",
		Long:  `Secrets are encrypted. The value - of a secret reads it from standard input.`,
		Example: `  docent config set k 6
  docent config set -- llm.temperature -1
  docent config set sign-in.client-secret - < secret.txt`,
		Args: cobra.ExactArgs(2),
		RunE: withWebhooks(std, func(ctx context.Context, p *wiring.Store, args []string) error {
			value := args[1]
			if item, err := p.Settings.Get(ctx, args[0]); err == nil && item.Secret && value == "-" {
				read, err := io.ReadAll(io.LimitReader(std.in, settings.MaxValue))
				if err != nil {
					return fmt.Errorf("standard input: %w", err)
				}
				value = strings.TrimSpace(string(read))
			}
			if err := p.Settings.Set(ctx, args[0], value); err != nil {
				return err
			}
			return changedSetting(ctx, std, p, audit.SettingChanged, args[0])
		}),
	}
}

func newConfigUnset(std stdio) *cobra.Command {
	return &cobra.Command{
		Use:   "unset KEY",
		Short: "Remove the stored value of a setting, so that the default applies",
		Args:  cobra.ExactArgs(1),
		RunE: withWebhooks(std, func(ctx context.Context, p *wiring.Store, args []string) error {
			if err := p.Settings.Unset(ctx, args[0]); err != nil {
				return err
			}
			return changedSetting(ctx, std, p, audit.SettingRemoved, args[0])
		}),
	}
}

// changedSetting records a change and says when it applies.
func changedSetting(ctx context.Context, std stdio, p *wiring.Store, action audit.Action, key string) error {
	_, err := p.DB.Audit.AddRecord(ctx, audit.Record{Actor: audit.Operator, Action: action, Object: key})
	item, failed := p.Settings.Get(ctx, key)
	if err := errors.Join(err, failed); err != nil {
		return err
	}
	_, err = fmt.Fprintf(std.out, "%s is now %s (from %s). A running server uses it %s.\n",
		key, cmp.Or(listed(item), `""`), from(item), item.Storage)
	return err
}
