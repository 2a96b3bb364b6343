// Package definition finds the sentences that say what something is: the answers to
// questions such as "What is a checkpoint?" and "What does VACUUM do?". Its patterns are
// English.
package definition

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"docent/internal/lazyregexp"
)

// Longer subjects describe a situation, such as "the error after the upgrade".
const (
	maxSubject      = 4
	maxSubjectBytes = 80
)

// maxTries is the maximum number of places with the subject that are read in a text.
const maxTries = 30

// The part of a sentence that is read, in bytes before its subject and from its subject on.
const (
	maxBefore = 100
	maxAfter  = 200
)

var (
	// asked matches questions for a definition. The group with a value is the subject.
	asked = lazyregexp.New(`(?i)^(?:(?:so|and|but|ok|please),? )*(?:` +
		`(?:what|who)(?:['’]?s| is| are) (?:(?:an?|the) )?(.+?)(?: (?:(?:good|used) )?for| about| exactly)?` +
		`|what do(?:es)? (?:(?:an?|the) )?(.+?) (?:do|mean|stand for)(?: exactly)?` +
		`|what (.+?) means?` +
		`|(?:define|explain|(?:the )?meaning of) (?:(?:an?|the) )?(.+?)` +
		`|(.+?)(?: [-–]|[,:])? (?:meaning|definition|what (?:is|are|does|do) (?:it|that|this|they)(?: do| mean| for)?)` +
		`)[ ?.!]*$`)
	// relation matches words that make the subject of a question more than a name.
	relation = lazyregexp.New(`(?i)(?:^|\s)(?:of|in|for|with|between|when|if|to|on|by|at|from|than|that|which|how|or|and|my|this|these|it|they|` +
		`there|not|difference|default|new|wrong|required|needed|possible|available|happening|going|next|you|up)(?:\s|$)`)
	// ofKind matches a subject that ends with a word of kind.
	ofKind = lazyregexp.New(`(?i)^(.+) (?:` + kind + `)$`)
	// selfDescription matches a sentence about the subject of its page.
	selfDescription = lazyregexp.New(`(?:^|[.:]\s|\n)this (?:command|statement|utility|program|tool|package|module|extension|daemon|` +
		`server|service) ` + verb + ` `)
	// afterNoun matches a word after a noun that looks like a verb, as in "WAL records are".
	afterNoun = lazyregexp.New(`^(?:is|are|was|were|be|have|has|had|can|cannot|could|may|might|must|should|will|would|do|does|not|` +
		`also|only|never|that|which|who|and|or|of|in|for|with|between|when|if|to|on|by|at|from|than)$`)
	// owns matches verbs that say what a thing has or needs, and not what it is.
	owns = lazyregexp.New(`^.{0,100}?\b(?:ships|includes|needs|requires|expects|takes|gets) `)
	// called matches the words before a name that the sentence introduces.
	called = lazyregexp.New(`\w \b(?:called|known as|referred to as) (?:(?:an?|the) )?[“"'*` + "`" + `]*$`)
)

// Patterns of the parts of a sentence, in lower case.
const (
	// kind is a word beside a name that says what kind of thing it is.
	kind = `command|statement|utility|program|tool|package|module|extension|function|method|type|daemon|server|process|service|` +
		`parameter|option|directive|variable|class|file|feature`
	// lead is all before the subject.
	lead = `^[ \t>*•-]*(?:in [\w.]+(?: \w+)?, )?(?:(?:an?|the) )?(?:(?:` + kind + `) )?`
	// verb matches verbs with a subject in the singular, and nouns in the plural.
	verb = `(?:[a-z]{3,}[^s\W]|use|run|set|add|get|put|let|tell)s`
	// object matches a word that stands after a verb and not after a noun.
	object = `(?:an?|the|all|any|each|every|its|new|one|whether|how|what|you|information|data)\b`
	// usual matches the usual verbs of definitions.
	usual = `(?:allow|let|provide|enable|define|make|contain|store|hold|represent|give)s?\b`
)

// Question is a question for the definition of a subject. It is safe for concurrent use.
type Question struct {
	// Subject is the thing that the question asks about.
	Subject string
	// word is the beginning of the subject without the ending of a plural.
	word string
	// is, does, and first match sentences from their beginning. The group of first is the word after the verb.
	is, does, first *regexp.Regexp
	// long matches an abbreviation with its words, which an abbreviation in parentheses with a relative clause, and named
	// the subject after words such as "called".
	long, which, named *regexp.Regexp
	// title matches titles with the subject.
	title *regexp.Regexp
}

