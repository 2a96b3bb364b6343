package text

import (
	"strings"
	"testing"
)

func TestTidy(t *testing.T) {
	t.Parallel()
	long := "and the queue manager delivers it "
	for in, want := range map[string]string{
		"":                         "",
		"It is 4MB [1].":           "It is 4MB [1].",
		"It is 4MB [1].<|im_end|>": "It is 4MB [1].",
		"<|im_start|>assistant\nIt is 4MB.<|im_end|>\n<|im_start|>user\nThanks":                     "It is 4MB.",
		"<|im_start|>assistant<|im_sep|>It is 4MB.":                                                 "It is 4MB.",
		"[INST] It is 4MB.</s> Next":                                                                "It is 4MB.",
		"The mark `<|im_end|>` ends a turn.":                                                        "The mark `<|im_end|>` ends a turn.",
		"```\n<|im_end|>\n```\nis a mark.":                                                          "```\n<|im_end|>\n```\nis a mark.",
		"The answer is:\n<passage number=\"5\" from=\"A\">\nIt is 4MB.\n</passage>":                 "The answer is:\nIt is 4MB.",
		"Use `<passage>`.":                                                                          "Use `<passage>`.",
		"It is 4MB.\n\nQuestion: And by default?\nAnswer: 5.":                                       "It is 4MB.",
		"Question: How much?\nAnswer: It is 4MB.":                                                   "It is 4MB.",
		"The FAQ asks:\n\nQuestion: Why? [1]\n\nQuestion: How? [2]":                                 "The FAQ asks:\n\nQuestion: Why? [1]\n\nQuestion: How? [2]",
		"1. Edit it.\n2. Restart the server.\n\nOr:\n\n1. Copy it.\n2. Restart the server.":         "1. Edit it.\n2. Restart the server.\n\nOr:\n\n1. Copy it.\n2. Restart the server.",
		"It is big now. It is red now. It is big now. It is red now. It is big now. It is red now.": "It is big now. It is red now. It is big now. It is red now.",
		"<b> and [1] stay.":                     "<b> and [1] stay.",
		"It is 4MB [1]. It is 4MB [2]. Use it.": "It is 4MB [1]. Use it.",
		"Yes. Yes. No.":                         "Yes. Yes. No.",
		"1. Open the file.\n2. Open the file.\n3. Save the file.": "1. Open the file.\n3. Save the file.",
		"Open the file now.\n\n- Open the file now.":              "Open the file now.",
		"First " + strings.Repeat(long, 5) + "and the":            "First and the queue manager delivers it",
		"| a | b |\n|---|---|\n| 1 | 2 |\n| 1 | 2 |":              "| a | b |\n|---|---|\n| 1 | 2 |\n| 1 | 2 |",
		"Run:\n\n```sh\nmake test":                                "Run:\n\n```sh\nmake test\n```",
		"Run:\n\n````\n```\nx\n":                                  "Run:\n\n````\n```\nx\n````",
		"Run:\n\n```\nx\n```\nand\n~~~\ny":                        "Run:\n\n```\nx\n```\nand\n~~~\ny\n~~~",
		"Run:\n\n```\nmake test\n```\n\n```\nmake test\n```":      "Run:\n\n```\nmake test\n```",
	} {
		if got := Tidy(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
		if got := Tidy(Tidy(in)); got != Tidy(in) {
			t.Errorf("%q changes again to %q", Tidy(in), got)
		}
	}
}

func TestLoopLength(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]int{
		"no loop here":                                        0,
		"a" + strings.Repeat("|  ", 200):                      597,
		strings.Repeat("=", 200):                              0,
		strings.Repeat("0 ", 200):                             0,
		strings.Repeat("ha ", 5):                              0,
		"x " + strings.Repeat("ha ", 40):                      118,
		strings.Repeat(strings.Repeat("word ", 5)+"end. ", 4): 90,
	} {
		if got := LoopLength(s); got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
	}
}

func FuzzTidy(f *testing.F) {
	f.Add("<|im_start|>user\n```\nx\n``` y. y y y. y y y.")
	f.Fuzz(func(t *testing.T, s string) {
		if got := Tidy(s); len(got) > 2*len(s)+8 {
			t.Errorf("%q became %q", s, got)
		}
	})
}
