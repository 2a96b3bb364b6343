package quote

import (
	"strings"

	"docent/internal/lazyregexp"
	"docent/rag/corpus"
	"docent/rag/text"
)

const (
	// minRepeated is the minimum number of words in a question that an answer should not repeat. A shorter one may be a name
	// or a command.
	minRepeated = 4
	// mostlyQuestion is the share of question words from which a sentence only repeats the question.
	mostlyQuestion = .7
)

// plainWordsOf returns the words of a text in lower case, with a space around each.
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

// repeatsQuestion reports whether a quote only repeats the question: the
// question itself, or code that asks it. question has the form of
// plainWordsOf.
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

// howTo matches the beginning of a question for the steps of a task.
var howTo = lazyregexp.New(`(?i)^\W*how (?:(?:do|can|should|would|could) (?:i|you|we|one)|to) `)

// taskOf returns the task that a question asks how to do, in the form of plainWordsOf, or "".
func taskOf(question string) string {
	if task := howTo.ReplaceAllString(question, ""); task != question {
		return plainWordsOf(task)
	}
	return ""
}

// namesTask reports whether a sentence only names the task and does not say how to do it,
// such as the first step of another task.
func (e *extractor) namesTask(q quote, in corpus.Document) bool {
	return e.task != "" && (q.Kind == text.ItemSentence || q.Kind == text.ProseSentence) && plainWordsOf(unmarked(q.trimmed(), in)) == e.task
}

// asks reports whether words in the form of plainWordsOf form a question and
// not a command.
func asks(question string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(question), " ")
	return text.IsStop(first)
}
