package talk

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"docent/internal/lazyregexp"
	"docent/rag/definition"
	"docent/rag/text"
)

const (
	// followTurns is the maximum number of the user's turns to add to a dependent question.
	followTurns = 3
	// maxOpening is the maximum number of bytes to add from the beginning of the last answer.
	maxOpening = 300
	// followNames is the maximum number of names to add from the last answer.
	followNames = 6
	// fewWords is the maximum number of own words in an incomplete question that depends on earlier turns.
	fewWords = 1
)

// unknown matches the beginning of an answer that may say nothing about the question.
var unknown = lazyregexp.New(`^(?:I don't know|Das weiß ich nicht|These passages come closest|Diese Stellen kommen der Frage am nächsten)`)

// SearchText returns the text to search for. For a question that depends on
// earlier turns, it puts the question before it in front, the beginning of the
// last answer, and the names in that answer. Words such as "it" often refer to
// them. If the question before it depends on earlier turns too, SearchText goes
// further back. A question that only names another subject, such as "and on S3?", takes
// the place of that part in the question before it.
func SearchText(question string, turns []Turn) string { return complete(question, turns, true) }

// AskedText returns the text to compare sentences with. It is like SearchText
// without the beginning of the last answer, which would choose the same sentence
// again.
func AskedText(question string, turns []Turn) string { return complete(question, turns, false) }

// Dependent returns the question if SearchText may add earlier turns to it. It returns "" for other questions.
func Dependent(question string, turns []Turn) string {
	if len(turns) == 0 || !Leans(question) {
		return ""
	}
	return question
}

func complete(question string, turns []Turn, answered bool) string {
	question = text.Searched(question)
	if Dependent(question, turns) == "" {
		return question
	}
	if whole, ok := named(question, turns); ok {
		return whole
	}
	part := contrast(question)
	var said []string
	answer := ""
	for i := len(turns) - 1; i >= 0 && len(said) < followTurns; i-- {
		switch t := turns[i]; t.Role {
		case User:
			if AsksNothing(t.Text) {
				continue
			}
			if part != "" { // the answer is about another subject
				earlier := complete(strings.TrimSpace(t.Text), turns[:i], false)
				if whole, ok := replaced(earlier, part); ok {
					return whole
				}
				return earlier + "\n" + question
			}
			said = append(said, text.Searched(strings.TrimSpace(t.Text)))
			if !Leans(t.Text) {
				i = 0 // earlier turns are about something else
			}
		case Assistant:
			if answer == "" && len(said) == 0 && !unknown.MatchString(t.Text) {
				answer = text.Unmarked(t.Text)
			}
		}
	}
	slices.Reverse(said)
	if start := opening(answer); answered && start != "" && !inOtherLanguage(question, start) {
		said = append(said, start)
	}
	if names := namesIn(answer); len(names) > 0 {
		said = append(said, strings.Join(names, " "))
	}
	return strings.Join(append(said, question), "\n")
}

// pronoun matches a pronoun for a thing. It does not match "them" and "they", which often are the users or the parts of a thing.
var pronoun = lazyregexp.New(`(?i)\bits?\b`)

// empty matches an "it" that stands for nothing or for another word of the question.
var empty = lazyregexp.New(`(?i)\bit (?:is |be |was )?(?:makes? sense|takes?|matters?|possible|necessary|required|better|worth|recommended|ok|okay|` +
	`enough|true|safe to)\b|\b(?:and|or) \w+ it\b`)

// named puts the subject in the place of the pronoun in a question that follows a
// question for a definition, as in "What is WAL mode?" and "What are its disadvantages?".
// Other follow-ups may stand between them.
func named(question string, turns []Turn) (whole string, ok bool) {
	if len(pronoun.FindAllString(question, -1)) != 1 || empty.MatchString(question) {
		return "", false
	}
	for i, t := range slices.Backward(turns) {
		if t.Role != User || AsksNothing(t.Text) {
			continue
		}
		earlier := t.Text
		if Contrasts(earlier) {
			earlier = complete(earlier, turns[:i], false)
		} else if Leans(earlier) {
			continue
		}
		if asked := definition.Asked(earlier); asked != nil {
			return pronoun.ReplaceAllStringFunc(question, func(word string) string {
				if len(word) == len("its") {
					return asked.Subject + "'s"
				}
				return asked.Subject
			}), true
		}
		return "", false
	}
	return "", false
}

