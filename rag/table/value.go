package table

import (
	"strconv"
	"strings"
	"time"

	"docent/internal/lazyregexp"
)

// number matches a number with separators. Its groups are the sign, and the rest.
var number = lazyregexp.New(`^([+\-−]?)\s?(\d{1,3}(?:[.,'’\x{00a0}\x{202f} ]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?|[.,]\d+)$`)

// amount matches a number with a unit or a currency in front or behind.
var amount = lazyregexp.New(
	`^([^\d\s+\-−.,]{1,4}|[A-Za-z]{3})?\s?([+\-−]?\s?[\d.,'’\x{00a0}\x{202f} ]*\d)(?:,-+)?\s?([^\d\s]\S{0,11})?$`)

// parts are the parts of a cell with a number.
type parts struct {
	number string
	unit   string
	ok     bool
}

// split finds the number and the unit of a cell.
func split(cell string) parts {
	cell = strings.TrimSpace(cell)
	m := amount.FindStringSubmatch(cell)
	if m == nil || !number.MatchString(strings.TrimSpace(m[2])) || m[1] != "" && m[3] != "" {
		return parts{}
	}
	unit := m[1] + m[3]
	if m[1] != "" && !isCurrency(canonicalUnit(m[1])) {
		return parts{}
	}
	if unit != "" && !isUnit(unit) && !isUnit(canonicalUnit(unit)) {
		return parts{}
	}
	return parts{strings.TrimSpace(m[2]), canonicalUnit(unit), true}
}

// decimal is the sign that separates decimals.
type decimal byte

// The signs of numbers.
const (
	anySign   decimal = 0 // the number has no sign
	unsure    decimal = '?'
	point     decimal = '.'
	comma     decimal = ','
	undecided decimal = '!' // signs contradict each other
)

// signOf returns the sign that separates the decimals of a number. A single sign with three digits behind it is unsure.
func signOf(n string) decimal {
	n = strings.TrimLeft(n, "+-− ")
	last := strings.LastIndexAny(n, ".,")
	if last < 0 {
		return anySign
	}
	sign, other := decimal(n[last]), point
	if sign == point {
		other = comma
	}
	switch {
	case strings.Contains(n[:last], string(rune(other))), strings.ContainsAny(n, "'’"):
		return sign
	case strings.Count(n, string(rune(sign))) > 1: // it separates thousands
		return other
	case len(n)-last-1 != 3 || strings.HasPrefix(n, "0") || last == 0 || last > 3:
		return sign
	}
	return unsure
}

// joint returns the sign of several numbers.
func joint(signs ...decimal) decimal {
	out := anySign
	for _, s := range signs {
		switch {
		case s == anySign || s == out:
		case out == anySign || out == unsure:
			out = s
		case s != unsure:
			return undecided
		}
	}
	return out
}

// parseNumber returns the value of a number and its decimals.
func parseNumber(n string, sign decimal) (value float64, decimals int, ok bool) {
	n = strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "", "'", "", "’", "", "−", "-", "+", "").Replace(n)
	switch sign {
	case comma:
		n = strings.ReplaceAll(strings.ReplaceAll(n, ".", ""), ",", ".")
	default:
		n = strings.ReplaceAll(n, ",", "")
	}
	value, err := strconv.ParseFloat(n, 64)
	if i := strings.IndexByte(n, '.'); i >= 0 {
		decimals = len(n) - i - 1
	}
	return value, decimals, err == nil
}

// isYear reports whether a text is a year.
func isYear(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && len(s) == 4 && n >= 1000 && n < 2200
}

// isValue reports whether a text is a number, a date, or a time.
func isValue(s string) bool {
	if split(s).ok {
		return true
	}
	if _, ok := clock(s); ok {
		return true
	}
	_, ok := parseDate(s, dayFirst)
	return ok
}

var (
	clockTime = lazyregexp.New(`^(\d{1,3}):([0-5]\d)(?::([0-5]\d))?(?:\s?(h|Uhr|am|pm|AM|PM))?$`)
	partOf    = lazyregexp.New(`(?i)(\d+(?:[.,]\d+)?)\s*([a-zäöü]+)\.?`)
)

// clock returns the seconds of a time such as 17:52 or 1:05:00.
func clock(s string) (float64, bool) {
	m := clockTime.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return 0, false
	}
	hours, _ := strconv.Atoi(m[1])
	minutes, _ := strconv.Atoi(m[2])
	seconds, _ := strconv.Atoi("0" + m[3])
	switch strings.ToLower(m[4]) {
	case "pm":
		hours = hours%12 + 12
	case "am":
		hours %= 12
	}
	return float64(hours*3600 + minutes*60 + seconds), true
}

