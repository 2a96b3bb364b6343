package extract_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"docent/ingest/intake"
	"docent/internal/fault"
)

// pack makes a packed document of parts.
func pack(t testing.TB, parts map[string]string) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for name, data := range parts {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(f, data)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestDOCX(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/manual.docx")
	if err != nil {
		t.Fatal(err)
	}
	doc, _ := extractFile(t, "manual.docx", data)
	want := `h1 "Pump manual"
p "This manual describes the P-7 pump. Größe: 40 × 60 cm."
h1 "Installation"
p "Place the pump on a level floor. Never run it dry."
li "1. Unpack the pump"
li "2. Fill it with oil"
li "- Spare seal"
h2 "Settings"
th "Name | Default | Meaning"
tr "pressure | 4 bar | the working pressure"
tr "valve | closed | state after power loss"
h1 "Maintenance"
p "Change the oil every 500 hours. Always."
p "Hours of running time, not of calendar time."
`
	if got := show(doc); got != want || doc.Title != "Pump manual" {
		t.Errorf("title %q blocks:\n%s\nwant:\n%s", doc.Title, got, want)
	}
}

func TestDOCXOddities(t *testing.T) {
	t.Parallel()
	const open = `<?xml version="1.0"?><x:document xmlns:x="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><x:body>`
	for name, tt := range map[string]struct{ body, want string }{
		"other prefix":   {`<x:p><x:r><x:t>a</x:t><x:tab/><x:t>b</x:t></x:r></x:p>`, "p \"a b\"\n"},
		"text box":       {`<x:p><x:r><x:t>out</x:t><mc:AlternateContent><mc:Choice><x:txbxContent><x:p><x:r><x:t>in</x:t></x:r></x:p></x:txbxContent></mc:Choice><mc:Fallback><x:t>twice</x:t></mc:Fallback></mc:AlternateContent></x:r></x:p>`, "p \"in\"\np \"out\"\n"},
		"nested table":   {`<x:tbl><x:tr><x:tc><x:p><x:r><x:t>1</x:t></x:r></x:p><x:tbl><x:tr><x:tc><x:p><x:r><x:t>2</x:t></x:r></x:p></x:tc></x:tr></x:tbl></x:tc><x:tc><x:p><x:r><x:t>3</x:t></x:r></x:p></x:tc></x:tr></x:tbl>`, "tr \"1 2 | 3\"\n"},
		"deleted":        {`<x:p><x:del><x:r><x:t>gone</x:t></x:r></x:del><x:r><x:t>kept</x:t></x:r></x:p>`, "p \"kept\"\n"},
		"outline level":  {`<x:p><x:pPr><x:outlineLvl x:val="1"/></x:pPr><x:r><x:t>Part</x:t></x:r></x:p><x:p><x:r><x:t>text</x:t></x:r></x:p>`, "h2 \"Part\"\np \"text\"\n"},
		"stray elements": {`</x:p><x:tc></x:tc><x:p><x:r><x:t>text</x:t></x:r>`, "p \"text\"\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc, _ := extractFile(t, "a.docx", pack(t, map[string]string{"word/document.xml": open + tt.body}))
			if got := show(doc); got != tt.want {
				t.Errorf("blocks:\n%s\nwant:\n%s", got, tt.want)
			}
		})
	}
}

func TestDOCXBombs(t *testing.T) {
	t.Parallel()
	e := newExtractor(t)
	for name, tt := range map[string]struct {
		data []byte
		want string
	}{
		"huge":   {pack(t, map[string]string{"word/document.xml": "<w:document>" + strings.Repeat(" ", 129<<20)}), "too large:"},
		"deep":   {pack(t, map[string]string{"word/document.xml": strings.Repeat("<w:p>", 1000)}), "damaged:"},
		"broken": {pack(t, map[string]string{"word/document.xml": "<w:document><<<"}), "damaged:"},
		"other":  {pack(t, map[string]string{"readme.txt": "a zip"}), "binary: docent cannot read documents of type application/zip"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := e.Extract(t.Context(), intake.Source{Name: "a.docx", Data: tt.data})
			if fault.KindOf(err) != fault.Invalid || !strings.HasPrefix(fault.Message(err), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}
