package talk

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Previous says what a message wants with the last answer.
type Previous string

// The uses of the last answer.
const (
	// Repeat wants it again.
	Repeat Previous = "repeat"
	// Shorter wants less of it.
	Shorter Previous = "shorter"
	// Steps wants only its steps or commands.
	Steps Previous = "steps"
	// Source asks where it is from.
	Source Previous = "source"
	// Sure asks whether it is right, or why.
	Sure Previous = "sure"
	// Rewrite wants it in another form that only a model can write: a translation, an email, a table, or simple words.
	Rewrite Previous = "rewrite"
	// Earlier asks for an earlier question.
	Earlier Previous = "earlier"
)

// previous are the patterns of messages about the last answer.
var previous = sync.OnceValue(func() []ofAnswer {
	var out []ofAnswer
	for _, s := range sections("previous") {
		for _, p := range s.patterns {
			out = append(out, ofAnswer{Previous(s.name), s.language, whole(p)})
		}
	}
	return out
})

// ofAnswer is a pattern of messages about the last answer.
type ofAnswer struct {
	wants    Previous
	language string
	pattern  *regexp.Regexp
}

// maxPrevious limits the length of a message about the last answer in bytes.
const maxPrevious = 120

// ofPrevious returns what a message wants with the last answer, and its language, or "".
func ofPrevious(message string) (wants Previous, language string) {
	if len(message) > maxPrevious {
		return "", ""
	}
	words := normalWords(message)
	for len(words) > 1 && slices.Contains([]string{"ok", "okay", "and", "und", "hm", "but", "so", "aber"}, words[0]) {
		words = words[1:]
	}
	for _, p := range previous() {
		if p.pattern.MatchString(strings.Join(words, " ")) {
			return p.wants, p.language
		}
	}
	return "", ""
}
