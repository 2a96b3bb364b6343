package quote

import (
	"strings"
	"testing"

	"docent/rag/corpus"
)

func TestPlainKeepsCodeSpans(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Set `DATABASE_URL=x`; then `docent serve` runs.": "Set `DATABASE_URL=x`; then `docent serve` runs.",
		"(`--origins`, `--hosts`)":                        "(`--origins`, `--hosts`)",
		"one ` alone":                                     "one `` ` `` alone",
		"spawn(command[, args][, options]): starts":       "`spawn(command[, args][, options])`: starts",
		"run f(a[, b]), then g(c)":                        "run `f(a[, b])`, then g(c)",
		"open f(a[, b and more":                           "open `f(a[`, b and more",
		"`a` <b>":                                         "`a` `<b>`",
		"- `x` is first":                                  `\- ` + "`x` is first",
	} {
		if got := plain(text); got != want {
			t.Errorf("%s became %s, want %s", text, got, want)
		}
	}
}

// The heading above a quote is shown as readers see it, in every script.
func TestLabelsWithoutMarks(t *testing.T) {
	t.Parallel()
	for question, c := range map[string]struct{ text, want string }{
		"מתי משקים את הוורדים?":      {"## השקיה\n\nיש להשקות את הוורדים פעמיים בשבוע בבוקר מוקדם. בקיץ החם משקים את הוורדים שלוש פעמים בשבוע.\n\n## גיזום\n\nגוזמים את הוורדים בחודש פברואר לפני הלבלוב.", "השקיה"},
		"When is irrigation needed?": {"## Irrigation\n\nThe roses need water twice a week.\n\n## Pruning\n\nThe roses are cut in February.", "**Irrigation:** The roses need water"},
		"когда нужна обрезка роз?":   {"## Полив\n\nРозы поливают дважды в неделю.\n\n## Обрезка\n\nРозы обрезают в феврале.", "Обрезка"},
	} {
		r := passage(1, "Garden", "", c.text)
		r.Passage.Headings, r.Passage.Document.MediaType = nil, markdownType
		results := []Passage{r}
		answer, _ := render(extract(testStatic, Query{Question: question, Searched: question, Passages: results}), results, "")
		if strings.Contains(answer, "#") || !strings.Contains(answer, c.want) {
			t.Errorf("%s: %s", question, answer)
		}
	}
}

func TestUnmarked(t *testing.T) {
	t.Parallel()
	md := corpus.Document{MediaType: markdownType}
	for text, want := range map[string]string{
		"**Chat.** See [the docs](docs/x.md).":   "Chat. See the docs.",
		"2**3 and **kwargs":                      "2**3 and **kwargs",
		"an image ![of it](x.png)":               "an image of it",
		"## השקיה":                               "השקיה",
		"### **Wann** gießen ##":                 "Wann gießen",
		"#12 is open":                            "#12 is open",
		"C# and F#":                              "C# and F#",
		`<a id="x">FST_ERR</a> is <br>raised`:    "FST_ERR is raised",
		"set it to <code>string</code>":          "set it to `string`",
		"the `<a>` element and <T>":              "the `<a>` element and <T>",
		"Open *Search details*, then (*close*).": "Open Search details, then (close).",
		"*.go,*.md, *args, a *b, 2*3*4":          "*.go,*.md, *args, a *b, 2*3*4",
		"*async-await* is _supported_.":          "async-await is supported.",
		"*.go and *.md, a_b and 2 * 3 * 4":       "*.go and *.md, a_b and 2 * 3 * 4",
	} {
		if got := unmarked(text, md); got != want {
			t.Errorf("%s became %s, want %s", text, got, want)
		}
		if got := unmarked(text, corpus.Document{MediaType: "text/html"}); got != text {
			t.Errorf("text that is no Markdown became %s", got)
		}
	}
}
