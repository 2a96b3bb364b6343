package eval

import "math"

// ShareInterval returns the 95 % interval of a share of met in n cases, after Wilson.
func ShareInterval(met, n int) Interval {
	if n == 0 {
		return Interval{0, 1}
	}
	const z = 1.959964
	p, m := float64(met)/float64(n), float64(n)
	middle := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return Interval{max(0, middle-half), min(1, middle+half)}
}

// MeanInterval returns the mean of values with its 95 % bootstrap interval. Without values, it is 0.
func MeanInterval(values []float64) (mean float64, i Interval) {
	if len(values) == 0 {
		return 0, Interval{}
	}
	for _, v := range values {
		mean += v / float64(len(values))
	}
	means, _ := bootstrap([][]float64{values}, 0)
	return mean, means[0]
}

// SignTest returns the probability of a split at least as uneven as a to b, if both sides are equally likely. It compares two
// versions by the cases that only one of them solves.
func SignTest(a, b int) float64 {
	n, least := a+b, min(a, b)
	sum := 0.0
	for k := range least + 1 {
		choose, _ := math.Lgamma(float64(n + 1))
		x, _ := math.Lgamma(float64(k + 1))
		y, _ := math.Lgamma(float64(n - k + 1))
		sum += math.Exp(choose - x - y - float64(n)*math.Ln2)
	}
	return min(1, 2*sum)
}
