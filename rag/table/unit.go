package table

import (
	"strings"

	"docent/internal/lazyregexp"
)

// currencies map signs and names of currencies to their codes.
var currencies = map[string]string{
	"€": "EUR", "eur": "EUR", "euro": "EUR", "euros": "EUR", "$": "USD", "usd": "USD", "us$": "USD", "dollar": "USD", "dollars": "USD",
	"£": "GBP", "gbp": "GBP", "pound": "GBP", "pounds": "GBP", "pfund": "GBP", "chf": "CHF", "sfr": "CHF", "fr.": "CHF",
	"franken": "CHF", "francs": "CHF",
	"¥": "JPY", "jpy": "JPY", "yen": "JPY", "sek": "SEK", "nok": "NOK", "dkk": "DKK", "kr": "kr", "kronen": "kr", "pln": "PLN", "zł": "PLN",
	"czk": "CZK", "huf": "HUF", "cad": "CAD", "aud": "AUD", "inr": "INR", "₹": "INR", "cny": "CNY", "brl": "BRL", "r$": "BRL",
	"ct": "ct", "cent": "ct", "cents": "ct",
}

// measure is a unit: its factor to the base unit of its dimension.
type measure struct {
	dimension string
	factor    float64
	code      string
}

// measures map units and their names to dimensions.
var measures = func() map[string]measure {
	out := map[string]measure{}
	for _, m := range []struct {
		dimension string
		factor    float64
		names     string
	}{
		{"mass", 1e-6, "mg"},
		{"mass", .001, "g gram grams gramm"},
		{"mass", 1, "kg kilo kilos kilogram kilograms kilogramm"},
		{"mass", 1000, "t ton tons tonne tonnes tonnen"},
		{"mass", .45359237, "lb lbs"},
		{"length", .001, "mm millimeter millimeters millimetre"},
		{"length", .01, "cm centimeter centimeters zentimeter"},
		{"length", 1, "m meter meters metre metres metern"},
		{"length", 1000, "km kilometer kilometers kilometre kilometres kilometern"},
		{"length", 1609.344, "mi mile miles meilen"},
		{"length", .3048, "ft feet foot"},
		{"length", .0254, "inch inches zoll"},
		{"time", .001, "ms millisecond milliseconds millisekunden"},
		{"time", 1, "s sec secs second seconds sek sekunde sekunden"},
		{"time", 60, "min mins minute minutes minuten"},
		{"time", 3600, "h hr hrs hour hours std stunde stunden"},
		{"time", 86400, "d day days tag tage tagen"},
		{"time", 604800, "week weeks woche wochen"},
		{
			"time", 2629800,
			"month months monat monate monaten",
		},
		{"time", 31557600, "year years yr yrs jahr jahre jahren"},
		{"energy", 1, "wh"},
		{"energy", 1000, "kwh"},
		{"energy", 1e6, "mwh"},
		{"energy", 1e9, "gwh"},
		{"power", 1, "w watt"},
		{"power", 1000, "kw kilowatt"},
		{"power", 1e6, "mw megawatt"},
		{"apparent power", 1000, "kva"},
		{"volume", .001, "ml milliliter"},
		{"volume", 1, "l liter liters litre litres litern"},
		{
			"volume", 1000,
			"m³ m3 cbm kubikmeter",
		},
		{"volume", 100, "hl"},
		{"area", 1, "m² m2 qm sqm quadratmeter"},
		{"area", 1e4, "ha hektar hectare hectares"},
		{"area", 1e6, "km² km2 qkm"},
		{"data", 1e3, "kb"},
		{"data", 1e6, "mb"},
		{"data", 1e9, "gb"},
		{"data", 1e12, "tb"},
		{"temperature", 1, "°c celsius"},
		{"voltage", 1, "v volt volts"},
		{"current", 1, "a ampere"},
		{"noise level", 1, "db db(a)"},
		{"frequency", 1, "hz"},
		{"frequency", 1e3, "khz"},
		{"frequency", 1e6, "mhz"},
		{"frequency", 1e9, "ghz"},
		{"charge", .001, "mah"},
		{"charge", 1, "ah"},
		{"rotation", 1, "rpm"},
		{"pressure", 1, "bar"},
		{"pressure", .001, "mbar hpa"},
		{"speed", 1, "km/h kmh kph"},
		{"flow", 1, "m³/s"},
		{"angle", 1, "° grad degrees degree"},
		{"percent", 1, "% percent prozent"},
		{"pieces", 1, "pcs pc piece pieces stk stück stueck units unit"},
	} {
		names := strings.Fields(m.names)
		for _, n := range names {
			out[n] = measure{m.dimension, m.factor, names[0]}
		}
	}
	return out
}()

