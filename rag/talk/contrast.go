package talk

import (
	"slices"
	"strings"
	"unicode"

	"docent/internal/lazyregexp"
	"docent/rag/text"
)

// maxContrast is the maximum number of words in the part of a question that contrasts names.
const maxContrast = 8

// continuing matches the beginning of a question such as "and on S3?".
var continuing = lazyregexp.New(`(?i)^\W*(?:(?:(?:and|or|but|so) )?(?:what|how) about|and|or|` +
	`(?:(?:und|aber) )?was ist mit|und|oder|(?:et )?qu['’]en est-il (?:de|du|des)|et|ou|(?:y )?qué tal|y)\s+`)

// clause matches the beginning of a part that is a question or an order of its own, or its verb.
var clause = lazyregexp.New(`(?i)^(?:how|what|when|where|which|who|whom|whose|why|if|then|also|not|` +
	`wie|was|wann|wo|wer|wen|wem|welche[rsnm]?|warum|wieso|ob|wenn|falls|ist|sind|kann|können|muss|darf|wird|gibt|hat|` +
	`comment|quand|où|qui|que|quoi|quel(?:le)?s?|pourquoi|si|est|peut|puis|` +
	`cómo|cuándo|dónde|quién|qué|cuál(?:es)?|por qué|es|son|puedo|puede|hay)` + wordEnd + `|` +
	`(?:^|\s)(?:i|we|you|is|are|was|were|do|does|did|can|cannot|could|will|would|should|must|may|has|have)(?:\s|n['’]t|$)`)

// Contrasts reports whether a question only names another subject than the one before it.
func Contrasts(question string) bool { return contrast(question) != "" }

// contrast returns a part of a question that names another subject than the earlier
// question, such as "on S3" of "and on S3?". It returns "" for other questions.
func contrast(question string) string {
	at := continuing.FindStringIndex(question)
	if at == nil {
		return ""
	}
	part := strings.TrimRight(question[at[1]:], " ?!.,;:")
	words := wholeWords(part, text.Language(question))
	if len(words) > maxContrast || clause.MatchString(part) || !slices.ContainsFunc(words, telling) ||
		slices.ContainsFunc(back, func(b reference) bool { return b.pattern.MatchString(part) }) {
		return ""
	}
	return part
}

// replaced returns the earlier question with the part of its own that the contrast takes
// the place of. It is not ok if the earlier question shows no such part.
//
//   - "restore from SFTP?", "and from S3?": the words behind the same preposition
//   - "what does git stash do?", "and git worktree?": the words behind the same name
//   - "number of columns in a table?", "and the length of a string?": the words up to the same last preposition
//   - "default of bodyLimit?", "and connectionTimeout?": the only name of the same form
func replaced(earlier, part string) (string, bool) {
	if strings.Contains(earlier, "\n") {
		return "", false
	}
	language := text.Language(earlier)
	old, fresh := wholeWords(earlier, language), wholeWords(part, language)
	first := slices.IndexFunc(fresh, telling)
	if first < 0 {
		return "", false
	}
	anchor := first - 1
	if anchor > 0 && articles[strings.ToLower(fresh[anchor].text)] { // "on the 12th" takes the place of "on 10 June"
		anchor--
	}
	if first == 0 && len(fresh) > 1 && telling(fresh[1]) {
		anchor = 0
	}
	if from := behind(old, fresh, anchor); from >= 0 {
		to, at := endOfRun(old, from), endOfRun(fresh, anchor+1)
		for at+1 < len(fresh) {
			if to+1 == len(old) || !strings.EqualFold(old[to+1].text, fresh[at+1].text) {
				return "", false
			}
			to, at = endOfRun(old, to+1), endOfRun(fresh, at+1)
		}
		return earlier[:old[from].start] + part[fresh[anchor+1].start:] + earlier[old[to].end:], true
	}
	if only := soleOfForm(old, fresh[first:]); only >= 0 {
		return earlier[:old[only].start] + part[fresh[first].start:] + earlier[old[only].end:], true
	}
	return "", false
}

