package denial_test

import (
	"strings"
	"testing"

	"docent/agent/intent/denial"
)

// words splits a text as callers do. "don't" is the only contraction.
func words(text string) []denial.Word {
	var out []denial.Word
	at := 0
	for _, field := range strings.Fields(text) {
		start := at + strings.Index(text[at:], field)
		at = start + len(field)
		word := strings.Trim(field, ",.;:!?")
		end := start + len(word)
		full := []string{strings.ToLower(word)}
		if full[0] == "don't" {
			full = []string{"do", "not"}
		}
		out = append(out, denial.Word{Full: full, Start: start, End: end})
	}
	return out
}

func TestRead(t *testing.T) {
	t.Parallel()
	asks := func(verb string) bool { return verb == "cancel" || verb == "stornieren" }
	for text, want := range map[string]denial.Message{
		"cancel my order":                   {Affirmed: "cancel my order", Plain: "cancel my order"},
		"don't cancel my order":             {Denies: true},
		"I do not want a refund, cancel it": {Affirmed: "cancel it", Plain: "cancel it", Denies: true},
		"no, cancel it":                     {Affirmed: "cancel it", Plain: "cancel it", Denies: true},
		"no parcel came for ten days":       {Affirmed: "no parcel came for ten days", Plain: "no parcel came for ten days"},
		"I have no time, cancel it":         {Affirmed: "I have no time, cancel it", Plain: "cancel it"},
		"RESTRICT or NO ACTION, what's the difference": {
			Affirmed: "RESTRICT or NO ACTION, what's the difference", Plain: "RESTRICT or NO ACTION, what's the difference",
		},
		"a pizza without olives":             {Affirmed: "a pizza ", Plain: "a pizza ", Denies: true},
		"is it not included?":                {Affirmed: "is it not included?", Plain: "is it not included?"},
		"the price is not what I want":       {Denies: true},
		"nicht stornieren":                   {Denies: true},
		"Sie müssen das nicht stornieren":    {Denies: true},
		"":                                   {},
		"no":                                 {Denies: true},
		"I would rather not cancel it":       {Denies: true},
		"warum nicht stornieren":             {Affirmed: "warum nicht stornieren", Plain: "warum nicht stornieren"},
		"instead of the price, the delivery": {Affirmed: "the delivery", Plain: "the delivery", Denies: true},
	} {
		if got := denial.Read(text, words(text), asks); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}
