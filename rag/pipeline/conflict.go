package pipeline

import (
	"slices"
	"strings"

	"docent/internal/lazyregexp"
	"docent/rag/corpus"
	"docent/rag/text"
)

// clauseBreak matches the border between two clauses that can be true or false
// independently.
var clauseBreak = lazyregexp.New(`(?i)(;\s+|,\s+(?:and|but|while|which|so|und|aber|während|wobei)\s+)|` +
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
	var amounts []text.Amount
	languages := []string{text.Language(clause)}
	for _, d := range docs {
		p, language := c.results[d-1].Passage, c.language(d-1)
		s := corpus.HeadingLine(p.Document.Title, p.Headings) + "\n" + p.Text + "\n"
		b.WriteString(s)
		amounts = append(amounts, text.Amounts(s, language)...)
		languages = append(languages, language)
	}
	body := b.String()
	near, nearAmounts := c.near(clause, docs)
	switch {
	case c.contradicts(clause, docs), affirms(clause, near):
		return "negation"
	case numbersDiffer(clause, languages, amounts), len(nearAmounts) > 0 && numbersDiffer(clause, languages, nearAmounts):
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
// clause, and their numbers.
func (c *checker) near(clause string, docs []int) (near string, amounts []text.Amount) {
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
		amounts = append(amounts, text.Amounts(s.text, s.language)...)
	}
	if len(amounts) > 0 { // a name in the heading, or in the header of a table, can have a number
		for _, d := range docs {
			p := c.results[d-1].Passage
			above := corpus.HeadingLine(p.Document.Title, p.Headings) + "\n" + tableHeader(p.Text)
			amounts = append(amounts, text.Amounts(above, c.language(d-1))...)
		}
	}
	return b.String(), amounts
}

// numbersDiffer reports whether a clause contains a number that the passages
// neither contain, with its unit, nor yield by one multiplication or division.
// It reads the clause in each of the languages. A clause is often too short to
// tell its own.
func numbersDiffer(clause string, languages []string, held []text.Amount) bool {
	return !slices.ContainsFunc(languages, func(language string) bool {
		own := text.Amounts(clause, language)
		for i, a := range own {
			if !slices.ContainsFunc(held, a.Agrees) && !yields(slices.Concat(held, own[:i], own[i+1:]), a.Value) {
				return false
			}
		}
		return true
	})
}

// yields reports whether a product or quotient of two of the numbers is v.
func yields(of []text.Amount, v float64) bool {
	for i, a := range of {
		for j, b := range of {
			if i != j && a.Value > 1 && b.Value > 1 && (a.Value*b.Value == v || a.Value/b.Value == v) {
				return true
			}
		}
	}
	return false
}

// name matches options, paths, identifiers, and abbreviations.
var name = lazyregexp.New(`(?:^|[\s("'` + "`" + `])(--?[A-Za-z][\w-]*|/[\w./-]*\w|[A-Za-z]\w*_\w+|[a-z]+[A-Z]\w*|[A-Z]{2,}\w*)`)

// figureHyphen matches the hyphen of a word such as "5-second", which no option begins with.
var figureHyphen = lazyregexp.New(`(\d)-`)

// namesDiffer reports whether the passages lack a name of a clause.
func namesDiffer(clause, body string) bool {
	body = strings.ToLower(body)
	clause = text.WithoutFigures(figureHyphen.ReplaceAllString(clause, "$1 "))
	for _, m := range name.FindAllStringSubmatch(clause, -1) {
		if !strings.Contains(body, strings.ToLower(strings.TrimRight(m[1], "."))) {
			return true
		}
	}
	return false
}

// anyWord matches one of the words of a list. \b would know ASCII letters only.
func anyWord(list string) *lazyregexp.Regexp {
	return lazyregexp.New(`(?i)(?:^|[^\pL\d_])(?:` + list + `)(?:[^\pL\d_]|$)`)
}

// The words of these lists say how many things a sentence is about, and how
// certain or necessary it is.
var (
	universal = anyWord(`all|always|any|anyone|each|every|everyone|everything|whenever|alle[nrs]?|immer|jede[rsnm]?|stets`)
	exclusive = anyWord(`only|solely|exclusively|nur|ausschließlich|allein`)
	notOnly   = lazyregexp.New(`(?i)\b(?:not only|nicht nur)\b`)
	partial   = anyWord(`some|many|most|mostly|usually|often|sometimes|typically|generally|rarely|several|certain|unless|except|may|might|can|only if|einige[nr]?|viele[nr]?|meist(?:ens)?|oft|manchmal|gewöhnlich|üblicherweise|selten|kann|können`)
	firm      = anyWord(`must|ha(?:s|ve) to|requires?|required|needs?|mandatory|will|always|guarantee[sd]?|muss|müssen|erforderlich|zwingend`)
	tentative = anyWord(`may|might|could|should|can|optional(?:ly)?|recommend(?:s|ed)?|suggested|unlikely|likely|encouraged|kann|können|sollten?|könnten?|empfohlen|optional`)
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
var opposites = func() [][2]*lazyregexp.Regexp {
	var out [][2]*lazyregexp.Regexp
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
		{`vote[sd]? for`, `vote[sd]? against`},
		{`vor`, `nach|seit`},
		{`öfter|häufiger|mehr|größer|höher|schneller`, `seltener|weniger|kleiner|niedriger|langsamer`},
		{`erlaubt|gestattet`, `verboten|untersagt`},
	} {
		out = append(out, [2]*lazyregexp.Regexp{anyWord(pair[0]), anyWord(pair[1])})
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
var clausePart = lazyregexp.New(`(?i)[,;:()–—\n]|\b(?:and|but|or|und|aber|sondern|oder)\b`)

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
