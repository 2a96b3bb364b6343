package talk

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// vagues are the patterns of messages without a subject, such as "it does not work".
var vagues = sync.OnceValue(func() []phrase {
	var out []phrase
	for _, s := range sections("vague") {
		out = append(out, phrase{&talks[slices.IndexFunc(talks, func(t Talk) bool { return t.Name == Vague })], s.language, wholly(s.patterns)})
	}
	return out
})

// wholly matches a whole message in the form of normal.
func wholly(patterns []string) *regexp.Regexp {
	return regexp.MustCompile(`^(?:` + strings.Join(patterns, "|") + `)$`)
}

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
