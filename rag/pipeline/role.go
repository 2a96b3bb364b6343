package pipeline

import (
	"slices"
	"strings"

	"docent/internal/lazyregexp"
	"docent/rag/corpus"
	"docent/rag/text"
)

// unitWords is the minimum share of a clause's words in the unit of a passage that says the same.
const unitWords = .6

// insideWords is the minimum share of these words that are not only in the heading.
const insideWords = .3

// unit is the smallest part of a passage that gives numbers and names a role: a sentence with the next one in its line, or a
// cell of a table with its row and column.
type unit struct {
	text string
	// cells are the values of a whole row of a table.
	cells []string
}

// units returns the units of a passage.
func units(body string, code bool) (out []unit) {
	var header []string
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		switch cells := rowCells(line); {
		case line == "" || ruled.MatchString(line):
		case cells == nil:
			header = nil
			out = append(out, sentenceUnits(line, code)...)
		case header == nil:
			header = cells
			out = append(out, unit{text: line})
		default:
			out = append(out, rowUnits(header, cells)...)
		}
	}
	return out
}

// tableHeader returns the first row of a table, or "".
func tableHeader(body string) string {
	for line := range strings.Lines(body) {
		if rowCells(line) != nil {
			return line
		}
	}
	return ""
}

// ruled matches the line below the header of a Markdown table.
var ruled = lazyregexp.New(`^[|:\- ]+$`)

// rowCells returns the cells of a row, or nil for other lines.
func rowCells(line string) []string {
	if !strings.Contains(line, " | ") {
		return nil
	}
	cells := strings.Split(strings.Trim(line, "| "), "|")
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells
}

// rowUnits returns each cell of a row with its header and the first cell, and then the whole row.
func rowUnits(header, cells []string) (out []unit) {
	for i, cell := range cells[1:] {
		column := ""
		if i+1 < len(header) {
			column = header[i+1]
		}
		out = append(out, unit{text: header[0] + " " + cells[0] + " " + cell + " " + column})
	}
	return append(out, unit{text: strings.Join(header, " ") + "\n" + strings.Join(cells, " "), cells: cells[1:]})
}

// newSubject matches the beginning of a sentence with a subject. The group is its noun.
var newSubject = lazyregexp.New(`^(?:The|An?|Der|Die|Das|Eine?) (\pL[\pL-]+)`)

// sentenceUnits returns each sentence of a line, and each two neighbors about the same subject.
func sentenceUnits(line string, code bool) (out []unit) {
	last := ""
	for _, s := range text.Sentences(line, code) {
		sentence := line[s.Start:s.End]
		out = append(out, unit{text: sentence})
		if m := newSubject.FindStringSubmatch(sentence); last != "" && (m == nil || text.Stems(last)[text.Words(m[1])[0].Stem]) {
			out = append(out, unit{text: last + " " + sentence})
		}
		last = sentence
	}
	return out
}

// claim is a clause of an answer with the parts that have a role.
type claim struct {
	text     string
	language string
	words    []text.Word
	amounts  []figure
	denies   bool
}

// grounded reports whether one unit of the passages has all numbers, dates, and names of a clause in the same role.
func (c *checker) grounded(clause string, docs []int) bool {
	k := claim{
		text: clause, language: text.Language(clause), words: meaningful(clause), amounts: figures(clause), denies: len(text.Denials(clause)) > 0,
	}
	if len(k.words) == 0 {
		return true
	}
	for _, d := range docs {
		p := c.results[d-1].Passage
		heading := corpus.HeadingLine(p.Document.Title, p.Headings)
		for _, u := range units(p.Text, p.Kind == corpus.Code) {
			if k.in(u, heading) {
				return true
			}
		}
	}
	return false
}

// in reports whether a unit below a heading says the same as a claim.
func (k *claim) in(u unit, heading string) bool {
	whole := heading + "\n" + u.text
	stems, own := text.Stems(whole), text.Stems(u.text)
	held, inside := 0, 0
	for _, w := range k.words {
		if stems[w.Stem] {
			held++
		}
		if own[w.Stem] {
			inside++
		}
	}
	n := float64(len(k.words))
	if float64(held) < unitWords*n || float64(inside) < insideWords*n || !k.names(stems) || !k.subject(stems) || !k.placed(u, heading) {
		return false
	}
	for _, word := range literal.FindAllString(k.text, -1) {
		if !strings.Contains(strings.ToLower(whole), strings.ToLower(word)) {
			return false
		}
	}
	for _, kind := range calendar {
		own := u.text
		if !kind.MatchString(own) {
			own = whole
		}
		if kind.MatchString(k.text) && !subset(kind.FindAllString(k.text, -1), kind.FindAllString(own, -1)) {
			return false
		}
	}
	return k.agrees(u.text) && k.relates(u.text)
}

