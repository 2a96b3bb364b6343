package pipeline

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"docent/rag/corpus"
	"docent/rag/text"
)

// clauseBreak matches the border between two clauses that can be true or false
// independently.
var clauseBreak = regexp.MustCompile(`(?i)(;\s+|,\s+(?:and|but|while|und|aber|während)\s+)|` +
	`(\s+(?:and|und)\s+)(?:is|are|was|were|has|had|can|may|must|will|ist|sind|war|waren|hat|kann|muss|wird)\b`)

// minClauseWords is the minimum number of meaningful words in a clause of its own.
const minClauseWords = 2

// clauses splits a sentence into its clauses. It leaves out an admission such
// as "I don't know why" before a clause.
func clauses(s string) []string {
	var out []string
	start := 0
	for _, at := range clauseBreak.FindAllStringSubmatchIndex(s, -1) {
		at[1] = max(at[3], at[5])
		if len(meaningful(s[start:at[0]])) >= minClauseWords && len(meaningful(s[at[1]:])) >= minClauseWords {
			if clause := s[start:at[0]]; !Admits(clause) {
				out = append(out, clause)
			}
			start = at[1]
		}
	}
	return append(out, s[start:])
}

// meaningful returns the words of a text that are neither stop words nor parts
// of identifiers.
func meaningful(s string) []text.Word {
	return slices.DeleteFunc(text.Words(s), func(w text.Word) bool { return w.Part || text.IsStop(w.Stem) })
}

// conflict names the rule by which the passages contradict a clause. It is ""
// if no rule applies.
func (c *checker) conflict(clause string, docs []int) string {
	var b strings.Builder
	for _, d := range docs {
		p := c.results[d-1].Passage
		b.WriteString(corpus.HeadingLine(p.Document.Title, p.Headings) + "\n" + p.Text + "\n")
	}
	body, near := b.String(), c.near(clause, docs)
	switch {
	case c.contradicts(clause, docs), affirms(clause, near):
		return "negation"
	case numbersDiffer(clause, body), len(amounts(near)) > 0 && numbersDiffer(clause, near):
		return "number"
	case namesDiffer(clause, body):
		return "name"
	case broader(clause, near):
		return "quantifier"
	case firmer(clause, near):
		return "modality"
	case opposite(clause, near):
		return "opposite"
	default:
		return ""
	}
}

// near returns the sentences of the passages that share the most words with a
// clause.
func (c *checker) near(clause string, docs []int) string {
	var own []string
	for _, w := range meaningful(clause) {
		own = append(own, w.Stem)
	}
	var all []readSentence
	for _, d := range docs {
		c.prepare(d - 1)
		all = append(all, c.sentences[d-1]...)
	}
	var b strings.Builder
	for _, s := range nearestOf(all, own, func(readSentence) bool { return true }) {
		b.WriteString(s.text + "\n")
	}
	return b.String()
}

var (
	// quantity matches a number and its unit.
	quantity = regexp.MustCompile(`(?i)(?:^|[^\pL\d._/-])(\d[\d,]*(?:\.\d+)*)\s*(?:(ms|milliseconds?|s|sec|seconds?|sekunden?|` +
		`min|minutes?|minuten?|h|hours?|stunden?|days?|tagen?|weeks?|wochen?|[kmgt]i?b|(?:kilo|mega|giga|tera)?bytes?|percent|prozent)\b|(%)|\b)`)
	// scales are the lengths of the units of time in seconds.
	scales = map[string]float64{
		"ms": .001, "mil": .001, "s": 1, "sec": 1, "sek": 1, "min": 60, "h": 3600, "hou": 3600, "stu": 3600,
		"day": 86400, "tag": 86400, "wee": 604800, "woc": 604800,
	}
	// numerals matches number words. It leaves out "two", which sentences often add.
	numerals = regexp.MustCompile(`(?i)\b(three|four|five|six|seven|eight|nine|ten|eleven|twelve|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf)\b`)
	digits   = map[string]string{
		"three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10",
		"eleven": "11", "twelve": "12", "drei": "3", "vier": "4", "fünf": "5", "sechs": "6", "sieben": "7",
		"acht": "8", "neun": "9", "zehn": "10", "elf": "11", "zwölf": "12",
	}
)

// amount is a number with the first three letters of its unit. Times are in seconds.
type amount struct {
	number string
	value  float64
	unit   string
}

