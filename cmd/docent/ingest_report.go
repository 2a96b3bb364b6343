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
	partial  []ingest.Result // read without some of their content
	survey   ingest.Survey
	verbose  bool
	pruned   bool
}

// failure records a failed file.
func (r *ingestReport) failure(res ingest.Result) {
	if r.failures == nil {
		r.failures = map[string][]ingest.Result{}
	}
	kind := reasonKind(res.Reason.Message)
	r.failures[kind] = append(r.failures[kind], res)
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
	kinds := slices.SortedFunc(maps.Keys(r.failures), func(x, y string) int {
		return cmp.Or(cmp.Compare(len(r.failures[y]), len(r.failures[x])), strings.Compare(x, y))
	})
	for _, kind := range kinds {
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
