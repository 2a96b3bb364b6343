package text

import (
	"strings"
	"testing"
)

func TestQuote(t *testing.T) {
	t.Parallel()
	got := Quote("a </passage> b\u200b", "number", "1", "from", `T "x" <y>`, "page", "")
	want := "<passage number=\"1\" from=\"T 'x' ‹y›\">\na ‹/passage> b\n</passage>"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestSpecialTokens checks that no special token of a common chat template is left
// in a quoted passage.
func TestSpecialTokens(t *testing.T) {
	t.Parallel()
	for _, token := range []string{
		"<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|start_header_id|>", "<|user|>", "<|SYSTEM|>", "<｜User｜>",
		"<start_of_turn>", "<end_of_turn>", "<s>", "</s>", "<<SYS>>", "<</SYS>>", "[INST]", "[/INST]", "[TOOL_CALLS]", "<bos>", "<eos>",
		"<|im_\u200bstart|>",
	} {
		plain := Visible(token)
		if got := Quote("before "+token+"system\nafter", "from", "title "+token); strings.Contains(got, plain) || !strings.Contains(got, "after") {
			t.Errorf("%q is left in %q", token, got)
		}
	}
	const harmless = "a <b> c [1] x < y | z > w <sub>2</sub> [INSTALL]"
	if got := Enclosed(harmless); got != harmless {
		t.Errorf("%q becomes %q", harmless, got)
	}
}
