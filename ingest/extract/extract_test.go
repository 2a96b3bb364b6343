package extract_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"go.uber.org/goleak"

	"docent/ingest/extract"
	"docent/ingest/intake"
	"docent/ingest/outline"
	"docent/internal/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// pagePatience is the time limit of a page. A busy machine may need many seconds, and
// the first page also waits until the PDF library is compiled.
const pagePatience = 3 * time.Minute

func newExtractor(t testing.TB) *extract.Extractor {
	t.Helper()
	e, err := extract.New(extract.Config{CacheDir: pdfCache(t), PageTimeout: pagePatience})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return e
}

// pdfCache keeps the compiled PDF reader for all tests of this machine.
func pdfCache(t testing.TB) string {
	t.Helper()
	dir, err := os.UserCacheDir()
	if err != nil {
		return t.TempDir()
	}
	return filepath.Join(dir, "docent-test", "wasm")
}

// show writes a document's blocks one to a line: the kind, the level of a
// heading, the page, the text.
func show(doc *outline.Document) string {
	names := map[outline.Kind]string{outline.Paragraph: "p", outline.Heading: "h", outline.Item: "li", outline.Code: "code", outline.Header: "th", outline.Row: "tr"}
	var b strings.Builder
	for _, bl := range doc.Blocks {
		if bl.Kind == outline.Heading && bl.Start == bl.End {
			if bl.Name != "" {
				fmt.Fprintf(&b, "section%d %s\n", bl.Level, bl.Name)
			}
			continue
		}
		name := names[bl.Kind]
		if bl.Kind == outline.Heading {
			name = fmt.Sprintf("h%d", bl.Level)
		}
		if bl.Page >= 0 {
			name += fmt.Sprintf("@%d", bl.Page)
		}
		fmt.Fprintf(&b, "%s %q\n", name, doc.Text[bl.Start:bl.End])
	}
	return b.String()
}

// verify fails if a document breaks the rules of outline.Document.
func verify(t testing.TB, doc *outline.Document) {
	t.Helper()
	if !utf8.ValidString(doc.Text) || strings.ContainsRune(doc.Text, 0) || strings.ContainsRune(doc.Text, '\r') {
		t.Fatalf("the text is not clean: %q", doc.Text)
	}
	if !utf8.ValidString(doc.Title) || strings.ContainsAny(doc.Title, "\x00\n") {
		t.Fatalf("the title is not clean: %q", doc.Title)
	}
	end := 0
	for i, b := range doc.Blocks {
		if b.Start < end || b.End < b.Start || b.End > len(doc.Text) {
			t.Fatalf("block %d is [%d:%d] after %d in %d bytes", i, b.Start, b.End, end, len(doc.Text))
		}
		end = b.End
		if !utf8.ValidString(doc.Text[b.Start:b.End]) {
			t.Fatalf("block %d cuts a code point", i)
		}
		if doc.PageLabels != nil && (b.Page < -1 || b.Page >= len(doc.PageLabels)) {
			t.Fatalf("block %d is on page %d of %d", i, b.Page, len(doc.PageLabels))
		}
	}
}

func extractFile(t testing.TB, name string, data []byte) (*outline.Document, string) {
	t.Helper()
	doc, media, err := newExtractor(t).Extract(t.Context(), intake.Source{Name: name, Data: data})
	if err != nil {
		t.Fatal(err)
	}
	verify(t, doc)
	if extract.Version(media) == 0 {
		t.Errorf("formats.go has no row for %s", media)
	}
	return doc, media
}

