package talk

import (
	"slices"
	"strings"

	"docent/internal/lazyregexp"
	"docent/rag/text"
)

const (
	// maxSplit limits a message with several questions in bytes.
	maxSplit = 600
	// maxParts is the number of questions in one message that are searched on their own.
	maxParts = 4
)

// Parts of the patterns of questions.
const (
	asksEN = `how|what|when|where|which|who|whom|whose|why`
	auxEN  = `is|are|was|were|can|could|do|does|did|will|would|should|may|must|have|has`
	asksDE = `(?:ab |bis |seit |von |auf |mit |für )?(?:wie|was|wann|wo|wer|wen|wem|welche[rsnm]?|warum|wieso|woher|wohin|wieviele?)`
	auxDE  = `ist|sind|war|waren|kann|können|darf|dürfen|muss|müssen|soll|sollen|gibts?|hat|haben|habe|wird|werden|braucht?|brauche`
	verbDE = auxDE + `|kostet|kosten|gehts?|läuft|beginnt|fängt|liegt|steht|macht|gilt|dauert|bekomme|kriege|finde|komme`
)

var (
	// asksFirst matches the beginning of a question.
	asksFirst = lazyregexp.New(`(?i)^(?:` + asksEN + `|what['’]?s|where['’]?s|` + auxEN + `|` + asksDE + `|` + auxDE + `)` + wordEnd)
	// direct matches the beginning of a direct question: with a verb near its beginning.
	direct = lazyregexp.New(`(?i)^(?:(?:what|where)['’]?s|(?:` + auxEN + `|` + auxDE + `)` + wordEnd + `|` +
		`(?:` + asksEN + `)(?: [\pL\d'’-]+){0,3}? (?:` + auxEN + `|happens|costs?)` + wordEnd + `|` +
		`(?:` + asksDE + `)(?: [\pL\d-]+){0,2}? (?:` + verbDE + `)` + wordEnd + `)`)
	// joint matches words that join two questions.
	joint = lazyregexp.New(`(?i)(?:,|;)?\s+(?:and(?: also)?|und(?: auch)?|or also|sowie)\s+`)
	// joining matches such words at the beginning of a part.
	joining = lazyregexp.New(`(?i)^(?:and|und|also|then|dann|außerdem|plus)` + wordEnd + `\s*`)
	// sharedStart matches the words of a question that a later part shares, such as "can I".
	sharedStart = lazyregexp.New(`(?i)^(?:(?:` + asksEN + `|` + asksDE + `)\s+)?(?:` +
		auxEN + `|` + auxDE + `)\s+(?:i|we|you|one|man|ich|wir|sie|du)\s+`)
	// announcing matches an announcement of several questions.
	announcing = lazyregexp.New(`(?i)^(?:(?:i have )?(?:two|2|three|3|some|a few) (?:things|questions)|` +
		`(?:ich habe )?(?:zwei|2|drei|3|ein paar) (?:dinge|fragen|sachen))\s*[:,.-]\s*`)
)

// Parts returns the questions of a message with several of them, in order, or nil. A later part may depend on an earlier one.
func Parts(message string) []string {
	if len(message) > maxSplit {
		return nil
	}
	message = announcing.ReplaceAllString(withoutGreeting(strings.Join(strings.Fields(message), " ")), "")
	var out []string
	for _, sentence := range strings.SplitAfter(message, "?") {
		sentence = strings.TrimSpace(sentence)
		if strings.Trim(sentence, "?!. ") == "" {
			continue
		}
		part := joining.ReplaceAllString(sentence, "")
		if !strings.HasSuffix(part, "?") && !asksFirst.MatchString(part) {
			if len(out) == 0 {
				return nil
			}
			out[len(out)-1] += " " + sentence // it explains the question before it
			continue
		}
		if len(out) > 0 && part != sentence && !asksFirst.MatchString(part) {
			part = sharedStart.FindString(out[len(out)-1]) + part
		}
		if len(ownWords(part)) == 0 {
			if len(out) == 0 {
				return nil
			}
			out[len(out)-1] += " " + sentence // "why?"
			continue
		}
		out = append(out, divided(part)...)
	}
	if len(out) < 2 || len(out) > maxParts {
		return nil
	}
	return out
}

// withoutGreeting returns a message without the small talk at its beginning.
func withoutGreeting(message string) string {
	for {
		at := strings.IndexAny(message, "!,.:")
		if at < 0 || at > maxSmallTalk || Small(message[:at]) == nil {
			return message
		}
		message = strings.TrimLeft(message[at:], "!,.:) ")
	}
}

// divided divides a question that consists of two direct ones, each with a subject of its own.
func divided(question string) []string {
	if !asksFirst.MatchString(question) {
		return []string{question}
	}
	for _, at := range joint.FindAllStringIndex(question, -1) {
		first, second := question[:at[0]], question[at[1]:]
		if direct.MatchString(second) && len(ownWords(first)) > 0 && len(ownWords(second)) > 0 && !Leans(second) {
			return append([]string{first}, divided(second)...)
		}
	}
	return []string{question}
}

// ownWords returns the positions of the words with a meaning of their own, without the question word in front.
func ownWords(s string) []int {
	language := text.Language(s)
	from := len(asksFirst.FindString(s))
	var out []int
	for _, w := range text.Words(s) {
		if w.Start >= from && !w.Part && !isStop(s[w.Start:w.End], w.Stem, language) && !slices.Contains(meaningless, w.Stem) {
			out = append(out, w.Start)
		}
	}
	return out
}

// meaningless are the stems of words that say nothing about the subject of a question.
var meaningless = []string{
	"pleas", "so", "ok", "yes", "no", "bitte", "sure", "realli", "also", "exact", "genau", "denn", "geht", "los",
	"though", "howev", "aber", "jedoch", "trotzdem",
}
