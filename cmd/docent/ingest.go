package main

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"docent/config"
	"docent/ingest"
	"docent/internal/fault"
	"docent/rag/corpus"
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
	Skipped   int     `json:"skipped,omitempty"`
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
	case ingest.Skipped:
		s.Skipped++
	}
	if r.Status != ingest.Removed {
		s.Chunks += r.Chunks
	}
}

func newIngest(std stdio) *cobra.Command {
	var (
		asJSON, prune, retry, watch, verbose, follow bool
		collection, name                             string
		enrich                                       enriching
	)
	cmd := &cobra.Command{
		Use:   "ingest PATH... | -",
		Short: "Read files, folders, or standard input",
		Long: `Read files and folders into the database. docent adds new files, replaces changed
files, and skips unchanged files. A running server sees each document as soon as it
is stored.

docent detects the format from the content. It reads:

` + formatList() + `
docent skips hidden files, version control folders, and files named in
.docentignore. It also skips links that lead out of the given paths, and files without
text for readers: empty files, pictures without text, style sheets, package locks,
minified code, backups, and unfinished downloads. To read such a file, name it on the
command line, or with ! in .docentignore, such as !*.css. docent reports each file that
it cannot read. It tries the file again when the file changes, or
with --retry. Documents of deleted files stay until you run docent ingest with
--prune.

With --json, docent prints one object per file, a progress object at most once a
second, and a summary at the end.

With --watch, docent reads the paths once and then follows changes until you
interrupt it. It also removes the documents of deleted files, as --prune does. If a
watched folder itself disappears, docent reports it and removes nothing.

With --enrich, the chat model writes a sentence of context and some questions about
each passage in the database. Search uses them to find passages; answers never quote
them. docent shows the number of calls first and asks. It keeps finished texts, so an
interrupted run continues.

Exit status: 0 no file failed, 1 some files failed, 2 usage error.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := load(cmd)
			if err != nil {
				return err
			}
			if err := enrich.check(watch, cfg.LLM.Enabled()); err != nil {
				return err
			}
			p, err := openReading(cmd, std)
			if err != nil {
				return err
			}
			defer p.Close(cmd.Context())
			in := &ingestion{
				reading: p, std: std, name: name, asJSON: asJSON, verbose: verbose, enriching: enrich,
				req: ingest.Request{Collection: collection, Paths: args, Links: ingest.Links{Follow: follow}, Prune: prune || watch, Retry: retry},
			}
			if !watch {
				return in.run(cmd.Context())
			}
			return in.watch(cmd.Context())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object per file, then a summary")
	cmd.Flags().BoolVar(&verbose, "verbose", false, "list each file with its result, and every failure")
	cmd.Flags().BoolVar(&prune, "prune", false, "remove documents below the given folders whose files no longer exist")
	cmd.Flags().BoolVar(&follow, "follow", false, "follow symbolic links that lead out of the given paths")
	cmd.Flags().BoolVar(&watch, "watch", false, "follow changes until interrupted, and remove documents of deleted files")
	cmd.Flags().BoolVar(&retry, "retry", false, "retry files that failed before")
	cmd.Flags().BoolVar(&enrich.on, "enrich", false, "let the chat model write searchable questions about all passages")
	cmd.Flags().BoolVar(&enrich.yes, "yes", false, "with --enrich, do not ask before the model is called")
	cmd.Flags().StringVar(&name, "name", "input", "name of standard input; the source of the document is stdin:NAME")
	cmd.Flags().StringVar(&collection, "collection", corpus.DefaultCollection, "collection to add the documents to")
	scoped(cmd, config.Chatting, config.Ingesting, config.Embedding)
	return cmd
}

// String returns the results in one line.
func (s ingestSummary) String() string {
	skipped := ""
	if s.Skipped > 0 {
		skipped = fmt.Sprintf(", %d skipped", s.Skipped)
	}
	return fmt.Sprintf("%d added, %d changed, %d unchanged, %d removed, %d failed%s; %s in %.1f s",
		s.Added, s.Changed, s.Unchanged, s.Removed, s.Failed, skipped, plural(s.Chunks, "passage"), s.Seconds)
}

// writeIngest prints the summary.
func writeIngest(w io.Writer, s *ingestSummary, began time.Time, asJSON bool) error {
	s.Seconds = time.Since(began).Seconds()
	if asJSON {
		return json.NewEncoder(w).Encode(map[string]any{"summary": s})
	}
	_, err := fmt.Fprintln(w, s)
	return err
}
