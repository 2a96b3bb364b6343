package wiring

import (
	"reflect"
	"testing"

	"docent/rag"
)

// TestUnanswered checks what webhooks learn about answers.
func TestUnanswered(t *testing.T) {
	t.Parallel()
	file := []rag.Passage{{}, {File: 1}}
	for _, c := range []struct {
		name    string
		answer  rag.Answer
		content map[string]any
	}{
		{"answered", rag.Answer{Question: "q", Text: "a", Outcome: rag.Answered}, nil},
		{"replied", rag.Answer{Question: "q", Text: "a", Outcome: rag.Replied}, nil},
		{"unsure", rag.Answer{Question: "q", Text: "a", Outcome: rag.Unsure, Passages: file[:1]}, map[string]any{"question": "q", "answer": "a"}},
		{"not found", rag.Answer{Question: "q", Text: "a", Outcome: rag.NotFound}, map[string]any{"question": "q", "answer": "a"}},
		{"a file of the conversation", rag.Answer{Question: "q", Text: "a", Outcome: rag.Unsure, Passages: file}, map[string]any{"question": "q"}},
	} {
		data, content := unanswered(c.answer)
		if !reflect.DeepEqual(content, c.content) || (data == nil) != (c.content == nil) {
			t.Errorf("%s: %v and %v, want the content %v", c.name, data, content, c.content)
		}
	}
}
