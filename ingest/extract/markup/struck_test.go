package markup_test

import (
	"context"
	"testing"

	"docent/ingest/extract/extracttest"
	"docent/ingest/extract/latex"
	"docent/ingest/extract/markup"
	"docent/ingest/extract/plain"
	"docent/ingest/outline"
)

// TestStruckOut checks that struck-out text is left out in all markup languages.
func TestStruckOut(t *testing.T) {
	t.Parallel()
	markdown := func(_ context.Context, name string, data []byte) (*outline.Document, error) {
		return plain.Markdown(name, string(data)), nil
	}
	for name, tt := range map[string]struct {
		read func(ctx context.Context, name string, data []byte) (*outline.Document, error)
		text string
	}{
		"AsciiDoc": {markup.Adoc, "The notice is [.line-through]#six# nine months, in [.small]#two# parts.\n"},
		"Org":      {markup.Org, "The notice is +six+ nine months, in two parts.\n"},
		"LaTeX":    {latex.Read, "\\begin{document}The notice is \\sout{six} nine months, in two parts.\\end{document}"},
		"Markdown": {markdown, "The notice is ~~six~~ nine months, in two parts.\n"},
	} {
		doc, err := tt.read(t.Context(), "a", []byte(tt.text))
		if err != nil {
			t.Fatal(err)
		}
		extracttest.Verify(t, doc)
		if got, want := extracttest.Show(doc), "p The notice is nine months, in two parts.\n"; got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}
