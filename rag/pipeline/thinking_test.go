package pipeline

import (
	"strings"
	"testing"

	"docent/llm"
	"docent/llm/llmtest"
	"docent/rag"
)

func TestThinking(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("The passage says 9MB [1]. ", 30)
	reply := llmtest.Reply{Reasoning: []string{"Which ", "parameter? ", long}, Text: []string{"It is 4MB", " [1]."}}
	for _, shown := range []bool{true, false} {
		model := llmtest.NewModel(func(int, llmtest.Request) llmtest.Reply { return reply })
		r, err := New(Config{
			Retriever: memoryShelf(), Static: testStatic, Models: map[string]llm.Model{"m": model}, DefaultModel: "m", ShowThinking: shown,
		})
		if err != nil {
			t.Fatal(err)
		}
		var pieces []string
		var answer rag.Answer
		wrote := false
		for part, err := range r.Stream(t.Context(), rag.Request{Question: "default of work_mem?"}) {
			if err != nil {
				t.Fatal(err)
			}
			if part.Thinking != "" {
				pieces = append(pieces, part.Thinking)
				if wrote {
					t.Error("there is thinking after the answer has begun")
				}
			}
			wrote = wrote || part.Delta != ""
			if part.Answer != nil {
				answer = *part.Answer
			}
		}
		want := ""
		if shown {
			want = "Which parameter? " + strings.TrimSpace(long)
		}
		if got := strings.TrimSpace(strings.Join(pieces, "")); got != want || answer.Thinking != want || len(pieces) > 2 {
			t.Errorf("shown %v: %d pieces %q, stored %q", shown, len(pieces), got, answer.Thinking)
		}
		if answer.Text != "It is 4MB [1]." || len(answer.Sentences) != 1 {
			t.Errorf("the answer is %+v", answer)
		}
	}
}

func TestThinkingLimit(t *testing.T) {
	t.Parallel()
	thoughts := &thinking{}
	if piece := thoughts.add(strings.Repeat("é", maxThinking), false); len(piece) > maxThinking+8 || !strings.HasPrefix(piece, "é") {
		t.Errorf("%d bytes", len(piece))
	}
	if piece := thoughts.add("more", true); piece != "" {
		t.Errorf("past the limit: %q", piece)
	}
}
