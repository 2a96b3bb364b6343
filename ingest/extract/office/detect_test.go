package office_test

import (
	"errors"
	"testing"

	"docent/ingest/extract/office"
	"docent/internal/fault"
)

func TestDetectArchive(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		data        []byte
		media, want string
	}{
		"docx":      {file(t, "manual.docx"), "application/vnd.openxmlformats-officedocument.wordprocessingml.document", ""},
		"docm":      {wordOf(t, ""), "application/vnd.openxmlformats-officedocument.wordprocessingml.document", ""},
		"pptx":      {file(t, "deck.pptx"), "application/vnd.openxmlformats-officedocument.presentationml.presentation", ""},
		"pptm":      {slideOf(t, ""), "application/vnd.openxmlformats-officedocument.presentationml.presentation", ""},
		"xlsx":      {file(t, "book.xlsx"), "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ""},
		"no list":   {bookOf(t, "", "", ""), "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ""},
		"odt":       {file(t, "manual.odt"), "application/vnd.oasis.opendocument.text", ""},
		"ods":       {file(t, "book.ods"), "application/vnd.oasis.opendocument.spreadsheet", ""},
		"odp":       {file(t, "deck.odp"), "application/vnd.oasis.opendocument.presentation", ""},
		"template":  {pack(t, map[string]string{"content.xml": "", "META-INF/manifest.xml": `<a:file-entry full-path="/" media-type="application/vnd.oasis.opendocument.text-template"/>`}), "application/vnd.oasis.opendocument.text-template", ""},
		"encrypted": {pack(t, map[string]string{"content.xml": "", "mimetype": "application/vnd.oasis.opendocument.text", "META-INF/manifest.xml": `<a:encryption-data/>`}), "application/vnd.oasis.opendocument.text", "encrypted:"},
		"pages":     {pack(t, map[string]string{"Index/Document.iwa": ""}), "application/vnd.apple.iwork", "binary: a document of Pages"},
		"epub":      {pack(t, map[string]string{"mimetype": "application/epub+zip", "content.xml": ""}), "", ""},
		"zip":       {pack(t, map[string]string{"a.txt": ""}), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := office.DetectArchive(t.Context(), tt.data)
			if f.Media != tt.media {
				t.Errorf("media %q, want %q", f.Media, tt.media)
			}
			switch {
			case tt.want != "":
				refused(t, err, tt.want)
			case err != nil:
				t.Error(err)
			case (f.Read == nil) != (tt.media == ""):
				t.Errorf("%s: a reader and no media type, or the other way round", f.Media)
			}
		})
	}
}

func TestDetectOLE(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ media, want string }{
		"manual.doc": {"application/msword", "a Word document of Office 2003 and before: install LibreOffice"},
		"book.xls":   {"application/vnd.ms-excel", "an Excel workbook of Office 2003 and before: install LibreOffice"},
	} {
		media, err := office.DetectOLE(file(t, name))
		refused(t, err, tt.want)
		var legacy *office.LegacyError
		if media != tt.media || !errors.As(err, &legacy) || legacy.Media != media {
			t.Errorf("%s is %s: %v", name, media, err)
		}
	}
	for _, data := range []string{"", office.OLESignature, office.OLESignature + string(make([]byte, 600))} {
		if _, err := office.DetectOLE([]byte(data)); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%q: %v", data, err)
		}
	}
}
