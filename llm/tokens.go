package llm

import (
	"strings"

	"docent/internal/lazyregexp"
)

// specialToken matches the special tokens of common chat templates: ChatML and
// Llama 3 (<|im_start|>, <|eot_id|>), DeepSeek (<｜User｜>), Gemma
// (<start_of_turn>), Llama 2 and Mistral (<s>, <<SYS>>, [INST], [TOOL_CALLS]), and the
// tags of Qwen, Hermes, and DeepSeek (<tool_call>, <think>, <fim_prefix>).
// A server that reads them in the text of a message would take the text for
// another message.
var specialToken = lazyregexp.New(`(?i)<[|｜][^<>|｜\n]{1,40}[|｜]>|<</?SYS>>|</?s>|</?(?:start|end)_of_(?:turn|text|image)>|<(?:bos|eos|pad|unk)>` +
	`|</?(?:tool_call|tool_response|tools|think)>|<(?:fim|repo|file)_[a-z]{1,10}>` +
	`|\[/?(?:INST|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|SYSTEM_PROMPT)\]`)

// withoutTokens makes special tokens in the text of a message plain text. Every
// text that a model gets may quote a document: passages, titles, earlier answers,
// questions, and results of tools.
func withoutTokens(s string) string {
	return specialToken.ReplaceAllStringFunc(s, brackets.Replace)
}

// brackets replaces brackets by similar characters.
var brackets = strings.NewReplacer("<", "‹", ">", "›", "[", "⁅", "]", "⁆", "|", "¦", "｜", "¦")
