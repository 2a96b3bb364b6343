package eval

import (
	"math/rand/v2"
	"slices"
)

const (
	// resamples is the number of bootstrap samples.
	resamples = 2000
	// bootstrapSeed makes the intervals reproducible.
	bootstrapSeed = 20250321
)

// Interval is a 95 % bootstrap confidence interval of a metric.
type Interval struct {
	// Low is the lower end.
	Low float64 `json:"low"`
	// High is the upper end.
	High float64 `json:"high"`
}

// bootstrap draws n questions with replacement many times. For each row of values it returns the interval of the mean, and
// the interval of the difference to the base row's mean. All rows use the same draws. The differences are therefore paired
// and have narrow intervals.
func bootstrap(rows [][]float64, base int) (means, differences []Interval) {
	n := len(rows[0])
	r := rand.New(rand.NewPCG(bootstrapSeed, uint64(n)))
	drawn := make([][]float64, len(rows))
	for i := range drawn {
		drawn[i] = make([]float64, resamples)
	}
	pick := make([]int, n)
	for k := range resamples {
		for i := range pick {
			pick[i] = r.IntN(n)
		}
		for i, row := range rows {
			sum := 0.0
			for _, p := range pick {
				sum += row[p]
			}
			drawn[i][k] = sum / float64(n)
		}
	}
	difference := make([]float64, resamples)
	for i := range rows {
		for k := range difference {
			difference[k] = drawn[i][k] - drawn[base][k]
		}
		differences = append(differences, interval(difference))
	}
	for i := range rows {
		means = append(means, interval(drawn[i]))
	}
	return means, differences
}

// interval returns the middle 95 % of values, which it sorts.
func interval(values []float64) Interval {
	slices.Sort(values)
	n := float64(len(values) - 1)
	return Interval{values[int(.025*n+.5)], values[int(.975*n+.5)]}
}