var formats = []struct{ name, file, media, title, data, want string }{
	{
		"page", "a.html", "text/html", "2.3. A Table",
		`<html><head><title>2.3. A  Table</title><style>p{}</style></head><body>
<div class="navheader"><a href="x">Prev</a> Chapter 2</div><nav>Menu</nav>
<h2>2.3. A Table</h2><p>You  can <b>create</b>&nbsp;a
table.</p><pre>
CREATE TABLE t (
    a int
);
</pre><ul><li>one<li><p>two</p><ol start="3"><li>deep</ol></ul>
<div class="note"><h3>Note</h3><p>Mind this.</p></div><script>alert(1)</script>
<table><caption>Table 1</caption><thead><tr><th>Name<th>Use</thead><tr><td>a<td>x<br>y<tr><td>b<td></table>
<p>End.</p></body></html>`,
		`h2 "2.3. A Table"
p "You can create a table."
code "` + "```" + `\nCREATE TABLE t (\n    a int\n);\n` + "```" + `"
li "- one"
li "- two"
li "3. deep"
p "Note"
p "Mind this."
th "Table 1\nName | Use"
tr "a | x y"
tr "b"
p "End."
`,
	},
	{
		"definitions", "d.html", "text/html", "d.html",
		`<dl><dt>-h<dt>--help<dd>Shows help.<dt>-v<dd>Version.<dl><dt>short<dd>one line</dl></dl><p>After.`,
		`h17 "-h\n--help"
p "Shows help."
h17 "-v"
p "Version."
h18 "short"
p "one line"
p "After."
`,
	},
	{
		"contents", "toc.html", "text/html", "toc.html",
		`<dl><dt><a href=1>1. One</a><dd><dl><dt><a href=2>1.1. Sub</a></dl><dt>2. Two</dl>`,
		"li \"- 1. One\"\nli \"- 1.1. Sub\"\nli \"- 2. Two\"\n",
	},
	{
		"markdown", "a.md", "text/markdown", "The Title",
		"---\ndate: x\n---\n# The *Title*\n\nText with `code`\nand [a](b).\n\nSetext\n------\n\n- one\n- two\n  more\n\n```go\nx := 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n[ref]: http://x\n",
		`h1 "# The *Title*"
p "Text with ` + "`code`" + `\nand [a](b)."
h2 "Setext\n------"
li "- one"
li "- two\n  more"
code "` + "```go\\nx := 1\\n```" + `"
th "| a | b |\n|---|---|"
tr "| 1 | 2 |"
p "[ref]: http://x"
`,
	},
	{
		"text", "a.txt", "text/plain", "Heading",
		"Heading\n=======\n\nA paragraph\nof two lines.\n\nSYNOPSIS\n    foo [-x]\n",
		`h1 "Heading\n======="
p "A paragraph\nof two lines."
h1 "SYNOPSIS"
p "    foo [-x]"
`,
	},
	{
		"csv", "a.csv", "text/csv", "a.csv",
		"name;use\n\"a;b\";one\nc\nd;two;three\n",
		"th \"name | use\"\ntr \"a;b | one\"\ntr \"c\"\ntr \"d | two | three\"\n",
	},
	{
		"json", "a.json", "application/json", "a.json",
		`{"name": "Gr\u00f6\u00dfe", "list": [1, 2]}`,
		"code \"{\\\"name\\\": \\\"Größe\\\", \\\"list\\\": [1, 2]}\"\n",
	},
	{
		"go", "pkg/a.go", "text/x-go", "pkg/a.go",
		"// Package a.\npackage a\n\n// F does.\nfunc F() {\n\n\treturn\n}\n\ntype T struct {\n\tX int\n}\n\nfunc (t *T) M() {}\n",
		`section1 a
code "// Package a.\npackage a"
section1 F
code "// F does.\nfunc F() {\n\n\treturn\n}"
section1 T
code "type T struct {\n\tX int\n}"
section1 T.M
code "func (t *T) M() {}"
`,
	},
	{
		"script", "tool", "text/x-python", "tool",
		"#!/usr/bin/env python3\nimport os\n\n@cached\ndef run(x):\n    return x\nclass A:\n    def m(self): pass\n",
		"code \"#!/usr/bin/env python3\\nimport os\"\nsection1 run\ncode \"@cached\\ndef run(x):\\n    return x\"\nsection1 A\ncode \"class A:\\n    def m(self): pass\"\n",
	},
	{
		"drawing", "a.svg", "image/svg+xml", "Flow",
		`<svg xmlns="http://www.w3.org/2000/svg"><title>Flow</title><text x="1">Start <tspan>here</tspan></text><path d="M0"/></svg>`,
		"li \"Flow\"\nli \"Start here\"\n",
	},
	{
		"API description", "boats.yaml", "application/vnd.oai.openapi", "Boats",
		"openapi: 3.1.0\ninfo: {title: Boats}\npaths: {/boats: {get: {summary: List boats}}}\n",
		"h1 \"# Boats\"\nh2 \"## GET /boats: List boats\"\n",
	},
}

