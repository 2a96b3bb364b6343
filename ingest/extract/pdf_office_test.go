package extract_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docent/ingest/intake"
	"docent/internal/fault"
)

// officeBlocks are the blocks of the PDFs that LibreOffice exports from pump.fodt.
const officeBlocks = `h1@0 "Installation"
p@0 "Place the pump on a level floor. The floor must carry twice its weight.\n泵安装在平坦的地面上。工作压力为四巴。"
h2@0 "Operator"
p@0 "The operator signs here:"
p@0 "Operator: Lin Wei"
p@0 "Check the floor of hall 3."
h1@1 "Maintenance"
p@1 "Replace these parts in their intervals."
th@1 "Part | Interval | Tool"
tr@1 "Seal | 4,000 h | Wrench 17"
tr@1 "Oil | 500 h | Funnel"
tr@1 "Filter | 1,000 h | Wrench 22"
p@1 "The pump needs no other care."
`

// TestOfficePDF reads PDFs that LibreOffice exported, also encrypted ones that
// open without a password.
func TestOfficePDF(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"office", "office-tagged", "office-restricted", "rc4-40-empty", "rc4-128-empty", "aes-128-empty", "aes-256-empty"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(filepath.Join("testdata/pdf", name+".pdf"))
			if err != nil {
				t.Fatal(err)
			}
			doc, _ := extractFile(t, name+".pdf", data)
			if got := show(doc); got != officeBlocks || doc.Title != "Pump P-7" {
				t.Errorf("title %q, blocks:\n%s\nwant:\n%s", doc.Title, got, officeBlocks)
			}
		})
	}
}

// TestPasswordPDF checks the reason for PDFs that need a password.
func TestPasswordPDF(t *testing.T) {
	t.Parallel()
	e := newExtractor(t)
	for _, name := range []string{"office-password", "rc4-128-password", "aes-256-password"} {
		data, err := os.ReadFile(filepath.Join("testdata/pdf", name+".pdf"))
		if err != nil {
			t.Fatal(err)
		}
		_, media, err := e.Extract(t.Context(), intake.Source{Name: name + ".pdf", Data: data})
		if fault.KindOf(err) != fault.Invalid || !strings.HasPrefix(fault.Message(err), "encrypted: it needs a password") || media != "application/pdf" {
			t.Errorf("%s: media %s, %v", name, media, err)
		}
	}
}
