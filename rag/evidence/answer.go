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

// units matches the names of units of time, and amounts numbers in words.
const (
	units   = `(?:milli)?(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?)`
	amounts = `(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|twenty|thirty|` +
		`forty|fifty|sixty|ninety|hundred|thousand|several|few|couple|half|every|each|per)`
)

// months matches the names of months. "May" alone is a verb.
const months = `(?:January|February|March|April|June|July|August|September|October|November|December)`

// currencies matches signs and codes of currencies.
const currencies = `(?:\p{Sc}|zł|\b(?:USD|EUR|GBP|CHF|JPY|CNY|INR|PLN|SEK|NOK|DKK|CZK|HUF|CAD|AUD|Rs|kr|Fr)\b\.?|(?i:dollars?|euros?|cents?|pounds?)\b)`

var answerKinds = []answerKind{
	{
		Date,
		regexp.MustCompile(`(?i)^\W*(?:(?:and|so) )?when (?:was|were|did)\b|\b(?:what|which) (?:year|date|month|century|decade)\b|\brelease date\b`),
		// A version is a date, too: "since 6.0.0".
		regexp.MustCompile(`\b(?:1\d|20)\d\d(?:s\b|\b)|\b` + months + `\b|\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.? \d|` +
			`\d\.? (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b|\b\d{1,4}[-/.]\d\d?[-/.]\d{1,4}\b|\b\d?\d:\d\d\b|` +
			`(?i)\b(?:version|release|since|v) ?\d|\bcentur(?:y|ies)\b|\byears (?:ago|before)\b|\b(?:yesterday|last|this) (?:spring|summer|autumn|` +
			`fall|winter|year|month|week)\b|\byesterday\b|day\b.* (?:morning|evening|night)\b|\d (?:bc|bce|ad|ce)\b`),
	},
	{
		// Technical texts use "cost" for work, too.
		Price,
		regexp.MustCompile(`(?i)\bhow much (?:do|does|did|would|will)\b.*\b(?:costs?|paid)\b|\bcosts? per (?:day|week|month|year|user|seat|person)\b|` +
			`\b(?:price|fee|salary)s? (?:of|per|for)\b|\b(?:yearly|monthly|annual) (?:\w+ )?(?:price|cost|fee|amount|donation)s?\b`),
		regexp.MustCompile(currencies + ` ?\d|\d ?(?:(?i:million|billion) )?` + currencies + `|` +
			`(?i)\b(?:for free|free of charge|gratis|unpaid)\b|\b(?:no|without|any) (?:cost|charge|fee)s?\b`),
	},
	{
		Duration,
		regexp.MustCompile(`(?i)\b(?:how many|number of) ` + units + `\b|^\W*` + units + ` (?:until|before|after)\b|` +
			`\b(?:default|value|limit)\b.* in ` + units + `\b`),
		regexp.MustCompile(`(?is)\d.*(?:\b|_)` + units + `\b|(?:\b|_)` + units + `\b.*\d|\b` + amounts + `[ -](?:\w+ ){0,2}` + units + `\b|` +
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
