package ingest_test

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"docent/ingest"
	"docent/ingest/intake"
)

// Ingesting a file takes at most maxFootprint bytes of memory for each byte of the
// file, plus fixedFootprint.
const (
	maxFootprint   = 10
	fixedFootprint = 48 << 20
)

// nowhere is a store that keeps nothing.
type nowhere struct{ *memory }

func (nowhere) PutDocuments(_ context.Context, puts []intake.Put) ([]int64, error) {
	return make([]int64, len(puts)), nil
}

// wide makes vectors of the same length as the built-in model.
type wide struct{ *embedder }

func (w wide) EmbedDocuments(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i := range out {
		out[i] = make([]float32, 256)
	}
	return out, nil
}

// peak runs fn and returns the maximum growth of the heap during the call.
func peak(fn func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(10)) // garbage does not count
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	var most atomic.Uint64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		ticker := time.NewTicker(time.Millisecond)
		defer ticker.Stop()
		for {
			var now runtime.MemStats
			runtime.ReadMemStats(&now)
			most.Store(max(most.Load(), now.HeapAlloc))
			select {
			case <-stop:
				return
			case <-ticker.C:
			}
		}
	}()
	fn()
	close(stop)
	<-stopped
	return most.Load() - min(before.HeapAlloc, most.Load())
}

// repeated joins the results of part up to about size bytes.
func repeated(size int, part func(i int) string) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		b.WriteString(part(i))
	}
	return b.String()
}

// TestFootprint reads files of many small parts, which take the most memory for
// their size. It is not parallel, because it measures the whole heap.
func TestFootprint(t *testing.T) {
	const size = 4 << 20
	for _, tt := range []struct{ name, data string }{
		{"a.csv", repeated(size, func(i int) string { return fmt.Sprintf("%d,name%d,val%d\n", i, i, i) })},
		{"header.csv", "number,name,value\n" + repeated(size, func(i int) string { return fmt.Sprintf("%d,name%d,val%d\n", i, i, i) })},
		{"wide.csv", repeated(size, func(int) string { return "a," })},
		{"p.html", "<html>" + repeated(size, func(i int) string { return fmt.Sprintf("<p>paragraph %d</p>\n", i) })},
		{"a.json", "[" + repeated(size, func(i int) string { return fmt.Sprintf(`{"k": %d, "v": "value %d"}, `, i, i) }) + "{}]"},
		{"a.md", repeated(size, func(i int) string { return fmt.Sprintf("# H %d\n\ntext\n\n- item\n", i) })},
		{"a.txt", repeated(size, func(int) string { return "a\n\n" })},
		{"one.txt", repeated(size, func(int) string { return "a. B " })},
		{"a.go", repeated(size, func(i int) string { return fmt.Sprintf("func F%d() {\n}\n", i) })},
		{"a.svg", "<svg>" + repeated(size, func(i int) string { return fmt.Sprintf("<text>%d</text>", i) }) + "</svg>"},
		{"a.jsonl", repeated(size, func(i int) string {
			return fmt.Sprintf(`{"id":%d,"text":"text %d%s"}`+"\n", i, i, strings.Repeat(" and more", 500))
		})},
	} {
		t.Run(tt.name, func(t *testing.T) {
			grown, limit := footprint(t, tt.name, tt.data), uint64(maxFootprint*len(tt.data)+fixedFootprint)
			for range 2 { // garbage counts until it is collected, which a busy machine does late
				if grown <= limit {
					break
				}
				grown = min(grown, footprint(t, tt.name, tt.data))
			}
			if grown > limit {
				t.Errorf("%s: %d bytes took %d, the limit is %d", tt.name, len(tt.data), grown, limit)
			}
		})
	}
}

// footprint returns the maximum memory for reading a file, in bytes.
func footprint(t *testing.T, name, data string) uint64 {
	t.Helper()
	f := newFixture(t, ingest.Config{})
	f.write(name, data)
	in, err := ingest.New(ingest.Config{Store: nowhere{f.store}, Embedder: wide{f.embed}, Reader: newReader(t, nil)})
	if err != nil {
		t.Fatal(err)
	}
	grown := peak(func() {
		for r, err := range in.Ingest(t.Context(), ingest.Request{Paths: []string{f.dir}}) {
			if err != nil || r.Status != ingest.Added {
				t.Errorf("%+v %v", r, err)
				return
			}
		}
	})
	t.Logf("%s: %.1f MiB took %.1f MiB", name, float64(len(data))/(1<<20), float64(grown)/(1<<20))
	return grown
}
