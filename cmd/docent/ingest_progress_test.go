package main

import (
	"strings"
	"testing"
	"time"

	"docent/internal/fault"

	"docent/ingest"
)

// TestProgressEvents writes a progress object at most once in an interval.
func TestProgressEvents(t *testing.T) {
	t.Parallel()
	e := newProgressEvents()
	e.set(ingest.Progress{Files: 2, TotalFiles: 4, Bytes: 10, TotalBytes: 20, Chunks: 3})
	if _, due := e.due(e.began); due {
		t.Error("due at once")
	}
	line, due := e.due(e.began.Add(progressInterval))
	if want := (progressLine{Files: 2, TotalFiles: 4, Bytes: 10, TotalBytes: 20, Chunks: 3, Seconds: 1}); !due || line != want {
		t.Errorf("got %v %v, want %v", line, due, want)
	}
	if _, due := e.due(e.began.Add(progressInterval + time.Millisecond)); due {
		t.Error("due again")
	}
}

// TestBarRates shows the rates, the remaining time and the file.
func TestBarRates(t *testing.T) {
	t.Parallel()
	b := &bar{at: ingest.Progress{Files: 20, TotalFiles: 40, Bytes: 10e6, TotalBytes: 30e6}}
	b.done("/docs/pump.md")
	if got, want := b.rates(10*time.Second), " 2 files/s 1.0 MB/s 20s left pump.md"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	b.at.Reading = "/docs/" + strings.Repeat("a", 40) + ".pdf"
	if got := b.rates(time.Second); !strings.HasSuffix(got, "aaa.pdf") || !strings.Contains(got, "…") {
		t.Errorf("got %q", got)
	}
	if got := b.counts(); got != "20/40 files " {
		t.Errorf("got %q", got)
	}
}

// TestIngestReport groups failures by their reasons and lists a few of each.
func TestIngestReport(t *testing.T) {
	t.Parallel()
	r := ingestReport{survey: ingest.Survey{Skipped: 7, Gone: []string{"/a", "/b"}}}
	for range 12 {
		r.failure(ingest.Result{Source: "/x.pdf", Reason: fault.Plain("encrypted: it opens only with a password")})
	}
	r.failure(ingest.Result{Source: "/y.md", Reason: fault.Plain("empty: it contains no text")})
	r.partial = []ingest.Result{{Source: "/z.pdf", Note: "2 of its 9 pages could not be read"}}
	var out strings.Builder
	if err := r.write(&out); err != nil {
		t.Fatal(err)
	}
	want := "12 failed: encrypted\n" + strings.Repeat("  /x.pdf: encrypted: it opens only with a password\n", 10) +
		"  and 2 more; --verbose lists all\n1 failed: empty\n  /y.md: empty: it contains no text\n" +
		"1 read in part\n  /z.pdf: 2 of its 9 pages could not be read\n7 skipped: hidden or ignored\n2 documents' files are gone; run again with --prune to remove them\n"
	if out.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", out.String(), want)
	}
	out.Reset()
	r.verbose, r.pruned = true, true
	if err := r.write(&out); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "/x.pdf"); n != 12 || strings.Contains(out.String(), "gone") {
		t.Errorf("%d of 12 are listed:\n%s", n, out.String())
	}
}
