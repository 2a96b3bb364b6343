package extract

import "slices"

//go:generate go run docent/tools/formats ../../docs/reference/formats.md

// Info describes a format for users. The page docs/reference/formats.md is
// generated from it.
type Info struct {
	// Name is the name of the format.
	Name string
	// Endings are the usual endings of file names.
	Endings []string
	// Media is the media type of documents in the format.
	Media string
	// Reads describes the content that docent reads.
	Reads string
	// Leaves describes the content that docent omits.
	Leaves string
	// Limits describes limits of this format alone; "" if there are none.
	Limits string
}

// Formats lists the formats that can be read, grouped by kind.
func Formats() []Info { return slices.Clone(formats) }

var formats = slices.Concat(textFormats, webFormats, officeFormats, mailFormats,
	bookFormats, markupFormats, pictureFormats, archiveFormats)

var textFormats = []Info{
	{"Plain text", []string{".txt", ".log"}, "text/plain", "paragraphs, underlined headings, lists", "", ""},
	{
		"Markdown",
		[]string{".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd"},
		"text/markdown",
		"headings, lists, tables, code; a heading or `title:` names the document", "front matter other than the title, comments",
		"files over 16 MiB or with very many marks are read as plain text",
	},
	{"CSV and TSV", []string{".csv", ".tsv"}, "text/csv", "rows; the first row is the header if it looks like one", "", "a row has at most 1 MiB"},
	{"JSON", []string{".json"}, "application/json", "the whole text; members are sections", "", ""},
	{"JSON lines", []string{".jsonl", ".ndjson"}, "application/json", "one document for each line: `id`, `title`, `text`", "other fields", ""},
	{"Source code", []string{".go", ".py", ".js", ".ts", ".java", ".c", ".cpp", ".rs", ".sh", ".sql", ".yaml", ".yml", ".toml"}, "text/x-…", "the whole text, cut at functions and classes; about 90 endings and file names, also configuration files", "", ""},
}

var webFormats = []Info{
	{
		"HTML",
		[]string{".html", ".htm", ".xhtml"},
		"text/html",
		"headings, paragraphs, lists, definition lists, tables with headers and captions, preformatted text, alternative texts of images, footnote marks; of a saved web article its main content",
		"navigation, scripts, styles, forms, hidden elements; menus and teasers beside a web article",
		"pages over 8 MiB or 500,000 nodes are read without nesting",
	},
	{"SVG", []string{".svg"}, "image/svg+xml", "its texts, title, and description", "shapes", ""},
}

var officeFormats = []Info{
	{
		"PDF",
		[]string{".pdf"},
		"application/pdf", "text in reading order, headings from the outline or the letter sizes, tables, page labels, values of form fields, notes; of scanned pages the recognized text, with `tesseract` or a vision model",
		"running headers and footers; pictures beside text", "20,000 pages; 200 scanned pages; PDFs that need a password are not read",
	},
	{
		"Word",
		[]string{".docx", ".docm", ".dotx"},
		"application/vnd.openxmlformats-officedocument.wordprocessingml.document",
		"headings, numbered lists, tables, footnotes, text boxes, charts, formulas, descriptions of pictures, each header and footer once", "comments, deleted text, macros", "",
	},
	{
		"PowerPoint",
		[]string{".pptx", ".ppsx", ".pptm"},
		"application/vnd.openxmlformats-officedocument.presentationml.presentation",
		"a page for each slide: title, text in reading order, tables, charts, diagrams, descriptions of pictures, speaker notes", "hidden slides, comments, dates and footers of slides, animations", "",
	},
	{
		"Excel",
		[]string{".xlsx", ".xlsm", ".xltx"},
		"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
		"a page for each sheet: tables, values as displayed, text boxes, charts", "hidden sheets, rows, and columns; formulas, comments, macros; binary workbooks (`.xlsb`)", "2,000,000 cells, 5000 sheets",
	},
	{"OpenDocument text", []string{".odt", ".ott"}, "application/vnd.oasis.opendocument.text", "headings, lists, tables, footnotes, charts, formulas, headers and footers", "comments, deleted text, hidden sections", ""},
	{"OpenDocument spreadsheet", []string{".ods", ".ots"}, "application/vnd.oasis.opendocument.spreadsheet", "a page for each sheet: tables, values as displayed", "hidden sheets, rows, and columns; formulas, comments", "2,000,000 cells"},
	{"OpenDocument presentation", []string{".odp", ".otp"}, "application/vnd.oasis.opendocument.presentation", "a page for each slide: title, text, tables, notes", "hidden slides, comments, animations", ""},
	{"OpenDocument drawing", []string{".odg"}, "application/vnd.oasis.opendocument.graphics", "a page for each drawing: its texts", "shapes", ""},
	{"Rich text", []string{".rtf"}, "application/rtf", "paragraphs, headings, lists, tables, footnotes, in the character sets of the fonts", "pictures, embedded files, comments, deleted text", ""},
	{"Word 97–2003", []string{".doc"}, "application/msword", "as Word, converted by LibreOffice", "as Word", "not read without LibreOffice"},
	{"Excel 97–2003", []string{".xls"}, "application/vnd.ms-excel", "as Excel, converted by LibreOffice", "as Excel", "not read without LibreOffice"},
	{"PowerPoint 97–2003", []string{".ppt"}, "application/vnd.ms-powerpoint", "as PowerPoint, converted by LibreOffice", "as PowerPoint", "not read without LibreOffice"},
}

