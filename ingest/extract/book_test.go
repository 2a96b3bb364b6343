package extract_test

import (
	"strings"
	"testing"

	"docent/ingest/intake"
	"docent/internal/fault"
)

// bookOf is a book with some parts replaced or added.
func bookOf(t testing.TB, replaced files) string {
	t.Helper()
	list := files{
		{"mimetype", "application/epub+zip"},
		{"META-INF/container.xml", `<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="O/b.opf"/></rootfiles></container>`},
		{"O/b.opf", `<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>The Book</dc:title><dc:creator>A. Author</dc:creator></metadata>
<manifest><item id="n" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/><item id="c1" href="text/ch%201.xhtml" media-type="application/xhtml+xml"/>
<item id="c2" href="text/ch2.xhtml" media-type="application/xhtml+xml"/><item id="i" href="cover.png" media-type="image/png"/></manifest>
<spine><itemref idref="i"/><itemref idref="n"/><itemref idref="c2"/><itemref idref="c1"/><itemref idref="c2"/><itemref idref="x"/></spine></package>`},
		{"O/nav.xhtml", `<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="x"><body><nav epub:type="toc"><ol><li><a href="text/ch2.xhtml">Part One</a><ol><li><a href="text/ch%201.xhtml#x">Sub</a></li></ol></li></ol></nav></body></html>`},
		{"O/text/ch 1.xhtml", `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body><a id="x"/><p>Text of it.</p><p>It goes on for longer than a line, so that it is text and not the number of a chapter.</p><h1>Deeper</h1><p>More.</p></body></html>`},
		{"O/text/ch2.xhtml", `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title><script src="a"/></head><body><h2>Own heading</h2><p>First.</p></body></html>`},
	}
	for _, r := range replaced {
		found := false
		for i := range list {
			if list[i].name == r.name {
				list[i].data, found = r.data, true
			}
		}
		if !found {
			list = append(list, r)
		}
	}
	return zipOf(t, list)
}

func TestBook(t *testing.T) {
	t.Parallel()
	doc, media := extractFile(t, "b.epub", []byte(bookOf(t, nil)))
	want := `p "A. Author"
h2 "Own heading"
p "First."
section2 Sub
p "Text of it."
p "It goes on for longer than a line, so that it is text and not the number of a chapter."
h3 "Deeper"
p "More."
`
	if got := show(doc); got != want || doc.Title != "The Book" || media != "application/epub+zip" {
		t.Errorf("%s %q:\n%s\nwant:\n%s", media, doc.Title, got, want)
	}
	ncx := files{
		{"O/b.opf", `<package><metadata><title>T</title></metadata><manifest><item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/><item id="c1" href="text/ch 1.xhtml"/></manifest><spine toc="ncx"><itemref idref="c1"/></spine></package>`},
		{"O/toc.ncx", `<ncx><navMap><navPoint><navLabel><text>Chapter  1</text></navLabel><content src="text/ch 1.xhtml#a"/></navPoint></navMap></ncx>`},
		{"O/text/ch 1.xhtml", "<html><body><p>Text</p></body></html>"},
	}
	doc, _ = extractFile(t, "b.epub", []byte(bookOf(t, ncx)))
	if got, want := show(doc), "section1 Chapter 1\np \"Text\"\n"; got != want {
		t.Errorf("%s\nwant:\n%s", got, want)
	}
}

func TestUnreadableBook(t *testing.T) {
	t.Parallel()
	encryption := func(algorithm, uri string) files {
		return files{{"META-INF/encryption.xml", `<encryption><EncryptedData><EncryptionMethod Algorithm="` + algorithm + `"/><CipherData><CipherReference URI="` + uri + `"/></CipherData></EncryptedData></encryption>`}}
	}
	e := newExtractor(t)
	for name, tt := range map[string]struct {
		parts files
		want  string
	}{
		"protected":  {encryption("http://www.w3.org/2001/04/xmlenc#aes128-cbc", "O/text/ch2.xhtml"), "encrypted:"},
		"fonts":      {encryption("http://www.idpf.org/2008/embedding", "O/text/ch2.xhtml"), ""},
		"no package": {files{{"META-INF/container.xml", "<container/>"}, {"O/b.opf", ""}}, "empty:"},
		"nothing":    {files{{"O/text/ch2.xhtml", ""}, {"O/text/ch 1.xhtml", ""}, {"O/b.opf", "<package/>"}}, "empty:"},
	} {
		_, _, err := e.Extract(t.Context(), intake.Source{Name: name + ".epub", Data: []byte(bookOf(t, tt.parts))})
		if tt.want == "" && err == nil {
			continue
		}
		if fault.KindOf(err) != fault.Invalid || !strings.HasPrefix(fault.Message(err), tt.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
