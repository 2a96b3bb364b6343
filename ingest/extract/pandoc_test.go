package extract_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// pandocTexts are texts of testdata/pandoc/pump.md in reading order.
var pandocTexts = []string{
	"Installation", "Place the", "pump", "on a", "level", "floor. The floor must carry", "2 × 40 kg", "See the", "valves", "and the notes.",
	"Open valve V2.", "Fill the housing:", "with water,", "slowly.", "Close valve V2.", "Never run the pump dry.", "Valves", "The flow is", "40", "litres per minute.",
	"def run():\n", "open(\"V2\")", "Maintenance", "Part | Interval | Work\nSeal | 4,000 h | replace\nFilter | 500 h | clean",
	"Inlet", "The side from which the water comes.", "Outlet", "The other side,", "Größe", "DN 40.", "泵安装在平坦的地面上。", "The end.",
}

// TestPandocNotebook reads a notebook that pandoc writes. Its one cell is Markdown.
func TestPandocNotebook(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/pandoc/pump.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	doc, media := extractFile(t, "pump.ipynb", data)
	if media != "application/x-ipynb+json" {
		t.Errorf("media %q", media)
	}
	rest := doc.Text
	for _, text := range []string{"# Installation", "Open valve V2.", "slowly.", "## Valves", "def run():\n    open(\"V2\")", "| Seal   |  4,000 h | replace |", "“Größe”", "泵安装在平坦的地面上。", "The end."} {
		_, after, ok := strings.Cut(rest, text)
		if !ok {
			t.Fatalf("%q is not in its place in\n%s", text, doc.Text)
		}
		rest = after
	}
}

// TestPandoc reads one document in the formats that pandoc writes.
func TestPandoc(t *testing.T) {
	t.Parallel()
	for file, media := range map[string]string{
		"pump.rst": "text/x-rst", "pump.org": "text/org", "pump.adoc": "text/asciidoc", "pump.tex": "text/x-tex", "pump.dbk": "application/docbook+xml", "pump.nxml": "application/jats+xml",
		"pump.html": "text/html", "pump.epub": "application/epub+zip", "pump.odt": "application/vnd.oasis.opendocument.text", "pump.rtf": "application/rtf",
		"pump.docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(filepath.Join("testdata/pandoc", file))
			if err != nil {
				t.Fatal(err)
			}
			doc, got := extractFile(t, file, data)
			if got, _, _ = strings.Cut(got, ";"); got != media {
				t.Errorf("media %q", got)
			}
			if doc.Title != "Feed pump" && file != "pump.rtf" { // in RTF it is only a paragraph
				t.Errorf("title %q", doc.Title)
			}
			if n := strings.Count(doc.Text, "The floor of hall 3 is level."); n != 1 {
				t.Errorf("the footnote comes %d times", n)
			}
			if n := strings.Count(doc.Text, "Part | Interval | Work"); n != 1 {
				t.Errorf("the header comes %d times", n)
			}
			rest := doc.Text
			for _, text := range pandocTexts {
				before, after, ok := strings.Cut(rest, text)
				if !ok {
					t.Fatalf("%q is not in its place in\n%s", text, doc.Text)
				}
				if len(strings.Fields(before)) > 14 {
					t.Errorf("before %q comes %q", text, before)
				}
				rest = after
			}
			for _, name := range []string{"hypertarget", "KeywordTok", "tabularnewline"} {
				if strings.Contains(doc.Text, name) {
					t.Errorf("%q is in the text", name)
				}
			}
		})
	}
}
