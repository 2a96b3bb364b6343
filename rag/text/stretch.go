package text

import "strings"

// minStretch is the number of words that a sentence needs to be compared
// alone.
const minStretch = 6

// Stretches returns the ends, as byte offsets, of the parts of a text that are
// compared with a question: sentences, with short sentences joined to the next. code
// is that of Sentences.
func Stretches(text string, code bool) []int {
	var out []int
	start := 0
	for _, s := range Sentences(text, code) {
		if len(strings.Fields(text[start:s.End])) >= minStretch {
			out = append(out, s.End)
			start = s.End
		}
	}
	switch {
	case len(out) == 0:
		return []int{len(text)}
	case start < len(text):
		out[len(out)-1] = len(text) // a short rest belongs to the last
	}
	return out
}
