package content_test

import (
	"testing"

	"docent/ingest/extract/extracttest"
	"docent/ingest/extract/office/content"
	"docent/ingest/outline"
)

func TestScripted(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text   string
		script int
		want   string
	}{
		{"2", 1, "²"},
		{"2", -1, "₂"},
		{"max", -1, "_max"},
		{"a1", 1, "^a1"},
		{"st", 1, "st"},
		{"a long raised text", 1, "a long raised text"},
		{"2", 0, "2"},
	} {
		if got := content.Scripted(tt.text, tt.script); got != tt.want {
			t.Errorf("%q raised by %d is %q, want %q", tt.text, tt.script, got, tt.want)
		}
	}
}

func TestStyleName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		level      int
		title, toc bool
	}{
		"heading 2": {level: 2}, "Heading 9": {level: 9}, "heading 10": {}, "Title": {title: true}, "toc 1": {toc: true}, "TOC Heading": {}, "Normal": {},
	} {
		if level, title, toc := content.StyleName(name); level != want.level || title != want.title || toc != want.toc {
			t.Errorf("%s: level %d, title %v, contents %v", name, level, title, toc)
		}
	}
}

func TestWithoutContent(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"Page 3 of 7": true, "Seite 3": true, "- 3 -": true, "": true, "Pump manual": false} {
		if got := content.IsPageLabel(text); got != want {
			t.Errorf("%q is a page label: %v", text, got)
		}
	}
	for text, want := range map[string]string{"A  pump": "A pump", "image1.PNG": "", "https://example.org/a": ""} {
		if got := content.AltText(text); got != want {
			t.Errorf("%q describes %q", text, got)
		}
	}
	for title, want := range map[string]string{"Pump manual": "Pump manual", "PowerPoint Presentation": "", "untitled": ""} {
		if got := content.OwnTitle(title); got != want {
			t.Errorf("%q has the title %q", title, got)
		}
	}
}

func TestAddRows(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		rows   [][]string
		header bool
		want   string
	}{
		"names":  {[][]string{{"Part", "Price"}, {"Seal", "3"}, {"", ""}}, false, "th Part | Price\ntr Seal | 3\n"},
		"marked": {[][]string{{"2024", "2025"}, {"1", "2"}}, true, "th 2024 | 2025\ntr 1 | 2\n"},
		"values": {[][]string{{"1", "2"}, {"3", "4"}}, false, "tr 1 | 2\ntr 3 | 4\n"},
	} {
		b := outline.NewBuilder(100)
		content.AddRows(b, tt.rows, tt.header)
		if got := extracttest.Show(b.Document("")); got != tt.want {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}
