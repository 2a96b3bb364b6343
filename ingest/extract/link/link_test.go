package link

import (
	"bytes"
	"testing"

	"docent/ingest/extract/extracttest"
)

func TestLinks(t *testing.T) {
	t.Parallel()
	long := "https://www.example.com/handbook/index.html?q=1"
	for name, data := range map[string]string{
		"windows": "[{000214A0-0000-0000-C000-000000000046}]\r\nProp3=19,11\r\n[InternetShortcut]\r\nIDList=\r\nURL=" + long + "\r\n",
		"macOS":   "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict><key>URL</key><string>https://www.example.com/handbook/index.html?q=1</string></dict></plist>",
		"binary":  "bplist00\xd1\x01\x02SURL_\x10\x2f" + long + "\x08\x0b\x0f",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc, err := Read(t.Context(), "docs/Hand book.url", []byte(data))
			if err != nil {
				t.Fatal(err)
			}
			extracttest.Verify(t, doc)
			if doc.Title != "Hand book" || extracttest.Show(doc) != "p Hand book: "+long+"\n" {
				t.Errorf("title %q, blocks %s", doc.Title, extracttest.Show(doc))
			}
		})
	}
	for name, data := range map[string][]byte{
		"empty": nil, "no address": []byte("[InternetShortcut]\nURL=\n"), "cut off": []byte("bplist00\x5f\x10\xff"), "large": bytes.Repeat([]byte("a:"), maxFile),
	} {
		_, err := Read(t.Context(), name, data)
		extracttest.Refused(t, err, "damaged")
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("[InternetShortcut]\nURL=https://x"))
	f.Add([]byte("bplist00\x5f\x10\x09https://x"))
	f.Fuzz(func(t *testing.T, data []byte) { extracttest.FuzzRead(t, Read, data) })
}
