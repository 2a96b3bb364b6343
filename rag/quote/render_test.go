package quote

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"

	"docent/rag/corpus"
	"docent/rag/text"
)

// lively renders Markdown permissively, with GitHub's extensions, links in text, and raw HTML.
var lively = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe()))

// allowed matches the permitted characters of a rendered line.
var allowed = regexp.MustCompile(`</?(?:p|code)>`)

func renderHTML(t *testing.T, markdown string) string {
	t.Helper()
	var b bytes.Buffer
	if err := lively.Convert([]byte(markdown), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// hostile are texts with markup that must not take effect.
var hostile = []string{
	"![x](http://evil.example/?q=secret)", "[click](javascript:alert(1))", "<img src=x onerror=alert(1)>", "<script>alert(1)</script>",
	"see http://evil.example/x now", "www.evil.example", "mail me@evil.example", "# Heading", "- item", "1. item", "> quote", "```", "~~~", "***", "---", "===",
	"*bold* _it_ __b__ **b** ~~s~~", "a | b", "| a | b |", "[1]: http://evil.example", "[ref][1]", "&lt;b&gt; &#60;", `back\slash`, "``tick` ```", "(see [99])", "a [99] b",
	"\u202eevil\u202c \u2066x\u2069 \u200b\U000E0041", "+ plus", "+", "10) x", "100.", "#", "##", "-", "=", "<!-- c -->", "https://x", "ftp://x.y", "xmpp:a@b.c", "a\x00b", "$math$", "@user", "[x] done", "- [ ] todo", "\u2028",
	"[^1]", "a\\", "`", "$x`y`", "__init__", "user_name and my_var_", "f(a[0])", "\"[a](b)\"", "'<b>'", "(<b>)", "!", "![", "![a", "](b)", "!(b)", "text:![a](b)", "'![a](b)'",
}

func TestPlainStaysText(t *testing.T) {
	t.Parallel()
	for _, text := range hostile {
		checkPlain(t, text)
		checkPlain(t, "Words before "+text+" and after.")
	}
}

func FuzzPlain(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(checkPlain)
}

// checkPlain fails if the output of plain has markup other than code, has
// invisible characters, or loses letters or digits.
func checkPlain(t *testing.T, s string) {
	got := plain(s)
	if strings.Contains(got, "\n") {
		t.Fatalf("%q became several lines: %q", s, got)
	}
	page := renderHTML(t, got)
	if rest := allowed.ReplaceAllString(page, ""); strings.ContainsAny(rest, "<>") {
		t.Fatalf("%q became %q, shown as %q", s, got, page)
	}
	for m := range text.MarkersIn(got) {
		t.Fatalf("%q shows the marker %v: %q", s, m.Docs, got)
	}
	if want := strings.Join(strings.Fields(text.Visible(s)), " "); strings.ReplaceAll(strings.ReplaceAll(got, "`", ""), `\`, "") !=
		strings.ReplaceAll(strings.ReplaceAll(want, "`", ""), `\`, "") && !strings.Contains(want, "`") {
		t.Fatalf("%q became %q", want, got)
	}
}

func TestRenderHostileBlocks(t *testing.T) {
	t.Parallel()
	code := codeBlock("x := 1\n```\n<img src=x>\n````\n![a](http://evil)")
	if page := renderHTML(t, code); strings.Contains(page, "<img") || strings.Count(page, "<pre>") != 1 {
		t.Errorf("code became %q", page)
	}
	q := quote{Sentence: text.Sentence{Kind: text.RowSentence, Start: 30}, text: "a | <b>x</b> ![i](http://evil) | c | d"}
	got, _ := render([]quote{q}, []Passage{{}}, "")
	if page := renderHTML(t, got); strings.Contains(page, "<b>") || strings.Contains(page, "<img") || strings.Contains(page, "<table>") {
		t.Errorf("row became %q shown as %q", got, page)
	}
	q.header = "<i>h</i> | [2](x) | `| | y"
	got, _ = render([]quote{q}, []Passage{{}}, "")
	if page := renderHTML(t, strings.ReplaceAll(got, "[1]", "")); strings.Contains(page, "<b>") || strings.Contains(page, "<i>") || strings.Contains(page, "<a") || strings.Contains(page, "<img") {
		t.Errorf("table became %q shown as %q", got, page)
	}
	q = quote{Sentence: text.Sentence{Kind: text.ProseSentence}, text: "Yes.", label: "![i](http://evil) (x)", lead: true}
	got, _ = render([]quote{q}, []Passage{{}}, "")
	if page := renderHTML(t, got); strings.Contains(page, "<img") {
		t.Errorf("label became %q", page)
	}
}

// TestRowShowsLinkText: the cells of a Markdown table show the text of links.
func TestRowShowsLinkText(t *testing.T) {
	t.Parallel()
	q := quote{
		Sentence: text.Sentence{Kind: text.RowSentence, Start: 30},
		text:     "`secret.key` | It decrypts the [secrets of sources](sources.md#secrets).", header: "file | what to do",
	}
	got, _ := render([]quote{q}, []Passage{{Passage: corpus.Passage{Document: corpus.Document{MediaType: markdownType}}}}, "")
	if want := "| `secret.key` | It decrypts the secrets of sources. [1] |"; !strings.Contains(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestRenderTogether(t *testing.T) {
	t.Parallel()
	quotes := []quote{
		{Sentence: text.Sentence{Kind: text.ProseSentence}, text: "Sets the memory.", label: "4.1. work_mem (integer)", lead: true},
		{Sentence: text.Sentence{Kind: text.ProseSentence}, text: "The default is 4MB.", label: "4.1. work_mem (integer)", lead: true},
		{Sentence: text.Sentence{Kind: text.ItemSentence, Block: 1}, text: "- one"},
		{Sentence: text.Sentence{Kind: text.ItemSentence, Block: 2}, text: "- two"},
		{Sentence: text.Sentence{Kind: text.CodeSentence, Block: 3}, text: "SET x;", doc: 1, cited: 1},
		{Sentence: text.Sentence{Kind: text.RowSentence, Block: 4, Start: 12}, text: "b | 2", header: "name | size", doc: 2, cited: 2},
		{Sentence: text.Sentence{Kind: text.RowSentence, Block: 5, Start: 18}, text: "c | 3", header: "name | size", doc: 2, cited: 2},
	}
	got, sentences := render(quotes, []Passage{{}, {}, {}}, "")
	want := "**work_mem (integer):** Sets the memory. [1] The default is 4MB. [1]\n\n- one [1]\n- two [1]\n\n```\nSET x;\n```\n[2]\n\n| name | size |\n| --- | --- |\n| b | 2 [3] |\n| c | 3 [3] |"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for i, s := range sentences {
		if part := got[s.Start:s.End]; !strings.Contains(part, "["+string(rune('1'+quotes[i].doc))+"]") || strings.HasPrefix(part, "**") {
			t.Errorf("sentence %d is %q", i, part)
		}
	}
}

// The label of a quote is the term directly above it, even if the term looks
// like a statement.
func TestLabelIsTheTermAbove(t *testing.T) {
	t.Parallel()
	results := []Passage{passage(1, "ALTER TABLE", "Description", `ALTER TABLE changes the definition of an existing table.

ADD [ COLUMN ] [ IF NOT EXISTS ]

This form adds a new column to the table.

DROP [ COLUMN ] [ IF EXISTS ]

This form drops a column from a table. Indexes and table constraints involving the column will be automatically dropped as well.

SET WITHOUT CLUSTER

This form removes the most recently used index specification from the table.`)}
	for question, want := range map[string]string{
		"alter table add column":         "**ADD `[` COLUMN `]` `[` IF NOT EXISTS `]`:** This form adds a new column to the table. [1]",
		"drop a column and its indexes":  "**DROP `[` COLUMN `]` `[` IF EXISTS `]`:** This form drops a column from a table. Indexes and table constraints involving the column will be automatically dropped as well. [1]",
		"removes index specification of": "**SET WITHOUT CLUSTER:** This form removes the most recently used index specification from the table. [1]",
	} {
		answer, _ := render(extract(testStatic, Query{Question: question, Searched: question, Passages: results}), results, "")
		if !strings.Contains(answer, want) || strings.Contains(answer, "NOT EXISTS `]`:** This form drops") {
			t.Errorf("%q: %s", question, answer)
		}
	}
}

// A sentence that refers to an omitted sentence is not an answer.
func TestLeaningSentences(t *testing.T) {
	t.Parallel()
	results := []Passage{passage(1, "CREATE INDEX", "Building Indexes Concurrently",
		"PostgreSQL supports building an index without locking out writes, by CREATE INDEX CONCURRENTLY. Regular builds are faster by far and use less memory. "+
			"Another difference is that a CREATE INDEX CONCURRENTLY cannot be performed within a transaction block.")}
	question := "create index concurrently"
	answer, _ := render(extract(testStatic, Query{Question: question, Searched: question, Passages: results}), results, "")
	if !strings.Contains(answer, "PostgreSQL supports") || strings.Contains(answer, "Another") && !strings.Contains(answer, "Regular builds") {
		t.Errorf("the answer is %s", answer)
	}
	for text, want := range map[string]bool{
		"Another difference is the speed.": true, "But if you provide them, all is well.": true, "By setting this parameter to 0, it is off.": true, "In this case a notice is issued.": true,
		"These are kept.": true, "Any of them.": true, "Sets the size.": false, "By default, it is on.": false, "The server stops.": false, "Innodb is another engine.": false,
	} {
		if got := leaning.MatchString(text); got != want {
			t.Errorf("%q leans: %v", text, got)
		}
	}
}

// A label stands in front of all quotes below it. Behind a list, it would belong to the last item.
func TestLabelOfList(t *testing.T) {
	t.Parallel()
	quotes := []quote{
		{Sentence: text.Sentence{Kind: text.ItemSentence, Block: 1}, text: "- one", label: "Servers"},
		{Sentence: text.Sentence{Kind: text.ItemSentence, Block: 4}, text: "- four", label: "Servers", at: 4, lead: true},
	}
	got, _ := render(quotes, []Passage{{}}, "")
	if want := "**Servers:**\n\n- one [1]\n- four [1]"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
