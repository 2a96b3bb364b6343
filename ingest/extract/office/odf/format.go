package odf

import (
	"context"
	"encoding/xml"
	"strings"

	"docent/ingest/extract/zipxml"
	"docent/ingest/format"
	"docent/internal/fault"
)

// TextFormat is OpenDocument. It also matches and reads the other kinds.
var TextFormat = format.Format{
	Info: format.Info{
		Name: "OpenDocument text", Short: "ODT",
		Group:   format.Office,
		Endings: []string{".odt", ".ott"},
		Media:   "application/vnd.oasis.opendocument.text",
		Version: 3,
		Packed:  true,
		Reads:   "headings and lists with their numbers, tables, footnotes, charts, formulas, headers and footers",
		Leaves:  "comments, deleted and struck-out text, hidden sections",
	},
	Match: match,
	Read:  format.Bytes(Read),
}

// The other kinds of OpenDocument.
var (
	SpreadsheetFormat = format.Format{Info: format.Info{
		Name: "OpenDocument spreadsheet", Short: "ODS",
		Group:   format.Office,
		Endings: []string{".ods", ".ots"},
		Media:   "application/vnd.oasis.opendocument.spreadsheet",
		Version: 3,
		Unit:    format.Sheet,
		Packed:  true,
		Reads:   "a page for each sheet: tables, values as displayed; formulas without a value",
		Leaves:  "hidden sheets and columns, and rows that no filter hides; struck-out cells, other formulas, comments",
		Limits:  "2,000,000 cells",
	}}
	PresentationFormat = format.Format{Info: format.Info{
		Name: "OpenDocument presentation", Short: "ODP",
		Group:   format.Office,
		Endings: []string{".odp", ".otp"},
		Media:   "application/vnd.oasis.opendocument.presentation",
		Version: 3,
		Unit:    format.Slide,
		Packed:  true,
		Reads:   "a page for each slide: title, text, tables, notes",
		Leaves:  "hidden slides, comments, animations",
	}}
	DrawingFormat = format.Format{Info: format.Info{
		Name: "OpenDocument drawing", Short: "ODG",
		Group:   format.Office,
		Endings: []string{".odg"},
		Media:   "application/vnd.oasis.opendocument.graphics",
		Version: 3,
		Packed:  true,
		Reads:   "a page for each drawing: its texts",
		Leaves:  "shapes",
	}}
)

// readable are the readable kinds of OpenDocument and of its predecessor.
var readable = map[string]bool{
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

func match(ctx context.Context, f *format.File) format.Match {
	if f.IsText() || !f.IsZip() {
		return format.Match{}
	}
	a, err := f.Zip()
	if err != nil {
		return format.Match{} // the file may be anything
	}
	media, err := mediaOf(ctx, a)
	switch {
	case err != nil:
		return format.Match{Score: format.Sure, Media: media, Err: err}
	case media == "":
		return format.Match{}
	case !readable[strings.TrimSuffix(strings.TrimSuffix(media, "-template"), "-master")]:
		return format.Match{Score: format.Sure, Media: media, Err: fault.New(fault.Invalid,
			"opendocument_without_text", "binary: an OpenDocument file without text of its own; save it as PDF")}
	}
	return format.Match{Score: format.Sure, Media: media}
}

// mediaOf returns the media type of an OpenDocument file, or "" for other
// files.
func mediaOf(ctx context.Context, a *zipxml.Archive) (string, error) {
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
