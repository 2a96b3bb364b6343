package main

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// check returns the findings of a page as texts.
func check(t *testing.T, file, text string) []string {
	t.Helper()
	root := fstest.MapFS{
		"README.md": {Data: []byte("# Top\n")}, "CONTRIBUTING.md": {Data: []byte("# Rules\n")},
		"docs/other.md": {Data: []byte("# Other\n\n## The second `part`\n")},
	}
	root[file] = &fstest.MapFile{Data: []byte(text)}
	findings, err := checkAll(root)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range findings {
		out = append(out, f.String())
	}
	return out
}

func TestRules(t *testing.T) {
	t.Parallel()
	long := strings.TrimSpace(strings.Repeat("word ", 31))
	for text, want := range map[string]string{
		"The server closes the connection.":    "",
		long + ".":                             "the sentence has 31 words",
		"- " + long + ".":                      "the sentence has 31 words",
		"# " + long:                            "",
		"| a |\n|---|\n| " + long + " |":       "",
		"```\nwhat is owed, " + long + "\n```": "",
		"Word `what is owed` word.":            "",
		"One word.\nThe `Owe` is " + long[:60] + ": " + long[:70]: "",
		"Writes that docent owes.":                                "pending writes",
		"Config.Settle and -settle are names.":                    "",
		"| the colour |":                                          "American spelling",
		"It is summarised.":                                       "American spelling",
		"Of an answer, the text stays.":                           "do not begin with Of",
		"Of course it works.":                                     "",
		"What is not listed fails.":                               "clause as the subject",
		"What does it do?":                                        "",
		"It depends on the rights of who asks.":                   "clause as the object",
		"Errors are told by line.":                                "say who does what",
		strings.Repeat("a", 101):                                  "more than 100 columns",
		"See [the other](other.md#the-second-part) page.":         "",
		"See [the other](other.md#third).":                        "broken link: other.md#third",
		"See [the other](gone.md).":                               "broken link: gone.md",
		"See [it](https://example.com/x).":                        "",
	} {
		var wrapped []string
		if strings.HasPrefix(text, strings.Repeat("a", 101)) || strings.HasPrefix(text, "#") || strings.HasPrefix(text, "|") {
			wrapped = []string{text}
		} else {
			wrapped = strings.SplitAfter(text, "word word word word word ")
		}
		got := check(t, "docs/page.md", strings.Join(wrapped, "\n"))
		switch {
		case want == "" && len(got) > 0:
			t.Errorf("%q: %q", text, got)
		case want != "" && (len(got) != 1 || !strings.Contains(got[0], want)):
			t.Errorf("%q: %q, want %s", text, got, want)
		}
	}
}

func TestParagraphsOfGuides(t *testing.T) {
	t.Parallel()
	text := "# Title\n\n" + strings.Repeat("Some words.\n", 6)
	if got := check(t, "docs/how-to/page.md", text); len(got) != 1 || !strings.HasPrefix(got[0], "docs/how-to/page.md:3: the paragraph") {
		t.Errorf("a guide: %q", got)
	}
	if got := check(t, "docs/reference/page.md", text); len(got) > 0 {
		t.Errorf("a reference page: %q", got)
	}
}

func TestSentences(t *testing.T) {
	t.Parallel()
	got := sentences(plain(`See **this** [page](x.md). It has two: a and "b." Version 1.2 counts?`))
	want := []string{"See this page.", "It has two:", `a and "b."`, "Version 1.2 counts?"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestStrings(t *testing.T) {
	t.Parallel()
	text := "import { x } from 'owed';\n// owed\nexport const en = {\n  a: 'Who asks waits.',\n  b: (n: number) => `${n} files`,\n  c: \"It's fine.\",\n};\n"
	got := checkStrings("en/a.ts", text)
	if len(got) != 1 || got[0].line != 4 {
		t.Errorf("%v", got)
	}
}

// TestRepository: the repository keeps the rules.
func TestRepository(t *testing.T) {
	t.Parallel()
	findings, err := checkAll(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		t.Error(f)
	}
}
