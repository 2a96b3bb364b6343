package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"docent/ingest"
)

// ingestOutput is how a run reports.
type ingestOutput struct {
	name    string // of standard input
	asJSON  bool
	verbose bool
}

// ingestPaths runs one ingest and reports each file: as JSON lines, or as a
// progress bar and a summary. The returned func ends the report; it fails
// with errFailed if any file did.
func (a *app) ingestPaths(cmd *cobra.Command, std stdio, req ingest.Request, out ingestOutput, sum *ingestSummary) (func() error, error) {
	ctx, began := cmd.Context(), time.Now()
	bar := newBar(std.err, !out.asJSON)
	defer bar.stop()
	if err := a.reembed(cmd, std, bar); err != nil {
		return nil, err
	}
	enc := json.NewEncoder(std.out)
	rep := ingestReport{verbose: out.verbose, pruned: req.Prune}
	one := func(r ingest.Result) error {
		sum.count(r)
		if out.asJSON {
			return enc.Encode(ingestLine{r.Source, r.Status, r.Chunks, r.Reason.Message, r.Reason.Sentence, r.Note})
		}
		bar.done(r.Source)
		if r.Note != "" {
			rep.partial = append(rep.partial, r)
		}
		if r.Status == ingest.Failed {
			rep.failure(r)
		} else if out.verbose {
			bar.print(std.err, fmt.Sprintf("%s: %s (%s)\n", r.Status, r.Source, plural(r.Chunks, "chunk")))
		}
		return nil
	}
	if len(req.Paths) == 1 && req.Paths[0] == "-" {
		results, err := a.ingester.Read(ctx, req.Collection, "stdin:"+out.name, std.in)
		if err != nil {
			return nil, fmt.Errorf("ingest standard input: %w", err)
		}
		for _, r := range results {
			if err := one(r); err != nil {
				return nil, err
			}
		}
	} else if err := a.ingestFiles(ctx, req, out, bar, &rep, enc, one); err != nil {
		return nil, err
	}
	if err := a.saveIndex(cmd); err != nil {
		return nil, err
	}
	return func() error {
		bar.stop()
		if !out.asJSON {
			if err := rep.write(std.err); err != nil {
				return err
			}
		}
		if err := writeIngest(std.out, sum, began, out.asJSON); err != nil {
			return err
		}
		if sum.Failed > 0 {
			return errFailed
		}
		return nil
	}, nil
}

// ingestFiles runs an ingest of files and folders, and finds what it left out.
func (a *app) ingestFiles(ctx context.Context, req ingest.Request, out ingestOutput, bar *bar, rep *ingestReport, enc *json.Encoder, one func(ingest.Result) error) error {
	req.Progress = bar.set
	var events *progressEvents
	if out.asJSON {
		events = newProgressEvents()
		req.Progress = events.set
	}
	for r, err := range a.ingester.Ingest(ctx, req) {
		if err != nil {
			return fmt.Errorf("ingest: %w", err)
		}
		if err := one(r); err != nil {
			return err
		}
		if e, due := events.due(time.Now()); due {
			if err := enc.Encode(map[string]progressLine{"progress": e}); err != nil {
				return err
			}
		}
	}
	if out.asJSON {
		return nil
	}
	survey, err := a.ingester.Survey(ctx, req)
	if err != nil {
		return fmt.Errorf("look for files that are gone: %w", err)
	}
	rep.survey = survey
	return nil
}

// reembed embeds chunks without a vector by the present embedder, and reports
// it.
func (a *app) reembed(cmd *cobra.Command, std stdio, bar *bar) error {
	said := false
	n, err := ingest.Reembed(cmd.Context(), a.db, a.embedder, func(done, total int) {
		if !said {
			said = true
			bar.print(std.err, fmt.Sprintf("the embedder is now %s: embedding %s again\n", a.embedder.Name(), plural(total, "chunk")))
		}
	})
	if err != nil {
		return fmt.Errorf("embed again after %d chunks: %w", n, err)
	}
	return nil
}

// saveIndex brings the saved index up to date, so that the next question starts
// fast.
func (a *app) saveIndex(cmd *cobra.Command) error {
	if err := a.addRetriever(cmd.Context()); err != nil {
		return err
	}
	if err := a.retriever.Save(cmd.Context()); err != nil {
		return fmt.Errorf("save index: %w", err)
	}
	return nil
}
