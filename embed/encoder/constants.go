//go:build amd64 || arm64

package encoder

// table has the constants of the assembly's functions, each as wide as the
// widest register. The assembly finds them by their place.
type table [20][16]float32

var constants = func() (t table) {
	for i, x := range [len(t)]float32{
		// exp(x) = 2^n exp(r): 1/log(2); -log(2) in two parts; the polynomial for
		// exp(r) of Cephes; the least argument.
		1.44269504, -0.693359375, 2.12194440e-4,
		1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1,
		1, -87,
		// erfc(z), formula 7.1.26 of Abramowitz and Stegun: the root of 1/2, and
		// the factors.
		0.70710678, 0.3275911, 1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592,
		0.5,
		levels,
	} {
		for j := range t[i] {
			t[i][j] = x
		}
	}
	return t
}()
