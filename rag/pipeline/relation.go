package pipeline

import (
	"slices"
	"strconv"
	"strings"

	"docent/internal/lazyregexp"
	"docent/rag/text"
)

// relates reports whether a unit has the relations of a claim: the same side of a limit, the same rate, and names in the same
// order. A claim needs a counterpart in the unit for words such as "all", "must", and "longer than".
func (k *claim) relates(unit string) bool {
	if strings.Contains(unit, k.text) {
		return true
	}
	return !k.otherSide(unit) && !k.otherRate(unit) && !k.swaps(unit) && k.compared(unit) && !k.unrestricted(unit) &&
		(!absolute.MatchString(k.text) || absolute.MatchString(unit)) &&
		(!duty.MatchString(k.text) || duty.MatchString(unit) || !option.MatchString(unit))
}

var (
	// absolute matches words for everything and for nothing else.
	absolute = lazyregexp.New(`(?i)\b(?:(?:always|all|only|exclusively|immer|stets|alle[nrms]?|nur|ausschließlich)` +
		`(?:\PL|$)|(?:every|each|any|jede[nrs]?) \pL)`)
	// duty matches words for duties, and option words for options.
	duty   = lazyregexp.New(`(?i)\b(?:must|ha(?:ve|s) to|required?|requires|needs? to|mandatory|muss|müssen|Pflicht)\b`)
	option = lazyregexp.New(`(?i)\b(?:may|can|could|should|optional(?:ly)?|recommended|kann|können|darf|dürfen|sollte[n]?|empfohlen)\b`)
	// restriction matches the words in front of an exception or a condition.
	restriction = lazyregexp.New(`(?i)\b(?:unless|except|excluding|only (?:if|when|with|in|on|for|after)|es sei denn|außer|ausgenommen|` +
		`nur (?:wenn|mit|in|bei|für|nach))\b`)
)

// unrestricted reports whether a unit has an exception or a condition that the claim leaves out.
func (k *claim) unrestricted(unit string) bool {
	at := restriction.FindStringIndex(unit)
	if at == nil || restriction.MatchString(k.text) {
		return false
	}
	behind := text.Stems(unit[at[1]:])
	return !slices.ContainsFunc(k.words, func(w text.Word) bool { return behind[w.Stem] })
}

// limited matches a limit: its first group is an upper one, its second group a lower one, and its third group the number.
var limited = lazyregexp.New(`(?i)(?:^|\PL)(?:(not? more than|not? longer than|at most|up to|below|under|less than|fewer than|` +
	`lower than|shorter than|within|before|nicht mehr als|nicht länger als|höchstens|maximal|` +
	`unter|weniger als|bis zu|kürzer als|innerhalb von|vor)|` +
	`(not? less than|at least|above|over|more than|greater than|higher than|longer than|exceed(?:s|ing)?|after|` +
	`mindestens|über|mehr als|höher als|länger als|ab|nach))\s+(?:the |den |dem )?[€$£]?(\d+(?:[.,:]\d+)*)`)

// sides returns the sides of the limits in a text: -1 below the number, and 1 above it.
func sides(s string) map[string]int {
	out := map[string]int{}
	s = text.WithDigits(smallNumerals.ReplaceAllString(s, "2$1"))
	for _, m := range limited.FindAllStringSubmatch(s, -1) {
		side := 1
		if m[1] != "" {
			side = -1
		}
		out[trimZeros(m[3])] = side
	}
	return out
}

// otherSide reports whether a claim and a unit are on different sides of a number.
func (k *claim) otherSide(unit string) bool {
	there := sides(unit)
	for number, side := range sides(k.text) {
		if there[number] == -side {
			return true
		}
	}
	return false
}

var (
	// rate matches a rate. A year may follow "im Jahr", so the last group is the text behind it.
	rate = lazyregexp.New(`(?i)\b(?:(?:per|an?|each|every|pro|im|je|jede[ns]?) ` +
		`(hour|day|week|month|quarter|year|stunde|tag|woche|monat|quartal|jahr)|` +
		`(hour|dai|week|month|quarter|year|annual|stünd|täg|wöchent|monat|viertel|jähr)l(?:y|ich)[enrs]*)( \d)?`)
	// periods map the words of rates to their English names.
	periods = map[string]string{
		"dai": "day", "annual": "year", "stunde": "hour", "stünd": "hour", "tag": "day", "täg": "day", "woche": "week", "wöchent": "week",
		"monat": "month", "quartal": "quarter", "jahr": "year", "jähr": "year",
	}
)

// rates returns the periods of the rates in a text, such as month for "per month".
func rates(s string) (out []string) {
	for _, m := range rate.FindAllStringSubmatch(s, -1) {
		period := strings.ToLower(m[1] + m[2])
		if known := periods[period]; known != "" {
			period = known
		}
		if m[3] == "" {
			out = append(out, period)
		}
	}
	return out
}

