package talk

import (
	"regexp"
	"slices"
	"sync"

	"docent/internal/lazyregexp"
)

// maxSmallTalk limits the length of small talk in bytes. Longer messages ask something.
const maxSmallTalk = 90

// The languages with patterns.
const (
	english = "en"
	german  = "de"
)

// phrase is a pattern of small talk.
type phrase struct {
	kind     *Talk
	language string
	pattern  *regexp.Regexp
}

// phrases are the patterns of all kinds.
var phrases = sync.OnceValue(func() []phrase {
	var out []phrase
	for _, s := range sections("talk") {
		i := slices.IndexFunc(talks, func(t Talk) bool { return t.Name == s.name })
		out = append(out, phrase{&talks[i], s.language, starts(s.patterns)})
	}
	return out
})

// between matches words that may stand between and behind phrases.
var between = lazyregexp.New(`^(?:there|docent|again|everyone|all|very|much|so|today|then|and|but|now|und|aber|dann|jetzt|nur|ja|zusammen)(?: |$)`)

// Small returns the kind of small talk in a message. If the message contains several phrases, the last one decides. Small
// returns nil if the message contains a question for the documents.
func Small(message string) *Talk {
	kind, _ := small(message)
	return kind
}

// small is Small with the language of the message.
func small(message string) (kind *Talk, language string) {
	if len(message) > maxSmallTalk {
		return nil, ""
	}
	kind, language, left := smallStart(normal(message))
	if left != "" {
		return nil, ""
	}
	return kind, language
}

// smallStart returns the last kind of small talk at the beginning of normal text, its language, and the text behind it.
func smallStart(left string) (kind *Talk, language, rest string) {
	for left != "" {
		n := 0
		for _, p := range phrases() {
			if at := p.pattern.FindStringIndex(left); at != nil && at[1] > n {
				n, kind = at[1], p.kind
				if language == "" || p.kind.Name != "ok" { // "ok, danke"
					language = p.language
				}
			}
		}
		if n == 0 && kind != nil {
			if at := between.FindStringIndex(left); at != nil {
				n = at[1]
			}
		}
		if n == 0 {
			break
		}
		left = left[n:]
	}
	return kind, language, left
}