var mailFormats = []Info{
	{"E-mail", []string{".eml"}, "message/rfc822", "subject, sender, recipients, date, the best body; attachments as documents", "other headers, signatures", "encrypted messages are not read"},
	{"Outlook message", []string{".msg", ".oft"}, "application/vnd.ms-outlook", "as e-mail", "as e-mail", "as e-mail"},
	{"Mailbox", []string{".mbox"}, "application/mbox", "one document for each message; attachments as documents", "", "as archives"},
	{"Web archive", []string{".mht", ".mhtml"}, "multipart/related", "its page, as HTML", "pictures", ""},
}

var bookFormats = []Info{
	{"EPUB", []string{".epub"}, "application/epub+zip", "authors, and the chapters in reading order, as HTML; headings of the table of contents", "the cover, the table of contents, pictures", "10,000 chapters; protected books are not read"},
	{"Jupyter notebook", []string{".ipynb"}, "application/x-ipynb+json", "Markdown, code, and text results of cells", "pictures", "8 KiB of each result"},
}

var markupFormats = []Info{
	{"LaTeX", []string{".tex", ".latex", ".ltx"}, "text/x-tex", "title, sections, lists, tables, captions, listings; formulas as their source", "preamble, comments, definitions, drawings; included files", ""},
	{"reStructuredText", []string{".rst", ".rest"}, "text/x-rst", "sections, lists, tables, code, text of directives", "comments, tables of contents; included files", ""},
	{"AsciiDoc", []string{".adoc", ".asciidoc", ".asc"}, "text/asciidoc", "sections, lists, tables, listings, admonitions", "comments, attributes; included files", ""},
	{"Org", []string{".org"}, "text/org", "headings with their keywords, lists, tables, source blocks", "drawers, comments; included files", ""},
	{"DocBook", []string{".dbk", ".docbook"}, "application/docbook+xml", "its structure: sections, lists, tables, listings, notes", "processing instructions", ""},
	{"DITA", []string{".dita", ".ditamap"}, "application/dita+xml", "as DocBook", "processing instructions; topics that a map refers to", ""},
	{"JATS", []string{".nxml", ".jats"}, "application/jats+xml", "as DocBook", "processing instructions", ""},
	{"Other XML", []string{".xml"}, "text/xml", "prose by its structure; all else as source code", "", ""},
	{"SubRip subtitles", []string{".srt"}, "application/x-subrip", "the spoken text, with a heading for each minute", "styles", ""},
	{"WebVTT subtitles", []string{".vtt"}, "text/vtt", "the spoken text and its speakers, with a heading for each minute", "styles", ""},
}

var pictureFormats = []Info{
	{
		"Picture",
		[]string{".png", ".jpg", ".jpeg", ".tif", ".tiff", ".gif", ".bmp", ".webp"},
		"image/…", "the recognized text, with `tesseract` or a vision model",
		"objects in the picture; pages of a TIFF and frames of a GIF after the first", "40 megapixels; not read without either",
	},
}

var archiveFormats = []Info{
	{"ZIP", []string{".zip", ".jar"}, "application/zip", "each file as a document; of JAR files those with source code", "hidden files; archives inside archives, beyond one level; encrypted files; programs in JAR files", archiveLimits},
	{
		"TAR and compressed files",
		[]string{".tar", ".gz", ".tgz", ".bz2", ".xz", ".zst"},
		"application/x-tar", "each file as a document; a compressed file as the document in it",
		"hidden files; archives inside archives, beyond one level", archiveLimits,
	},
}

const archiveLimits = "10,000 files; 64 MiB for each file; 256 MiB unpacked, and 200 times the archive's size above 32 MiB"
