package format

var textFormats = []Info{
	{
		Name:    "Plain text",
		Endings: []string{".txt", ".log"},
		Media:   "text/plain",
		Reads:   "paragraphs, underlined headings, lists",
	},
	{
		Name:    "Markdown",
		Endings: []string{".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd"},
		Media:   "text/markdown",
		Reads:   "headings, lists, tables, code; a heading or `title:` names the document",
		Leaves:  "front matter other than the title, comments",
		Limits:  "files over 16 MiB or with very many marks are read as plain text",
	},
	{
		Name: "CSV and TSV", Short: "CSV",
		Endings: []string{".csv", ".tsv"},
		Media:   "text/csv",
		Reads:   "rows; the first row is the header if it looks like one",
		Limits:  "a row has at most 1 MiB",
	},
	{
		Name:    "JSON",
		Endings: []string{".json"},
		Media:   "application/json",
		Reads:   "the whole text; members are sections",
	},
	{
		Name: "JSON lines", Short: "JSONL",
		Endings: []string{".jsonl", ".ndjson"},
		Media:   "application/json",
		Reads:   "one document for each line: `id`, `title`, `text`",
		Leaves:  "other fields",
	},
	{
		Name:    "Source code",
		Endings: []string{".go", ".py", ".js", ".ts", ".java", ".c", ".cpp", ".rs", ".sh", ".sql", ".yaml", ".yml", ".toml"},
		Media:   "text/x-…",
		Reads:   "the whole text, cut at functions and classes; about 90 endings and file names, including configuration files",
	},
}

var webFormats = []Info{
	{
		Name:    "HTML",
		Endings: []string{".html", ".htm", ".xhtml"},
		Media:   "text/html",
		Reads:   "headings, paragraphs, lists, definition lists, tables with headers and captions, preformatted text, alternative texts of images, footnote marks; of a saved web article its main content",
		Leaves:  "navigation, scripts, styles, forms, hidden elements; menus and teasers beside a web article",
		Limits:  "pages over 8 MiB or 500,000 nodes are read without nesting",
	},
	{
		Name:    "SVG",
		Endings: []string{".svg"},
		Media:   "image/svg+xml",
		Reads:   "its texts, title, and description",
		Leaves:  "shapes",
	},
}

