package numfmt

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// lastDay is the largest serial number of a date in spreadsheets.
const lastDay = 2958466

// serialTime returns the time of a serial number of days. Spreadsheets include
// a February 29, 1900, which did not exist.
func serialTime(v float64, date1904 bool) time.Time {
	base := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case date1904:
		base = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	case v < 60:
		base = base.AddDate(0, 0, 1)
	}
	day := math.Floor(v)
	ms := math.Round((v - day) * 24 * 60 * 60 * 1000)
	return base.AddDate(0, 0, int(day)).Add(time.Duration(ms) * time.Millisecond)
}

// dateText writes a serial number as a date or time.
func (s *formatSection) dateText(v float64, date1904 bool) (string, bool) {
	if v < 0 || v >= lastDay || math.IsNaN(v) {
		return "", false
	}
	half, parts := false, false
	for i, t := range s.tokens {
		half = half || t.text == "am/pm"
		parts = parts || t.kind == digit && i > 0
	}
	at := serialTime(v, date1904)
	if !parts {
		at = at.Round(time.Second)
	}
	var b strings.Builder
	for i, t := range s.tokens {
		switch t.kind {
		case literal:
			b.WriteString(t.text)
		case datePart:
			b.WriteString(s.datePart(i, at, half))
		case elapsed:
			seconds := math.Round(v * 24 * 60 * 60)
			unit := map[byte]float64{'h': 3600, 'm': 60, 's': 1}[t.text[0]]
			fmt.Fprintf(&b, "%0*d", min(len(t.text), 9), int64(math.Floor(seconds/unit)))
		case digit: // fractions of a second
			if i > 0 && s.tokens[i-1].kind == literal && strings.HasSuffix(s.tokens[i-1].text, ".") {
				b.WriteString(strconv.Itoa(at.Nanosecond() / 1e8))
			}
		}
	}
	return strings.TrimSpace(b.String()), true
}

// datePart writes the part of a date that the i-th token selects.
func (s *formatSection) datePart(i int, at time.Time, half bool) string {
	text := s.tokens[i].text
	two := func(n int) string {
		if len(text) > 1 {
			return fmt.Sprintf("%02d", n)
		}
		return strconv.Itoa(n)
	}
	switch {
	case text == "am/pm":
		return at.Format("PM")
	case text[0] == 'y' && len(text) <= 2:
		return at.Format("06")
	case text[0] == 'y':
		return at.Format("2006")
	case text[0] == 'd' && len(text) == 3:
		return at.Format("Mon")
	case text[0] == 'd' && len(text) > 3:
		return at.Format("Monday")
	case text[0] == 'd':
		return two(at.Day())
	case text[0] == 'h' && half:
		return two((at.Hour()+11)%12 + 1)
	case text[0] == 'h':
		return two(at.Hour())
	case text[0] == 's':
		return two(at.Second())
	case s.isMinute(i):
		return two(at.Minute())
	case len(text) == 3:
		return at.Format("Jan")
	case len(text) == 4:
		return at.Format("January")
	case len(text) > 4:
		return at.Format("Jan")[:1]
	default:
		return two(int(at.Month()))
	}
}

// isMinute reports whether an m at i means minutes. It does after hours and
// before seconds.
func (s *formatSection) isMinute(i int) bool {
	if len(s.tokens[i].text) > 2 {
		return false
	}
	for j := i - 1; j >= 0; j-- {
		if k := s.tokens[j].kind; k == datePart || k == elapsed {
			if s.tokens[j].text[0] == 'h' {
				return true
			}
			break
		}
	}
	for _, t := range s.tokens[i+1:] {
		if t.kind == datePart || t.kind == elapsed {
			return t.text[0] == 's'
		}
	}
	return false
}