// subset reports whether all words are among others, in any case. Names of months and days can be shortened.
func subset(words, others []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool {
		return !slices.ContainsFunc(others, func(o string) bool {
			w, o := strings.ToLower(w), strings.ToLower(o)
			return strings.HasPrefix(w, o[:min(3, len(o))]) && strings.HasPrefix(o, w[:min(3, len(w))])
		})
	})
}

var (
	// literal matches e-mail addresses and URLs.
	literal = lazyregexp.New(`[\w.+-]+@[\w-]+(?:\.[\w-]+)+|\bhttps?://[\w./-]*\w`)
	// calendar matches names of months and of days, and ordinal numbers.
	calendar = []*lazyregexp.Regexp{
		lazyregexp.New(`(?i)\b(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|(?:erst|zweit|dritt|viert|fünft|sechst|siebt|acht|neunt|zehnt)e[nrms]?)\b`),
		lazyregexp.New(`\b(?:January|February|March|April|May|June|July|August|September|October|November|December|Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember)\b`),
		lazyregexp.New(`(?i)\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag)s?)\b`),
	}
)

// names reports whether a unit has the names and identifiers of a claim. German writes all nouns with capitals.
func (k *claim) names(stems map[string]bool) bool {
	for i, w := range k.words {
		written := k.text[w.Start:w.End]
		capital := k.language != "de" && startsUpper(written) &&
			(strings.TrimSpace(k.text[:w.Start]) != "" || i+1 < len(k.words) && startsUpper(k.text[k.words[i+1].Start:]))
		if (capital || w.Exact && strings.Trim(written, "0123456789.,") != "") && !stems[w.Stem] {
			return false
		}
	}
	return true
}

// startsUpper reports whether a text begins with a capital.
func startsUpper(s string) bool { return s != "" && strings.ToLower(s[:1]) != s[:1] }

// figure is a number with the word after it.
type figure struct {
	value, unit string
	// before is the word before it, and at its offset.
	before string
	at     int
}

var (
	// figureText matches a number with the words around it.
	figureText = lazyregexp.New(`(?:(\pL[\pL\d]*)[ -])?(?:^|[^\pL\d.,])?(\d+(?:[.,:/-]\d+)*)(?:[ ]?(\pL+|[%°€$]\pL?))?`)
	// smallNumerals matches the number words that quantities leave out.
	smallNumerals = lazyregexp.New(`(?i)\b(?:two|zwei)( (?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|sekunden|minuten|stunden|tagen?|wochen|monaten?|jahren?))\b`)
)

// measures matches units without their plural.
var measures = lazyregexp.New(`^(?:ms|s|min|h|d|(?:milli)?second|minute|hour|day|week|month|year|sekunden?|minuten?|stunden?|tage?n?|wochen?|monate?n?|jahre?n?|` +
	`[mck]?m|[mk]?g|[mc]?l|[kM]?b|[kmgt]i?b|bytes?|percent|prozent|euro?|dollar|usd|chf|gbp|v|a|k?w|bar|[%°€$].?)$`)

// figures returns the numbers of a text.
func figures(s string) (out []figure) {
	s = text.WithDigits(smallNumerals.ReplaceAllString(s, "2$1"))
	for _, m := range figureText.FindAllStringSubmatchIndex(s, -1) {
		f := figure{value: trimZeros(s[m[4]:m[5]]), at: m[4]}
		if m[6] >= 0 {
			f.unit = strings.TrimSuffix(strings.ToLower(s[m[6]:m[7]]), "s")
		}
		if m[2] >= 0 {
			f.before = strings.ToLower(s[m[2]:m[3]])
		}
		out = append(out, f)
	}
	return out
}

