package pdf

import (
	"testing"

	"docent/ingest/outline"
)

func TestPDFTitle(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ title, want string }{
		{"Pump manual", "Pump manual"},
		{"  Pump\n manual ", "Pump manual"},
		{"Annual report 2.0", "Annual report 2.0"},
		{"What www. means", "What www. means"},
		{"About: a story", "About: a story"},
		{"Microsoft Word for writers", "Microsoft Word for writers"},
		{"about:blank", ""},
		{"https://example.org/print?id=4", ""},
		{"file:///C:/report.html", ""},
		{"data:text/html,x", ""},
		{"www.example.org", ""},
		{"Microsoft Word - report.doc", ""},
		{"Microsoft PowerPoint - Slides", ""},
		{"PowerPoint Presentation", ""},
		{"report final.XLSX", ""},
		{"index.html", ""},
		{"thesis.dvi", ""},
		{"Untitled", ""},
		{"(anonymous)", ""},
		{"ab", ""},
		{"", ""},
	} {
		if got := pdfTitle(tt.title); got != tt.want {
			t.Errorf("pdfTitle(%q) = %q, want %q", tt.title, got, tt.want)
		}
	}
}

func TestHeadingTitle(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		page int
		text string
		want string
	}{
		{"on the first page", 0, "Priming the\nfeed pump", "Priming the feed pump"},
		{"of a chapter", 0, "1. Introduction", ""},
		{"on a later page", 1, "Installation", ""},
	} {
		b := outline.NewBuilder(100)
		b.Page = 0
		b.Add(outline.Paragraph, 0, "\n\n", "Some text.")
		b.Page = tt.page
		b.Add(outline.Heading, 1, "\n\n", tt.text)
		if got := headingTitle(b.Document("")); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
