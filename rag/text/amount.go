package text

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"docent/internal/lazyregexp"
)

var (
	// quantity matches a number and its unit.
	quantity = lazyregexp.New(`(?i)(?:^|[^\pL\d._/-])(\d+(?:[.,]\d+)*)\s*(?:(ms|milliseconds?|s|sec|seconds?|sekunden?|` +
		`min|minutes?|minuten?|h|hours?|stunden?|days?|tagen?|weeks?|wochen?|[kmgt]i?b|(?:kilo|mega|giga|tera)?bytes?|percent|prozent)\b|(%)|\b)`)
	// scales are the lengths of the units of time in seconds.
	scales = map[string]float64{
		"ms": .001, "mil": .001, "s": 1, "sec": 1, "sek": 1, "min": 60, "h": 3600, "hou": 3600, "stu": 3600,
		"day": 86400, "tag": 86400, "wee": 604800, "woc": 604800,
	}
	// numerals matches number words. It leaves out "two", which sentences often add.
	numerals = lazyregexp.New(`(?i)\b(three|four|five|six|seven|eight|nine|ten|eleven|twelve|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf)\b`)
	digits   = map[string]string{
		"three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10",
		"eleven": "11", "twelve": "12", "drei": "3", "vier": "4", "fünf": "5", "sechs": "6", "sieben": "7",
		"acht": "8", "neun": "9", "zehn": "10", "elf": "11", "zwölf": "12",
	}
)

// Amount is a number with its unit.
type Amount struct {
	// Number is the number without thousands separators and with a decimal point.
	// Versions and addresses are as written.
	Number string
	// Value is the number in base units: times are in seconds. It is -1 for a
	// version, such as 2.1.3.
	Value float64
	// Unit is the beginning of the unit, in lower case, or "".
	Unit string
}

// Amounts returns the numbers in a text. The language decides whether a comma or
// a point is the decimal mark. It is an ISO 639-1 code, or "" if unknown.
func Amounts(s, language string) []Amount {
	s = WithDigits(s)
	var out []Amount
	for _, m := range quantity.FindAllStringSubmatch(s, -1) {
		number := readNumber(m[1], language)
		value, err := strconv.ParseFloat(number, 64)
		if err != nil {
			value = -1
		}
		unit := strings.ToLower(m[2] + m[3])
		if prefix, ok := strings.CutSuffix(strings.TrimSuffix(unit, "s"), "byte"); ok && prefix != "" {
			unit = prefix[:1] + "b"
		}
		if len(unit) > 3 {
			unit = unit[:3]
		}
		if unit == "per" || unit == "pro" {
			unit = "%"
		}
		if scale := scales[unit]; scale > 0 {
			value, unit = value*scale, "s"
		}
		out = append(out, Amount{number, value, unit})
	}
	return out
}

// decimalComma contains the languages that write 1.000,5 and not 1,000.5.
var decimalComma = map[string]bool{
	"da": true, "de": true, "es": true, "fi": true, "fr": true, "hu": true, "it": true, "nl": true, "no": true, "pt": true,
	"ro": true, "ru": true, "sv": true, "tr": true,
}

// readNumber returns a number without its thousands separators and with a
// decimal point. It returns versions and addresses as written.
func readNumber(s, language string) string {
	last := strings.LastIndexAny(s, ".,")
	if last < 0 {
		return s
	}
	mark, other := s[last:last+1], "."
	if mark == "." {
		other = ","
	}
	once := strings.Count(s, mark) == 1
	if strings.Contains(s, other) { // the last mark is the decimal mark
		if once && grouped(s[:last], other) {
			return strings.ReplaceAll(s[:last], other, "") + "." + s[last+1:]
		}
		return s
	}
	_, err := netip.ParseAddr(s)
	thousands := (mark == ".") == decimalComma[language] || language == "" && !once
	switch {
	case thousands && err != nil && grouped(s, mark):
		return strings.ReplaceAll(s, mark, "")
	case once:
		return s[:last] + "." + s[last+1:]
	default:
		return s
	}
}

// grouped reports whether marks divide the digits of a number above 999 into groups of three.
func grouped(s, mark string) bool {
	groups := strings.Split(s, mark)
	return len(groups[0]) <= 3 && groups[0][0] != '0' && !slices.ContainsFunc(groups[1:], func(g string) bool { return len(g) != 3 })
}

// WithDigits returns a text with the numbers of numerals in digits.
func WithDigits(s string) string {
	return numerals.ReplaceAllStringFunc(s, func(w string) string { return digits[strings.ToLower(w)] })
}

// Agrees reports whether two numbers are equal. A number without a unit agrees
// with any unit.
func (a Amount) Agrees(b Amount) bool {
	if a.Unit != "" && b.Unit != "" {
		return a.Unit == b.Unit && a.Value == b.Value
	}
	return a.Number == b.Number || trimZeros(a.Number) == trimZeros(b.Number)
}

// trimZeros returns a number without zeros at the end of its decimals.
func trimZeros(number string) string {
	if whole, decimals, ok := strings.Cut(number, "."); ok && strings.Trim(decimals, "0") == "" {
		return whole
	}
	return number
}

// WithoutFigures returns a text without its numbers in digits and their units.
func WithoutFigures(s string) string { return quantity.ReplaceAllString(s, " ") }

// WithoutAmounts returns a text without its numbers and their units.
func WithoutAmounts(s string) string {
	return WithoutFigures(WithDigits(s))
}