// opening returns the first sentences of an answer in one line. The first one
// counts even if it is too long.
func opening(answer string) string {
	end := 0
	for _, s := range text.Sentences(answer, false) {
		if s.End > maxOpening {
			break
		}
		end = s.End
	}
	if end == 0 {
		end = min(len(answer), maxOpening)
	}
	return strings.Join(strings.Fields(strings.ToValidUTF8(answer[:end], "")), " ")
}

// inOtherLanguage reports whether an answer quotes documents in another language than the question. Its words would hide the language
// of the question.
func inOtherLanguage(question, answer string) bool {
	asked, said := text.Language(question), text.ClearLanguage(answer)
	return asked != "" && said != "" && asked != said
}

// Asked reports whether the user asked anything in earlier turns. Greetings and
// small talk do not count.
func Asked(turns []Turn) bool {
	return slices.ContainsFunc(turns, func(t Turn) bool {
		return t.Role == User && !AsksNothing(t.Text)
	})
}

// AsksNothing reports whether a message of the user asks nothing of the documents, such as a greeting, or "shorter please".
func AsksNothing(message string) bool {
	wants, _ := ofPrevious(message)
	return wants != "" || strings.TrimSpace(message) == "" || Small(message) != nil
}

// name matches an identifier or words in capitals.
var name = lazyregexp.New(`\b(?:[A-Za-z]\w*(?:[_.]\w+)+|[a-z]+[A-Z]\w*|[A-Z]{2,}(?: [A-Z]{2,})*)\b`)

// namesIn returns the first names in an answer without duplicates.
func namesIn(answer string) []string {
	var names []string
	for _, n := range name.FindAllString(answer, -1) {
		if !slices.Contains(names, n) && len(names) < followNames {
			names = append(names, n)
		}
	}
	return names
}

// reference is a pattern of references.
type reference struct {
	pattern *lazyregexp.Regexp
	own     int
}

// counted matches a number that stands for things named before.
const counted = `(?:two|three|four|five|both|others?)`

// wordEnd matches the end of a word, which may have other letters than ASCII, unlike \b.
const wordEnd = `(?:[^\pL\d(]|$)`

