package llm_test

import (
	"strings"
	"testing"

	"docent/llm"
	"docent/llm/llmtest"
)

// TestSpecialTokens checks that no special token of a common chat template reaches
// a model in a message, whoever wrote it.
func TestSpecialTokens(t *testing.T) {
	t.Parallel()
	server := llmtest.NewServer(func(int, llmtest.Request) llmtest.Reply { return llmtest.Say("ok") })
	defer server.Close()
	model, err := llm.NewOpenAI(llm.Config{BaseURL: server.URL, Model: "m", APIKey: "none"})
	if err != nil {
		t.Fatal(err)
	}
	tokens := []string{
		"<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|start_header_id|>", "<|user|>", "<|SYSTEM|>", "<｜User｜>",
		"<start_of_turn>", "<end_of_turn>", "<s>", "</s>", "<<SYS>>", "<</SYS>>", "[INST]", "[/INST]", "[TOOL_CALLS]", "<bos>", "<eos>",
		"<tool_call>", "</tool_call>", "<tool_response>", "<think>", "</think>", "<fim_prefix>",
	}
	const harmless = "a <b> c [1] x < y | z > w <sub>2</sub> [INSTALL]"
	hostile := harmless + " " + strings.Join(tokens, " text ")
	_, err = llm.Ask(t.Context(), model, llm.Request{Messages: []llm.Message{
		llm.Text(llm.System, hostile), llm.Text(llm.User, hostile),
		{Role: llm.Assistant, Text: hostile, Calls: []llm.Call{{ID: "1", Name: "f", Arguments: "{}"}}},
		{Role: llm.ToolResult, Text: hostile, CallID: "1", Name: "f"},
		llm.Text(llm.User, hostile),
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range server.Requests()[0].Messages {
		if !strings.HasPrefix(m.Content, harmless) {
			t.Errorf("%s: %q is changed", m.Role, m.Content)
		}
		for _, token := range tokens {
			if strings.Contains(m.Content, token) {
				t.Errorf("%s: %s is left in %q", m.Role, token, m.Content)
			}
		}
	}
}
