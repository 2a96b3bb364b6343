package rag

import (
	"strings"

	"docent/embed"
	"docent/rag/text"
)

// CiteBegun makes an answer from the incomplete text of a stopped model. It
// checks the text like [Cite]. The last sentence may be incomplete, so CiteBegun
// lists it only if it cites something. The answer's text is empty if there is
// nothing to show.
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
