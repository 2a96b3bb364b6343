package extract_test

import (
	"os"
	"strings"
	"testing"

	"docent/ingest/intake"
	"docent/ingest/jsonl"
	"docent/internal/fault"
)

// endings are the file name endings that the fuzzer chooses from.
var endings = []string{".txt", ".md", ".html", ".csv", ".json", ".go", ".py", ".xml", ".svg", "", ".docx"}

// FuzzExtract reads any data as any format. The result is a valid document or
// an error with a reason.
func FuzzExtract(f *testing.F) {
	for i, seed := range []string{
		"Title\n=====\n\ntext", "# a\n\n> - b\n\n```\nx\n```\n|a|b|\n|-|-|\n|1|2|\n", "<h1>a<table><tr><td>x<dl><dt>a<dd>b", "a,b\n\"1\n2,3", `{"a":[1,{"b":"\u00e9"}]}`,
		"package a\n\nfunc F() {\n}\n", "class A:\n  def b(): pass\n", "<?xml version='1.0'?><a/>", "<svg><text>a", "\xff\xfea\x00b\x00", "PK\x03\x04",
	} {
		f.Add(uint8(i), []byte(seed))
	}
	if data, err := os.ReadFile("testdata/manual.docx"); err == nil {
		f.Add(uint8(10), data)
	}
	e := newExtractor(f)
	f.Fuzz(func(t *testing.T, kind uint8, data []byte) {
		if len(data) > 256<<10 || strings.Contains(string(data[:min(len(data), 1024)]), "%PDF-") {
			return // the PDF reader is its own sandbox, and slow to fuzz
		}
		doc, _, err := e.Extract(t.Context(), intake.Source{Name: "a" + endings[int(kind)%len(endings)], Data: data})
		if err != nil {
			if fault.KindOf(err) != fault.Invalid || strings.Contains(err.Error(), "panic") {
				t.Fatal(err)
			}
			return
		}
		verify(t, doc)
	})
}

// FuzzRecord reads any line as a JSONL record.
func FuzzRecord(f *testing.F) {
	f.Add([]byte(`{"id": 1, "title": "a", "text": "b"}`))
	f.Add([]byte(`{"id": {"x": 1}, "title": 7, "text": "\u0000\ud800"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		rec, err := jsonl.Parse(line)
		if err != nil {
			return
		}
		if doc, _, err := newExtractor(t).Extract(t.Context(), intake.Source{Data: line, Line: &rec}); err == nil {
			verify(t, doc)
		}
	})
}

// FuzzTree reads HTML trees that the fuzzer's bytes describe. Each byte opens or
// closes an element, or adds text.
func FuzzTree(f *testing.F) {
	f.Add([]byte{0, 40, 1, 40, 255, 255})
	f.Add([]byte{2, 3, 4, 40, 255, 5, 6, 40})
	open := []string{`<a href="#x">`, "<em>", "<header>", "<aside>", "<div role=banner>", "<table><tr><td>", "<dl><dt>", "<dd>", "<ul><li>", "<h2>", "<pre>", `<p class="title">`, "<th>", "<footer>", "<nav>", `<div class="note">`}
	e := newExtractor(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 64<<10 {
			return
		}
		var b strings.Builder
		b.WriteString("<!DOCTYPE html>")
		for _, c := range data {
			switch {
			case int(c) < len(open):
				b.WriteString(open[c])
			case c > 200:
				b.WriteString("</" + []string{"a", "em", "div", "table", "dl", "p"}[c%6] + ">")
			default:
				b.WriteString([]string{"text ", "#", "¶", "<br>"}[c%4])
			}
		}
		doc, _, err := e.Extract(t.Context(), intake.Source{Name: "a.html", Data: []byte(b.String())})
		if err != nil {
			if fault.KindOf(err) != fault.Invalid || strings.Contains(err.Error(), "panic") {
				t.Fatal(err)
			}
			return
		}
		verify(t, doc)
	})
}
