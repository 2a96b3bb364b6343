package thread

import (
	"testing"
	"time"
)

func TestMarkdown(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)
	got := Document{
		Title: "Pump: \"leaks\"\n# now", Date: at, Tags: []string{"bug: x"}, Facts: []string{"State: open"},
		Entries: []Entry{
			{Author: "ada", At: at, Text: "---\r\n# Steps\r\n```\n# code\n```\n###### deep"},
			{Author: "bob", Text: "<p>It is\n\n  fixed.</p>"},
			{Text: "~~~\nopen"},
			{Title: "End", At: at, Text: "bye"},
		},
	}.Markdown()
	want := "---\ntitle: \"Pump: \\\"leaks\\\"\\n# now\"\ndate: 2026-05-01\ntags:\n  - \"bug: x\"\n---\n\n# Pump: \"leaks\" # now\n\n- State: open\n\n" +
		"By ada, 2026-05-01\n\n\n## Steps\n```\n# code\n```\n###### deep\n\n" +
		"## bob\n\n<p>It is\nfixed.</p>\n\n## Reply 2\n\n~~~\nopen\n~~~\n\n## End – 2026-05-01\n\nbye\n\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func FuzzMarkdown(f *testing.F) {
	f.Add("title", "# a\n```", "<p>x</p>")
	f.Fuzz(func(t *testing.T, title, one, two string) {
		d := Document{Title: title, Entries: []Entry{{Text: one}, {Author: two, Text: two}}}
		if text := d.Markdown(); len(text) > 200+8*(len(title)+len(one)+2*len(two)) {
			t.Errorf("%d bytes", len(text))
		}
	})
}
