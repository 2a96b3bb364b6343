package talk

import (
	"slices"
	"strconv"
	"strings"

	"docent/internal/lazyregexp"
	"docent/rag/text"
)

// Times is the number of things for which a message asks for the amount of the last answer, as in "how much is that for 12 people?".
type Times struct {
	// Number is the number in digits, and Value its value.
	Number string
	Value  float64
	// Things is the word for the counted things, or "".
	Things string
}

// timesOf matches a message that asks for a multiple. The groups are the number and the things.
var timesOf = lazyregexp.New(`(?i)^\W*(?:(?:and|ok|so|then|und|also|dann|macht|wären|total|insgesamt|zusammen) +)*` +
	`(?:(?:how much|what|wie ?viel|was) +(?:is|are|was|would|will|does|do|ist|sind|wäre|macht|kostet|kosten|würde|wird) +)?` +
	`(?:(?:that|this|it|they|das|es|sie|dies) +)?(?:(?:be|cost|come to|make|dann|also|zusammen|insgesamt) +)*` +
	`(?:for|times|x|mal|für|bei) +(\d+(?:[.,]\d+)?)(?: +(\pL+))?(?: (?:in total|altogether|of (?:them|us)|insgesamt|zusammen|kosten))*\W*$`)

// pair matches the numeral that text.WithDigits leaves.
var pair = lazyregexp.New(`(?i)\b(?:two|zwei)\b`)

// Times returns the multiple that the message asks for. It is not ok if it asks for none.
func (f FollowUp) Times() (Times, bool) {
	m := timesOf.FindStringSubmatch(text.WithDigits(pair.ReplaceAllString(f.Message, "2")))
	if m == nil {
		return Times{}, false
	}
	value, err := strconv.ParseFloat(strings.ReplaceAll(m[1], ",", "."), 64)
	if err != nil || value <= 0 || value == 1 {
		return Times{}, false
	}
	return Times{Number: m[1], Value: value, Things: m[2]}, true
}

// timeUnits are the beginnings of units of time by unit, in English and German.
var timeUnits = []struct {
	unit  string
	words []string
}{
	{"minute", []string{"minute", "minuten"}},
	{"hour", []string{"hour", "hours", "hourly", "stunde", "stunden"}},
	{"day", []string{"day", "days", "daily", "tag", "tage", "tagen"}},
	{"night", []string{"night", "nights", "nacht", "nächte", "nächten"}},
	{"week", []string{"week", "weeks", "weekly", "woche", "wochen"}},
	{"month", []string{"month", "months", "monthly", "monat", "monate", "monaten"}},
	{"year", []string{"year", "years", "yearly", "annual", "jahr", "jahre", "jahren"}},
}

// TimeUnit returns the unit of time that a word names, or "".
func TimeUnit(word string) string {
	for _, u := range timeUnits {
		if slices.Contains(u.words, strings.ToLower(word)) {
			return u.unit
		}
	}
	return ""
}

// TimeUnits returns the units of time that a text names.
func TimeUnits(s string) []string {
	var out []string
	for _, w := range text.Words(s) {
		if u := TimeUnit(s[w.Start:w.End]); u != "" && !slices.Contains(out, u) {
			out = append(out, u)
		}
	}
	return out
}
