package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"docent/ingest"
	"docent/ingest/work"
	"docent/internal/wiring"
)

// ingestion is one run of `docent ingest`. It reports each file: as JSON lines, or
// as a progress bar and a summary.
type ingestion struct {
	reading
	std     stdio
	req     ingest.Request
	name    string // of standard input
	asJSON  bool
	verbose bool
	enriching

	job     *work.Job // the record of the run
	began   time.Time
	bar     *bar
	enc     *json.Encoder
	report  ingestReport
	summary ingestSummary
}

// run reads the paths and prints the report. It fails with errFailed if any file
// failed.
func (in *ingestion) run(ctx context.Context) error {
	in.began, in.enc = time.Now(), json.NewEncoder(in.std.out)
	in.report = ingestReport{verbose: in.verbose, pruned: in.req.Prune}
	in.bar = newBar(in.std.screen, !in.asJSON)
	defer in.bar.stop()
	if err := in.reembed(ctx); err != nil {
		return err
	}
	if err := in.record(ctx, in.read); err != nil {
		return err
	}
	if in.on {
		if err := in.enrich(ctx); err != nil {
			return err
		}
	}
	if err := saveIndex(ctx, in.Store, in.Embedders); err != nil {
		return err
	}
	in.bar.stop()
	if !in.asJSON {
		if err := in.report.write(in.std.err); err != nil {
			return err
		}
	}
	if err := writeIngest(in.std.out, &in.summary, in.began, in.asJSON); err != nil {
		return err
	}
	if in.summary.Failed > 0 {
		return errFailed
	}
	return nil
}

// record runs read and records it as work of this database, which servers show. Somebody may
// cancel it there. A run that changed nothing leaves no record.
func (in *ingestion) record(ctx context.Context, read func(context.Context) error) error {
	before := in.summary
	ctx, in.job = in.Store.Ingesting(ctx, in.req.Collection, in.req.Paths)
	err := read(ctx)
	now, failed := in.summary, in.summary.Failed-before.Failed
	changed := now.Added + now.Changed + now.Removed - before.Added - before.Changed - before.Removed
	in.job.End(ctx, work.End{Failed: int64(failed), Forget: changed+failed == 0}, err)
	return err
}

// read reads the paths, or standard input.
func (in *ingestion) read(ctx context.Context) error {
	if len(in.req.Paths) == 1 && in.req.Paths[0] == "-" {
		return in.readInput(ctx)
	}
	return in.readPaths(ctx)
}

// readInput reads the document on standard input.
func (in *ingestion) readInput(ctx context.Context) error {
	results, err := in.Ingester.Read(ctx, in.req.Collection, "stdin:"+in.name, in.std.in)
	if err != nil {
		return fmt.Errorf("ingest standard input: %w", err)
	}
	for _, r := range results {
		if err := in.result(r); err != nil {
			return err
		}
	}
	return nil
}

// readPaths reads files and folders. For people, it also counts the skipped and
// the deleted files.
func (in *ingestion) readPaths(ctx context.Context) error {
	req, events := in.req, (*progressEvents)(nil)
	req.Progress = in.bar.set
	if in.asJSON {
		events = newProgressEvents()
		req.Progress = events.set
	}
	show := req.Progress
	req.Progress = func(p ingest.Progress) {
		show(p)
		in.job.Set(func(at *work.Progress) {
			at.Done, at.Total, at.Size = int64(p.Files), int64(p.TotalFiles), p.TotalBytes
		})
	}
	for r, err := range in.Ingester.Ingest(ctx, req) {
		if err != nil {
			return fmt.Errorf("ingest: %w", err)
		}
		if err := in.result(r); err != nil {
			return err
		}
		if e, due := events.due(time.Now()); due {
			if err := in.enc.Encode(map[string]progressLine{"progress": e}); err != nil {
				return err
			}
		}
	}
	if in.asJSON {
		return nil
	}
	var err error
	if in.report.survey, err = in.Ingester.Survey(ctx, req); err != nil {
		return fmt.Errorf("look for deleted files: %w", err)
	}
	return nil
}

// result reports the result of one file.
func (in *ingestion) result(r ingest.Result) error {
	in.summary.count(r)
	if in.asJSON {
		return in.enc.Encode(ingestLine{r.Source, r.Status, r.Chunks, r.Reason.Message, r.Reason.Sentence, r.Note})
	}
	in.bar.done(r.Source)
	if r.Note != "" {
		in.report.partial = append(in.report.partial, r)
	}
	switch {
	case r.Status == ingest.Failed:
		in.report.failure(r)
	case r.Status == ingest.Skipped:
		in.report.skip(r)
	case in.verbose:
		in.bar.print(in.std.err, fmt.Sprintf("%s: %s (%s)\n", r.Status, r.Source, plural(r.Chunks, "passage")))
	}
	return nil
}

// reembed embeds the chunks that have no vector of the present embedder, unless a
// server does so.
func (in *ingestion) reembed(ctx context.Context) error {
	said := false
	n, err := ingest.Reembed(ctx, ingest.Reembedding{
		Store: in.DB.Documents, Leases: in.DB.Encodings, Embedder: in.Embedder,
		Progress: func(_, total int) {
			if !said {
				said = true
				in.bar.print(in.std.err, fmt.Sprintf("the embedder is now %s: embedding %s again\n", in.Embedder.Name(), plural(total, "passage")))
			}
		},
	})
	if err != nil {
		return fmt.Errorf("embed again after %d passages: %w", n, err)
	}
	return nil
}

// saveIndex updates the saved index, so that the next command starts fast.
func saveIndex(ctx context.Context, s *wiring.Store, e *wiring.Embedders) error {
	x, err := wiring.OpenIndexes(ctx, s, e)
	if err != nil {
		return err
	}
	if err := x.Retriever.Save(ctx); err != nil {
		return fmt.Errorf("save index: %w", err)
	}
	return nil
}
