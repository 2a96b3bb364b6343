package evidence

import "regexp"

// Kind is a kind of answers that is easy to recognize.
type Kind string

// The kinds of answers. Numbers are none: most passages have some.
const (
	Date  Kind = "date"
	Price Kind = "price"
)

// answerKind recognizes a kind of answers.
type answerKind struct {
	kind Kind
	// asked matches questions for an answer of the kind.
	asked *regexp.Regexp
	// given matches such an answer.
	given *regexp.Regexp
}

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
			`\b(?:free|gratis|unpaid)\b|\b(?:no|without|any) (?:cost|charge|fee)s?\b`),
	},
}

// enoughOfKind is the share of the best run of sentences that a run with an answer of the asked kind must reach.
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
