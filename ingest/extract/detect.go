package extract

import (
	"bytes"
	"context"
	"strings"

	"github.com/gabriel-vasile/mimetype"

	"docent/ingest/extract/office"
	"docent/ingest/extract/pdf"
	"docent/ingest/extract/plain"
	"docent/ingest/format"
	"docent/ingest/intake"
	"docent/ingest/outline"
	"docent/internal/fault"
	"docent/internal/lazyregexp"
)

// detect returns the reader of a source and its media type. Even with an error, it
// returns the media type if it is known.
func (e *Extractor) detect(ctx context.Context, src intake.Source) (read format.Reader, media string, err error) {
	if len(bytes.TrimSpace(src.Data)) == 0 {
		return nil, "text/plain", errEmpty
	}
	if len(src.Data) < maxPointer && bytes.HasPrefix(src.Data, []byte(lfsPointer)) {
		return nil, "text/plain", fault.New(fault.Invalid,
			"git_lfs_pointer", "pointer of Git LFS: the file itself is missing; run git lfs pull, and read it again")
	}
	if len(src.Data) < maxPointer && annexPointer.Match(bytes.TrimSpace(src.Data)) {
		return nil, "text/plain", fault.New(fault.Invalid,
			"git_annex_pointer", "pointer of git-annex: the file itself is missing; run git annex get, and read it again")
	}
	switch contentOf(src.Name, src.Data) {
	case mailbox:
		return nil, "application/mbox", errContainer("mailbox", "messages")
	case archived:
		return nil, "application/x-archive", errContainer("archive", "files")
	}
	f := newFile(src.Name, src.Data)
	of, match, ok := Formats.Detect(ctx, f)
	switch {
	case !ok:
		media, err := unsupported(f)
		return nil, media, err
	case match.Err != nil:
		return nil, match.Media, match.Err
	}
	switch of.Media {
	case pdf.Format.Media:
		return e.readPDF, match.Media, nil
	case office.AppleFormat.Media:
		return e.readPreview, match.Media, nil
	}
	return of.Read, match.Media, nil
}

func (e *Extractor) readPDF(ctx context.Context, f *format.File) (*outline.Document, error) {
	return e.pdf.ReadRecognized(ctx, f.Data, f.Recognized)
}

// readPreview reads the PDF in a document of Apple's office programs.
func (e *Extractor) readPreview(ctx context.Context, f *format.File) (*outline.Document, error) {
	data, err := office.Preview(f)
	if err != nil {
		return nil, err
	}
	return e.pdf.ReadRecognized(ctx, data, nil)
}

// newFile describes a file for detection.
func newFile(name string, data []byte) *format.File {
	named, _ := Formats.ByName(name)
	return &format.File{Name: name, Data: data, NeverMail: named.NeverMail || plain.CodeType(name, nil) != ""}
}

const (
	// lfsPointer is the beginning of a file that stands for another one in Git LFS.
	lfsPointer = "version https://git-lfs.github.com/spec/v1"
	// maxPointer bounds such a file, in bytes.
	maxPointer = 1 << 10
)

// annexPointer matches a file that stands for another one in git-annex.
var annexPointer = lazyregexp.New(`^(?:(?:\.\./)*\.git)?/annex/objects/(?:[^/\s]+/)*[A-Z0-9]+-[^\n]*$`)

// hasNoText reports whether files of a media type have no text for readers: fonts, sounds, films,
// pictures, and programs.
func hasNoText(media string) bool {
	kind, name, _ := strings.Cut(media, "/")
	switch kind {
	case "font", "audio", "video", "image":
		return true
	}
	switch name {
	case "x-executable", "x-elf", "x-sharedlib", "x-object", "x-coredump", "x-mach-binary", "x-msdownload",
		"vnd.microsoft.portable-executable", "wasm", "x-java-applet", "vnd.ms-fontobject", "x-font-ttf", "vnd.ms-opentype",
		"x-unix-archive", "x-sqlite3", "vnd.sqlite3", "x-python-bytecode", "x-apple-diskimage", "x-iso9660-image",
		"vnd.android.package-archive", "x-shockwave-flash", "ogg":
		return true
	}
	return false
}

// unsupported returns the media type of a file that no reader takes, and the reason.
func unsupported(f *format.File) (media string, err error) {
	media, _, _ = strings.Cut(mimetype.Detect(f.Data).String(), ";")
	if media == "application/octet-stream" && f.HasEnding(".pdf", ".docx", ".xlsx", ".pptx", ".odt", ".ods", ".odp", ".doc", ".xls", ".ppt",
		".epub", ".png", ".jpg", ".jpeg", ".tif", ".tiff", ".zip") {
		return media, fault.New(fault.Invalid,
			"wrong_file_type", "damaged: it is not a %s, although its name says so", strings.ToUpper(f.Ending()[1:]))
	}
	if hasNoText(media) {
		return media, fault.New(fault.Invalid, "file_type_without_text", "not a document: files of type %s have no text", media)
	}
	if _, known := Formats.ByName(f.Name); !known && plain.CodeType(f.Name, nil) == "" {
		return media, fault.New(fault.Invalid, "file_type_unknown", "not a document that docent knows: it is binary, of type %s", media)
	}
	return media, fault.New(fault.Invalid,
		"file_type_unsupported", "binary: docent cannot read documents of type %s", media)
}

// errContainer is the error for a source that only contains other documents and
// is not a document itself.
func errContainer(kind, content string) error {
	return fault.New(fault.Invalid, "container_document", "%s: it contains %s, and docent reads each of them alone", kind, content)
}
