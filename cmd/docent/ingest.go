package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"docent/config"
	"docent/ingest"
	"docent/internal/fault"
	"docent/rag"
)

// ingestLine is a line of `ingest --json`; its keys are a contract.
type ingestLine struct {
	Source string `json:"source"`
	Status string `json:"status"`
	Chunks int    `json:"chunks"`
	Reason string `json:"reason,omitempty"`
	// Sentence names the reason; docs/reference/errors.md lists the ids.
	Sentence fault.Sentence `json:"sentence,omitzero"`
	Note     string         `json:"note,omitempty"`
}

// ingestSummary ends `ingest --json`; its keys are a contract.
type ingestSummary struct {
	Added     int     `json:"added"`
	Changed   int     `json:"changed"`
	Unchanged int     `json:"unchanged"`
	Removed   int     `json:"removed"`
	Failed    int     `json:"failed"`
	Chunks    int     `json:"chunks"`
	Seconds   float64 `json:"seconds"`
}

func (s *ingestSummary) count(r ingest.Result) {
	switch r.Status {
	case ingest.Added:
		s.Added++
	case ingest.Changed:
		s.Changed++
	case ingest.Unchanged:
		s.Unchanged++
	case ingest.Removed:
		s.Removed++
	case ingest.Failed:
		s.Failed++
	}
	if r.Status != ingest.Removed {
		s.Chunks += r.Chunks
	}
}

func newIngest(std stdio) *cobra.Command {
	var (
		asJSON, prune, retry, watch, verbose bool
		collection, name                     string
	)
	cmd := &cobra.Command{
		Use:   "ingest PATH... | -",
		Short: "Read documents: files, folders, or - for standard input",
		Long: `Bring the database in line with files and folders: new files are added, changed
files replaced, and unchanged files only hashed. A running server sees each
document as soon as it is stored.

docent detects the format from the content. It reads:

  documents      Markdown, text, HTML, PDF, DOCX, PPTX, XLSX, ODT, ODS, ODP, RTF
  mail           EML, MSG, MBOX, MHT
  books          EPUB, Jupyter notebooks
  markup         LaTeX, reStructuredText, AsciiDoc, Org, SVG, and XML such as
                 DocBook, DITA and JATS
  data           CSV, JSON, JSONL, YAML, SQL, subtitles (SRT, VTT)
  source code    most languages
  archives       ZIP and TAR, with the documents in them
  with tesseract    images and scanned pages
  with LibreOffice  DOC, XLS, PPT

Hidden files, version control folders and files named in .docentignore are
skipped. A file that cannot be read is reported and remembered. It is tried again
when it changes, or with --retry. When files are gone, their documents stay until
you run docent ingest with --prune.

With --json, docent writes an object per file, an object with the progress at
most once a second, and a summary at the end.

With --watch, docent reads the paths once and then follows changes until you
interrupt it. It also removes the documents of files that are deleted, as --prune
does. If a watched folder itself vanishes, docent says so and removes nothing.

Exit status: 0 everything is searchable, 1 some files failed, 2 wrong call.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			a, err := openIngest(cmd, std)
			if err != nil {
				return err
			}
			defer a.close()
			var sum ingestSummary
			var known ingest.Listing
			var roots []*watchRoot
			if watch {
				if slices.Contains(args, "-") {
					return fault.New(fault.Invalid, "cli_watch_stdin", "standard input cannot be watched: name files and folders")
				}
				if roots, err = a.watchRoots(cmd.Context(), ingest.Request{Collection: collection, Paths: args}); err != nil {
					return err
				}
				if known, err = ingest.List(cmd.Context(), args); err != nil {
					return err
				}
			}
			report, err := a.ingestPaths(cmd, std, ingest.Request{
				Collection: collection, Paths: args, Prune: prune || watch, Retry: retry,
			}, ingestOutput{name: name, asJSON: asJSON, verbose: verbose}, &sum)
			if err != nil {
				return err
			}
			err = report()
			if !watch || err != nil && !errors.Is(err, errFailed) {
				return err
			}
			return a.followPaths(cmd, std, ingest.Request{Collection: collection, Paths: args, Retry: retry}, asJSON, known, roots)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object per file, then a summary")
	cmd.Flags().BoolVar(&verbose, "verbose", false, "list every file that failed or is gone, and each result")
	cmd.Flags().BoolVar(&prune, "prune", false, "remove documents under the given folders whose files are gone")
	cmd.Flags().BoolVar(&watch, "watch", false, "follow changes until interrupted; removes documents of deleted files")
	cmd.Flags().BoolVar(&retry, "retry", false, "try files again that failed before")
	cmd.Flags().StringVar(&name, "name", "input", "what to call standard input: its source is stdin:NAME")
	cmd.Flags().StringVar(&collection, "collection", rag.DefaultCollection, "collection to put them in")
	scoped(cmd, config.Ingesting, config.Embedding)
	return cmd
}

// summary says what happened in one line.
func (s ingestSummary) String() string {
	return fmt.Sprintf("%d added, %d changed, %d unchanged, %d removed, %d failed; %s in %.1f s",
		s.Added, s.Changed, s.Unchanged, s.Removed, s.Failed, plural(s.Chunks, "chunk"), s.Seconds)
}

// writeIngest ends the report.
func writeIngest(w io.Writer, s *ingestSummary, began time.Time, asJSON bool) error {
	s.Seconds = time.Since(began).Seconds()
	if asJSON {
		return json.NewEncoder(w).Encode(map[string]any{"summary": s})
	}
	_, err := fmt.Fprintln(w, s)
	return err
}
