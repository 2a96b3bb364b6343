package flat

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	upstream "github.com/philippgille/chromem-go"

	"docent/embed"
	"docent/rag/retrieve"
)

// textVectors embeds the lines of this project's documentation and code, with the
// built-in model.
func textVectors(b *testing.B) [][]float32 {
	b.Helper()
	static, err := embed.NewStatic()
	if err != nil {
		b.Fatal(err)
	}
	var lines []string
	for _, folder := range []string{"docs", "rag", "agent"} {
		err := filepath.WalkDir(filepath.Join("../..", folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !slices.Contains([]string{".md", ".go"}, filepath.Ext(path)) {
				return err
			}
			data, err := os.ReadFile(path)
			for line := range strings.Lines(string(data)) {
				if len(line) > 40 {
					lines = append(lines, line)
				}
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	vectors, err := static.EmbedDocuments(b.Context(), lines)
	if err != nil {
		b.Fatal(err)
	}
	return vectors
}

// benchVectors returns n vectors of length 1: those of texts, and then repetitions
// with noise. Dimensions that the texts lack come from other texts.
func benchVectors(texts [][]float32, n, dimensions int, r *rand.Rand) []float32 {
	slab := make([]float32, n*dimensions)
	for i := range n {
		row := slab[i*dimensions:][:dimensions]
		filled := copy(row, texts[i%len(texts)])
		copy(row[filled:], texts[r.IntN(len(texts))])
		if i >= len(texts) {
			for k := range row {
				row[k] += .03 * float32(r.NormFloat64())
			}
		}
		if unit := math.Sqrt(float64(embed.Dot(row, row))); unit > 0 {
			for k := range row {
				row[k] /= float32(unit)
			}
		}
	}
	return slab
}

// BenchmarkSearch measures a search for the ten best in chromem-go, in float32,
// and in int8, alternating. A plain loop that reads the same memory on all cores
// measures the bandwidth.
func BenchmarkSearch(b *testing.B) {
	texts := textVectors(b)
	for _, size := range []struct{ n, dimensions int }{{20_000, 256}, {100_000, 256}, {1_000_000, 256}, {100_000, 384}} {
		b.Run(fmt.Sprintf("%dk/%d", size.n/1000, size.dimensions), func(b *testing.B) {
			r := rand.New(rand.NewPCG(9, uint64(size.n)))
			x := newBench(b, benchVectors(texts, size.n, size.dimensions, r), size.dimensions)
			x.queries = benchVectors(texts, len(texts)+100, size.dimensions, r)[len(texts)*size.dimensions:]
			for _, k := range []int{10, 200} {
				b.Run(fmt.Sprintf("k%d", k), func(b *testing.B) { x.search(b, k) })
			}
		})
	}
}

// bench holds the same vectors in three indexes.
type bench struct {
	slab, queries []float32
	dimensions    int
	floats, codes *Index
	chromem       *upstream.Collection
	putting       time.Duration
}

func newBench(b *testing.B, slab []float32, dimensions int) *bench {
	b.Helper()
	x := &bench{slab: slab, dimensions: dimensions, floats: New(Config{Float32: true}), codes: New(Config{})}
	n := len(slab) / dimensions
	entries, documents := make([]retrieve.Entry, n), make([]upstream.Document, n)
	for i := range entries {
		v := slab[i*dimensions:][:dimensions:dimensions]
		entries[i] = retrieve.Entry{ID: int64(i + 1), DocumentID: int64(i + 1), Source: strconv.Itoa(i), Vector: v}
		documents[i] = upstream.Document{ID: strconv.Itoa(i + 1), Embedding: v}
	}
	var err error
	x.chromem, err = upstream.NewDB().CreateCollection("bench", nil, func(context.Context, string) ([]float32, error) { panic("no embedding here") })
	if err != nil {
		b.Fatal(err)
	}
	if err := x.chromem.AddDocuments(b.Context(), documents, 2); err != nil {
		b.Fatal(err)
	}
	if err := x.floats.Put(b.Context(), entries); err != nil {
		b.Fatal(err)
	}
	start := time.Now()
	if err := x.codes.Put(b.Context(), entries); err != nil {
		b.Fatal(err)
	}
	x.putting = time.Since(start)
	return x
}

// searchesPerLoop lets the slowest searches have a median, too.
const searchesPerLoop = 5

func (x *bench) search(b *testing.B, k int) {
	floats, codes, queries, dimensions := x.floats, x.codes, x.queries, x.dimensions
	n := len(x.slab) / dimensions
	var query []float32
	var hits [2][]retrieve.Hit
	var times [5][]time.Duration
	runs := []func() error{
		func() error { _, err := x.chromem.QueryEmbedding(b.Context(), query, k, nil, nil); return err },
		func() (err error) {
			hits[0], err = floats.Nearest(b.Context(), query, k, retrieve.Filter{})
			return err
		},
		func() (err error) { hits[1], err = codes.Nearest(b.Context(), query, k, retrieve.Filter{}); return err },
		func() error { readAll(slices.Collect(slices.Chunk(words(x.slab), 1<<15))); return nil },
		func() error { readAll(blockWords(codes)); return nil },
	}
	found, i := 0, 0
	for b.Loop() {
		for range searchesPerLoop {
			query = queries[i%(len(queries)/dimensions)*dimensions:][:dimensions]
			i++
			for which, run := range runs {
				start := time.Now()
				if err := run(); err != nil {
					b.Fatal(err)
				}
				times[which] = append(times[which], time.Since(start))
			}
			for _, h := range hits[1][:10] {
				if slices.ContainsFunc(hits[0][:10], func(exact retrieve.Hit) bool { return exact.ID == h.ID }) {
					found++
				}
			}
		}
	}
	at := func(which, percent int) float64 {
		slices.Sort(times[which])
		return float64(times[which][len(times[which])*percent/100].Nanoseconds()) / 1000
	}
	for which, name := range []string{"chromem", "float32", "int8", "read_float32", "read_int8"} {
		b.ReportMetric(at(which, 50), name+"_us")
	}
	b.ReportMetric(at(2, 99), "int8_p99_us")
	b.ReportMetric(at(0, 50)/at(1, 50), "x_chromem_float32")
	b.ReportMetric(at(0, 50)/at(2, 50), "x_chromem_int8")
	b.ReportMetric(at(3, 50)/at(1, 50), "bandwidth_float32")
	b.ReportMetric(at(4, 50)/at(2, 50), "bandwidth_int8")
	b.ReportMetric(4*float64(len(x.slab))/at(3, 50)/1000, "GB/s_read")
	b.ReportMetric(float64(found)/float64(10*i), "recall@10")
	b.ReportMetric(float64(x.putting.Nanoseconds())/1000/float64(n), "us_put_each")
	b.ReportMetric(0, "ns/op")
}

// words returns the memory of a slice.
func words[T int8 | float32](s []T) []uint64 {
	size := len(s) * int(unsafe.Sizeof(s[0]))
	return unsafe.Slice((*uint64)(unsafe.Pointer(&s[0])), size/8)
}

// blockWords returns the memory of all codes.
func blockWords(x *Index) (out [][]uint64) {
	for _, m := range x.codes {
		for _, b := range m.blocks {
			out = append(out, words(b.codes))
		}
	}
	return out
}

// read is the result of readAll, so that the compiler keeps the loop.
var read uint64

// readAll reads memory on all cores.
func readAll(parts [][]uint64) {
	cores := runtime.GOMAXPROCS(0)
	sums := make([]uint64, cores)
	var work sync.WaitGroup
	for core := range cores {
		work.Go(func() {
			for _, p := range parts[len(parts)*core/cores : len(parts)*(core+1)/cores] {
				sums[core] += sum(p)
			}
		})
	}
	work.Wait()
	for _, s := range sums {
		read += s
	}
}

func sum(p []uint64) uint64 {
	var a, b, c, d uint64
	for ; len(p) >= 8; p = p[8:] {
		a += p[0] + p[4]
		b += p[1] + p[5]
		c += p[2] + p[6]
		d += p[3] + p[7]
	}
	return a + b + c + d
}