// canonicalUnit returns the code of a unit or a currency, or the unit itself.
func canonicalUnit(unit string) string {
	unit = strings.TrimSpace(unit)
	key := strings.ToLower(unit)
	if c, ok := currencies[key]; ok {
		return c
	}
	if unit == "C" {
		return "°C"
	}
	return unit
}

// canonicalOf returns the first name of a unit, such as h for hours.
func canonicalOf(unit string) string {
	if m, ok := measures[strings.ToLower(unit)]; ok {
		return m.code
	}
	return canonicalUnit(unit)
}

// isCurrency reports whether a canonical unit is a currency.
func isCurrency(unit string) bool {
	_, ok := currencies[strings.ToLower(unit)]
	return ok && measures[strings.ToLower(unit)].dimension == ""
}

// dimensionOf returns the dimension of a unit, "money" for currencies, or "".
func dimensionOf(unit string) string {
	if isCurrency(unit) {
		return "money"
	}
	return measures[strings.ToLower(unit)].dimension
}

// isUnit reports whether a word is a known unit or currency.
func isUnit(word string) bool {
	above, below, ok := strings.Cut(word, "/")
	return dimensionOf(word) != "" || ok && dimensionOf(above) != "" && dimensionOf(below) != "" // mg/l
}

// converted returns a value in another unit, and false if the units do not fit.
func converted(value float64, from, to string) (float64, bool) {
	from, to = canonicalUnit(from), canonicalUnit(to)
	if strings.EqualFold(from, to) {
		return value, true
	}
	if isCurrency(from) || isCurrency(to) {
		return 0, false
	}
	above, per, ratio := strings.Cut(from, "/")
	otherAbove, otherPer, otherRatio := strings.Cut(to, "/")
	if ratio && otherRatio && measures[strings.ToLower(from)].dimension == "" {
		v, ok := converted(value, above, otherAbove)
		w, both := converted(1, per, otherPer)
		return v / w, ok && both
	}
	a, b := measures[strings.ToLower(from)], measures[strings.ToLower(to)]
	if a.dimension == "" || a.dimension != b.dimension {
		return 0, false
	}
	return value * a.factor / b.factor, true
}

// inUnitOf reports whether a value in a unit can limit a column with another unit. It can if it can be converted, or if it is money
// and the column is money for something, such as EUR/year.
func inUnitOf(unit, of string) bool {
	if _, ok := converted(1, unit, of); ok {
		return true
	}
	above, _, ratio := strings.Cut(of, "/")
	return ratio && isCurrency(unit) && strings.EqualFold(canonicalUnit(above), unit)
}

var (
	// camel matches the border of two words in a name such as "bookID".
	camel = lazyregexp.New(`(\p{Ll}{3})(\p{Lu})`)
	// inBrackets matches a unit at the end of a header.
	inBrackets = lazyregexp.New(`^(.*\S)\s*[(\[]\s*([^()\[\]]{1,24}?)\s*[)\]]$`)
	// behindSign matches a unit behind a comma, a slash, "in", or an underscore.
	behindSign = lazyregexp.New(`^(.*\S)(?:\s*,\s*|\s+in\s+|_|\s+/\s+|\s+)(\S{1,10})$`)
)

// splitUnit returns the name and the unit of a header, such as "Price (EUR)", "Gewicht [kg]", "price_eur", and "Preis €".
func splitUnit(header string) (name, unit string) {
	name = header
	if m := inBrackets.FindStringSubmatch(header); m != nil {
		inner := strings.TrimPrefix(strings.TrimPrefix(m[2], "in "), "à ")
		if isUnit(inner) || strings.ContainsAny(inner, "/^²³°%") || len(inner) <= 4 {
			name, unit = m[1], canonicalUnit(inner)
		} else if first, _, ok := strings.Cut(strings.ReplaceAll(inner, ",", " "), " "); ok && isCurrency(canonicalUnit(first)) {
			name, unit = m[1], canonicalUnit(first) // EUR, excl. VAT
		}
	} else if m := behindSign.FindStringSubmatch(header); m != nil && isUnit(m[2]) && !timeWord[strings.ToLower(m[2])] {
		name, unit = m[1], canonicalUnit(m[2])
	}
	if unit == "" && len(header) > 1 && isUnit(header) && !timeWord[strings.ToLower(header)] {
		unit = canonicalUnit(header)
	}
	return strings.TrimSpace(camel.ReplaceAllString(strings.ReplaceAll(name, "_", " "), "$1 $2")), unit
}

// timeWord are units that often end the name of a column that is not in this unit, such as "Orbital period in days" and
// "Price per day".
var timeWord = map[string]bool{
	"a": true, "grad": true, // a grade, and rarely a degree
	"day": true, "week": true, "month": true, "year": true, "tag": true, "woche": true,
	"monat": true, "jahr": true, "unit": true, "piece": true,
}
