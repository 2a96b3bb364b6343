package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"docent/ingest"
)

// maxExamples is the number of failures of one kind that are listed without
// --verbose.
const maxExamples = 10

// ingestReport collects the failures of a run by reason.
type ingestReport struct {
	failures map[string][]ingest.Result
	skipped  map[string][]ingest.Result
	partial  []ingest.Result // read without some of their content
	survey   ingest.Survey
	verbose  bool
	pruned   bool
}

// failure records a failed file.
func (r *ingestReport) failure(res ingest.Result) { note(&r.failures, res) }

// skip records a skipped file.
func (r *ingestReport) skip(res ingest.Result) { note(&r.skipped, res) }

// note records a result by its kind of reason.
func note(into *map[string][]ingest.Result, res ingest.Result) {
	if *into == nil {
		*into = map[string][]ingest.Result{}
	}
	kind := reasonKind(res.Reason.Message)
	(*into)[kind] = append((*into)[kind], res)
}

// sortedKinds returns the kinds of reasons, the most frequent first.
func sortedKinds(of map[string][]ingest.Result) []string {
	return slices.SortedFunc(maps.Keys(of), func(x, y string) int {
		return cmp.Or(cmp.Compare(len(of[y]), len(of[x])), strings.Compare(x, y))
	})
}

// byName are the ids of the reasons to skip a file that a person may want.
var byName = []string{"skipped_style_sheet", "skipped_package_lock", "skipped_minified"}

// writeSkipped prints the skipped files by their kind, and how to read them.
func (r *ingestReport) writeSkipped(b *strings.Builder) {
	wanted := false
	for _, kind := range sortedKinds(r.skipped) {
		files := r.skipped[kind]
		fmt.Fprintf(b, "%d skipped: %s\n", len(files), kind)
		wanted = wanted || slices.Contains(byName, files[0].Reason.Sentence.ID)
		if r.verbose {
			for _, f := range files {
				fmt.Fprintf(b, "  %s: %s\n", f.Source, f.Reason.Message)
			}
		}
	}
	if wanted {
		fmt.Fprintf(b, "  to read skipped files, name them, or write such as !*.css into %s\n", ingest.IgnoreFile)
	}
}

// reasonKind returns the part of a reason that similar failures share.
func reasonKind(reason string) string {
	kind, _, found := strings.Cut(reason, ":")
	if !found || len(kind) > 40 {
		return reason
	}
	return kind
}

// write prints the failures, the skipped files, and the deleted files.
func (r *ingestReport) write(w io.Writer) error {
	var b strings.Builder
	for _, kind := range sortedKinds(r.failures) {
		files := r.failures[kind]
		fmt.Fprintf(&b, "%d failed: %s\n", len(files), kind)
		for i, f := range files {
			if i == maxExamples && !r.verbose {
				fmt.Fprintf(&b, "  and %d more; --verbose lists all\n", len(files)-i)
				break
			}
			fmt.Fprintf(&b, "  %s: %s\n", f.Source, f.Reason.Message)
		}
	}
	if len(r.partial) > 0 {
		fmt.Fprintf(&b, "%d read in part\n", len(r.partial))
	}
	for i, f := range r.partial {
		if i == maxExamples && !r.verbose {
			fmt.Fprintf(&b, "  and %d more; --verbose lists all\n", len(r.partial)-i)
			break
		}
		fmt.Fprintf(&b, "  %s: %s\n", f.Source, f.Note)
	}
	r.writeSkipped(&b)
	if n := r.survey.Skipped; n > 0 {
		fmt.Fprintf(&b, "%d skipped: hidden or ignored\n", n)
	}
	if n := len(r.survey.Gone); n > 0 && !r.pruned {
		owner, them := "documents' files are", "them"
		if n == 1 {
			owner, them = "document's file is", "it"
		}
		fmt.Fprintf(&b, "%d %s gone; run again with --prune to remove %s\n", n, owner, them)
		if r.verbose {
			for _, s := range r.survey.Gone {
				fmt.Fprintf(&b, "  %s\n", s)
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
