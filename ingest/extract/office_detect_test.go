package extract_test

import (
	"errors"
	"fmt"
	"testing"

	"docent/ingest/extract"
	"docent/ingest/extract/extracttest"
	"docent/ingest/extract/office"
	"docent/ingest/format"
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
		"docx":      {extracttest.File(t, "office/testdata/manual.docx"), "application/vnd.openxmlformats-officedocument.wordprocessingml.document", ""},
		"docm":      {packageOf(t, "text/document2.xml", "application/vnd.ms-word.document.macroEnabled.main+xml"), "application/vnd.openxmlformats-officedocument.wordprocessingml.document", ""},
		"pptx":      {extracttest.File(t, "office/testdata/deck.pptx"), "application/vnd.openxmlformats-officedocument.presentationml.presentation", ""},
		"pptm":      {packageOf(t, "deck/main.xml", "application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml"), "application/vnd.openxmlformats-officedocument.presentationml.presentation", ""},
		"xlsx":      {extracttest.File(t, "office/testdata/book.xlsx"), "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ""},
		"vsdx":      {packageOf(t, "visio/document.xml", "application/vnd.ms-visio.drawing.main+xml"), "application/vnd.ms-visio.drawing", ""},
		"no list":   {extracttest.Pack(t, map[string]string{"xl/workbook.xml": ""}), "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ""},
		"odt":       {extracttest.File(t, "office/testdata/manual.odt"), "application/vnd.oasis.opendocument.text", ""},
		"ods":       {extracttest.File(t, "office/testdata/book.ods"), "application/vnd.oasis.opendocument.spreadsheet", ""},
		"odp":       {extracttest.File(t, "office/testdata/deck.odp"), "application/vnd.oasis.opendocument.presentation", ""},
		"template":  {extracttest.Pack(t, map[string]string{"content.xml": "", "META-INF/manifest.xml": `<a:file-entry full-path="/" media-type="application/vnd.oasis.opendocument.text-template"/>`}), "application/vnd.oasis.opendocument.text-template", ""},
		"encrypted": {extracttest.Pack(t, map[string]string{"content.xml": "", "mimetype": "application/vnd.oasis.opendocument.text", "META-INF/manifest.xml": `<a:encryption-data/>`}), "application/vnd.oasis.opendocument.text", "encrypted:"},
		"pages":     {extracttest.Pack(t, map[string]string{"Index/Document.iwa": ""}), "application/vnd.apple.iwork", "binary: a document of Pages"},
		"epub":      {extracttest.Pack(t, map[string]string{"mimetype": "application/epub+zip", "content.xml": ""}), "application/epub+zip", ""},
		"zip":       {extracttest.Pack(t, map[string]string{"a.txt": ""}), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, match, ok := extract.Formats.Detect(t.Context(), &format.File{Data: tt.data})
			if match.Media != tt.media {
				t.Errorf("media %q, want %q", match.Media, tt.media)
			}
			switch {
			case tt.want != "":
				extracttest.Refused(t, match.Err, tt.want)
			case match.Err != nil:
				t.Error(match.Err)
			case ok && f.Read == nil:
				t.Errorf("%s has no reader", match.Media)
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
	_, match, _ := extract.Formats.Detect(t.Context(), &format.File{Data: extracttest.Pack(t, many)})
	extracttest.Refused(t, match.Err, "too large:")
}

func TestDetectOLE(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ media, want string }{
		"manual.doc": {"application/msword", "a Word document of Office 2003 or earlier: install LibreOffice"},
		"book.xls":   {"application/vnd.ms-excel", "an Excel workbook of Office 2003 or earlier: install LibreOffice"},
	} {
		media, err := office.DetectOLE(extracttest.File(t, "office/testdata/"+name))
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
	f.Add(extracttest.File(f, "office/testdata/book.xls"))
	f.Add(extracttest.Pack(f, map[string]string{"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": "<a/>"}))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, match, _ := extract.Formats.Detect(t.Context(), &format.File{Data: data})
		if match.Err != nil && fault.KindOf(match.Err) != fault.Invalid {
			t.Fatal(match.Err)
		}
		if _, err := office.DetectOLE(data); fault.KindOf(err) != fault.Invalid {
			t.Fatal(err)
		}
	})
}
