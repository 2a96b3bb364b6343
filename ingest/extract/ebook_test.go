package extract_test

import (
	"testing"

	"docent/ingest/extract/extracttest"
)

// TestDetectBooks: books and previews are detected by their content.
func TestDetectBooks(t *testing.T) {
	t.Parallel()
	pdf := string(extracttest.File(t, "testdata/manual.pdf"))
	for name, c := range map[string]struct{ data, media string }{
		"a.bin":      {string(extracttest.File(t, "ebook/testdata/pump.mobi")), "application/x-mobipocket-ebook"},
		"a.azw3":     {string(extracttest.File(t, "ebook/testdata/pump.azw3")), "application/x-mobipocket-ebook"},
		"a.xml":      {string(extracttest.File(t, "ebook/testdata/pump.fb2")), "application/x-fictionbook+xml"},
		"a.pages":    {zipOf(t, files{{"index.xml", "<x/>"}, {"QuickLook/Preview.pdf", pdf}}), "application/vnd.apple.iwork"},
		"report.url": {"[InternetShortcut]\r\nURL=https://example.com/\r\n", "application/x-mswinurl"},
	} {
		if doc, media := extractFile(t, name, []byte(c.data)); media != c.media || doc.Text == "" {
			t.Errorf("%s: %s, %.100q", name, media, doc.Text)
		}
	}
}
