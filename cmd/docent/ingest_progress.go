package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"docent/ingest"
	"docent/internal/terminal"
	"docent/rag/text"
)

// progressInterval is the minimum time between two progress objects.
const progressInterval = time.Second

// progressLine is the progress object of `ingest --json`; its keys are a
// contract.
type progressLine struct {
	Files      int     `json:"files"`
	TotalFiles int     `json:"total_files"`
	Bytes      int64   `json:"bytes"`
	TotalBytes int64   `json:"total_bytes"`
	Chunks     int     `json:"chunks"`
	Seconds    float64 `json:"seconds"`
}

// progressEvents returns a progress object at most once per interval. It is safe for
// concurrent use.
type progressEvents struct {
	began time.Time
	mu    sync.Mutex
	last  time.Time // guarded by mu, like at
	at    ingest.Progress
}

func newProgressEvents() *progressEvents {
	now := time.Now()
	return &progressEvents{began: now, last: now}
}

// set records the progress of the run.
func (e *progressEvents) set(p ingest.Progress) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.at = p
}

// due returns the progress object, if the last one is an interval old.
func (e *progressEvents) due(now time.Time) (progressLine, bool) {
	if e == nil {
		return progressLine{}, false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if now.Sub(e.last) < progressInterval {
		return progressLine{}, false
	}
	e.last = now
	return progressLine{
		Files: e.at.Files, TotalFiles: e.at.TotalFiles, Bytes: e.at.Bytes, TotalBytes: e.at.TotalBytes,
		Chunks: e.at.Chunks, Seconds: now.Sub(e.began).Seconds(),
	}, true
}

// bar is the progress bar of a terminal. It shows nothing without a terminal.
type bar struct {
	progress *mpb.Progress
	bytes    *mpb.Bar
	began    time.Time
	mu       sync.Mutex
	at       ingest.Progress // guarded by mu, like last
	last     string          // the file that was finished last
}

// isTerminal reports whether a file is a terminal. It is false for nil.
func isTerminal(f *os.File) bool {
	if f == nil {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// newBar returns the progress bar of an ingestion.
func newBar(f *os.File, wanted bool) *bar {
	if !wanted || !isTerminal(f) {
		return &bar{}
	}
	b := &bar{progress: mpb.New(mpb.WithOutput(f), mpb.WithWidth(30)), began: time.Now()}
	b.bytes = b.progress.AddBar(0,
		mpb.PrependDecorators(decor.Any(func(decor.Statistics) string { return b.counts() })),
		mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return b.rates(time.Since(b.began)) })),
		mpb.BarRemoveOnComplete(),
	)
	return b
}

// counts returns the number of finished files and of all files.
func (b *bar) counts() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return fmt.Sprintf("%d/%d files ", b.at.Files, b.at.TotalFiles)
}

// rates returns the speed, the remaining time, and the current file.
func (b *bar) rates(elapsed time.Duration) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	seconds := max(elapsed.Seconds(), .001)
	out := fmt.Sprintf(" %.0f files/s %.1f MB/s", float64(b.at.Files)/seconds, float64(b.at.Bytes)/1e6/seconds)
	if b.at.Bytes > 0 && b.at.TotalBytes > b.at.Bytes {
		left := time.Duration(seconds * float64(b.at.TotalBytes-b.at.Bytes) / float64(b.at.Bytes) * float64(time.Second))
		out += fmt.Sprintf(" %s left", left.Round(time.Second))
	}
	name := b.at.Reading
	if name == "" {
		name = b.last
	}
	if name != "" {
		out += " " + shortName(text.Visible(filepath.Base(name)))
	}
	return out
}

// shortName shortens a name at its start, so that it fits beside the bar.
func shortName(name string) string {
	const most = 24
	if r := []rune(name); len(r) > most {
		return "…" + string(r[len(r)-most+1:])
	}
	return name
}

// set shows the progress of the run.
func (b *bar) set(p ingest.Progress) {
	if b.bytes == nil {
		return
	}
	b.mu.Lock()
	b.at = p
	b.mu.Unlock()
	b.bytes.SetTotal(max(p.TotalBytes, 1), false)
	b.bytes.SetCurrent(p.Bytes)
}

// done records a finished file.
func (b *bar) done(source string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last = source
}

// print writes a line above the bar.
func (b *bar) print(w io.Writer, line string) {
	if b.progress != nil {
		w = terminal.NewWriter(b.progress)
	}
	_, _ = io.WriteString(w, line) // the run goes on without its report
}

// stop removes the bar.
func (b *bar) stop() {
	if b.progress == nil {
		return
	}
	b.bytes.Abort(true)
	b.progress.Wait()
	b.progress, b.bytes = nil, nil
}