// back matches references to something said before. own is the maximum number
// of the question's own words in front of the reference; behind more words,
// the reference means one of them.
var back = []reference{
	{lazyregexp.New(`(?i)\b(?:it|its|them|they|their|theirs|those|these|he|she|him|her|his|the (?:same|former|latter|other|others)|another)\b`), 2},
	{lazyregexp.New(`(?i)\b(?:it|them|those|these|that|this)\W*$`), 4},
	{lazyregexp.New(`(?i)\b(?:that|this)\b`), 0},
	{lazyregexp.New(`(?i)\bof (?:the )?` + counted + `\W*$`), 2},
	{lazyregexp.New(`(?i)\b(?:which|one|any|each|either|neither|none|some|all|both) of (?:the )?` + counted +
		` (?:is|are|was|were|has|have|do|does|did|can|could|will|would|should|must|may|works?|needs?)\b`), 0},
	{lazyregexp.New(`(?i)\bones?(?:\W*$|[?.,!;:]| (?:as|for|to|in|on|of|like|without|with|after|that|from|by|be|is)\b)`), 2},
	{lazyregexp.New(`(?i)\b(?:too|as well|instead|also|there|then|either|again|before)\W*$`), 3},
	{lazyregexp.New(`(?i)^\W*(?:and|or|but|so|then|also|what about|how about|what if|why not|how so|which one|now)\b[^(]`), 0},
	{lazyregexp.New(`(?i)^\W*(?:ok|okay|only|why|more|again|no|yes|still|any)\b.{0,30}$`), 0},
	// German, without "es" in "gibt es" and "Sie" for you
	{lazyregexp.New(`(?:^|[^\pL])(?:sie|ihn|ihm|ihre?[nmrs]?|seine?[nmrs]?|diese[nmrs]?)` + wordEnd), 2},
	{lazyregexp.New(`(?i)(?:^|[^\pL])(?:damit|dafür|davon|dazu|danach|darin|dabei|dort)` + wordEnd), 2},
	{lazyregexp.New(`(?i)(?:ich|man|wir|ist|sind|war|wird|kann|muss|soll|darf|hat|geht|funktioniert) ` +
		`(?:es` + wordEnd + `|das(?:\W*$| (?:auch|noch|nur|so|wieder)` + wordEnd + `))`), 2},
	{lazyregexp.New(`(?i)^\W*(?:und|oder|aber|was ist mit|warum|wieso)` + wordEnd), 0},
	// French, without "il" in "il faut" and "il y a"
	{lazyregexp.New(`(?i)(?:^|[^\pL])(?:elles?|cela|ça|celui-ci|celle-ci|ceux-ci)` + wordEnd), 2},
	{lazyregexp.New(`(?i)(?:^|[^\pL])ils?[ -](?:est|sont|a|ont|peut|peuvent|doit)` + wordEnd), 2},
	{lazyregexp.New(`(?i)comment (?:puis-je |peut-on |dois-je |faut-il )?(?:les? |la |l['’])\pL+(?:er|ir|re)\W*$`), 0},
	{lazyregexp.New(`(?i)^\W*(?:et|ou|mais|pourquoi)` + wordEnd), 0},
	// Spanish
	{lazyregexp.New(`(?:^|[^\pL])(?:eso|esto|ello|ell[oa]s|lo|\pL{3,}[aei]r(?:lo|la)s?)` + wordEnd), 2},
	{lazyregexp.New(`(?i)^\W*(?:y|pero|por qué)` + wordEnd), 0},
}

// elliptic matches questions that omit their subject, such as "how long?", "in
// which version?", or "what is the default?". A small number of words is not
// enough: "can you help me?" refers to nothing said before.
var elliptic = lazyregexp.New(`(?i)^\W*(?:` +
	`(?:in|on|at|by|for|from|to|with|without|since|until|under|after|during|per|like|the|an?|which|how (?:long|much|many|often|far|big|fast|old))\b|` +
	`what(?:['’]s| is| are| was| were) the\b|` +
	`(?:please |can you |could you )?(?:tell|show|give) (?:me|us)\b|(?:please |can you |could you )?(?:explain|elaborate|go on|continue)\b|` +
	`details?\W*$|examples?\W*$|(?:how|what|when|where|who|whom)(?: \w+)?\W*$)`)

// onlyVerb matches questions for a person whose only word of their own is a verb, such as "who do I phone?" and "wen muss ich anrufen?".
var onlyVerb = lazyregexp.New(`(?i)^\W*(?:(?:who|whom) (?:do|does|did|can|could|should|must|will|would|may) ` +
	`(?:i|we|they|he|she) (?:(?:have|need|want) to )?\pL+(?: (?:to|for|with|in|on|at|from|up|there|then|now))*|` +
	`who (?:can|could|will|would|should) \pL+|` +
	`(?:wer|wen|wem) (?:kann|muss|soll|darf|will) (?:ich|man|wir|er) (?:da |dann |denn |mich )?\pL+n)\W*$`)

// introduced matches a question with "and" that names a thing which nobody has mentioned: "and how do I pause a source?".
var introduced = lazyregexp.New(`(?i)^\W*(?:and|but|so)\W+(?:how|where|when) (?:do|does|can|could|should|must|would) (?:\w+ ){1,3}an? \w+|` +
	`^\W*(?:und|aber)\W+(?:wie|wo|wann) \pL+ (?:\pL+ ){0,3}eine?[nmr]? \pL+`)

// conjunction matches the first word of such a question.
var conjunction = lazyregexp.New(`(?i)^\W*(?:and|but|so|und|aber)\W+`)

