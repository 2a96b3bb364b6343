package text

import (
	"slices"
	"strings"
)

// askedFor are the words that say what a question asks for. Two questions that differ in them are
// not the same. Words such as "how" and "what" are not among them.
var askedFor = wordSet(`
	who whom whose when where why long much many often far old not no never without until since
	wer wem wen wann wo wohin woher warum wieso weshalb lange viel viele oft weit alt nicht kein keine keinen nie ohne bis seit`)

// directed are words that relate two things to each other, so that their order matters.
var directed = wordSet(`from to into onto than before after over under via von nach in als vor statt zu`)

// SameQuestion reports whether two questions ask the same in the same words. Their order, small
// words, endings of words, and greetings do not count. Synonyms do.
func SameQuestion(a, b string) bool {
	one, other := readAsked(a), readAsked(b)
	if len(one.words) == 0 || !slices.Equal(one.asks, other.asks) {
		return false
	}
	if !one.directed && !other.directed {
		slices.Sort(one.words)
		slices.Sort(other.words)
	}
	return slices.Equal(one.words, other.words)
}

// askedWords are the words of a question that distinguish it from others.
type askedWords struct {
	words    []string // stems with a meaning, in order
	asks     []string // words of askedFor, sorted
	directed bool
}

func readAsked(question string) (out askedWords) {
	language := Language(question)
	spans := askingSpans(question)
	for _, w := range Words(question) {
		written := strings.ToLower(question[w.Start:w.End])
		switch {
		case w.Part, overlaps(w, spans):
		case askedFor[written]:
			out.asks = append(out.asks, written)
		case directed[written]:
			out.directed = true
		case !isMeaningless(language, written, w.Stem) && !slices.Contains(out.words, w.Stem):
			out.words = append(out.words, w.Stem)
		}
	}
	small := strings.ReplaceAll(strings.ToLower(question), "’", "'")
	if strings.Contains(small, "n't") || strings.Contains(small, "cannot") {
		out.asks = append(out.asks, "not")
	}
	slices.Sort(out.asks)
	return out
}