// trimZeros makes 89.00 equal to 89.
func trimZeros(number string) string {
	if i := strings.LastIndexAny(number, ".,"); i >= 0 && strings.Trim(number[i+1:], "0") == "" {
		return number[:i]
	}
	return number
}

// placed reports whether a unit has the numbers of a claim where the claim has them: at the same unit, or in the heading as a part
// of the same name. A number of a whole row needs a second one of the same row, because its column is unclear.
func (k *claim) placed(u unit, heading string) bool {
	own, above := figures(u.text), figures(heading)
	for _, f := range k.amounts {
		same := func(o figure) bool {
			return o.value == f.value && (o.unit == f.unit || !measures.MatchString(o.unit) || !measures.MatchString(f.unit))
		}
		switch {
		case slices.ContainsFunc(own, same) && !k.misplaced(u.text, f):
		case slices.ContainsFunc(above, func(o figure) bool { return same(o) && (o.before == f.before && f.before != "" || len(own) == 0) }):
		case !slices.ContainsFunc(own, func(o figure) bool { return o.value == f.value }) && k.derived(f, own):
		default:
			return false
		}
	}
	if u.cells == nil || len(k.amounts) == 0 {
		return true
	}
	n := 0
	for _, cell := range u.cells {
		if cell != "" && strings.Contains(k.text, cell) {
			n++
		}
	}
	return n > 1
}

// derived reports whether a number is a sum, product, or other form of numbers in a unit, as package text reads them.
func (k *claim) derived(f figure, own []figure) bool {
	if len(own) == 0 {
		return false
	}
	var s strings.Builder
	for _, o := range own {
		s.WriteString(o.value + " " + o.unit + "; ")
	}
	return !numbersDiffer(f.value+" "+f.unit, []string{k.language}, text.Amounts(s.String(), k.language))
}

// part matches the border between parts of a sentence with a number each.
var part = lazyregexp.New(`(?i)[,;.]\s|\s(?:and|und|but|aber|or|oder)\s`)

// misplaced reports whether a sentence gives the number to another thing: a part of it with another number has a word of the claim
// that the part with the number lacks.
func (k *claim) misplaced(sentence string, f figure) bool {
	var with, without []map[string]bool
	for _, p := range part.Split(sentence, -1) {
		here := figures(p)
		switch {
		case slices.ContainsFunc(here, func(o figure) bool { return o.value == f.value }):
			with = append(with, text.Stems(p))
		case slices.ContainsFunc(here, func(o figure) bool {
			return o.unit == f.unit || !measures.MatchString(o.unit) && !measures.MatchString(f.unit)
		}):
			without = append(without, text.Stems(p))
		}
	}
	own := text.Stems(k.text)
	return len(with) > 0 && len(without) > 0 && !slices.ContainsFunc(with, func(s map[string]bool) bool {
		other := slices.ContainsFunc(without, func(o map[string]bool) bool {
			return slices.ContainsFunc(k.words, func(w text.Word) bool { return o[w.Stem] && !s[w.Stem] && !w.Exact && w.Stem != f.unit })
		})
		foreign := false
		for stem := range s {
			foreign = foreign || !own[stem] && !text.IsStop(stem) && strings.Trim(stem, "0123456789.,") != ""
		}
		return !other || !foreign
	})
}

var (
	// unlimited matches words that a claim without exceptions has, and exception those of a text with one.
	unlimited = lazyregexp.New(`(?i)\b(?:even (?:if|when|though)|always|all|every|any|auch wenn|selbst wenn|immer|alle[nr]?|jede[nrs]?)\b`)
	exception = lazyregexp.New(`(?i)\b(?:unless|except|excluding|other than|need not|ausgenommen|außer|es sei denn|mit Ausnahme)\b`)
)

// agrees reports whether a unit denies something if the claim does, and the reverse. A claim without exceptions needs a unit without one.
func (k *claim) agrees(s string) bool {
	if unlimited.MatchString(k.text) && exception.MatchString(s) && !exception.MatchString(k.text) {
		return false
	}
	denials := text.Denials(s)
	if k.denies {
		return len(denials) > 0
	}
	own := text.Stems(k.text)
	return !slices.ContainsFunc(denials, func(d text.Denial) bool { return d.Stem != "" && own[d.Stem] }) ||
		text.OtherwiseNegative.MatchString(k.text)
}
