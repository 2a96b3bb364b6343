package chromem_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	upstream "github.com/philippgille/chromem-go"

	"docent/index/chromem"
	"docent/rag/retrieve"
)

// unitVectors returns n random vectors of length 1, the same for the same n.
func unitVectors(n, dimensions int) [][]float32 {
	r := rand.New(rand.NewPCG(9, uint64(n)))
	out := make([][]float32, n)
	for i := range out {
		v := make([]float32, dimensions)
		sum := 0.0
		for k := range v {
			v[k] = float32(r.NormFloat64())
			sum += float64(v[k]) * float64(v[k])
		}
		for k := range v {
			v[k] /= float32(math.Sqrt(sum))
		}
		out[i] = v
	}
	return out
}

// BenchmarkSearch measures a search for the ten and the 200 best of chunks with
// 256 dimensions in the index and in chromem-go itself, alternating.
func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		for _, k := range []int{10, 200} {
			b.Run(fmt.Sprintf("%dk/k%d", n/1000, k), func(b *testing.B) { benchSearch(b, n, k) })
		}
	}
}

func benchSearch(b *testing.B, n, k int) {
	vectors, queries := unitVectors(n, 256), unitVectors(100, 256)
	entries, documents := make([]retrieve.Entry, n), make([]upstream.Document, n)
	for i, v := range vectors {
		entries[i] = retrieve.Entry{ID: int64(i + 1), DocumentID: int64(i + 1), Source: strconv.Itoa(i), Vector: v}
		documents[i] = upstream.Document{ID: strconv.Itoa(i + 1), Embedding: v}
	}
	x := chromem.New()
	start := time.Now()
	if err := x.Put(b.Context(), entries); err != nil {
		b.Fatal(err)
	}
	putting := time.Since(start)
	own, err := upstream.NewDB().CreateCollection("bench", nil, func(context.Context, string) ([]float32, error) { panic("no embedding here") })
	if err != nil {
		b.Fatal(err)
	}
	if err := own.AddDocuments(b.Context(), documents, 2); err != nil {
		b.Fatal(err)
	}
	var times [2][]time.Duration
	i := 0
	for b.Loop() {
		q := queries[i%len(queries)]
		i++
		for which, search := range []func() error{
			func() error { _, err := own.QueryEmbedding(b.Context(), q, k, nil, nil); return err },
			func() error { _, err := x.Nearest(b.Context(), q, k, retrieve.Filter{}); return err },
		} {
			start := time.Now()
			if err := search(); err != nil {
				b.Fatal(err)
			}
			times[which] = append(times[which], time.Since(start))
		}
	}
	median := func(which int) float64 {
		slices.Sort(times[which])
		return float64(times[which][len(times[which])/2].Microseconds())
	}
	b.ReportMetric(median(0), "chromem_us")
	b.ReportMetric(median(1), "index_us")
	b.ReportMetric(median(0)/median(1), "x_chromem_index")
	b.ReportMetric(float64(putting.Microseconds())/float64(n), "us_put_each")
	b.ReportMetric(0, "ns/op")
}
