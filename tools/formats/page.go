package main

import (
	"fmt"
	"strings"

	"docent/ingest/extract"
	"docent/ingest/outline"
)

// page returns docs/reference/formats.md.
func page() string {
	var b strings.Builder
	b.WriteString(`# Formats

<!-- Generated from the formats in ingest/extract by "go generate ./ingest/extract". Do not edit. -->

docent detects the format of a document from its content. The file name only decides between kinds
of plain text.

## What is read

| Format | Endings | Read | Left out | Limits |
|---|---|---|---|---|
`)
	for _, f := range extract.Formats.All() {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", f.Name, "`"+strings.Join(f.Endings, "` `")+"`", f.Reads, dash(f.Leaves), dash(f.Limits))
	}
	b.WriteString(`
## Media types

Documents are stored with a media type. Text that is not in UTF-8 has its character set as a
parameter, such as ` + "`text/csv; charset=shift_jis`" + `.

| Format | Media type |
|---|---|
`)
	for _, f := range extract.Formats.All() {
		fmt.Fprintf(&b, "| %s | `%s` |\n", f.Name, f.Media)
	}
	fmt.Fprintf(&b, `
## Character sets

docent reads UTF-8, UTF-16 and UTF-32, with and without a byte order mark. A page's declaration is
followed, except for Latin-1, which many pages name without using it. docent recognizes all other
character sets by the letters of the text:

- Western, Central European, Baltic and Turkish: Windows-1250, 1252, 1254 and 1257, ISO-8859-2 and
  15, Mac Roman, IBM 437, 850 and 852
- Cyrillic: Windows-1251, KOI8-R, KOI8-U, ISO-8859-5, Mac Cyrillic, IBM 855 and 866
- Greek, Hebrew, Arabic, Persian, Thai and Vietnamese: Windows-1253, 1255, 1256, 1258 and 874,
  ISO-8859-6 and 7
- Chinese, Japanese and Korean: GB18030 (with GBK), HZ, Big5, Shift JIS, EUC-JP, ISO-2022-JP, EUC-KR

UTF-7 and ISO-2022-KR are refused. Texts of one or two short words may be taken for another
character set. Save them as UTF-8 if their letters look wrong.

## Limits of all formats

- A file has at most 64 MiB. Change that with `+"`--max-file-size`"+`.
- The text of a document has at most %d MiB.
- Each document is read in a separate process with
  [bounded memory and time](../how-to/untrusted-documents.md).
- A document that cannot be read fails with a reason. Other documents are not affected.

`+"`tesseract`"+` and LibreOffice are used on Linux only.
[Read scans and pictures](../how-to/scans.md) says how to install them.
`, outline.MaxText>>20)
	return b.String()
}

// dash returns s, or a dash if s is empty.
func dash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}
