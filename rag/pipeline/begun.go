package pipeline

import (
	"strings"

	"docent/embed"
	"docent/rag"
	"docent/rag/text"
)

// CiteBegun makes an answer from the text of a model that was stopped. It
// checks the text like [Cite], with one exception: the last sentence may be
// incomplete, so it counts only with a citation. The answer has no text if
// nothing remains to show.
func CiteBegun(static *embed.Static, w Written) rag.Answer {
	w.Text, w.StopReason = text.TrimHalfMarker(strings.ToValidUTF8(w.Text, "")), ""
	m := cite(static, w)
	m.Stopped = true
	if last := len(m.Sentences) - 1; last >= 0 && (m.Sentences[last].Found || len(m.Sentences[last].Passages) == 0) {
		m.Sentences = m.Sentences[:last]
	}
	// Half a sentence admits nothing: it may end in "but passage 2 does".
	if m.Outcome == rag.NotFound && len(m.Sentences) == 0 {
		m.Outcome = rag.Unsure
	}
	number(&m, len(w.Final))
	return m
}