// duration returns the seconds of a duration such as "2 h 15 min" or "3 days".
func duration(s string) (float64, bool) {
	rest, sum, found := s, 0.0, false
	for _, m := range partOf.FindAllStringSubmatch(s, -1) {
		unit := measures[strings.ToLower(m[2])]
		v, err := strconv.ParseFloat(strings.ReplaceAll(m[1], ",", "."), 64)
		if unit.dimension != "time" || err != nil || signOf(m[1]) == unsure || len(m[2]) == 1 && strings.ToLower(m[2]) != "h" {
			return 0, false
		}
		sum, found = sum+v*unit.factor, true
		rest = strings.Replace(rest, m[0], "", 1)
	}
	return sum, found && strings.Trim(rest, " ,.") == ""
}

// The order of day and month in dates with slashes.
type dateOrder int

const (
	dayFirst dateOrder = iota
	monthFirst
)

// monthNames map the first letters of the names of months.
var monthNames = map[string]time.Month{
	"jan": 1, "feb": 2, "mar": 3, "mär": 3, "mae": 3, "apr": 4, "may": 5, "mai": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9,
	"oct": 10, "okt": 10,
	"nov": 11, "dec": 12, "dez": 12,
}

// wholeMonths are the names of months.
var wholeMonths = setOf("january february march april may june july august september october november december " +
	"januar februar märz marz maerz april mai juni juli august september oktober november dezember sept")

// setOf returns the words of a list as a set.
func setOf(list string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(list) {
		out[w] = true
	}
	return out
}

// monthOf returns the month of a name, or 0.
func monthOf(s string) time.Month {
	s = strings.ToLower(strings.TrimRight(s, "."))
	if m, ok := monthNames[s]; ok {
		return m
	}
	if !wholeMonths[s] {
		return 0
	}
	return monthNames[string([]rune(s)[:3])]
}

var (
	isoDate    = lazyregexp.New(`^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ]\d{1,2}:\d{2}\S*)?$`)
	numberDate = lazyregexp.New(`^(\d{1,2})([./-])(\d{1,2})[./-](\d{4}|\d{2})(?:,?[T ]\d{1,2}:\d{2}\S*)?$`)
	namedDate  = lazyregexp.New(
		`^(?:(\d{1,2})\.?(?:st|nd|rd|th)?[ -])?([A-Za-zäÄ]{3,9})\.?[ -](?:(\d{1,2})(?:st|nd|rd|th)?,? )?(\d{4})$`)
)

// parseDate returns the date of a text, in days since 1970. A month is its first day.
func parseDate(s string, order dateOrder) (float64, bool) {
	s = strings.TrimSpace(s)
	if m := isoDate.FindStringSubmatch(s); m != nil {
		return dayOf(m[1], m[2], m[3])
	}
	if m := numberDate.FindStringSubmatch(s); m != nil {
		if order == monthFirst && m[2] == "/" {
			m[1], m[3] = m[3], m[1]
		}
		return dayOf(m[4], m[3], m[1])
	}
	if m := namedDate.FindStringSubmatch(s); m != nil {
		month := monthOf(m[2])
		if month == 0 || m[1] != "" && m[3] != "" {
			return 0, false
		}
		day := m[1] + m[3]
		if day == "" {
			day = "1"
		}
		return dayOf(m[4], strconv.Itoa(int(month)), day)
	}
	return 0, false
}

// dayOf returns a date in days since 1970.
func dayOf(year, month, day string) (float64, bool) {
	y, _ := strconv.Atoi(year)
	m, _ := strconv.Atoi(month)
	d, _ := strconv.Atoi(day)
	if len(year) == 2 {
		y += 2000
		if y >= 2050 {
			y -= 100
		}
	}
	t := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	return float64(t.Unix()) / 86400, m >= 1 && m <= 12 && t.Day() == d && y > 0
}

// slashes tells the order of day and month in dates with slashes. It is not ok if the dates do not tell.
func slashes(cells []string, language string) (order dateOrder, ok bool) {
	day, month, any := false, false, false
	for _, c := range cells {
		if m := numberDate.FindStringSubmatch(c); m != nil && m[2] == "/" {
			a, _ := strconv.Atoi(m[1])
			b, _ := strconv.Atoi(m[3])
			day, month, any = day || a > 12, month || b > 12, true
		}
	}
	switch {
	case !any || day && !month:
		return dayFirst, true
	case month && !day:
		return monthFirst, true
	}
	return dayFirst, !day && language == "de"
}
