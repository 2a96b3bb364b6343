package evidence

import (
	"strings"

	"docent/internal/lazyregexp"
)

// Kind is a kind of answers that is easy to recognize. Its patterns are English and German.
type Kind string

// The kinds of answers that limit the evidence. Numbers are none: most passages have some.
const (
	Date     Kind = "date"
	Price    Kind = "price"
	Duration Kind = "duration"
	Phone    Kind = "phone"
	Email    Kind = "email"
)

// Further kinds of answers, whose words need not be in the passages.
const (
	contact Kind = "contact"
	measure Kind = "measure"
	person  Kind = "person"
)

// answerKind recognizes a kind of answers, in English and German.
type answerKind struct {
	kind Kind
	// asked matches questions for an answer of the kind, if nothing else can answer them. It may be nil.
	asked *lazyregexp.Regexp
	// words are words that ask for the kind. Passages with an answer need not have them.
	words map[string]bool
	// given matches such an answer.
	given *lazyregexp.Regexp
	// header matches the header of a column or row with such answers. It may be nil.
	header *lazyregexp.Regexp
}

// words returns a set of words.
func words(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

// units matches the names of units of time, and amounts numbers in words.
const (
	units = `(?:(?:milli)?(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?)|` +
		`(?:milli)?sekunden?|minuten?|stunden?|tage?n?|wochen?|monate?n?|jahre?n?)`
	amounts = `(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|twenty|thirty|` +
		`forty|fifty|sixty|ninety|hundred|thousand|several|few|couple|half|every|each|per|` +
		`eine?[nmrs]?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwölf|vierzehn|halbe?[nmrs]?|jede[nmrs]?|pro|mehrere|wenige)`
)

// months matches the names of months. "May" alone is a verb.
const months = `(?:January|February|March|April|June|July|August|September|October|November|December|Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember)`

// currencies matches signs and codes of currencies.
const currencies = `(?:\p{Sc}|zł|\b(?:USD|EUR|GBP|CHF|JPY|CNY|INR|PLN|SEK|NOK|DKK|CZK|HUF|CAD|AUD|Rs|kr|Fr)\b\.?|(?i:dollars?|euros?|cents?|pounds?)\b)`

var answerKinds = []answerKind{
	{
		kind: Date, words: words("date dates year month day time datum termin jahr monat tag uhrzeit"),
		header: lazyregexp.New(`(?i)\bdate\b|datum|\bstand\b|\b(?:from|until|since|ab|seit|bis)$`),
		asked: lazyregexp.New(`(?i)\b(?:welche[snm]?|in welchem) (?:jahr|datum|monat)\b|^\W*(?:(?:and|so) )?when (?:was|were|did)\b|\b(?:what|which) (?:year|date|month|century|decade)\b|\brelease date\b|` +
			`^\W*(?:(?:und|so) )?wann (?:wurden?|war(?:en)?)\b`),
		// A version is a date, too: "since 6.0.0".
		given: lazyregexp.New(`\b(?:1\d|20)\d\d(?:s\b|\b)|\b` + months + `\b|` +
			`\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.? \d|` +
			`\d\.? (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b|\b\d{1,4}[-/.]\d\d?[-/.]\d{1,4}\b|\b\d?\d:\d\d\b|` +
			`(?i)\b(?:version|release|since|v) ?\d|\bcentur(?:y|ies)\b|\byears (?:ago|before)\b|\b(?:yesterday|last|this) (?:spring|summer|autumn|` +
			`fall|winter|year|month|week)\b|\byesterday\b|day\b.* (?:morning|evening|night)\b|\d (?:bc|bce|ad|ce)\b|` +
			`\bjahrhundert|\bvor (?:\w+ )?jahren\b|\bgestern\b|\bletzte[nsmr]? (?:jahr|woche|monat)`),
	},
	{
		kind: Price,
		words: words("price prices pricing cost costs fee fees charge rate salary earn earns pay worth euro euros eur dollar dollars usd " +
			"preis preise kostet kosten kostets gebühr gebühren verdient verdienen teuer wert zahlen zahle zahlt"),
		header: lazyregexp.New(`(?i)\b(?:unit )?(?:prices?|costs?|fees?|rates?|fares?|amount|total|salary)\b|preis|kosten|gebühr|entgelt|betrag|tarif`),
		// Technical texts use "cost" for work, too.
		asked: lazyregexp.New(`(?i)\bwas kostet\b|\bwie ?viel kostet\b|\bwie teuer\b|\bhow much (?:do|does|did|would|will)\b.*\b(?:costs?|paid|earn|pay)\b|` +
			`\bwhats? (?:do|does|did|would|will)\b.*\bcost\b|\bcosts? per (?:day|week|month|year|user|seat|person)\b|` +
			`\b(?:price|fee|salary)s? (?:of|per|for)\b|\b(?:yearly|monthly|annual) (?:\w+ )?(?:price|cost|fee|amount|donation)s?\b`),
		given: lazyregexp.New(currencies + ` ?\d|\d ?(?:(?i:million|billion) )?` + currencies + `|` +
			`(?i)\bcosts? nothing\b|\bkoste[tn] nichts\b|\b(?:for free|free of charge|gratis|kostenlos|kostenfrei|gebührenfrei|unpaid)\b|\b(?:no|without|any) (?:cost|charge|fee)s?\b`),
	},
	{
		kind: Duration, words: words("duration period dauer frist dauert"),
		header: lazyregexp.New(`(?i)\b` + units + `\b|dauer|\(h\)`),
		asked: lazyregexp.New(`(?i)\b(?:how many|number of|wie ?vielen?|wie ?viele) (?:\pL+ )?\pL*` + units + `\b|` +
			`^\W*` + units + ` (?:until|before|after)\b|` +
			`\b(?:default|value|limit)\b.* in ` + units + `\b`),
		given: lazyregexp.New(`(?is)\d.*(?:\b|_)` + units + `\b|(?:\b|_)` + units + `\b.*\d|` +
			`\b` + amounts + `[ -](?:\w+ ){0,2}` + units + `\b|` +
			`\b\d+ ?(?:ms|min|[smhdwy])\b|\b(?:daily|hourly|weekly|monthly|yearly)\b|` +
			`\b(?:täg|stünd|wöchent|monat|jähr)lich`),
	},
	{
		kind: Phone, words: words("phone telephone telefon telefonnummer nummer rufnummer durchwahl"),
		asked: asksFor(`(?:(?:tele)?phone|fax|mobile|hotline) (?:number|no)|(?:telefon|fax|handy|mobil|ruf)nummer|durchwahl`),
		given: lazyregexp.New(`\+?\d[\d ()/-]{4,}\d|(?i)(?:\b(?:call|dial|ext(?:ension)?|wählen?)|phone|telefon|nummer|durchwahl|\btel)\b.{0,20}\d`),
	},
	{
		kind: Email, words: words("mail email mailadresse"),
		asked: asksFor(`(?:e-?mail|mail) address|(?:e-?)?mail-?adresse`),
		given: lazyregexp.New(`[\w.+-]+@[\w-]+(?:\.[\w-]+)+`),
	},
	{
		kind: contact,
		words: words("phone telephone number contact email mail address call reach hotline " +
			"telefon telefonnummer nummer rufnummer durchwahl kontakt adresse anrufen erreiche erreichen mailadresse"),
		given:  lazyregexp.New(`\+?\d[\d ()/-]{4,}\d|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|\bhttps?://`),
		header: lazyregexp.New(`(?i)\b(?:phone|telephone|contact|e-?mail)\b|telefon|kontakt|durchwahl`),
	},
	{
		kind: measure,
		words: words("weight weigh weighs heavy length long height tall high width wide depth deep size temperature speed capacity volume distance far " +
			"gewicht wiegt länge lang höhe hoch breite breit tiefe tief größe groß temperatur geschwindigkeit entfernung weit"),
		given:  lazyregexp.New(`\d ?(?:[mck]?m²?|m³|[kmµ]?g|t|[mc]?l|°|[kM]?W|[kMG]?Hz|[kMGT]i?B|kn|bar|px|[Pp]ixels?|in(?:ch(?:es)?)?|ft|lbs?|met(?:er|re)s?|liters?|litres?)\b|\d ?[°%]`),
		header: lazyregexp.New(`\((?:[mck]?m²?|m³|[kmµ]?g|t|[mc]?l|°C|[kM]?W|[kMG]?Hz|[kMGT]B|kn|bar|px|in|ft)\)`),
	},
	{
		kind: person,
		words: words("name person contact responsible manager leader head owner " +
			"ansprechpartner ansprechpartnerin verantwortlich zuständig leiter leiterin leitung chef chefin heißt"),
		given:  lazyregexp.New(`\b(?:Mr|Mrs|Ms|Dr|Prof|Herrn?|Frau)\b\.? \p{Lu}|\p{Lu}\p{Ll}+ \p{Lu}\p{Ll}{2,}\b`),
		header: lazyregexp.New(`(?i)\b(?:name|owner|responsible|contact|person)\b|zuständig|verantwortlich|ansprechpartner|leitung`),
	},
}

// asksFor matches questions for the value of a thing, and not those what to do with it: "how do I change my phone number".
func asksFor(thing string) *lazyregexp.Regexp {
	return lazyregexp.New(`(?i)^(?:.*\b(?:what|whats|welche|wie (?:ist|lautet))\b.*|\W*(?:the |our |your |die )?)\b(?:` + thing + `)` +
		`(?: (?:of|for|von|vom|der|des|für)\b|\W*$)`)
}

// isGiven reports whether a passage has an answer of the kind: by its form, or as a number in a column or row whose header names
// the kind.
func (k *answerKind) isGiven(p Passage) bool {
	if k.given.MatchString(p.Heading + "\n" + p.Text) {
		return true
	}
	if k.header == nil || !strings.ContainsAny(p.Text, "0123456789") {
		return false
	}
	for cell := range cells(p.Text) {
		if k.header.MatchString(cell) {
			return true
		}
	}
	return false
}

// cells yields the cells of a passage's header row, and the first cells of its other rows.
func cells(body string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		header := true
		for line := range strings.Lines(body) {
			if !isRow(line) {
				continue
			}
			for i, cell := range strings.Split(strings.Trim(line, "| \t\r\n"), "|") {
				if (header || i == 0) && !yield(strings.TrimSpace(cell)) {
					return
				}
			}
			header = false
		}
	}
}

// isRow reports whether a line is a row of a table.
func isRow(line string) bool { return strings.Contains(line, " | ") }

// enoughOfKind is the part of Signs.Close that a passage with an answer of the asked kind must reach.
const enoughOfKind = .75

// answerKindOf returns the kind of the answers that a question asks for, or nil.
func answerKindOf(question string) *answerKind {
	for i, k := range answerKinds {
		if k.asked != nil && k.asked.MatchString(question) {
			return &answerKinds[i]
		}
	}
	return nil
}

// kindsNamed returns the kinds of answers that a word asks for.
func kindsNamed(word string) (out []*answerKind) {
	word = strings.ToLower(word)
	for i, k := range answerKinds {
		if k.words[word] {
			out = append(out, &answerKinds[i])
		}
	}
	return out
}
