package extract

//go:generate go run docent/tools/formats ../../docs/reference/formats.md

// Info describes a format for people: the page docs/reference/formats.md is
// generated from it.
type Info struct {
	// Name is what the format is called.
	Name string
	// Endings are the usual endings of file names.
	Endings []string
	// Media is the media type that documents of the format are given.
	Media string
	// Reads is what becomes text.
	Reads string
	// Leaves is what does not.
	Leaves string
	// Limits are bounds beyond those that all formats share; "" if none.
	Limits string
}

// Formats lists the formats that can be read, grouped by kind.
func Formats() []Info {
	var all []Info
	for _, group := range [][]Info{textFormats, webFormats, officeFormats, mailFormats, bookFormats, markupFormats, pictureFormats, archiveFormats} {
		all = append(all, group...)
	}
	return all
}

var textFormats = []Info{
	{"Plain text", []string{".txt", ".log"}, "text/plain", "paragraphs, underlined headings, lists", "", ""},
	{
		"Markdown",
		[]string{".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd"},
		"text/markdown",
		"headings, lists, tables, code; a heading or `title:` names the document", "front matter other than the title, comments",
		"tables with very many columns and rows are read as plain text",
	},
	{"CSV and TSV", []string{".csv", ".tsv"}, "text/csv", "rows; the first row is repeated as the header", "", ""},
	{"JSON", []string{".json"}, "application/json", "the whole text, laid out", "", ""},
	{"JSON lines", []string{".jsonl", ".ndjson"}, "application/json", "one document for each line: `id`, `title`, `text`", "other fields", ""},
	{"Source code", []string{".go", ".py", ".js", ".ts", ".java", ".c", ".cpp", ".rs", ".sh", ".sql"}, "text/x-…", "the whole text, cut at functions and classes", "", ""},
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
	{"SVG", []string{".svg"}, "image/svg+xml", "its texts, title and description", "shapes", ""},
}

var officeFormats = []Info{
	{
		"PDF",
		[]string{".pdf"},
		"application/pdf", "text in reading order, headings from the outline or letter sizes, page labels, form values, notes, tables",
		"running headers and footers; pictures without text recognition", "20,000 pages; a password is needed to open: not read",
	},
	{"Word", []string{".docx"}, "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "headings, numbered lists, tables, footnotes, text boxes", "comments, headers and footers, deleted text", ""},
	{"PowerPoint", []string{".pptx"}, "application/vnd.openxmlformats-officedocument.presentationml.presentation", "a page for each slide: title, text in reading order, tables, notes", "animations, sounds, hidden slides", ""},
	{"Excel", []string{".xlsx"}, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "a table for each sheet, values as displayed", "hidden sheets, formulas, charts", ""},
	{"OpenDocument text", []string{".odt"}, "application/vnd.oasis.opendocument.text", "headings, lists, tables, footnotes", "tracked deletions, comments", ""},
	{"OpenDocument spreadsheet", []string{".ods"}, "application/vnd.oasis.opendocument.spreadsheet", "a table for each sheet, values as displayed", "hidden sheets, formulas, charts", ""},
	{"OpenDocument presentation", []string{".odp"}, "application/vnd.oasis.opendocument.presentation", "a page for each slide: title, text, tables, notes", "animations", ""},
	{"Rich text", []string{".rtf"}, "application/rtf", "paragraphs, headings, lists, tables, footnotes, all code pages", "pictures, embedded objects", ""},
	{"Word, Excel and PowerPoint 97–2003", []string{".doc", ".xls", ".ppt"}, "application/x-ole-storage", "as the newer formats, where LibreOffice is installed", "macros", "not read without LibreOffice"},
}

var mailFormats = []Info{
	{"E-mail", []string{".eml"}, "message/rfc822", "subject, sender, recipients, date, the best body; attachments as documents", "other headers", "one level of nesting"},
	{"Outlook message", []string{".msg"}, "application/vnd.ms-outlook", "as e-mail", "", "one level of nesting"},
	{"Mailbox", []string{".mbox"}, "application/mbox", "one document for each message", "", "as archives"},
	{"Web archive", []string{".mht", ".mhtml"}, "multipart/related", "its page, as HTML", "pictures", ""},
}

var bookFormats = []Info{
	{"EPUB", []string{".epub"}, "application/epub+zip", "chapters in reading order, as HTML", "pictures, styles; protected books are not read", ""},
	{"Jupyter notebook", []string{".ipynb"}, "application/x-ipynb+json", "Markdown, code and text results of cells", "pictures", ""},
}

var markupFormats = []Info{
	{"LaTeX", []string{".tex"}, "text/x-tex", "sections, lists, tables, captions, formulas as written", "preamble, comments", ""},
	{"reStructuredText", []string{".rst"}, "text/x-rst", "sections, lists, tables, directives' text", "comments", ""},
	{"AsciiDoc", []string{".adoc", ".asciidoc"}, "text/asciidoc", "sections, lists, tables, code", "comments, attributes", "files are not included"},
	{"Org", []string{".org"}, "text/org", "headings, lists, tables, code", "drawers, comments", ""},
	{"XML", []string{".xml", ".dita", ".dbk"}, "text/xml", "DocBook, DITA and JATS by structure; other XML as text", "processing instructions", ""},
	{"Subtitles", []string{".srt", ".vtt"}, "text/vtt", "the spoken text, with its time as location", "styles", ""},
	{"YAML", []string{".yaml", ".yml"}, "text/x-yaml", "the whole text", "", ""},
}

var pictureFormats = []Info{
	{"Picture", []string{".png", ".jpg", ".jpeg", ".tif", ".tiff"}, "image/…", "recognized text, where `tesseract` is installed or a vision model is configured", "what the picture shows", "not read without either"},
}

var archiveFormats = []Info{
	{"ZIP", []string{".zip"}, "application/zip", "each file as a document", "archives inside archives, beyond one level", "10,000 files, bounded total size"},
	{"TAR", []string{".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar.zst"}, "application/x-tar", "each file as a document", "archives inside archives, beyond one level", "10,000 files, bounded total size"},
}