// Asked reads a question. It returns nil if the question does not ask for a definition.
func Asked(question string) *Question {
	groups := asked.FindStringSubmatch(strings.TrimSpace(question))
	if groups == nil {
		return nil
	}
	subject := strings.Join(groups[1:], "")
	if m := ofKind.FindStringSubmatch(subject); m != nil {
		subject = m[1]
	}
	words := strings.Fields(strings.ToLower(subject))
	if len(words) == 0 || len(words) > maxSubject || len(subject) > maxSubjectBytes || relation.MatchString(subject) {
		return nil
	}
	word, _ := singular(words[0])
	for i, w := range words {
		stem, endings := singular(w)
		words[i] = regexp.QuoteMeta(stem) + endings
	}
	name := "[“\"`*']*" + strings.Join(words, `[\s-]+`) + "[”\"`*']*"
	full := `(?:` + name + `|(?:[\w-]+ ){1,6}\(` + name + `\))` // or an abbreviation
	start := lead + full + `(?:\s*\([^()\n]{1,60}\))?(?:,[^,.\n]{3,80},)?(?: (?:` + kind + `|project)s?)?(?: in \w+)?`
	return &Question{
		Subject: subject, word: word,
		is: regexp.MustCompile(start + `(?:\s+[—–]\s+\w|(?::\n\s*(?:[-*•]|1\.))?\s+(?:is|are) (?:\w+ly )?(?:an?|the|one|any|some)\b|` +
			`\s+(?:is|are|can be) (?:(?:\w+ly|often|also) )?used (?:to|for|by|as)\b|` +
			`\s+(?:means?|refers? to|stands? for|denotes?|describes?)\b)` +
			`|^` + full + `\n+(?:an?|the|one) [a-z]`), // an entry of a glossary
		does: regexp.MustCompile(start + `\s+(?:` + verb + ` ` + object + `|` + usual + `|` +
			`(?:is|are) (?:\w+ly )?(?:based on|(?:designed|intended) (?:to|for)|responsible for|part of)\b)`),
		first: regexp.MustCompile(start + `\s+` + verb + ` (\pL+)`),
		long:  regexp.MustCompile(`^` + name + ` \((?:the )?` + regexp.QuoteMeta(firstLetter(word)) + `\w*(?:[\s-]\w+){2,}\)`),
		which: regexp.MustCompile(`^` + name + `\),? (?:which|that) \w+ `),
		named: regexp.MustCompile(`^` + name + `(?:[,.;:)]|\s+(?:that|which|whose|in|for|to|and|or)\b|\s+\()`),
		title: regexp.MustCompile(`(?:^|\s)` + name + `(?:[\s(]|$)`),
	}
}

// singular splits a word into the part that its singular and its plural share, and a
// pattern of their endings.
func singular(word string) (stem, endings string) {
	switch {
	case len(word) > 3 && strings.HasSuffix(word, "ies"):
		return word[:len(word)-3], "(?:y|ies)"
	case len(word) > 3 && strings.HasSuffix(word, "y"):
		return word[:len(word)-1], "(?:y|ys|ies)"
	case len(word) > 3 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss"):
		return word[:len(word)-1], "s?"
	default:
		return word, "(?:e?s)?"
	}
}

// firstLetter returns the first character of a word.
func firstLetter(word string) string {
	_, size := utf8.DecodeRuneInString(word)
	return word[:size]
}

// Strengths of sentences.
const (
	strengthIs   = 1
	strengthDoes = .7
)

// Strength says how clearly a text of a document with this title defines the subject,
// from 0 to 1. "A checkpoint is a point in the log" counts more than "Checkpoints make
// recovery shorter".
func (q *Question) Strength(title, content string) float64 {
	content = strings.ToLower(content)
	best, tries := 0.0, 0
	for at := 0; best < strengthIs && tries < maxTries; at += len(q.word) {
		next := strings.Index(content[at:], q.word)
		if next < 0 {
			break
		}
		at += next
		if r, _ := utf8.DecodeLastRuneInString(content[:at]); unicode.IsLetter(r) || unicode.IsDigit(r) {
			continue // within another word
		}
		tries++
		best = max(best, q.sentence(content, at))
	}
	if best == 0 && selfDescription.MatchString(content) && q.title.MatchString(strings.ToLower(title)) {
		return strengthDoes
	}
	return best
}

// sentence is the strength of the sentence around the subject at a place of a text.
func (q *Question) sentence(content string, at int) float64 {
	before := content[max(0, at-maxBefore):at]
	before = before[strings.LastIndexAny(before, "\n.!?:")+1:]
	rest := content[at:min(len(content), at+maxAfter)]
	sentence := strings.TrimLeft(before+rest, " ")
	switch {
	case q.is.MatchString(sentence), called.MatchString(before) && q.named.MatchString(rest):
		return strengthIs
	case q.does.MatchString(sentence) && !owns.MatchString(sentence), q.long.MatchString(rest), q.which.MatchString(rest):
		return strengthDoes
	}
	if m := q.first.FindStringSubmatch(sentence); m != nil && strings.TrimSpace(content[:at]) == before && !afterNoun.MatchString(m[1]) {
		return strengthDoes // the text begins with it
	}
	return 0
}
