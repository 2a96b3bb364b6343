package extract_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docent/ingest/intake"
	"docent/internal/fault"
)

// fuzzAs reads any bytes under one name, with the documents inside it.
func fuzzAs(f *testing.F, name string, seeds ...string) {
	f.Helper()
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	files, err := filepath.Glob("testdata/*" + filepath.Ext(name))
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil {
			f.Add(data)
		}
	}
	e := newExtractor(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 256<<10 || strings.Contains(string(data), "%PDF-") {
			return
		}
		src := intake.Source{Name: name, Data: data}
		doc, _, err := e.Extract(t.Context(), src)
		if err == nil {
			verify(t, doc)
		} else if fault.KindOf(err) != fault.Invalid || strings.Contains(err.Error(), "panic") {
			t.Fatal(err)
		}
		_, parts := e.Parts(t.Context(), src)
		for _, err := range parts {
			if err != nil && (fault.KindOf(err) != fault.Invalid || strings.Contains(err.Error(), "panic")) {
				t.Fatal(err)
			}
		}
	})
}

func FuzzMail(f *testing.F) {
	seeds := []string{letter, nestedMail(3, true)}
	for _, m := range mails {
		seeds = append(seeds, m.data)
	}
	fuzzAs(f, "a.eml", seeds...)
}

func FuzzOutlook(f *testing.F) { fuzzAs(f, "a.msg", outlookMessage()) }

func FuzzMailbox(f *testing.F) {
	var seeds []string
	for _, m := range mails {
		seeds = append(seeds, "From a Mon Jan  5 10:00:00 2026\n"+m.data+"\nFrom b Mon Jan  5 11:00:00 2026\n"+m.data)
	}
	fuzzAs(f, "a.mbox", seeds...)
}

func FuzzWebArchive(f *testing.F) { fuzzAs(f, "a.mht", mails[0].data) }

func FuzzNotebook(f *testing.F) {
	fuzzAs(f, "a.ipynb", `{"cells":[{"cell_type":"markdown","source":["# a"]},{"cell_type":"code","source":"b","outputs":[{"text":"c"}]}],"nbformat":4}`)
}

func FuzzZIP(f *testing.F) {
	fuzzAs(f, "a.zip", zipOf(f, files{{"a.txt", "a"}, {"\x81.eml", letter}, {"b/c.zip", zipOf(f, files{{"d.md", "# d"}})}}))
}

func FuzzTAR(f *testing.F) {
	fuzzAs(f, "a.tar", tarOf(f, files{{"a.txt", "a"}, {"b/c.eml", letter}}), gzipOf(f, tarOf(f, files{{"a.txt", "a"}})))
}

func FuzzHTML(f *testing.F) {
	fuzzAs(f, "a.html", "<h1>a<table><caption>c<tr><th>x<td rowspan=3>y<dl><dt>a<dd>b</dl></table><pre>x\n</pre><ul><li>a<ol start=7><li>b",
		`<meta property="og:type" content="article"><article><p>`+strings.Repeat("Some words, and more of them. ", 20))
}

func FuzzMarkdown(f *testing.F) {
	fuzzAs(f, "a.md", "---\ntitle: t\n---\n# a\n\n> - b\n\n```\nx\n```\n|a|b|\n|-|-|\n|1|2|\n[^1]\n\n[^1]: note\n<div>x</div>\n")
}

func FuzzCSV(f *testing.F) { fuzzAs(f, "a.csv", "a;b\n\"1\n2\";3\n", "x\ty\n1\t2\n") }

func FuzzJSON(f *testing.F) { fuzzAs(f, "a.json", `{"a":[1,{"b":"\u00e9"}],"c":null}`) }

func FuzzCode(f *testing.F) {
	fuzzAs(f, "a.py", "class A:\n  def b(): pass\n", "\"\"\"doc\"\"\"\nimport a\n")
}

func FuzzText(f *testing.F) { fuzzAs(f, "a.txt", "Title\n=====\n\n1. a\n2. b\n\n- c\n") }

func FuzzSVG(f *testing.F) {
	fuzzAs(f, "a.svg", "<svg><title>t</title><text>a<tspan>b</tspan></text><desc>d")
}
