package eval

import (
	"fmt"
	"testing"
)

// TestShares compares intervals and the sign test with values of R: prop.test without correction, and binom.test.
func TestShares(t *testing.T) {
	t.Parallel()
	got := fmt.Sprintf("%.4f %.4f", ShareInterval(9, 12), ShareInterval(10, 10))
	if want := "{0.4677 0.9111} {0.7225 1.0000}"; got != want {
		t.Errorf("intervals %s, want %s", got, want)
	}
	if got := fmt.Sprintf("%.4f %.4f %.4f", SignTest(1, 7), SignTest(0, 0), SignTest(3, 3)); got != "0.0703 1.0000 1.0000" {
		t.Errorf("sign tests %s", got)
	}
	mean, i := MeanInterval([]float64{1, 2, 3, 4})
	if mean != 2.5 || i.Low < 1 || i.Low > 2 || i.High < 3 || i.High > 4 {
		t.Errorf("mean %v %v", mean, i)
	}
}