// expletive matches an "it" that refers to nothing.
var expletive = lazyregexp.New(`(?i)\bwhat (?:time|day|date|month|year) is it\b`)

// Leans reports whether a question depends on earlier messages: it refers back,
// continues an earlier question, or omits its subject.
func Leans(question string) bool { return leans(text.Head(question, maxLeaning), map[int]bool{}) }

const (
	// maxLeaning is the number of bytes of a message that Leans reads. The few own words of a question that depends on earlier
	// messages are near its beginning.
	maxLeaning = 2000
	// maxClauses is the maximum number of ends of clauses at which Leans looks for the subject of a question.
	maxClauses = 16
)

// leans is Leans for a beginning of a question. seen has the results for shorter beginnings by their length.
func leans(question string, seen map[int]bool) bool {
	if result, ok := seen[len(question)]; ok || len(seen) == maxClauses {
		return result
	}
	seen[len(question)] = false // until the result is known
	result := refersBack(question, seen)
	seen[len(question)] = result
	return result
}

// refersBack reports whether a beginning of a question depends on earlier messages.
func refersBack(question string, seen map[int]bool) bool {
	if expletive.MatchString(question) {
		return false
	}
	if introduced.MatchString(question) {
		return refersBack(conjunction.ReplaceAllString(question, ""), seen)
	}
	language := text.Language(question)
	var own []int // where the question's own words begin
	named := false
	for _, w := range text.Words(question) {
		if !w.Part && !isStop(question[w.Start:w.End], w.Stem, language) {
			own = append(own, w.Start)
			named = named || name.MatchString(question[w.Start:w.End])
		}
	}
	for _, b := range back {
		at := b.pattern.FindStringIndex(question)
		if at == nil {
			continue
		}
		if before, _ := slices.BinarySearch(own, at[0]); before <= b.own && !(b.own > 0 && namesItself(question, at[0], seen)) {
			return true
		}
	}
	return len(own) <= fewWords && !named && (elliptic.MatchString(question) || len(own) == 1 && onlyVerb.MatchString(question))
}

var (
	// joined matches the start of a clause whose reference may point to the previous clause: "… and how is it made?". It does
	// not match "stop and restart it", which has one object.
	joined = lazyregexp.New(`(?i)(?:[,;:.?!]\s+(?:(?:and|or|but|so)\s+)?|\s(?:and|or|but)\s+)(?:(?:how|what|when|where|which|who|whose|why|can|could|does|do|did|is|are|was|were|will|would|should|must|may|has|have)\s[^,;:.?!]*)?$`)
	// topical matches the start of a clause that names its subject, even with one word.
	topical = lazyregexp.New(`(?i)^\W*(?:what|who|where|which|explain|describe|define)\b`)
	// possessive matches a reference that may point to a name in its own clause: "does Postgres log its errors?".
	possessive = lazyregexp.New(`(?i)^(?:its|his|her)\b`)
)

// minNamed is the number of its own words that a clause needs to name its
// subject.
const minNamed = 2

// namesItself reports whether the question itself names what the reference at
// offset at refers to: an independent clause in front of it, or a name for a
// possessive.
func namesItself(question string, at int, seen map[int]bool) bool {
	before := question[:at]
	if possessive.MatchString(question[at:]) && hasName(before) {
		return true
	}
	cut := joined.FindStringIndex(before)
	if cut == nil {
		return false
	}
	clause := before[:cut[0]]
	own := 0
	for _, w := range text.Words(clause) {
		if !w.Part && !text.IsStop(w.Stem) {
			own++
		}
	}
	return (own >= minNamed || own > 0 && topical.MatchString(clause)) && !leans(clause, seen)
}

// hasName reports whether a text contains an identifier, or a capitalized word
// other than its first.
func hasName(s string) bool {
	for i, w := range text.Words(s) {
		r, _ := utf8.DecodeRuneInString(s[w.Start:])
		if !text.IsStop(w.Stem) && (i > 0 && unicode.IsUpper(r) || name.MatchString(s[w.Start:w.End])) {
			return true
		}
	}
	return false
}
