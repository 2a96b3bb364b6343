package text

import (
	"regexp"
	"strings"
)

// Quote encloses a passage in tags for a model. It removes invisible characters,
// and the passage cannot close the tags. Attributes are pairs of name and value;
// empty values are omitted.
func Quote(text string, attributes ...string) string {
	var b strings.Builder
	b.WriteString("<passage")
	for i := 0; i+1 < len(attributes); i += 2 {
		if value := Attribute(attributes[i+1]); value != "" {
			b.WriteString(" " + attributes[i] + `="` + value + `"`)
		}
	}
	b.WriteString(">\n" + Enclosed(text) + "\n</passage>")
	return b.String()
}

// passageTag matches text that could end a passage early or imitate the start
// of one.
var passageTag = regexp.MustCompile(`(?i)<(\s*/?\s*passage)`)

// Enclosed makes a passage safe between tags. It removes invisible characters, the
// passage cannot close the tags, and special tokens of models become plain text.
func Enclosed(s string) string {
	return passageTag.ReplaceAllString(withoutTokens(Visible(s)), `‹$1`)
}

// specialToken matches the special tokens of common chat templates: ChatML and
// Llama 3 (<|im_start|>, <|eot_id|>), DeepSeek (<｜User｜>), Gemma
// (<start_of_turn>), Llama 2 and Mistral (<s>, <<SYS>>, [INST], [TOOL_CALLS]).
// A server that reads them in the text of a message would take a passage for
// another message.
var specialToken = regexp.MustCompile(`(?i)<[|｜][^<>|｜\n]{1,40}[|｜]>|<</?SYS>>|</?s>|</?(?:start|end)_of_(?:turn|text|image)>|<(?:bos|eos|pad|unk)>` +
	`|\[/?(?:INST|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|SYSTEM_PROMPT)\]`)

// withoutTokens replaces the brackets of special tokens by similar characters.
func withoutTokens(s string) string {
	return specialToken.ReplaceAllStringFunc(s, brackets.Replace)
}

var brackets = strings.NewReplacer("<", "‹", ">", "›", "[", "⁅", "]", "⁆", "|", "¦", "｜", "¦")

// Attribute makes text safe as the value of an attribute.
func Attribute(s string) string {
	return attributeText.Replace(withoutTokens(Visible(s)))
}

var attributeText = strings.NewReplacer(`"`, "'", "<", "‹", ">", "›", "\n", " ")
