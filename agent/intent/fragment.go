package intent

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// fragmentMark begins the words that stand for values while sentences are compared.
// So the fragment SIZE differs from the word "size" of a message. The mark is a
// letter that no living language uses.
const fragmentMark = "ꙮ"

// mark returns the word for a fragment, with spaces around it.
func mark(fragment string) string {
	word := strings.Map(func(r rune) rune {
		if isWordRune(r) {
			return r
		}
		return '_'
	}, fragment)
	return " " + fragmentMark + word + " "
}

// isMarked reports whether a word stands for a value.
func isMarked(word string) bool { return strings.HasPrefix(word, fragmentMark) }

// marked returns an example sentence of the intent with marked fragments. A fragment is
// a whole word, in its exact case.
func (i *Intent) marked(sentence string) string {
	var fragments []string
	for _, p := range i.Parameters {
		if p.Fragment != "" {
			fragments = append(fragments, p.Fragment)
		}
	}
	slices.SortStableFunc(fragments, func(a, b string) int { return len(b) - len(a) })
	var b strings.Builder
	for at := 0; at < len(sentence); {
		n := slices.IndexFunc(fragments, func(f string) bool {
			return strings.HasPrefix(sentence[at:], f) && wordEdge(sentence, at) && wordEdge(sentence, at+len(f))
		})
		if n >= 0 {
			b.WriteString(mark(fragments[n]))
			at += len(fragments[n])
			continue
		}
		_, size := utf8.DecodeRuneInString(sentence[at:])
		b.WriteString(sentence[at : at+size])
		at += size
	}
	return b.String()
}
