package rag

import (
	"strings"

	"docent/embed"
	"docent/rag/text"
)

// CiteBegun makes the message of what a model had written when it was stopped.
// It is checked as by [Cite], but for the last sentence: it may be half a one, or
// its citation was still to come, so that it is marked only if it cites. There
// is no text in the message if there was nothing to show.
func CiteBegun(static *embed.Static, w Written) Answer {
	w.Text, w.StopReason = text.TrimHalfMarker(strings.ToValidUTF8(w.Text, "")), ""
	m := Cite(static, w)
	m.Stopped = true
	if last := len(m.Sentences) - 1; last >= 0 && (m.Sentences[last].Found || len(m.Sentences[last].Passages) == 0) {
		m.Sentences = m.Sentences[:last]
	}
	// Half a sentence admits nothing: it may end in "but passage 2 does".
	m.Abstained = m.Abstained && len(m.Sentences) > 0
	return m
}