// otherRate reports whether a claim has a rate that a unit with rates does not have.
func (k *claim) otherRate(unit string) bool {
	there := rates(unit)
	return len(there) > 0 && slices.ContainsFunc(rates(k.text), func(r string) bool { return !slices.Contains(there, r) })
}

var (
	// fullName matches a name of several words, and capital a word with a capital.
	fullName = lazyregexp.New(`\p{Lu}[\pL-]+(?: \p{Lu}[\pL-]+)+`)
	capital  = lazyregexp.New(`\p{Lu}[\pL\d-]+`)
	// passive matches the words of the passive voice.
	passive = lazyregexp.New(`(?i)\b(?:by|von|vom|durch)\b`)
	// joining matches words that join names without an order.
	joining = lazyregexp.New(`(?i)^[,\s]*(?:and|or|with|und|oder|mit|sowie)?\s*$`)
)

// swaps reports whether a unit has two names of the claim in the reverse order, with the same words in between.
func (k *claim) swaps(unit string) bool {
	if passive.MatchString(k.text) != passive.MatchString(unit) {
		return false
	}
	pattern := capital
	if k.language == "de" { // all nouns have capitals
		pattern = fullName
	}
	names := pattern.FindAllStringIndex(k.text, -1)
	for i := 1; i < len(names); i++ {
		first, second := lastName(k.text[names[i-1][0]:names[i-1][1]]), lastName(k.text[names[i][0]:names[i][1]])
		between := k.text[names[i-1][1]:names[i][0]]
		a, b := strings.Index(unit, first), strings.Index(unit, second)
		if first == second || joining.MatchString(between) || a < 0 || b < 0 || b+len(second) > a {
			continue
		}
		there := " " + strings.ToLower(unit[b+len(second):a]) + " "
		if !slices.ContainsFunc(strings.Fields(strings.ToLower(between)), func(w string) bool { return !strings.Contains(there, " "+w+" ") }) {
			return true
		}
	}
	return false
}

// lastName returns the last word of a name.
func lastName(s string) string { return s[strings.LastIndexByte(s, ' ')+1:] }

var (
	// comparison matches a comparison with a thing, and not with a number.
	comparison = lazyregexp.New(`(?i)\b(?:(more|fewer|less|mehr|weniger)\b(?: \pL+){0,4}?|` +
		`(\pL{2,}er)(?: \pL+){0,4}?) (?:than|als) (?:\pL|\d+\pL)`)
	// smaller are the comparatives for less.
	smaller = []string{
		"fewer", "less", "lower", "smaller", "shorter", "cheaper", "lighter",
		"weniger", "niedriger", "kleiner", "kürzer", "billiger", "leichter",
	}
)

// compared reports whether a unit has the comparison of a claim. A table has none, and nothing here computes it.
func (k *claim) compared(unit string) bool {
	own := comparison.FindStringSubmatch(k.text)
	if own == nil {
		return true
	}
	there := comparison.FindStringSubmatch(unit)
	less := func(m []string) bool { return slices.Contains(smaller, strings.ToLower(m[1]+m[2])) }
	return there != nil && less(own) == less(there)
}

// subject reports whether a unit has the subject of a claim that begins with an article. "The landlord pays" is not "The tenant pays".
func (k *claim) subject(stems map[string]bool) bool {
	m := newSubject.FindStringSubmatch(k.text)
	return m == nil || stems[text.Words(m[1])[0].Stem]
}

// foreign reports whether a sentence is in another language than all passages. Words and vectors then tell little.
func (c *checker) foreign(s string, docs []int) bool {
	own := text.Language(s)
	return own != "" && !slices.ContainsFunc(docs, func(d int) bool { l := c.language(d - 1); return l == "" || l == own })
}

// sums reports whether a number is the sum of a row whose name a sentence has.
func (c *checker) sums(number, s string, docs []int) bool {
	value, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return false
	}
	own := text.Stems(s)
	return slices.ContainsFunc(docs, func(d int) bool {
		header := true
		for line := range strings.Lines(c.results[d-1].Passage.Text) {
			cells := rowCells(strings.TrimSpace(line))
			if cells == nil || header {
				header = cells == nil
				continue
			}
			total, n := 0.0, 0
			for _, cell := range cells[1:] {
				if v, err := strconv.ParseFloat(cell, 64); err == nil {
					total, n = total+v, n+1
				}
			}
			if n > 1 && total == value && !slices.ContainsFunc(text.Words(cells[0]), func(w text.Word) bool { return !own[w.Stem] }) {
				return true
			}
		}
		return false
	})
}
