package evidence

import "regexp"

// Kind is a kind of answers that is easy to recognize. Its patterns are English.
type Kind string

// The kinds of answers. Numbers are none: most passages have some.
const (
	Date     Kind = "date"
	Price    Kind = "price"
	Duration Kind = "duration"
)

// answerKind recognizes a kind of answers.
type answerKind struct {
	kind Kind
	// asked matches questions for an answer of the kind.
	asked *regexp.Regexp
	// given matches such an answer.
	given *regexp.Regexp
}

// units matches the names of units of time.
const units = `(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?)`

const months = `(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)`

var answerKinds = []answerKind{
	{
		Date,
		regexp.MustCompile(`(?i)^\W*(?:(?:and|so) )?when (?:was|were|did)\b|\b(?:what|which) (?:year|date|month|century|decade)\b|\brelease date\b`),
		regexp.MustCompile(`\b(?:1\d|20)\d\d(?:s\b|\b)|\b` + months + `\b\.? \d|\d\.? ` + months + `\b|` +
			`\b\d{1,4}[-/.]\d\d?[-/.]\d{2,4}\b|(?i)\bcentur(?:y|ies)\b|\byears (?:ago|before)\b|\d (?:bc|bce|ad|ce)\b`),
	},
	{
		Price,
		regexp.MustCompile(`(?i)\b(?:how much|what) (?:do|does|did|is|are|was|would|will)\b.*\b(?:costs?|prices?|paid|fees?)\b|` +
			`\b(?:price|cost|fee)s? (?:of|per|for)\b|\b(?:yearly|monthly|annual) (?:\w+ )?(?:price|cost|fee|amount|donation)s?\b`),
		regexp.MustCompile(`(?i)[$€£¥] ?\d|\d ?(?:[$€£¥]|(?:dollars?|euros?|usd|eur|cents?|pounds?|percent|million|billion)\b)|` +
			`\b(?:for free|free of charge|gratis|unpaid)\b|\b(?:no|without|any) (?:cost|charge|fee)s?\b`),
	},
	{
		Duration,
		regexp.MustCompile(`(?i)\b(?:how many|number of) (?:milli)?` + units + `\b|^\W*` + units + ` (?:until|before|after)\b|` +
			`\b(?:default|value|limit)\b.* in (?:milli)?` + units + `\b`),
		regexp.MustCompile(`(?is)\d.*(?:\b|_)(?:milli)?` + units + `\b|(?:\b|_)(?:milli)?` + units + `\b.*\d|` +
			`\b(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|sixty|few|half|every|each|per)[ -](?:milli)?` + units + `\b|` +
			`\b\d+ ?(?:ms|min|[smhdwy])\b|\b(?:daily|hourly|weekly|monthly|yearly)\b`),
	},
}

// enoughOfKind is the part of Signs.Close that a passage with an answer of the asked kind must reach.
const enoughOfKind = .75

// answerKindOf returns the kind of the answers that a question asks for, or nil.
func answerKindOf(question string) *answerKind {
	for i, k := range answerKinds {
		if k.asked.MatchString(question) {
			return &answerKinds[i]
		}
	}
	return nil
}
