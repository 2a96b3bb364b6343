package ingest_test

import (
	"context"
	"io"
	"iter"
	"os"
	"strings"
	"testing"
	"time"

	"docent/ingest"
	"docent/rag/corpus"
)

// dateOf returns the date of a stored document and its origin.
func (f *fixture) dateOf(source string) string {
	f.Helper()
	d := f.store.get(source).doc
	return d.Day() + " " + string(d.DateFrom)
}

// TestDates checks that the date of a document comes before that of its source, and that dates in the future count
// nowhere.
func TestDates(t *testing.T) {
	t.Parallel()
	f := newFixture(t, ingest.Config{})
	mail := "From: a@b\nSubject: Pump\nDate: Tue, 12 May 2026 23:30:00 -0500\n\nText.\n"
	for name, c := range map[string]struct {
		data, want string
		changed    time.Time
	}{
		"a.eml":  {mail, "2026-05-12 mail_header", time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)},
		"b.eml":  {strings.Replace(mail, "2026", "2999", 1), "2026-06-01 file_time", time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)},
		"c.txt":  {"Text.", "2026-06-01 file_time", time.Date(2026, 6, 1, 10, 0, 0, 0, time.UTC)},
		"d.txt":  {"Text of d.", " ", time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)},
		"e.txt":  {"Text of e.", " ", time.Now().AddDate(1, 0, 0)},
		"z.json": {`{"a": "b"}`, "2026-06-01 file_time", time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)},
	} {
		p := f.write(name, c.data)
		if err := os.Chtimes(p, c.changed, c.changed); err != nil {
			t.Fatal(err)
		}
		f.run(ingest.Request{Paths: []string{p}})
		if got := f.dateOf(p); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}

	batch, err := f.in.Batch(t.Context(), "", false)
	if err != nil {
		t.Fatal(err)
	}
	input := ingest.Input{
		Source: "https://example.org/a", Name: "a.txt", Modified: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC), DateFrom: corpus.LastModified,
		Open: func(context.Context) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("Text.")), nil },
	}
	for _, err := range batch.ReadAll(t.Context(), func(context.Context) iter.Seq[ingest.Input] {
		return func(yield func(ingest.Input) bool) { yield(input) }
	}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := f.dateOf(input.Source); got != "2026-06-01 last_modified" {
		t.Errorf("a page: %q", got)
	}
}