var officeFormats = []Info{
	{
		Name:    "PDF",
		Endings: []string{".pdf"},
		Media:   "application/pdf",
		Reads:   "text in reading order, headings from the outline or the letter sizes, tables, page labels, values of form fields, notes; of scanned pages the recognized text, with `tesseract` or a vision model",
		Leaves:  "running headers and footers; pictures beside text",
		Limits:  "20,000 pages; 200 scanned pages; PDFs that need a password are not read",
	},
	{
		Name:    "Word",
		Endings: []string{".docx", ".docm", ".dotx"},
		Media:   "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
		Packed:  true,
		Reads:   "headings, numbered lists, tables, footnotes, text boxes, charts, formulas, descriptions of pictures, each header and footer once",
		Leaves:  "comments, deleted text, macros",
	},
	{
		Name: "PowerPoint", Short: "PPTX",
		Endings: []string{".pptx", ".ppsx", ".pptm"},
		Media:   "application/vnd.openxmlformats-officedocument.presentationml.presentation",
		Unit:    Slide,
		Packed:  true,
		Reads:   "a page for each slide: title, text in reading order, tables, charts, diagrams, descriptions of pictures, speaker notes",
		Leaves:  "hidden slides, comments, dates and footers of slides, animations",
	},
	{
		Name: "Excel", Short: "XLSX",
		Endings: []string{".xlsx", ".xlsm", ".xltx"},
		Media:   "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
		Unit:    Sheet,
		Packed:  true,
		Reads:   "a page for each sheet: tables, values as displayed, text boxes, charts",
		Leaves:  "hidden sheets, rows, and columns; formulas, comments, macros; binary workbooks (`.xlsb`)",
		Limits:  "2,000,000 cells, 5000 sheets",
	},
	{
		Name: "OpenDocument text", Short: "ODT",
		Endings: []string{".odt", ".ott"},
		Media:   "application/vnd.oasis.opendocument.text",
		Packed:  true,
		Reads:   "headings, lists, tables, footnotes, charts, formulas, headers and footers",
		Leaves:  "comments, deleted text, hidden sections",
	},
	{
		Name: "OpenDocument spreadsheet", Short: "ODS",
		Endings: []string{".ods", ".ots"},
		Media:   "application/vnd.oasis.opendocument.spreadsheet",
		Unit:    Sheet,
		Packed:  true,
		Reads:   "a page for each sheet: tables, values as displayed",
		Leaves:  "hidden sheets, rows, and columns; formulas, comments",
		Limits:  "2,000,000 cells",
	},
	{
		Name: "OpenDocument presentation", Short: "ODP",
		Endings: []string{".odp", ".otp"},
		Media:   "application/vnd.oasis.opendocument.presentation",
		Unit:    Slide,
		Packed:  true,
		Reads:   "a page for each slide: title, text, tables, notes",
		Leaves:  "hidden slides, comments, animations",
	},
	{
		Name: "OpenDocument drawing", Short: "ODG",
		Endings: []string{".odg"},
		Media:   "application/vnd.oasis.opendocument.graphics",
		Packed:  true,
		Reads:   "a page for each drawing: its texts",
		Leaves:  "shapes",
	},
	{
		Name: "Rich text", Short: "RTF",
		Endings: []string{".rtf"},
		Media:   "application/rtf",
		Reads:   "paragraphs, headings, lists, tables, footnotes, in the character sets of the fonts",
		Leaves:  "pictures, embedded files, comments, deleted text",
	},
	{
		Name: "Word 97–2003", Short: "DOC",
		Endings: []string{".doc"},
		Media:   "application/msword",
		Convert: "docx",
		Reads:   "as Word, converted by LibreOffice",
		Leaves:  "as Word",
		Limits:  "not read without LibreOffice",
	},
	{
		Name: "Excel 97–2003", Short: "XLS",
		Endings: []string{".xls"},
		Media:   "application/vnd.ms-excel",
		Unit:    Sheet,
		Convert: "xlsx",
		Reads:   "as Excel, converted by LibreOffice",
		Leaves:  "as Excel",
		Limits:  "not read without LibreOffice",
	},
	{
		Name: "PowerPoint 97–2003", Short: "PPT",
		Endings: []string{".ppt"},
		Media:   "application/vnd.ms-powerpoint",
		Unit:    Slide,
		Convert: "pptx",
		Reads:   "as PowerPoint, converted by LibreOffice",
		Leaves:  "as PowerPoint",
		Limits:  "not read without LibreOffice",
	},
}

var mailFormats = []Info{
	{
		Name: "E-mail", Short: "EML",
		Endings: []string{".eml"},
		Media:   "message/rfc822",
		Reads:   "subject, sender, recipients, date, the best body; attachments as documents",
		Leaves:  "other headers, signatures",
		Limits:  "encrypted messages are not read",
	},
	{
		Name: "Outlook message", Short: "MSG",
		Endings: []string{".msg", ".oft"},
		Media:   "application/vnd.ms-outlook",
		Reads:   "as e-mail",
		Leaves:  "as e-mail",
		Limits:  "as e-mail",
	},
	{
		Name: "Mailbox", Short: "MBOX",
		Endings: []string{".mbox"},
		Media:   "application/mbox",
		Reads:   "one document for each message; attachments as documents",
		Limits:  "as archives",
	},
	{
		Name: "Web archive", Short: "MHT",
		Endings: []string{".mht", ".mhtml"},
		Media:   "multipart/related",
		Reads:   "its page, as HTML",
		Leaves:  "pictures",
	},
}

var bookFormats = []Info{
	{
		Name:    "EPUB",
		Endings: []string{".epub"},
		Media:   "application/epub+zip",
		Packed:  true,
		Reads:   "authors, and the chapters in reading order, as HTML; headings of the table of contents",
		Leaves:  "the cover, the table of contents, pictures",
		Limits:  "10,000 chapters; protected books are not read",
	},
	{
		Name: "Jupyter notebook", Short: "IPYNB",
		Endings: []string{".ipynb"},
		Media:   "application/x-ipynb+json",
		Reads:   "Markdown, code, and text results of cells",
		Leaves:  "pictures",
		Limits:  "8 KiB of each result",
	},
}

