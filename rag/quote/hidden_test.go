package quote

import (
	"strings"
	"testing"

	"docent/rag/corpus"
)

// TestHiddenSyntax: front matter, components, templates, and tags never appear in an answer, and offsets stay the same.
func TestHiddenSyntax(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"title: Networks\ntags: [a, b]\n---\n\nThe router has two.":                                  "The router has two.",
		"import Tabs from '@theme/Tabs';\n\n<Callout type=\"tip\">\nUse one.\n</Callout>":            "Use one.",
		"{{< toc >}}\n\n## Use {#use}\n\nUse {% raw %}one{% endraw %}.":                              "## Use Use one .",
		":::tip\nTake a photo.\n:::\n\n> [!WARNING]\n> Use the box.":                                 "Take a photo. Use the box.",
		"<table>\n<tr><th>Limit</th><th>Pro</th></tr>\n<tr><td>Users</td><td>16</td></tr>\n</table>": "Limit | Pro Users | 16",
		"## 1. Numbers\n\nSales.":               "## Numbers Sales.",
		"```\n{{< toc >}}\n<Callout>\n```":      "``` {{< toc >}} <Callout> ```",
		"The `<Tabs>` element has <b>tabs</b>.": "The `<Tabs>` element has <b>tabs</b>.",
	} {
		got := readable(corpus.Passage{Chunk: corpus.Chunk{Text: body}, Document: corpus.Document{MediaType: markdownType}})
		if len(got) != len(body) || strings.Join(strings.Fields(got), " ") != want {
			t.Errorf("%q became %q, want %q", body, strings.Join(strings.Fields(got), " "), want)
		}
	}
	html := corpus.Passage{Chunk: corpus.Chunk{Text: "title: x\n---\n<Tabs>"}, Document: corpus.Document{MediaType: "text/html"}}
	if got := readable(html); got != html.Text {
		t.Errorf("text that is no Markdown became %q", got)
	}
}

func FuzzReadable(f *testing.F) {
	f.Add("a: b\n---\n<tr><td>\n</tr>```\n{{<")
	f.Add("<tr><th>a</th></tr>\n> [!x]\n## 1. a")
	f.Fuzz(func(t *testing.T, body string) {
		p := corpus.Passage{Chunk: corpus.Chunk{Text: body}, Document: corpus.Document{MediaType: markdownType}}
		if got := readable(p); len(got) != len(body) {
			t.Errorf("%q became %q", body, got)
		}
	})
}