func TestFormats(t *testing.T) {
	t.Parallel()
	for _, tt := range formats {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			doc, media := extractFile(t, tt.file, []byte(tt.data))
			if got := show(doc); got != tt.want {
				t.Errorf("blocks:\n%s\nwant:\n%s", got, tt.want)
			}
			if media != tt.media || doc.Title != tt.title {
				t.Errorf("media %q title %q, want %q and %q", media, doc.Title, tt.media, tt.title)
			}
		})
	}
}

// Texts whose content tells their markup language.
const (
	manPage  = ".\\\" made by hand\n.TH PUMP 1\n.SH NAME\npump \\- move water\n"
	rstText  = "Pump\n====\n\n.. note:: Keep it dry.\n\nSee :ref:`valves`.\n"
	adocText = "git-pump(1)\n===========\n\nNAME\n----\ngit-pump - Move water\n\n[verse]\n'git pump'\n\nSee linkgit:git-add[1].\n\n-v::\n\tSay more.\n"
)

func TestTypeIsInTheContent(t *testing.T) {
	t.Parallel()
	docx, err := os.ReadFile("testdata/manual.docx")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, data, media string }{
		{"page.txt", "<!DOCTYPE html><title>x</title><p>text", "text/html"},
		{"noname", "<?xml version='1.0'?><!-- c --><html><p>text</html>", "text/html"},
		{"manual.pdf", string(docx), "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
		{"report.pdf", "just some text", "text/plain"},
		{"stdin", "# Title\n\nText\n\n## More\n", "text/markdown"},
		{"stdin", `{"a": 1}`, "application/json"},
		{"stdin", "plain words", "text/plain"},
		{"data.xml", "<?xml version='1.0'?><a>text</a>", "text/xml"},
		{"Makefile", "all:\n\tgo build\n", "text/x-makefile"},
		{"pump.1", manPage, "text/troff"},
		{"pump.txt", manPage, "text/troff"},
		{"pump.txt", "just words\n" + manPage, "text/plain"},
		{"readme.txt", rstText, "text/x-rst"},
		{"README", rstText, "text/x-rst"},
		{"readme.log", rstText, "text/plain"},
		{"index.rst.txt", "Only words.\n", "text/x-rst"},
		{"pump.py.txt", "#!/usr/bin/python3\n" + rstText, "text/x-python"},
		{"git-pump.txt", adocText, "text/asciidoc"},
		{"git-pump.md", adocText, "text/markdown"},
		// Ordinary text with some of the marks.
		{"a.txt", "Notes\n=====\n\nUse ``x`` and `y`_ as follows::\n\n    .. note:: this\n", "text/plain"},
		{"b.txt", "Notes\n-----\n\n.. and so on: `a`\n\n...\n\n.. continued\n", "text/plain"},
		{"c.txt", "Config\n------\n[main]\nname::\n+\n----\n.Bold\n== a ==\nsee link [1]\nstd::vector<int>\n", "text/plain"},
		{"d.txt", "Chat\n====\n[source] he said\n[[ ]]\n:smile: `x`\n", "text/plain"},
	} {
		if _, media := extractFile(t, tt.name, []byte(tt.data)); media != tt.media {
			t.Errorf("%s %.20q is %s, want %s", tt.name, tt.data, media, tt.media)
		}
	}
}

