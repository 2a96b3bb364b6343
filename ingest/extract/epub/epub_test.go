package epub_test

import (
	"maps"
	"testing"

	"docent/ingest/extract/epub"
	"docent/ingest/extract/extracttest"
)

// bookOf returns a book with some of its files replaced.
func bookOf(t *testing.T, replaced map[string]string) []byte {
	t.Helper()
	parts := map[string]string{
		"mimetype":               "application/epub+zip",
		"META-INF/container.xml": `<container><rootfiles><rootfile full-path="book/book.opf"/></rootfiles></container>`,
		"book/book.opf": `<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>Pumps</dc:title><dc:creator>A. Author</dc:creator></metadata>
<manifest><item id="toc" href="toc.ncx"/><item id="two" href="two.xhtml"/><item id="one" href="one.xhtml"/></manifest>
<spine toc="toc"><itemref idref="one"/><itemref idref="two"/></spine></package>`,
		"book/toc.ncx":   `<ncx><navMap><navPoint><navLabel><text>Seals</text></navLabel><content src="one.xhtml"/></navPoint></navMap></ncx>`,
		"book/one.xhtml": `<html><body><p>A seal is a ring between two parts that keeps the oil inside of the pump.</p></body></html>`,
		"book/two.xhtml": `<html><body><h1>Valves</h1><p>A valve.</p></body></html>`,
	}
	maps.Copy(parts, replaced)
	return extracttest.Pack(t, parts)
}

func TestRead(t *testing.T) {
	t.Parallel()
	data := bookOf(t, nil)
	doc := extracttest.Check(t, epub.Read, data, "Pumps", `p A. Author
p A seal is a ring between two parts that keeps the oil inside of the pump.
h1 Valves
p A valve.
`)
	for _, b := range doc.Blocks {
		if b.Name == "Seals" && b.Start == b.End {
			return
		}
	}
	t.Errorf("the first chapter has no section: %+v", doc.Blocks)
}

func TestEncrypted(t *testing.T) {
	t.Parallel()
	_, err := epub.Read(t.Context(), "a.epub", bookOf(t, map[string]string{
		"META-INF/encryption.xml": `<encryption><EncryptedData><EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/><CipherData><CipherReference URI="book/one.xhtml"/></CipherData></EncryptedData></encryption>`,
	}))
	extracttest.Refused(t, err, "encrypted:")
}
