package llmtest_test

import (
	"testing"

	"github.com/tmc/langchaingo/llms"

	"docent/llm/llmtest"
)

func TestScriptedModel(t *testing.T) {
	t.Parallel()
	llmtest.TestModel(t, func(_ *testing.T, respond func(int, llmtest.Request) llmtest.Reply) llms.Model {
		return llmtest.NewModel(respond)
	})
}
