package llmtest_test

import (
	"testing"

	"docent/llm"
	"docent/llm/llmtest"
)

func TestScriptedModel(t *testing.T) {
	t.Parallel()
	llmtest.TestModel(t, func(_ *testing.T, respond func(int, llmtest.Request) llmtest.Reply) llm.Model {
		return llmtest.NewModel(respond)
	})
}