var markupFormats = []Info{
	{
		Name:    "LaTeX",
		Endings: []string{".tex", ".latex", ".ltx"},
		Media:   "text/x-tex",
		Reads:   "title, sections, lists, tables, captions, listings; formulas as their source",
		Leaves:  "preamble, comments, definitions, drawings; included files",
	},
	{
		Name:    "reStructuredText",
		Endings: []string{".rst", ".rest"},
		Media:   "text/x-rst",
		Reads:   "sections, lists, tables, code, text of directives",
		Leaves:  "comments, tables of contents; included files",
	},
	{
		Name:    "AsciiDoc",
		Endings: []string{".adoc", ".asciidoc", ".asc"},
		Media:   "text/asciidoc",
		Reads:   "sections, lists, tables, listings, admonitions",
		Leaves:  "comments, attributes; included files",
	},
	{
		Name:    "Org",
		Endings: []string{".org"},
		Media:   "text/org",
		Reads:   "headings with their keywords, lists, tables, source blocks",
		Leaves:  "drawers, comments; included files",
	},
	{
		Name:    "DocBook",
		Endings: []string{".dbk", ".docbook"},
		Media:   "application/docbook+xml",
		Reads:   "its structure: sections, lists, tables, listings, notes",
		Leaves:  "processing instructions",
	},
	{
		Name:    "DITA",
		Endings: []string{".dita", ".ditamap"},
		Media:   "application/dita+xml",
		Reads:   "as DocBook",
		Leaves:  "processing instructions; topics that a map refers to",
	},
	{
		Name:    "JATS",
		Endings: []string{".nxml", ".jats"},
		Media:   "application/jats+xml",
		Reads:   "as DocBook",
		Leaves:  "processing instructions",
	},
	{
		Name: "Other XML", Short: "XML",
		Endings: []string{".xml"},
		Media:   "text/xml",
		Reads:   "prose by its structure; all else as source code",
	},
	{
		Name: "SubRip subtitles", Short: "SRT",
		Endings: []string{".srt"},
		Media:   "application/x-subrip",
		Reads:   "the spoken text, with a heading for each minute",
		Leaves:  "styles",
	},
	{
		Name: "WebVTT subtitles", Short: "VTT",
		Endings: []string{".vtt"},
		Media:   "text/vtt",
		Reads:   "the spoken text and its speakers, with a heading for each minute",
		Leaves:  "styles",
	},
}

var pictureFormats = []Info{
	{
		Name: "Picture", Short: "PNG, JPEG, TIFF, GIF, BMP, WebP",
		Endings: []string{".png", ".jpg", ".jpeg", ".tif", ".tiff", ".gif", ".bmp", ".webp"},
		Media:   "image/…",
		Unit:    Image,
		Reads:   "the recognized text, with `tesseract` or a vision model",
		Leaves:  "objects in the picture; pages of a TIFF and frames of a GIF after the first",
		Limits:  "40 megapixels; not read without either",
	},
}

var archiveFormats = []Info{
	{
		Name:    "ZIP",
		Endings: []string{".zip", ".jar"},
		Media:   "application/zip",
		Reads:   "each file as a document; of JAR files those with source code",
		Leaves:  "hidden files; archives inside archives, beyond one level; encrypted files; programs in JAR files",
		Limits:  archiveLimits,
	},
	{
		Name: "TAR and compressed files", Short: "TAR",
		Endings: []string{".tar", ".gz", ".tgz", ".bz2", ".xz", ".zst"},
		Media:   "application/x-tar",
		Reads:   "each file as a document; a compressed file as the document in it",
		Leaves:  "hidden files; archives inside archives, beyond one level",
		Limits:  archiveLimits,
	},
}

const archiveLimits = "10,000 files; 64 MiB for each file; 256 MiB unpacked, and 200 times the archive's size above 32 MiB"