func TestCharsets(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{
		"utf8.txt":      "Größe “x”",
		"bom.txt":       "\xef\xbb\xbfGröße “x”",
		"utf16le.txt":   "\xff\xfeG\x00r\x00\xf6\x00\xdf\x00e\x00 \x00\x1c\x20x\x00\x1d\x20",
		"utf16be.txt":   "\xfe\xff\x00G\x00r\x00\xf6\x00\xdf\x00e\x00 \x20\x1c\x00x\x20\x1d",
		"windows.txt":   "Gr\xf6\xdfe \x93x\x94",
		"windows.html":  "<html><head><meta charset='windows-1252'></head><p>Gr\xf6\xdfe \x93x\x94",
		"declared.html": "<html><head><meta http-equiv='Content-Type' content='text/html; charset=iso-8859-1'></head><p>Gr\xf6\xdfe \x93x\x94",
	} {
		if doc, _ := extractFile(t, name, []byte(data)); doc.Text != "Größe “x”" {
			t.Errorf("%s: %q", name, doc.Text)
		}
	}
	kyrillic := "<html><head><meta charset=koi8-r></head><body>\xf0\xf2\xe9\xf7\xe5\xf4"
	if doc, _ := extractFile(t, "k.html", []byte(kyrillic)); doc.Text != "ПРИВЕТ" {
		t.Errorf("koi8-r: %q", doc.Text)
	}
}

// TestCharset shows the character set that was found in the media type.
func TestCharset(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ data, media, text string }{
		"parts.csv": {"1001,\x83|\x83\x93\x83v,25\n", "text/csv; charset=shift_jis", "1001 | ポンプ | 25"},
		"a.txt":     {"\xcd\xe0\xf1\xee\xf1 \xe4\xeb\xff \xe2\xee\xe4\xfb", "text/plain; charset=windows-1251", "Насос для воды"},
		"a.html":    {"<html><meta charset=koi8-r><p>\xf0\xf2\xe9\xf7\xe5\xf4", "text/html; charset=koi8-r", "ПРИВЕТ"},
		"b.html":    {"<html><p>Größe", "text/html", "Größe"},
	} {
		if doc, media := extractFile(t, name, []byte(tt.data)); doc.Text != tt.text || media != tt.media {
			t.Errorf("%s: got %q, %s", name, doc.Text, media)
		}
	}
}

func TestUnreadable(t *testing.T) {
	t.Parallel()
	e := newExtractor(t)
	read := func(name string) string {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	pdf, docx := read("manual.pdf"), read("manual.docx")
	for name, tt := range map[string]struct{ data, want string }{
		"empty.txt":       {"", "empty:"},
		"spaces.txt":      {" \n\t\n", "empty:"},
		"empty.html":      {"<html><body><script>x</script></body></html>", "empty:"},
		"encrypted.pdf":   {read("encrypted.pdf"), "encrypted:"},
		"picture.pdf":     {read("picture.pdf"), "no text:"},
		"cut.pdf":         {pdf[:300], "damaged:"},
		"scrambled.pdf":   {"%PDF-1.7\n" + strings.Repeat("x\x00\xff", 500), "damaged:"},
		"noise.PDF":       {strings.Repeat("x\x00\x01\xff", 500), "damaged: it is not a PDF, although its name says so"},
		"noise.docx":      {strings.Repeat("x\x00\x01\xff", 500), "damaged: it is not a DOCX, although its name says so"},
		"cut.docx":        {docx[:len(docx)/2], "damaged:"},
		"old.doc":         {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("\x00", 600), "binary:"},
		"encrypted.docx":  {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("\x00", 600) + "E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00", "encrypted:"},
		"picture.png":     {"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01", "damaged:"},
		"program":         {"\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 100), "not a document:"},
		"undecodable.txt": {noise(600), "undecodable:"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := e.Extract(t.Context(), intake.Source{Name: name, Data: []byte(tt.data)})
			if fault.KindOf(err) != fault.Invalid || !strings.HasPrefix(fault.Message(err), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
			if strings.Contains(fault.Message(err), "\n") {
				t.Errorf("the reason has several lines: %q", fault.Message(err))
			}
		})
	}
}

// noise has non-ASCII bytes that are not text in any character set.
func noise(n int) string {
	out, x := make([]byte, n), uint32(1)
	for i := range out {
		x = x*1664525 + 1013904223
		out[i] = 0x80 | byte(x>>24)
	}
	return string(out)
}
