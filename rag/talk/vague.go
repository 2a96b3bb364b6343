package talk

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// vagues are the patterns of messages without a subject, such as "how do I".
var vagues = sync.OnceValue(func() []phrase {
	var out []phrase
	kind := &talks[slices.IndexFunc(talks, func(t Talk) bool { return t.Name == Vague })]
	for _, s := range sections("vague") {
		whole := regexp.MustCompile(`^(?:` + strings.Join(s.patterns, "|") + `)$`)
		out = append(out, phrase{kind, s.language, whole})
	}
	return out
})

// vague returns the kind of a message that has no subject, and its language, or nil. Behind an earlier question, such a message
// may go on with it.
func vague(message string, turns []Turn) (kind *Talk, language string) {
	if len(message) > maxSmallTalk || Asked(turns) {
		return nil, ""
	}
	words := normal(message)
	for _, p := range vagues() {
		if p.pattern.MatchString(words) {
			return p.kind, p.language
		}
	}
	return nil, ""
}