// opposites are prepositions with opposite meanings.
var opposites = map[string]string{
	"with": "without", "without": "with", "before": "after", "after": "before",
	"mit": "ohne", "ohne": "mit", "vor": "nach", "nach": "vor",
}

// turned returns the earlier question with the opposite preposition, for a message such as "and without?".
func turned(earlier, message string) (string, bool) {
	m := bareOpposite.FindStringSubmatch(message)
	if m == nil {
		return "", false
	}
	preposition := strings.ToLower(m[1])
	for _, w := range wholeWords(earlier, "") {
		if strings.EqualFold(w.text, opposites[preposition]) {
			return earlier[:w.start] + preposition + earlier[w.end:], true
		}
	}
	return "", false
}

// bareOpposite matches a message that is only such a preposition.
var bareOpposite = lazyregexp.New(`(?i)^\W*(?:(?:and|or|but|und|oder|aber|what about|was ist)\s+)?(with|without|before|after|mit|ohne|vor|nach)(?: it| that)?\W*$`)

// endOfRun returns the position of the last word in the first run of telling words at or behind at. Only spaces are between
// them.
func endOfRun(words []word, at int) int {
	for at+1 < len(words) && !telling(words[at]) {
		at++
	}
	for at+1 < len(words) && telling(words[at+1]) && words[at].end+1 == words[at+1].start {
		at++
	}
	return at
}

// behind returns the position in old of the telling word, or its article, behind the word that fresh has at
// the position anchor, or -1.
func behind(old, fresh []word, anchor int) int {
	from := -1
	for i, w := range old {
		if anchor < 0 || !strings.EqualFold(w.text, fresh[anchor].text) {
			continue
		}
		at := i + 1
		if at < len(old) && articles[strings.ToLower(old[at].text)] {
			at++
		}
		if at < len(old) && telling(old[at]) {
			from = i + 1
		}
	}
	return from
}

// articles are the articles of English, German, French, and Spanish.
var articles = func() map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq("the a an der die das den dem des ein eine einen einem einer eines le la les un une du el los las una unos unas") {
		out[w] = true
	}
	return out
}()

// soleOfForm returns the position of the only word in old that has the form of fresh, if
// fresh is one name. Otherwise it returns -1. The first word of a sentence has a capital
// anyway.
func soleOfForm(old, fresh []word) int {
	sole := -1
	for i, w := range old {
		switch {
		case i == 0 || len(fresh) != 1 || form(fresh[0].text) == plainForm || form(w.text) != form(fresh[0].text):
		case sole >= 0:
			return -1
		default:
			sole = i
		}
	}
	return sole
}

// word is a word of a question, or an option with its hyphens.
type word struct {
	text       string
	stop       bool
	start, end int
}

// wholeWords returns the words of a text in a language.
func wholeWords(s, language string) []word {
	var out []word
	for _, w := range text.Words(s) {
		if w.Part {
			continue
		}
		start := len(strings.TrimRight(s[:w.Start], "-"))
		if start > 0 && s[start-1] != ' ' { // "self-test" has no option
			start = w.Start
		}
		stop := start == w.Start && isStop(s[w.Start:w.End], w.Stem, language)
		out = append(out, word{s[start:w.End], stop, start, w.End})
	}
	return out
}

// isStop reports whether a word has no meaning of its own in English or in the language of a question.
func isStop(written, stem, language string) bool {
	return text.IsStop(stem) || text.IsForeignStop(language, written)
}

// telling reports whether a word has a meaning of its own.
func telling(w word) bool { return !w.stop }

// The forms of words.
const (
	plainForm = iota
	capitalForm
	identifierForm
	optionForm
)

// form returns the form of a word: an option such as --all, an identifier such as bodyLimit or S3, a word with a
// capital, or another word.
func form(w string) int {
	switch {
	case strings.HasPrefix(w, "-"):
		return optionForm
	case name.MatchString(w) || strings.ContainsFunc(w, unicode.IsDigit):
		return identifierForm
	case strings.ContainsFunc(w, unicode.IsUpper):
		return capitalForm
	default:
		return plainForm
	}
}
