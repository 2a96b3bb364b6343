package talk

import (
	"strings"

	"docent/internal/lazyregexp"
	"docent/rag/text"
)

// Continuation is a message that changes or completes the question before it, such as "no, I meant the 36", "what about sick
// leave?", or "on Windows".
type Continuation struct {
	// Whole is the question before it with the part in its place, or behind it.
	Whole string
	// Part is the new part of the message. It is "" if the message has no subject of its own, as in "what now?".
	Part string
	// Replaced reports that the part has taken the place of another one.
	Replaced bool
	// Bare reports that nothing but its shortness shows that the message continues a question, as in "Fedora".
	Bare bool
}

const (
	// maxFragment is the number of words up to which a message without a verb may be a part of a question.
	maxFragment = 4
	// maxCorrection limits a correction in bytes.
	maxCorrection = 160
)

// corrections are patterns of corrections. The group is the part.
var corrections = []*lazyregexp.Regexp{
	lazyregexp.New(`(?i)^(?:(?:no|nope|sorry|nein|nee|ne|nö|actually|wait|doch)\b[,.!: ]*)*(?:but )?(?:i|ich) (?:mean|meant|meine|meinte|was asking (?:about|for)|am asking about|wanted|wollte)(?: aber| eher| doch| nur)?:? +(.+)$`),
	lazyregexp.New(`(?i)^(.+?),? +(?:i mean|i meant|meine ich|meinte ich|mein ich)[.!?]*$`),
	lazyregexp.New(`(?i)^(?:no|nope|nein|nee|ne|nö)\b[,.!: ]+(?:not that,? +|nicht das,? +|sondern +|but +)?(.+)$`),
	lazyregexp.New(`(?i)^(?:(?:and|but|ok|und|aber|also)[, ]+)*(?:(?:what|how) about|was ist mit|wie ist es mit|wie sieht es (?:mit|bei)|what if it is) +(.+)$`),
}

// Continues returns the continuation in a message behind earlier turns. A model writes such a message as a whole question, if
// there is one.
func Continues(message string, turns []Turn) (Continuation, bool) {
	message = strings.TrimSpace(message)
	if len(message) > maxCorrection || AsksNothing(message) {
		return Continuation{}, false
	}
	earlier := lastAsked(turns)
	if earlier == "" {
		return Continuation{}, false
	}
	if whole, ok := turned(earlier, message); ok {
		return Continuation{Whole: whole, Part: whole, Replaced: true}, true
	}
	part, bare := partOf(message)
	switch {
	case part != "" && asksFirst.MatchString(part) && len(ownWords(part)) > 0 && direct.MatchString(part):
		return Continuation{Whole: part, Part: part, Replaced: true}, true // "no, how do I start it?"
	case part != "":
		if name := leadingArticle.ReplaceAllString(part, ""); !strings.Contains(name, " ") && form(name) != plainForm {
			part = name // "the 36" takes the place of "42"
		}
		if whole, ok := replaced(earlier, part); ok {
			return Continuation{Whole: whole, Part: part, Replaced: true, Bare: bare}, true
		}
		return Continuation{Whole: earlier + "\n" + part, Part: part, Bare: bare}, true
	case asksFirst.MatchString(message) && len(ownWords(message)) == 0 && !Leans(message):
		return Continuation{Whole: earlier + "\n" + message}, true
	}
	return Continuation{}, false
}

// partOf returns the part of a question in a correction, a contrast, or a bare fragment, or "".
func partOf(message string) (part string, bare bool) {
	for _, c := range corrections {
		if m := c.FindStringSubmatch(message); m != nil {
			if part := strings.Trim(m[1], " ?!.,;:"); len(ownWords(part)) > 0 {
				return part, false
			}
		}
	}
	if part := contrast(message); part != "" {
		return part, false
	}
	words := strings.Fields(message)
	if len(words) > maxFragment || asksFirst.MatchString(message) || Leans(message) || len(ownWords(message)) == 0 ||
		strings.ContainsAny(message, "\n=;{}()<>") {
		return "", false
	}
	if language := text.Language(message); language != "" && language != english && language != german {
		return "", false
	}
	return strings.Trim(message, " ?!.,;:"), true
}

// lastAsked returns the last question of the user in earlier turns as a whole question, or "".
func lastAsked(turns []Turn) string {
	for i := len(turns) - 1; i >= 0; i-- {
		t := turns[i]
		if t.Role != User || AsksNothing(t.Text) {
			continue
		}
		if c, ok := Continues(t.Text, turns[:i]); ok {
			return c.Whole
		}
		return complete(strings.TrimSpace(t.Text), turns[:i], false)
	}
	return ""
}
