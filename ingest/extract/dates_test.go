package extract_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"docent/rag/corpus"
)

// withProperties returns an office document with a part for its properties.
func withProperties(t *testing.T, file, name, properties string) string {
	t.Helper()
	switch file {
	case "docx":
		return zipOf(t, files{
			{"[Content_Types].xml", `<Types><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`},
			{"word/document.xml", `<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>Text.</w:t></w:r></w:p></w:body></w:document>`},
			{name, properties},
		})
	default:
		return zipOf(t, files{
			{"mimetype", "application/vnd.oasis.opendocument.text"},
			{"content.xml", `<office:document-content xmlns:office="o" xmlns:text="t"><office:body><office:text><text:p>Text.</text:p></office:text></office:body></office:document-content>`},
			{name, properties},
		})
	}
}

// TestDates checks the dates and versions that documents state.
func TestDates(t *testing.T) {
	t.Parallel()
	page := func(head, body string) string {
		return "<!doctype html><html><head><title>T</title>" + head + "</head><body><p>Text.</p>" + body + "</body></html>"
	}
	core := func(created, modified string) string {
		return withProperties(t, "docx", "docProps/core.xml", `<cp:coreProperties xmlns:cp="c" xmlns:dcterms="d"><dcterms:created>`+created+
			`</dcterms:created><dcterms:modified>`+modified+`</dcterms:modified></cp:coreProperties>`)
	}
	for name, c := range map[string]struct{ file, data, want string }{
		"word":                 {"a.docx", core("2025-01-02T10:00:00Z", "2026-05-12T08:30:00Z"), "2026-05-12 properties"},
		"word, future":         {"a.docx", core("2025-01-02T10:00:00Z", "2999-01-01T00:00:00Z"), "2025-01-02 properties"},
		"word, template":       {"a.docx", core("2013-12-23T23:15:00Z", "2013-12-23T23:15:00Z"), ""},
		"odt":                  {"a.odt", withProperties(t, "odt", "meta.xml", `<m xmlns:dc="d" xmlns:meta="m"><meta:creation-date>2025-01-02T00:00:00</meta:creation-date><dc:date>2026-05-12T08:30:00.123</dc:date></m>`), "2026-05-12 properties"},
		"odt, damaged":         {"a.odt", withProperties(t, "odt", "meta.xml", `<m><dc:date>2026-05`), ""},
		"mail":                 {"a.eml", "From: a@b\nSubject: Pump\nDate: Tue, 12 May 2026 23:30:00 -0500\n\nText.\n", "2026-05-12 mail_header"},
		"mail, nonsense":       {"a.eml", "From: a@b\nSubject: Pump\nDate: 1 Jan 0001 00:00:00 +0000\n\nText.\n", ""},
		"saved text":           {"a.txt", "Date: 2026-05-12\n\nText.\n", ""},
		"version in the title": {"a.html", page("", "<h1>x</h1>") + "", ""},
		"page, meta": {
			"a.html", page(`<meta property="article:published_time" content="2025-01-02T00:00:00Z"><meta property="article:modified_time" content="2026-05-12T08:30:00+02:00">`, ""),
			"2026-05-12 page_markup",
		},
		"page, linked data":      {"a.html", page(`<script type="application/ld+json">{"@type":"Article","datePublished": "2026-05-12"}</script>`, ""), "2026-05-12 page_markup"},
		"page, one time":         {"a.html", page("", `<time datetime="2026-05-12T10:00">12 May</time><time datetime="2026-05-12T11:00">11</time>`), "2026-05-12 page_markup"},
		"page, several times":    {"a.html", page("", `<time datetime="2026-05-12">a</time><time datetime="2026-05-13">b</time>`), ""},
		"page, marked time":      {"a.html", page("", `<time datetime="2026-05-12">a</time><time class="dt-updated" datetime="2026-05-13">b</time>`), "2026-05-13 page_markup"},
		"page, response":         {"a.html", page(`<meta http-equiv="date" content="Tue, 12 May 2026 08:30:00 GMT">`, ""), ""},
		"page, version":          {"a.html", page(`<meta name="docsearch:version" content="3.2"><meta name="last-modified" content="2026-05-12">`, ""), "2026-05-12 page_markup 3.2"},
		"page, version in title": {"a.html", "<html><head><title>Pump 16.2 manual</title></head><body><p>Text.</p></body></html>", "  16.2"},
		"book":                   {"a.epub", bookOf(t, files{{"O/b.opf", `<package xmlns:dc="d"><metadata><dc:title>The Book</dc:title><dc:date>1851-10-18</dc:date><meta property="dcterms:modified">2026-05-12T08:30:00Z</meta></metadata><manifest><item id="c" href="text/ch2.xhtml"/></manifest><spine><itemref idref="c"/></spine></package>`}}), "1851-10-18 properties"},
	} {
		doc, _ := extractFile(t, c.file, []byte(c.data))
		got := ""
		if !doc.Date.IsZero() || doc.DateFrom != "" {
			got = doc.Date.Format(time.DateOnly) + " " + string(doc.DateFrom)
		}
		if doc.Version != "" {
			got = strings.TrimPrefix(got+" "+doc.Version, " ")
		}
		if got != strings.TrimSpace(c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestSubjects reads the tags in the markup of a page.
func TestSubjects(t *testing.T) {
	t.Parallel()
	doc, _ := extractFile(t, "a.html", []byte(`<html><head><meta name="dcterms.subject" content="Pump care">
<meta property="article:tag" content="Seals"><meta name="keywords" content="spam, more spam"></head><body><p>Text.</p></body></html>`))
	if !slices.Equal(doc.Tags, []string{"pump care", "seals"}) {
		t.Errorf("tags %q", doc.Tags)
	}
}

// TestPDFDate reads the date of a PDF.
func TestPDFDate(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/manual.pdf")
	if err != nil {
		t.Fatal(err)
	}
	doc, _ := extractFile(t, "manual.pdf", data)
	if doc.Date.IsZero() || doc.DateFrom != corpus.Properties {
		t.Errorf("%v from %q", doc.Date, doc.DateFrom)
	}
}
