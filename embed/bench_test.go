package embed

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// passages returns text of two manuals in pieces of about 90 words.
func passages(tb testing.TB) []string {
	tb.Helper()
	var out []string
	for _, name := range []string{"../eval/sets/pgdocs/questions.jsonl", "../eval/sets/pgxcode/questions.jsonl"} {
		f, err := os.Open(name)
		if err != nil {
			tb.Fatal(err)
		}
		defer f.Close()
		var words []string
		for lines := bufio.NewScanner(f); lines.Scan(); {
			var q struct {
				Question, Answer string
				Evidence         []struct{ Quote string }
			}
			if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
				tb.Fatal(err)
			}
			words = append(words, strings.Fields(q.Question+" "+q.Answer)...)
			for _, e := range q.Evidence {
				words = append(words, strings.Fields(e.Quote)...)
			}
		}
		for part := range slices.Chunk(words, 90) {
			out = append(out, strings.Join(part, " "))
		}
	}
	return out
}

// rounds calls the functions alternately and measures each call. A busy moment
// thus affects all of them. It returns the median for each function.
func rounds(n int, fs ...func()) []time.Duration {
	times := make([][]time.Duration, len(fs))
	for range n {
		for i, f := range fs {
			start := time.Now()
			f()
			times[i] = append(times[i], time.Since(start))
		}
	}
	medians := make([]time.Duration, len(fs))
	for i, ts := range times {
		slices.Sort(ts)
		medians[i] = ts[len(ts)/2]
	}
	return medians
}

// BenchmarkEmbedder measures, on one core and alternating: text to vector, its
// two halves, and a gather loop in plain Go over the same tokens. The plain
// loop is the baseline of the kernel.
func BenchmarkEmbedder(b *testing.B) {
	s, texts := newTestStatic(b), passages(b)
	ids, tokens := make([][]uint16, len(texts)), 0
	for i, text := range texts {
		ids[i] = s.Tokenize(text)
		tokens += len(ids[i])
	}
	var dst []uint16
	v := make([]float32, dimensions)
	b.ResetTimer()
	for b.Loop() {
		m := rounds(15,
			func() {
				for _, x := range ids {
					var acc [dimensions]float32
					s.table.sumGeneric(&acc, x)
				}
			},
			func() {
				for _, text := range texts {
					s.vector(text)
				}
			},
			func() {
				for _, text := range texts {
					dst = s.AppendTokens(dst[:0], text)
				}
			},
			func() {
				for _, x := range ids {
					s.Mean(v, x)
				}
			})
		perSecond := func(d time.Duration) float64 { return float64(tokens) / d.Seconds() / 1e6 }
		b.ReportMetric(perSecond(m[1]), "Mtoken/s")
		b.ReportMetric(perSecond(m[2]), "Mtoken/s_tokenize")
		b.ReportMetric(perSecond(m[3]), "Mtoken/s_gather")
		b.ReportMetric(perSecond(m[0]), "Mtoken/s_plain_gather")
		b.ReportMetric(m[0].Seconds()/m[3].Seconds(), "x_plain_gather")
		b.ReportMetric(float64(len(texts))/m[1].Seconds(), "passages/s")
		b.ReportMetric(float64(tokens)/float64(len(texts)), "tokens/passage")
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkWideText measures non-ASCII text.
func BenchmarkWideText(b *testing.B) {
	s := newTestStatic(b)
	var dst []uint16
	for _, c := range []struct{ name, text string }{
		{"quoted", strings.Repeat("The “quoted” word — it’s here… › and “there”. ", 200)},
		{"german", strings.Repeat("Größe der Tabellen für die Änderung über Schlüssel prüfen. ", 200)},
		{"russian", strings.Repeat("Привет мир, это проверка скорости. ", 200)},
		{"japanese", strings.Repeat("データベースの接続数を設定する方法。", 200)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				dst = s.AppendTokens(dst[:0], c.text)
			}
			b.ReportMetric(float64(len(dst))*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mtoken/s")
		})
	}
}

// BenchmarkSimilarities measures one question token against 8,000 others.
func BenchmarkSimilarities(b *testing.B) {
	s := newTestStatic(b)
	ids := make([]uint16, 8000)
	for i := range ids {
		ids[i] = uint16(1000 + 5*i)
	}
	dst, dots := make([]float32, len(ids)), make([]int32, len(ids))
	for b.Loop() {
		m := rounds(15, func() { s.table.dotsGeneric(dots, 2000, ids) }, func() { s.Similarities(dst, 2000, ids) }, func() {
			for i := range s.norms {
				s.norms[i].Store(0)
			}
			s.Similarities(dst, 2000, ids)
		})
		b.ReportMetric(float64(m[1].Nanoseconds())/float64(len(ids)), "ns/row")
		b.ReportMetric(float64(m[2].Nanoseconds())/float64(len(ids)), "ns/row_first_time")
		b.ReportMetric(m[0].Seconds()/m[1].Seconds(), "x_plain")
	}
	b.ReportMetric(0, "ns/op")
}

func BenchmarkNewStatic(b *testing.B) {
	for b.Loop() {
		newTestStatic(b)
	}
}

// BenchmarkUnpack measures the additional cost of a process's first embedder.
func BenchmarkUnpack(b *testing.B) {
	for b.Loop() {
		if _, err := unpack(vocabularyPacked); err != nil {
			b.Fatal(err)
		}
	}
}
