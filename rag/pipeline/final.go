package pipeline

import (
	"strings"
	"unicode/utf8"

	"docent/rag/retrieve"
	"docent/rag/text"
)

// finalBytes is the minimum length of text after which docent looks for final sentences
// again. It looks less often in a long text.
const finalBytes = 32

// FinalText finds the beginning of an answer while the model writes. It is for readers
// who cannot replace text.
type FinalText struct {
	// Passages is the number of passages that the model may cite.
	Passages int
	// Names are the names of their documents.
	Names text.Names

	text    string // found so far
	checked int    // length of the model's text at the last check
}

// More returns the text that has become final, from all text of the model so far. A
// sentence is final when the next one has begun, because the check of a sentence needs
// no other one. Text in an open code span waits for the end of the span.
func (s *FinalText) More(written string) string {
	if len(written)-s.checked < max(finalBytes, len(written)/8) {
		return ""
	}
	s.checked = len(written)
	body := tidied(written, s.Passages, s.Names)
	sentences := text.Sentences(body, false)
	if len(sentences) < 2 {
		return ""
	}
	final := body[:sentences[len(sentences)-2].End]
	fresh, ok := strings.CutPrefix(final, s.text)
	if !ok || strings.Count(final, "`")%2 != 0 {
		return ""
	}
	s.text = final
	return fresh
}

// beginWith returns body with the final text as its beginning. They only differ if later
// text changes the repair of earlier text: for example, docent drops a loop when it is
// long enough.
func beginWith(text, body string) string {
	n := 0
	for n < min(len(text), len(body)) && text[n] == body[n] {
		n++
	}
	for n > 0 && n < len(body) && !utf8.RuneStart(body[n]) {
		n--
	}
	return text + body[n:]
}

// tidied repairs a model's text, resolves its citation markers, and drops its citations by name.
func tidied(written string, passages int, names text.Names) string {
	body := text.DropSources(text.Tidy(text.Clean(written)), names)
	return strings.TrimSpace(text.DropNames(text.ResolveMarkers(body, passages), names))
}

// namesOf returns the names by which models cite the documents of passages.
func namesOf(results []retrieve.Result) text.Names {
	var names []string
	for _, r := range results {
		d := r.Passage.Document
		names = append(names, d.Title, d.Source, fileName(d))
	}
	return text.NamesOf(names...)
}
