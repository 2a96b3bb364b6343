package quote

import (
	"strings"

	"docent/rag/text"
)

const (
	// minRepeated is how many words a question has that can be told from a name
	// or a command, which an answer may well repeat.
	minRepeated = 4
	// mostlyQuestion is the share of a sentence from which on the question in it
	// is all that it says.
	mostlyQuestion = .7
)

// plainWordsOf are the words of a text in lower case, each between blanks.
func plainWordsOf(s string) string {
	var b strings.Builder
	b.WriteByte(' ')
	for _, w := range text.Words(s) {
		if !w.Part {
			b.WriteString(w.Stem + " ")
		}
	}
	return b.String()
}

// repeatsQuestion reports whether a quote holds the whole question and nothing
// that answers it: an example of asking it, as code, or the question itself.
// The question is given as plainWordsOf has it.
func repeatsQuestion(q quote, question string) bool {
	n := strings.Count(question, " ") - 1
	if n < minRepeated || q.words < n {
		return false
	}
	if q.Kind != text.CodeSentence && float64(n) < mostlyQuestion*float64(q.words) {
		return false
	}
	return strings.Contains(plainWordsOf(q.text), question) && (q.Kind != text.CodeSentence || asks(question))
}

// asks reports whether words, as plainWordsOf has them, are those of a question
// rather than of a command.
func asks(question string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(question), " ")
	return text.IsStop(first)
}
