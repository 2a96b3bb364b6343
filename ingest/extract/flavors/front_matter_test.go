package flavors

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestFrontMatter(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want, rest string }{
		"yaml":           {"---\ntitle: \"A: b\"\ndate: 2026-05-12\ntags: [x, 'y z']\naliases:\n  - How to/Spares\n  - Parts\n---\nText.\n", `A: b|2026-05-12||x,y z|How to/Spares,Parts`, "Text.\n"},
		"updated first":  {"---\ndate: 2025-01-02T03:04:05Z\nlast_modified_at: 12.05.2026\n---\nText.", "|2026-05-12|||", "Text."},
		"nested":         {"---\nlast_update:\n  date: 2026-05-12\n  author: x\n---\n", "|2026-05-12|||", ""},
		"future":         {"---\ndate: 2999-01-01\n---\n", "||||", ""},
		"version":        {"---\nversion: 1.20\ntags: a, b\n---\n", "||1.20|a,b|", ""},
		"version, text":  {"---\nversion: v2.1-rc1\n---\n", "||2.1-rc1||", ""},
		"windows":        {"---\r\ntitle: T\r\n---\r\nText.", "T||||", "Text."},
		"dots":           {"---\ntitle: T\n...\nText.", "T||||", "Text."},
		"empty":          {"---\n---\nText.", "||||", "Text."},
		"damaged":        {"---\ntitle: Foo: bar\nhint: {{ x }}\ntags:\n- a\n---\nText.", "Foo: bar|||a|", "Text."},
		"toml":           {"+++\ntitle = \"A \\\"b\\\"\"\ndate = 2026-05-12T08:30:00Z # c\ntags = [\n  \"x\",\n  'y',\n]\n[params]\ntitle = \"no\"\n+++\nText.", `A "b"|2026-05-12||x,y|`, "Text."},
		"json":           {"{\n  \"title\": \"T\",\n  \"date\": \"2026-05-12\",\n  \"tags\": [\"x\"]\n}\n\nText.", "T|2026-05-12||x|", "\n\nText."},
		"rule":           {"---\n\nA text between rules: it has colons.\n\nMore of it\n\n---\nText.", "", "whole"},
		"rule alone":     {"---\nText.\n", "", "whole"},
		"shortcode":      {"{{< x >}}\nText.", "", "whole"},
		"json, whole":    {"{\"a\": 1}", "", "whole"},
		"tags with mark": {"---\ntags: '#a'\ncategory: b\n---\n", "|||a,b|", ""},
		"sidebar":        {"---\nsidebar_label: Short\n---\n", "Short||||", ""},
	} {
		f, rest := CutFrontMatter(c.text)
		day := ""
		if !f.Date.IsZero() {
			day = f.Date.Format(time.DateOnly)
		}
		got := fmt.Sprintf("%s|%s|%s|%s|%s", f.Title, day, f.Version, strings.Join(f.Tags, ","), strings.Join(f.Aliases, ","))
		if c.rest == "whole" {
			c.want, c.rest = "||||", c.text
		}
		if got != c.want || rest != c.rest {
			t.Errorf("%s: %q and %q, want %q and %q", name, got, rest, c.want, c.rest)
		}
	}
}

// TestHostile reads texts that make careless readers slow.
func TestHostile(t *testing.T) {
	t.Parallel()
	for _, part := range []string{
		"<", "<a ", "<!--", "{{<", "{{", "{%", "{/*", "[[", "![[", "%%", "==", "`", "``x", "{x}`", ":::a\n", "!!! a\n    ", "> [!a]\n> ", "<table>", "<table><tr><td>",
		"<td colspan=100>", "(a", "++a", "&a", "{#a}", "{", "<T x={", "```\n", "<!--\n", "%%\n", "{{< highlight x >}}\n", "{{< a >}}", "<a>", "<pre>", "\ue000\n",
	} {
		for _, name := range []string{"a.md", "a.mdx"} {
			if got := Plain(name, strings.Repeat(part, (1<<15)/len(part))); len(got) > 1<<20 {
				t.Errorf("%q became %d bytes", part, len(got))
			}
		}
	}
}

func FuzzPlain(f *testing.F) {
	f.Add("a.mdx", "---\ntitle: x\n---\n<Tabs>\n  <A b=\"c\">\n{x}\n:::note[T]\n[[a|b]] {{< x \"y\" >}}\n:::\n")
	f.Add("a.md", "<table><tr><td rowspan=2>a<td>b</table>\n!!! note \"x\"\n    y\n> [!tip] z\n```{note}\nq\n```\n")
	f.Fuzz(func(t *testing.T, name, text string) {
		_, text = CutFrontMatter(text)
		if got := Plain(name, text); len(got) > 64*len(text)+1000 {
			t.Errorf("%d bytes became %d", len(text), len(got))
		}
	})
}
