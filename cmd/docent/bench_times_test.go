package main

import (
	"slices"
	"testing"
	"time"
)

// times are repeated measurements of one duration.
type times []time.Duration

// add appends the time f takes.
func (t *times) add(f func()) {
	start := time.Now()
	f()
	*t = append(*t, time.Since(start))
}

// quantile returns the duration that a share q of all durations does not
// exceed.
func (t times) quantile(q float64) time.Duration {
	if len(t) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(t))
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

func (t times) median() time.Duration { return t.quantile(0.5) }

// sum is all of them together.
func (t times) sum() (d time.Duration) {
	for _, one := range t {
		d += one
	}
	return d
}

func ms(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

// report prints median and 99th percentile in milliseconds.
func (t times) report(b *testing.B, name string) {
	b.Helper()
	b.ReportMetric(ms(t.median()), "ms_"+name)
	b.ReportMetric(ms(t.quantile(0.99)), "ms_"+name+"_p99")
}

// middle is the median of other numbers.
func middle(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
