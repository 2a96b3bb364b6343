// Package office detects the documents of office suites. The packages below this
// one read them.
package office

import (
	"context"
	"encoding/xml"
	"strings"

	"docent/ingest/extract/office/ooxml"
	"docent/ingest/extract/zipxml"
	"docent/internal/fault"
)

// Family is a group of formats that one reader reads.
type Family string

// The families of readable formats.
const (
	Word         Family = "docx"
	Workbook     Family = "xlsx"
	Presentation Family = "pptx"
	OpenDocument Family = "odf"
)

// Format is a kind of office document.
type Format struct {
	// Media is the media type.
	Media string
	// Family is the family, or "" if the format cannot be read.
	Family Family
}

// The media types.
const (
	mediaDOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	mediaPPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
	mediaXLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
)

// DetectArchive returns the format of a packed office document. It looks at the
// parts of the package. The media type is "" if the file is not an office
// document. The error says why a document of a known format cannot be read.
func DetectArchive(ctx context.Context, data []byte) (Format, error) {
	a, err := zipxml.Open(data)
	if err != nil {
		return Format{Media: "application/zip"}, err
	}
	if media, err := openDocument(ctx, a); media != "" || err != nil {
		known := openFormats[strings.TrimSuffix(strings.TrimSuffix(media, "-template"), "-master")]
		if known && err == nil {
			return Format{media, OpenDocument}, nil
		}
		if err == nil {
			err = fault.New(fault.Invalid,
				"opendocument_without_text", "binary: an OpenDocument file without text of its own; save it as PDF")
		}
		return Format{Media: media}, err
	}
	if f, err := officePackage(ctx, a); f.Media != "" || err != nil {
		return f, err
	}
	return iWork(a)
}

// openFormats are the readable formats of OpenDocument and of its predecessor.
var openFormats = map[string]bool{
	"application/vnd.oasis.opendocument.text":         true,
	"application/vnd.oasis.opendocument.text-web":     true,
	"application/vnd.oasis.opendocument.spreadsheet":  true,
	"application/vnd.oasis.opendocument.presentation": true,
	"application/vnd.oasis.opendocument.graphics":     true,
	"application/vnd.oasis.opendocument.chart":        true,
	"application/vnd.sun.xml.writer":                  true,
	"application/vnd.sun.xml.calc":                    true,
	"application/vnd.sun.xml.impress":                 true,
	"application/vnd.sun.xml.draw":                    true,
}

// officePackage detects the format of an Office Open XML package from the
// content type of its main part.
func officePackage(ctx context.Context, a *zipxml.Archive) (Format, error) {
	main, err := ooxml.MainPart(ctx, a, "")
	if err != nil {
		return Format{}, err
	}
	kind := strings.ToLower(a.ContentType(ctx, main))
	has := func(word, folder, usual string) bool {
		return strings.Contains(kind, word) && main != "" || strings.HasPrefix(main, folder) && kind == "" || main == "" && a.Has(usual)
	}
	switch {
	case strings.Contains(kind, "ms-excel.sheet.binary"):
		return Format{Media: "application/vnd.ms-excel.sheet.binary.macroenabled.12"}, fault.New(fault.Invalid,
			"excel_binary", "binary: a binary workbook of Excel; save it as .xlsx")
	case strings.Contains(kind, "visio"):
		return Format{Media: "application/vnd.ms-visio.drawing"}, fault.New(fault.Invalid,
			"visio_drawing", "binary: a drawing of Visio; save it as PDF")
	case has("wordprocessingml", "word/", "word/document.xml"), strings.Contains(kind, "ms-word"):
		return Format{mediaDOCX, Word}, nil
	case has("spreadsheetml", "xl/", "xl/workbook.xml"), strings.Contains(kind, "ms-excel"):
		return Format{mediaXLSX, Workbook}, nil
	case has("presentationml", "ppt/", "ppt/presentation.xml"), strings.Contains(kind, "ms-powerpoint"):
		return Format{mediaPPTX, Presentation}, nil
	}
	return Format{}, nil
}

// openDocument returns the media type of an OpenDocument file, or "" for other
// files.
func openDocument(ctx context.Context, a *zipxml.Archive) (string, error) {
	if !a.Has("content.xml") {
		return "", nil
	}
	manifest, err := a.Part("META-INF/manifest.xml")
	if err != nil {
		return "", err
	}
	media, encrypted := "", false
	err = zipxml.Tokens(ctx, manifest, func(t xml.Token) error {
		e, ok := t.(xml.StartElement)
		if !ok {
			return nil
		}
		switch e.Name.Local {
		case "file-entry":
			if zipxml.Attr(e, "full-path") == "/" {
				media = zipxml.Attr(e, "media-type")
			}
		case "encryption-data":
			encrypted = true
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	if named, err := a.Part("mimetype"); err == nil && len(named) > 0 && len(named) < 200 {
		media = strings.TrimSpace(string(named))
	}
	if !strings.HasPrefix(media, "application/vnd.oasis.opendocument.") && !strings.HasPrefix(media, "application/vnd.sun.xml.") {
		return "", nil
	}
	if encrypted {
		return media, fault.New(fault.Invalid,
			"document_encrypted", "encrypted: it needs a password; remove the password and add it again")
	}
	return media, nil
}

// iWork returns an error for documents of Apple's programs.
func iWork(a *zipxml.Archive) (Format, error) {
	switch {
	case a.Has("index.apxl"), a.Has("index.xml"), a.Has("index.xml.gz"), a.Has("Index/Document.iwa"), a.Has("Index.zip"):
		return Format{Media: "application/vnd.apple.iwork"}, fault.New(fault.Invalid,
			"iwork_document", "binary: a document of Pages, Numbers or Keynote; export it as PDF or to an Office format")
	}
	return Format{}, nil
}
