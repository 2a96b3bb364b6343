package extract

import (
	"path"
	"strings"

	"docent/ingest/extract/archive"
	"docent/ingest/extract/epub"
	"docent/ingest/extract/mail"
	"docent/ingest/extract/notebook"
	"docent/ingest/extract/plain"
	"docent/ingest/extract/zipxml"
	"docent/ingest/intake"
	"docent/internal/fault"
)

// The formats of mail, books, and notebooks.
var (
	formatEML   = Format{"message/rfc822", mail.Read}
	formatMSG   = Format{"application/vnd.ms-outlook", mail.ReadOutlook}
	formatEPUB  = Format{"application/epub+zip", epub.Read}
	formatIPYNB = Format{"application/x-ipynb+json", notebook.Read}
	formatMHT   = Format{"multipart/related", mail.ReadPage}
)

// textEndings are file name endings that are never treated as mail.
var textEndings = map[string]bool{
	".csv": true, ".tsv": true, ".json": true, ".jsonl": true, ".ndjson": true, ".ipynb": true, ".rst": true,
	".adoc": true, ".tex": true, ".org": true, ".rtf": true, ".svg": true, ".srt": true, ".vtt": true,
}

// isTextName reports whether a name belongs to source code or another kind of
// text.
func isTextName(name string) bool {
	ending := strings.ToLower(path.Ext(name))
	return textEndings[ending] || markdownEndings[ending] || htmlEndings[ending] || plain.CodeType(name, nil) != ""
}

// detectContainer detects mail and formats that contain other documents.
func detectContainer(src intake.Source, head []byte) (f Format, ok bool, err error) {
	if archive.Detect(head) == archive.Zip {
		if a, err := zipxml.Open(src.Data); err == nil && epub.Is(a) {
			return formatEPUB, true, nil
		}
	}
	if ending := strings.ToLower(path.Ext(src.Name)); ending == ".ipynb" || (ending == ".json" || ending == "") &&
		notebook.Is(src.Name, src.Data) {
		return formatIPYNB, true, nil
	}
	switch contentOf(src.Name, src.Data) {
	case message:
		return formatEML, true, nil
	case mailbox:
		return Format{Media: "application/mbox"}, true, errContainer("mailbox", "messages")
	case archived:
		return Format{Media: "application/x-archive"}, true, errContainer("archive", "files")
	}
	switch {
	case mail.IsOLE(head):
		return formatMSG, strings.EqualFold(path.Ext(src.Name), ".msg") || mail.IsOutlook(src.Data), nil
	case !isTextName(src.Name) && mail.IsMessage(src.Name, head) && mail.IsPage(src.Name, head):
		return formatMHT, true, nil
	}
	return Format{}, false, nil
}

// errContainer is the error for a source that only contains other documents and
// is not a document itself.
func errContainer(kind, content string) error {
	return fault.New(fault.Invalid, "container_document", "%s: it contains %s, and docent reads each of them alone", kind, content)
}
