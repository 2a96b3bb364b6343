package numfmt

import (
	"math"
	"strconv"
	"strings"
)

// General formats a number as spreadsheets do in a cell without a format. It
// writes up to ten decimals, and an exponent for very large and very small
// numbers.
func General(f float64) string {
	if f == 0 || math.IsNaN(f) {
		return "0"
	}
	abs := math.Abs(f)
	if abs >= 1e15 || abs < 1e-9 {
		s := strconv.FormatFloat(f, 'E', 5, 64)
		mantissa, exponent, _ := strings.Cut(s, "E")
		if strings.Contains(mantissa, ".") {
			mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
		}
		return mantissa + "E" + exponent
	}
	digits := 15 - int(math.Floor(math.Log10(abs))) - 1
	s := strconv.FormatFloat(f, 'f', min(max(digits, 0), 10), 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}
