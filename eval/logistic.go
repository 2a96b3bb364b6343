package eval

import (
	"math"
	"slices"
)

// ridge is the weight of the penalty on large weights in a Logistic, per row.
const ridge = .0005

// newtonSteps are enough for a Logistic with a few features to converge.
const newtonSteps = 50

// Logistic is a logistic regression: the probability is 1/(1+exp(-(Bias + Weights·x))).
type Logistic struct {
	// Bias is the constant.
	Bias float64
	// Weights has a weight for each feature.
	Weights []float64
}

// FitLogistic fits a logistic regression with Newton's method and a small ridge
// penalty. Both classes have the same total weight, so the probability holds for
// as many positive as negative rows. All rows have the same length.
func FitLogistic(rows [][]float64, positive []bool) Logistic {
	if len(rows) == 0 {
		return Logistic{}
	}
	n := len(rows[0])
	mean, deviation := moments(rows, n)
	var positives float64
	for _, p := range positive {
		if p {
			positives++
		}
	}
	of := map[bool]float64{true: 1, false: positives / max(float64(len(rows))-positives, 1)}
	w := make([]float64, n+1) // of standardized features, then the bias
	for range newtonSteps {
		gradient, hessian := make([]float64, n+1), make([][]float64, n+1)
		for i := range hessian {
			hessian[i] = make([]float64, n+1)
		}
		for r, row := range rows {
			x := standardized(row, mean, deviation)
			p := sigmoid(dot(w, x))
			target := 0.0
			if positive[r] {
				target = 1
			}
			for i := range x {
				gradient[i] += of[positive[r]] * (target - p) * x[i]
				for j := range x {
					hessian[i][j] += of[positive[r]] * p * (1 - p) * x[i] * x[j]
				}
			}
		}
		for i := range n {
			gradient[i] -= ridge * float64(len(rows)) * w[i]
			hessian[i][i] += ridge * float64(len(rows))
		}
		hessian[n][n] += 1e-9
		for i, step := range solve(hessian, gradient) {
			w[i] += step
		}
	}
	out := Logistic{Bias: w[n], Weights: make([]float64, n)}
	for i := range n {
		out.Weights[i] = w[i] / deviation[i]
		out.Bias -= out.Weights[i] * mean[i]
	}
	return out
}

// Probability returns the probability of the positive class.
func (l Logistic) Probability(row []float64) float64 { return sigmoid(l.Bias + dot(l.Weights, row)) }

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func dot(a, b []float64) float64 {
	var sum float64
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// moments returns the mean and the standard deviation of each column. A constant
// column has the deviation 1.
func moments(rows [][]float64, n int) (mean, deviation []float64) {
	mean, deviation = make([]float64, n), make([]float64, n)
	for _, row := range rows {
		for i, x := range row {
			mean[i] += x / float64(len(rows))
		}
	}
	for _, row := range rows {
		for i, x := range row {
			deviation[i] += (x - mean[i]) * (x - mean[i]) / float64(len(rows))
		}
	}
	for i, v := range deviation {
		if deviation[i] = math.Sqrt(v); v == 0 {
			deviation[i] = 1
		}
	}
	return mean, deviation
}

// standardized returns a row with mean 0 and deviation 1, and a 1 for the bias.
func standardized(row, mean, deviation []float64) []float64 {
	out := make([]float64, len(row)+1)
	for i, x := range row {
		out[i] = (x - mean[i]) / deviation[i]
	}
	out[len(row)] = 1
	return out
}

// solve returns x with a·x = b for a positive definite matrix, by Gaussian
// elimination. It overwrites a and b.
func solve(a [][]float64, b []float64) []float64 {
	for i := range b {
		for k := i + 1; k < len(b); k++ {
			f := a[k][i] / a[i][i]
			for j := i; j < len(b); j++ {
				a[k][j] -= f * a[i][j]
			}
			b[k] -= f * b[i]
		}
	}
	for i, row := range slices.Backward(a) {
		for j := i + 1; j < len(b); j++ {
			b[i] -= row[j] * b[j]
		}
		b[i] /= row[i]
	}
	return b
}
