// Package format lists the document formats that docent reads. Detection, help
// texts, the documentation, and the page take their lists from here.
package format

import (
	"cmp"
	"mime"
	"path"
	"slices"
	"strings"
)

//go:generate go run docent/tools/formats ../..

// Info describes a format.
type Info struct {
	// Name is the name of the format. Short is the name in lists of documents.
	// Default: Name.
	Name, Short string
	// Endings are the usual endings of file names, with their dots. The first
	// is the most common one.
	Endings []string
	// Media is the media type of documents in the format. The sign … at its end
	// stands for any text.
	Media string
	// Unit is the unit that the page numbers of a document count.
	Unit Unit
	// Packed reports that a file is a ZIP archive with the parts of one
	// document.
	Packed bool
	// Convert is the ending of the format into which LibreOffice converts a
	// document before it is read; "" for formats with a reader.
	Convert string
	// Version is the version of the reader. Raise it when the reader improves:
	// the next ingestion then reads the documents of this format again, and no
	// others. Default: 1.
	Version int
	// Reads describes the content that is read, Leaves the omitted content, and
	// Limits the limits besides those of all formats.
	Reads, Leaves, Limits string
}

// Unit is the unit that the page numbers of a document count.
type Unit string

// The units of page numbers.
const (
	Page  Unit = ""
	Slide Unit = "slide"
	Sheet Unit = "sheet"
	Image Unit = "image"
)

// Group is a named list of formats.
type Group struct {
	Name    string
	Formats []Info
}

// Groups returns the formats by kind.
func Groups() []Group {
	return []Group{
		{"text and data", textFormats},
		{"web", webFormats},
		{"office", officeFormats},
		{"mail", mailFormats},
		{"books", bookFormats},
		{"markup", markupFormats},
		{"pictures", pictureFormats},
		{"archives", archiveFormats},
	}
}

// All returns all formats, in the order of Groups.
func All() []Info {
	var out []Info
	for _, g := range Groups() {
		out = append(out, g.Formats...)
	}
	return out
}

// ByMedia returns the format of a media type, which may have parameters.
func ByMedia(media string) (Info, bool) {
	media = Base(media)
	var prefixed Info
	for _, f := range All() {
		if f.Media == media {
			return f, true
		}
		if prefix, ok := strings.CutSuffix(f.Media, "…"); ok && strings.HasPrefix(media, prefix) {
			prefixed = f
		}
	}
	return prefixed, prefixed.Name != ""
}

// ByName returns the format of a file by the ending of its name.
func ByName(name string) (Info, bool) {
	ending := strings.ToLower(path.Ext(name))
	for _, f := range All() {
		if slices.Contains(f.Endings, ending) {
			return f, true
		}
	}
	return Info{}, false
}

// ShortName returns the name in lists of documents.
func (f Info) ShortName() string { return cmp.Or(f.Short, f.Name) }

// Archive reports whether files in the format contain files of any format.
func (f Info) Archive() bool {
	return slices.ContainsFunc(archiveFormats, func(a Info) bool { return a.Name == f.Name })
}

// Base returns a media type without its parameters, in lower case.
func Base(media string) string {
	base, _, err := mime.ParseMediaType(media)
	if err != nil {
		base, _, _ = strings.Cut(strings.ToLower(media), ";")
		return strings.TrimSpace(base)
	}
	return base
}
