package pipeline

import (
	"slices"
	"testing"

	"docent/internal/fault"
	"docent/llm"
	"docent/llm/llmtest"
	"docent/rag"
)

// TestWith answers with a model that only one of two pipelines has.
func TestWith(t *testing.T) {
	t.Parallel()
	model := llmtest.NewModel(llmtest.Script(llmtest.Say("The pump is red [1].")))
	one, err := New(Config{Retriever: memoryShelf(), Static: testStatic})
	if err != nil {
		t.Fatal(err)
	}
	if one.With(nil) != one {
		t.Error("without models there is another pipeline")
	}
	two := one.With(map[string]llm.Model{"small": model})
	req := rag.Request{Question: "what color is the pump", Model: "small"}
	if _, err := two.Run(t.Context(), req); err != nil {
		t.Error(err)
	}
	if _, err := one.Run(t.Context(), req); fault.KindOf(err) != fault.Invalid {
		t.Errorf("the first pipeline has the model too: %v", err)
	}
	if slices.Contains(two.Models(), "small") {
		t.Error("users may choose the model")
	}
}