// amounts returns the numbers in a text.
func amounts(s string) []amount {
	s = numerals.ReplaceAllStringFunc(s, func(w string) string { return digits[strings.ToLower(w)] })
	var out []amount
	for _, m := range quantity.FindAllStringSubmatch(s, -1) {
		number := strings.TrimRight(strings.ReplaceAll(m[1], ",", ""), ".")
		value, err := strconv.ParseFloat(number, 64)
		if err != nil {
			value = -1 // a version, such as 2.1.3
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
		out = append(out, amount{number, value, unit})
	}
	return out
}

// numbersDiffer reports whether a clause contains a number that the passages
// neither contain, with its unit, nor yield by one multiplication or division.
func numbersDiffer(clause, body string) bool {
	held := amounts(body)
	own := amounts(clause)
	for i, a := range own {
		if slices.ContainsFunc(held, a.agrees) {
			continue
		}
		operands := slices.Concat(held, own[:i], own[i+1:])
		if !yields(operands, a.value) {
			return true
		}
	}
	return false
}

// agrees reports whether two numbers are equal. A number without a unit agrees
// with any unit.
func (a amount) agrees(b amount) bool {
	if a.unit != "" && b.unit != "" {
		return a.unit == b.unit && a.value == b.value
	}
	return a.number == b.number
}

// yields reports whether a product or quotient of two of the numbers is v.
func yields(of []amount, v float64) bool {
	for i, a := range of {
		for j, b := range of {
			if i != j && a.value > 1 && b.value > 1 && (a.value*b.value == v || a.value/b.value == v) {
				return true
			}
		}
	}
	return false
}

// name matches options, paths, identifiers, and abbreviations.
var name = regexp.MustCompile(`(?:^|[\s("'` + "`" + `])(--?[A-Za-z][\w-]*|/[\w./-]*\w|[A-Za-z]\w*_\w+|[a-z]+[A-Z]\w*|[A-Z]{2,}\w*)`)

// namesDiffer reports whether the passages lack a name of a clause.
func namesDiffer(clause, body string) bool {
	body = strings.ToLower(body)
	for _, m := range name.FindAllStringSubmatch(quantity.ReplaceAllString(clause, " "), -1) {
		if !strings.Contains(body, strings.ToLower(strings.TrimRight(m[1], "."))) {
			return true
		}
	}
	return false
}

// The words of these lists say how many things a sentence is about, and how
// certain or necessary it is.
var (
	universal = regexp.MustCompile(`(?i)\b(?:all|always|any|anyone|each|every|everyone|everything|whenever|alle[nrs]?|immer|jede[rsnm]?|stets)\b`)
	exclusive = regexp.MustCompile(`(?i)\b(?:only|solely|exclusively|nur|ausschließlich|allein)\b`)
	notOnly   = regexp.MustCompile(`(?i)\b(?:not only|nicht nur)\b`)
	partial   = regexp.MustCompile(`(?i)\b(?:some|many|most|mostly|usually|often|sometimes|typically|generally|rarely|several|certain|unless|except|may|might|can|only if|einige[nr]?|viele[nr]?|meist(?:ens)?|oft|manchmal|gewöhnlich|üblicherweise|selten|kann|können)\b`)
	firm      = regexp.MustCompile(`(?i)\b(?:must|ha(?:s|ve) to|requires?|required|needs?|mandatory|will|always|guarantee[sd]?|muss|müssen|erforderlich|zwingend)\b`)
	tentative = regexp.MustCompile(`(?i)\b(?:may|might|could|should|can|optional(?:ly)?|recommend(?:s|ed)?|suggested|unlikely|likely|encouraged|kann|können|sollten?|könnten?|empfohlen|optional)\b`)
)

// broader reports whether a clause speaks of all or only some things, and the
// passages speak of more or fewer.
func broader(clause, near string) bool {
	clause, near = notOnly.ReplaceAllString(clause, ""), notOnly.ReplaceAllString(near, "")
	all, only := universal.MatchString(clause), exclusive.MatchString(clause)
	nearAll, nearOnly := universal.MatchString(near), exclusive.MatchString(near)
	return (all || only) && !nearAll && !nearOnly && partial.MatchString(near) || only && nearAll && !nearOnly || all && nearOnly && !only
}

// firmer reports whether a clause states as certain or necessary that which
// the passages call possible or recommended.
func firmer(clause, near string) bool {
	return firm.MatchString(clause) && !firm.MatchString(near) && tentative.MatchString(near) && !tentative.MatchString(clause)
}

// opposites are pairs of words that exclude each other in the same statement.
var opposites = func() [][2]*regexp.Regexp {
	var out [][2]*regexp.Regexp
	for _, pair := range [][2]string{
		{`before|older|earlier|prior`, `after|since|newer|later`},
		{`increas\w*|rais\w*|higher|larger|faster|more`, `decreas\w*|reduc\w*|lower\w*|smaller|slower|less|fewer`},
		{`first`, `last`},
		{`minimum|at least`, `maximum|at most`},
		{`safe`, `unsafe|dangerous|harm\w*`},
		{`allow\w*|permit\w*|accept\w*`, `forbid\w*|prohibit\w*|reject\w*|refus\w*`},
		{`same|identical`, `different|distinct`},
		{`enabl\w*`, `disabl\w*`},
		{`start\w*|begin\w*`, `stop\w*|end\w*`},
		{`temporar\w*`, `permanent\w*`},
		{`automatic\w*`, `manual\w*|by hand`},
		{`vor`, `nach|seit`},
		{`öfter|häufiger|mehr|größer|höher|schneller`, `seltener|weniger|kleiner|niedriger|langsamer`},
		{`erlaubt|gestattet`, `verboten|untersagt`},
	} {
		word := func(s string) *regexp.Regexp { return regexp.MustCompile(`(?i)\b(?:` + s + `)\b`) }
		out = append(out, [2]*regexp.Regexp{word(pair[0]), word(pair[1])})
	}
	return out
}()

// opposite reports whether a clause contains one word of a pair of opposites,
// and the nearest sentences contain only the other.
func opposite(clause, near string) bool {
	for _, o := range opposites {
		for i := range o {
			a, b := o[i], o[1-i]
			if a.MatchString(clause) && !b.MatchString(clause) && b.MatchString(near) && !a.MatchString(near) {
				return true
			}
		}
	}
	return false
}

// clausePart matches the border between two parts of a passage's sentence that
// are denied independently.
var clausePart = regexp.MustCompile(`(?i)[,;:()–—\n]|\b(?:and|but|or|und|aber|sondern|oder)\b`)

// affirms reports whether a clause states without negation that which the
// nearest part of the nearest sentences denies.
func affirms(clause, near string) bool {
	if len(text.Denials(clause)) > 0 || text.OtherwiseNegative.MatchString(clause) {
		return false
	}
	own := text.Stems(clause)
	most, best := 0, ""
	for _, part := range clausePart.Split(near, -1) {
		n := 0
		for _, w := range meaningful(part) {
			if own[w.Stem] {
				n++
			}
		}
		if n > most {
			most, best = n, part
		}
	}
	return len(text.Denials(best)) > 0
}
