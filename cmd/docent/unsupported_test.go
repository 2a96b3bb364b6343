package main

import (
	"strings"
	"testing"

	"docent/payload"
	"docent/rag/text"
)

// TestUnsupported lists the statements of an answer that no source supports, and nothing else.
func TestUnsupported(t *testing.T) {
	t.Parallel()
	const answer = "# Pumps\n\nThe pump stops at noon [1]. The moon is green.\n\nThe times are:\n\n| Pump | Stops |\n|---|---|\n| Feed | noon |\n\n" +
		"- A list item.\n\n```\ncode here\n```\n"
	msg := payload.RAGMessage{Answer: answer}
	for _, s := range text.Sentences(answer, false) {
		support := payload.SupportNone
		if strings.Contains(answer[s.Start:s.End], "[1]") {
			support = payload.SupportStrong
		}
		msg.Sentences = append(msg.Sentences, payload.RAGSentence{Start: s.Start, End: s.End, Support: support})
	}
	if got, want := strings.Join(unsupported(msg), "/"), "The moon is green./Feed – noon/A list item."; got != want {
		t.Errorf("unsupported are %q, want %q", got, want)
	}
	msg.Abstained = true
	if got := unsupported(msg); len(got) > 0 {
		t.Errorf("of an answer that abstains: %q", got)
	}
}
