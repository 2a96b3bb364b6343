package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"docent/config"
	"docent/insight/approve"
	"docent/internal/fault"
	"docent/rag/corpus"
)

func newAnswers(std stdio) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "answers",
		Short: "Import approved answers",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newAnswersImport(std))
	return cmd
}

func newAnswersImport(std stdio) *cobra.Command {
	var (
		in     approve.Import
		dryRun bool
	)
	cmd := &cobra.Command{
		Use:   "import FILE.csv | -",
		Short: "Import approved answers from a table",
		Long: `Import approved answers from CSV in UTF-8. The first row has the names of the
columns, in any order:

  question     the question
  answer       the answer in Markdown
  wordings     optional: other wordings, one in each line of the cell
  signed       optional: the person or the team that answers
  owner        optional: the person who cares for the answer
  review       optional: the day of the next check, as YYYY-MM-DD
  collection   optional: the collection; the default is that of --collection

A row changes the answer to its question in its collection, or adds one. Importing a
table again changes nothing. With --dry-run, docent only prints what it would do.

Exit status: 0 no row was refused, 1 some rows were refused, 2 usage error.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			data, err := readTable(std, args[0])
			if err != nil {
				return err
			}
			if in.Rows, err = approve.ReadTable(data); err != nil {
				return err //nolint:wrapcheck // the error is complete
			}
			p, err := openReading(cmd, std)
			if err != nil {
				return err
			}
			defer p.Close(cmd.Context())
			return p.importAnswers(cmd.Context(), std, in, dryRun)
		},
	}
	cmd.Flags().StringVar(&in.Collection, "collection", corpus.DefaultCollection, "collection of rows without one")
	cmd.Flags().StringVar(&in.Signed, "signed", approve.DefaultSignature, "signature of new answers without one")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "print what would be done, and store nothing")
	scoped(cmd, config.Ingesting, config.Embedding)
	return cmd
}

// readTable reads a file or standard input.
func readTable(std stdio, name string) ([]byte, error) {
	r := std.in
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, fault.New(fault.Invalid, "cli_table_unreadable", "cannot read %s: %w", name, err)
		}
		defer func() { _ = f.Close() }() // it was only read
		r = f
	}
	data, err := io.ReadAll(io.LimitReader(r, approve.MaxBytes+1))
	if err != nil {
		return nil, fault.New(fault.Invalid, "cli_table_unreadable", "cannot read %s: %w", name, err)
	}
	return data, nil
}

// importAnswers imports a table, and prints a line for each row. It fails with errFailed if a row was
// refused.
func (r reading) importAnswers(ctx context.Context, std stdio, in approve.Import, dryRun bool) error {
	writer := approve.New(approve.Config{Answers: r.DB.Approved, Store: r.storeAnswer, Read: r.DB.Library.Document})
	steps, err := writer.Plan(ctx, in)
	if err != nil {
		return fmt.Errorf("compare the table with the answers: %w", err)
	}
	if !dryRun {
		if steps, err = writer.Apply(ctx, steps); err != nil {
			return fmt.Errorf("import answers: %w", err)
		}
	}
	counts := map[approve.Status]int{}
	w := tabwriter.NewWriter(std.out, 0, 0, 2, ' ', 0)
	for _, s := range steps {
		counts[s.Status]++
		line := fmt.Sprintf("row %d\t%s\t%s", s.Row, s.Status, oneLine(s.Question))
		if !s.Reason.IsZero() {
			line += ": " + s.Reason.Message
		}
		fmt.Fprintln(w, strings.TrimSpace(line))
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print the rows: %w", err)
	}
	end := ""
	if dryRun {
		end = "; nothing was stored"
	}
	fmt.Fprintf(std.out, "%d added, %d changed, %d unchanged, %d refused%s\n",
		counts[approve.Added], counts[approve.Changed], counts[approve.Unchanged], counts[approve.Refused], end)
	if counts[approve.Refused] > 0 {
		return errFailed
	}
	return nil
}

// storeAnswer stores the document of an answer; see approve.Config.
func (r reading) storeAnswer(ctx context.Context, collection, source, markdown string) (int64, error) {
	results, err := r.Ingester.Read(ctx, collection, source, strings.NewReader(markdown))
	if err != nil {
		return 0, err //nolint:wrapcheck // the ingester names the source
	}
	if len(results) != 1 || results[0].DocumentID == 0 {
		return 0, approve.Unreadable() //nolint:wrapcheck // the error is complete
	}
	return results[0].DocumentID, nil
}
