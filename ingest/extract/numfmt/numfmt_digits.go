package numfmt

import (
	"math"
	"strconv"
	"strings"
)

// maxDecimals bounds the digits after the point.
const maxDecimals = 30

// digits writes a number with the placeholders of a section.
func (s *formatSection) digits(v float64) string {
	negative := v < 0
	v = math.Abs(v) * math.Pow(100, float64(s.percents)) / math.Pow(1000, float64(s.scale))
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return General(v)
	}
	text := roundHalfUp(v, min(s.decimals, maxDecimals))
	whole, part, _ := strings.Cut(text, ".")
	if whole == "0" {
		whole = ""
	}
	var b strings.Builder
	left, behind, start := s.whole, 0, true
	for i, t := range s.tokens {
		switch t.kind {
		case literal:
			b.WriteString(t.text)
		case point:
			if strings.TrimRight(part, "0") != "" || s.keepsPoint(i) {
				if start {
					writeWhole(&b, whole, len(whole), s.thousands)
				}
				b.WriteByte('.')
			}
			left = 0
		case digit:
			if left > 0 {
				n := len(whole)
				take := 0
				if n >= left {
					take = n - left + 1
				}
				writeWhole(&b, whole[:take], n, s.thousands)
				if take == 0 && t.text == "0" {
					b.WriteByte('0')
				}
				whole = whole[take:]
				left--
				start = false
				continue
			}
			if behind < len(part) && (t.text == "0" || strings.TrimRight(part[behind:], "0") != "") {
				b.WriteByte(part[behind])
			}
			behind++
		}
	}
	out := strings.TrimSpace(b.String())
	if negative && strings.ContainsAny(text, "123456789") {
		return "-" + out
	}
	return out
}

// keepsPoint reports whether a zero follows the point at i.
func (s *formatSection) keepsPoint(i int) bool {
	for _, t := range s.tokens[i:] {
		if t.kind == digit && t.text == "0" {
			return true
		}
	}
	return false
}

// writeWhole writes digits with thousands separators. left is the number of
// digits from the first one to the point.
func writeWhole(b *strings.Builder, digits string, left int, thousands bool) {
	for i := range len(digits) {
		b.WriteByte(digits[i])
		if rest := left - i - 1; thousands && rest > 0 && rest%3 == 0 {
			b.WriteByte(',')
		}
	}
}

// roundSignificant rounds to fifteen digits. Further digits are errors of
// binary numbers.
func roundSignificant(v float64) float64 {
	if r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 14, 64), 64); err == nil {
		return r
	}
	return v
}

// roundHalfUp formats a number with the given decimals. It rounds halves up, as
// spreadsheets do.
func roundHalfUp(v float64, decimals int) string {
	if scaled := roundSignificant(v * math.Pow10(decimals)); scaled < 1e15 {
		v = math.Floor(scaled+0.5) / math.Pow10(decimals)
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// exponentText writes a number with an exponent.
func (s *formatSection) exponentText(v float64) string {
	text := strconv.FormatFloat(v, 'E', min(s.decimals, maxDecimals), 64)
	for _, t := range s.tokens {
		if t.kind == power && t.text == "-" {
			text = strings.Replace(text, "E+", "E", 1)
		}
	}
	return text
}

// fractionText writes a number as a fraction such as 2 1/3.
func (s *formatSection) fractionText(v float64) string {
	limit, fixed, behind := 0, "", false
	spaced := false
	for _, t := range s.tokens {
		switch {
		case t.kind == slash:
			behind = true
		case behind && t.kind == digit:
			limit = min(limit*10+9, 9999)
			fixed += t.text
		case behind && t.kind == literal:
			fixed += strings.TrimSpace(t.text)
		case t.kind == literal && strings.TrimSpace(t.text) == "":
			spaced = true
		}
	}
	denominator := 0
	if n, err := strconv.Atoi(fixed); err == nil && n > 0 {
		denominator = min(n, 1_000_000)
	}
	sign := ""
	if v < 0 {
		sign, v = "-", -v
	}
	if v > 1e9 {
		return sign + General(v)
	}
	whole := math.Floor(v)
	if !spaced {
		whole = 0
	}
	n, d := approximate(v-whole, max(limit, 9), denominator)
	if n == d {
		whole, n = whole+1, 0
	}
	switch {
	case n == 0:
		return sign + strconv.FormatFloat(whole, 'f', 0, 64)
	case whole == 0:
		return sign + strconv.Itoa(n) + "/" + strconv.Itoa(d)
	default:
		return sign + strconv.FormatFloat(whole, 'f', 0, 64) + " " + strconv.Itoa(n) + "/" + strconv.Itoa(d)
	}
}

// approximate returns the fraction closest to v. Its denominator is at most
// limit, or equal to fixed if that is set.
func approximate(v float64, limit, fixed int) (n, d int) {
	if fixed > 0 {
		return int(math.Round(v * float64(fixed))), fixed
	}
	// The continued fraction of v, up to the last denominator within the limit.
	p0, q0, p1, q1 := 0, 1, 1, 0
	x := v
	for range 40 {
		a := int(math.Floor(x))
		if q0+a*q1 > limit || a > limit {
			break
		}
		p0, q0, p1, q1 = p1, q1, p0+a*p1, q0+a*q1
		if x -= math.Floor(x); x < 1e-9 {
			return p1, q1
		}
		x = 1 / x
	}
	k := (limit - q0) / q1
	n, d = p0+k*p1, q0+k*q1
	if math.Abs(v-float64(p1)/float64(q1)) <= math.Abs(v-float64(n)/float64(d)) {
		return p1, q1
	}
	return n, d
}
