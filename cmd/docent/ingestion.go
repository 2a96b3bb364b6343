package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"docent/ingest"
)

// ingestPaths runs one ingest and reports each file: as JSON lines, or as a
// progress bar and the failures. The returned func ends the report; it fails
// with errFailed if any file did.
func (a *app) ingestPaths(cmd *cobra.Command, std stdio, req ingest.Request, name string, asJSON bool, sum *ingestSummary) (func() error, error) {
	ctx, began := cmd.Context(), time.Now()
	bar := newBar(std.err, !asJSON)
	defer bar.stop()
	if err := a.reembed(cmd, std, bar); err != nil {
		return nil, err
	}
	enc := json.NewEncoder(std.out)
	one := func(r ingest.Result) error {
		sum.count(r)
		if asJSON {
			return enc.Encode(ingestLine{r.Source, r.Status, r.Chunks, r.Reason})
		}
		if r.Status == ingest.Failed {
			bar.print(std.err, fmt.Sprintf("failed: %s: %s\n", r.Source, r.Reason))
		}
		return nil
	}
	if len(req.Paths) == 1 && req.Paths[0] == "-" {
		results, err := a.ingester.Read(ctx, req.Collection, "stdin:"+name, std.in)
		if err != nil {
			return nil, fmt.Errorf("ingest standard input: %w", err)
		}
		for _, r := range results {
			if err := one(r); err != nil {
				return nil, err
			}
		}
	} else {
		req.Progress = bar.set
		for r, err := range a.ingester.Ingest(ctx, req) {
			if err != nil {
				return nil, fmt.Errorf("ingest: %w", err)
			}
			if err := one(r); err != nil {
				return nil, err
			}
		}
	}
	if err := a.saveIndex(cmd); err != nil {
		return nil, err
	}
	return func() error {
		bar.stop()
		if err := writeIngest(std.out, sum, began, asJSON); err != nil {
			return err
		}
		if sum.Failed > 0 {
			return errFailed
		}
		return nil
	}, nil
}

// reembed gives chunks vectors by the present embedder where they have none,
// and says so.
func (a *app) reembed(cmd *cobra.Command, std stdio, bar *bar) error {
	said := false
	n, err := a.ingester.Reembed(cmd.Context(), func(done, total int) {
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

// bar is the progress bar of a terminal; on anything else it shows nothing.
type bar struct {
	progress *mpb.Progress
	files    *mpb.Bar
	chunks   int
}

func newBar(w io.Writer, wanted bool) *bar {
	f, ok := w.(*os.File)
	if !ok || !wanted {
		return &bar{}
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return &bar{}
	}
	b := &bar{progress: mpb.New(mpb.WithOutput(f), mpb.WithWidth(40))}
	began := time.Now()
	b.files = b.progress.AddBar(0,
		mpb.PrependDecorators(decor.CountersNoUnit("%d/%d files")),
		mpb.AppendDecorators(
			decor.Any(func(decor.Statistics) string {
				return fmt.Sprintf("%.0f chunks/s ", float64(b.chunks)/max(time.Since(began).Seconds(), .001))
			}),
			decor.OnComplete(decor.AverageETA(decor.ET_STYLE_GO), "done"),
		),
		mpb.BarRemoveOnComplete(),
	)
	return b
}

// set shows how far it is.
func (b *bar) set(p ingest.Progress) {
	if b.files == nil {
		return
	}
	b.chunks = p.Chunks
	b.files.SetTotal(int64(p.TotalFiles), false)
	b.files.SetCurrent(int64(p.Files))
}

// print writes a line above the bar.
func (b *bar) print(w io.Writer, line string) {
	if b.progress != nil {
		w = b.progress
	}
	_, _ = io.WriteString(w, line) // a report that cannot be written stops nothing
}

// stop removes the bar.
func (b *bar) stop() {
	if b.progress == nil {
		return
	}
	b.files.Abort(true)
	b.progress.Wait()
	b.progress, b.files = nil, nil
}
