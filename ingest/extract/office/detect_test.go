package office_test

import (
	"errors"
	"fmt"
	"testing"

	"docent/ingest/extract/extracttest"
	"docent/ingest/extract/office"
	"docent/internal/fault"
)

// packageOf is an Office Open XML package whose main part has a content type.
func packageOf(t testing.TB, main, contentType string) []byte {
	return extracttest.Pack(t, map[string]string{
		"_rels/.rels":         `<Relationships><Relationship Id="a" Type="x/officeDocument" Target="/` + main + `"/></Relationships>`,
		"[Content_Types].xml": `<Types><Override PartName="/` + main + `" ContentType="` + contentType + `"/></Types>`,
		main:                  "",
	})
}

func TestDetectArchive(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		data        []byte
		media, want string
	}{
		"docx":      {extracttest.File(t, "testdata/manual.docx"), "application/vnd.openxmlformats-officedocument.wordprocessingml.document", ""},
		"docm":      {packageOf(t, "text/document2.xml", "application/vnd.ms-word.document.macroEnabled.main+xml"), "application/vnd.openxmlformats-officedocument.wordprocessingml.document", ""},
		"pptx":      {extracttest.File(t, "testdata/deck.pptx"), "application/vnd.openxmlformats-officedocument.presentationml.presentation", ""},
		"pptm":      {packageOf(t, "deck/main.xml", "application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml"), "application/vnd.openxmlformats-officedocument.presentationml.presentation", ""},
		"xlsx":      {extracttest.File(t, "testdata/book.xlsx"), "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ""},
		"no list":   {extracttest.Pack(t, map[string]string{"xl/workbook.xml": ""}), "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ""},
		"odt":       {extracttest.File(t, "testdata/manual.odt"), "application/vnd.oasis.opendocument.text", ""},
		"ods":       {extracttest.File(t, "testdata/book.ods"), "application/vnd.oasis.opendocument.spreadsheet", ""},
		"odp":       {extracttest.File(t, "testdata/deck.odp"), "application/vnd.oasis.opendocument.presentation", ""},
		"template":  {extracttest.Pack(t, map[string]string{"content.xml": "", "META-INF/manifest.xml": `<a:file-entry full-path="/" media-type="application/vnd.oasis.opendocument.text-template"/>`}), "application/vnd.oasis.opendocument.text-template", ""},
		"encrypted": {extracttest.Pack(t, map[string]string{"content.xml": "", "mimetype": "application/vnd.oasis.opendocument.text", "META-INF/manifest.xml": `<a:encryption-data/>`}), "application/vnd.oasis.opendocument.text", "encrypted:"},
		"pages":     {extracttest.Pack(t, map[string]string{"Index/Document.iwa": ""}), "application/vnd.apple.iwork", "binary: a document of Pages"},
		"epub":      {extracttest.Pack(t, map[string]string{"mimetype": "application/epub+zip", "content.xml": ""}), "", ""},
		"zip":       {extracttest.Pack(t, map[string]string{"a.txt": ""}), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := office.DetectArchive(t.Context(), tt.data)
			if f.Media != tt.media {
				t.Errorf("media %q, want %q", f.Media, tt.media)
			}
			switch {
			case tt.want != "":
				extracttest.Refused(t, err, tt.want)
			case err != nil:
				t.Error(err)
			case (f.Family == "") != (tt.media == ""):
				t.Errorf("%s: a family and no media type, or the other way round", f.Media)
			}
		})
	}
}

func TestDetectManyParts(t *testing.T) {
	t.Parallel()
	many := map[string]string{}
	for i := range 20001 {
		many[fmt.Sprintf("ppt/slides/slide%d.xml", i)] = ""
	}
	_, err := office.DetectArchive(t.Context(), extracttest.Pack(t, many))
	extracttest.Refused(t, err, "too large:")
}

func TestDetectOLE(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ media, want string }{
		"manual.doc": {"application/msword", "a Word document of Office 2003 or earlier: install LibreOffice"},
		"book.xls":   {"application/vnd.ms-excel", "an Excel workbook of Office 2003 or earlier: install LibreOffice"},
	} {
		media, err := office.DetectOLE(extracttest.File(t, "testdata/"+name))
		extracttest.Refused(t, err, tt.want)
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

func FuzzDetect(f *testing.F) {
	f.Add(extracttest.File(f, "testdata/book.xls"))
	f.Add(extracttest.Pack(f, map[string]string{"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": "<a/>"}))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := office.DetectArchive(t.Context(), data); err != nil && fault.KindOf(err) != fault.Invalid {
			t.Fatal(err)
		}
		if _, err := office.DetectOLE(data); fault.KindOf(err) != fault.Invalid {
			t.Fatal(err)
		}
	})
}
