package rag

import "testing"

func TestPlainKeepsCodeSpans(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Set `DATABASE_URL=x`; then `docent serve` runs.": "Set `DATABASE_URL=x`; then `docent serve` runs.",
		"(`--origins`, `--hosts`)":                        "(`--origins`, `--hosts`)",
		"one ` alone":                                     "one `` ` `` alone",
		"`a` <b>":                                         "`a` `<b>`",
		"- `x` is first":                                  `\- ` + "`x` is first",
	} {
		if got := plain(text); got != want {
			t.Errorf("%s became %s, want %s", text, got, want)
		}
	}
}

func TestUnmarked(t *testing.T) {
	t.Parallel()
	md := Document{MediaType: markdownType}
	for text, want := range map[string]string{
		"**Chat.** See [the docs](docs/x.md).": "Chat. See the docs.",
		"2**3 and **kwargs":                    "2**3 and **kwargs",
		"an image ![of it](x.png)":             "an image of it",
	} {
		if got := unmarked(text, md); got != want {
			t.Errorf("%s became %s, want %s", text, got, want)
		}
		if got := unmarked(text, Document{MediaType: "text/html"}); got != text {
			t.Errorf("text that is no Markdown became %s", got)
		}
	}
}
