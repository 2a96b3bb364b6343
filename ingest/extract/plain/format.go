package plain

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"github.com/gabriel-vasile/mimetype"

	"docent/ingest/format"
)

var (
	markdownEndings = []string{".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd"}
	csvEndings      = []string{".csv", ".tsv"}
)

// TextFormat is plain text. It takes every text that has no better format.
var TextFormat = format.Format{
	Info: format.Info{
		Name:    "Plain text",
		Group:   format.Texts,
		Endings: []string{".txt"},
		Media:   "text/plain",
		Version: 6,
		Reads:   "paragraphs, underlined headings, lists; the options and paragraphs of printed manual pages",
		Leaves:  "headers and footers of printed pages, as of RFCs",
		Limits:  "texts that are surely reStructuredText, AsciiDoc, or a manual page are read as such",
	},
	Match: func(_ context.Context, f *format.File) format.Match { return format.If(f.IsText(), format.Fallback) },
	Read:  format.Text(Text),
}

// MarkdownFormat is Markdown.
var MarkdownFormat = format.Format{
	Info: format.Info{
		Name:      "Markdown",
		Group:     format.Texts,
		Endings:   markdownEndings,
		Media:     "text/markdown",
		NeverMail: true,
		Version:   8,
		Reads:     "headings, lists, tables, code; the title, date, and version in front matter; callouts, admonitions, tabs, shortcodes, components, directives, and HTML of Obsidian, Hugo, Docusaurus, MkDocs, and MyST by their meaning",
		Leaves:    "other front matter, comments, scripts, struck-out text, embedded files",
		Limits:    "files over 16 MiB or with very many marks are read as plain text",
	},
	Match: matchMarkdown,
	Read:  format.Text(Markdown),
}

// CSVFormat is tables in text: CSV and TSV.
var CSVFormat = format.Format{
	Info: format.Info{
		Name: "CSV and TSV", Short: "CSV",
		Group:     format.Texts,
		Endings:   csvEndings,
		Media:     "text/csv",
		NeverMail: true,
		Version:   3,
		Reads:     "several tables, the lines above them, units below the names of columns; the first row is the header if it looks like one",
		Limits:    "a row has at most 1 MiB",
	},
	Match: matchCSV,
	Read:  format.Text(CSV),
}

// JSONFormat is JSON.
var JSONFormat = format.Format{
	Info: format.Info{
		Name:      "JSON",
		Group:     format.Texts,
		Endings:   []string{".json"},
		Media:     "application/json",
		NeverMail: true,
		Version:   2,
		Reads:     "the whole text; members are sections",
	},
	Match: func(_ context.Context, f *format.File) format.Match {
		return format.If(f.IsText() && (f.HasEnding(".json") || isJSON(f.Data)), format.Likely)
	},
	Read: format.Text(JSON),
}

// JSONLines describes JSON lines. The ingester reads each line as a document.
var JSONLines = format.Format{Info: format.Info{
	Name: "JSON lines", Short: "JSONL",
	Group:     format.Texts,
	Endings:   []string{".jsonl", ".ndjson"},
	Media:     "application/json",
	NeverMail: true,
	Reads:     "one document for each line: `id`, `title`, and `text`, or a question with its answer, or messages",
	Leaves:    "other fields",
}}

// CodeFormat is source code.
var CodeFormat = format.Format{
	Info: format.Info{
		Name:    "Source code",
		Group:   format.Texts,
		Endings: []string{".go", ".py", ".js", ".ts", ".java", ".c", ".cpp", ".rs", ".sh", ".sql", ".yaml", ".yml", ".toml"},
		Media:   "text/x-…",
		Version: 3,
		Reads:   "the whole text, cut at functions and classes; about 90 endings and file names, including configuration files",
	},
	Match: func(_ context.Context, f *format.File) format.Match {
		media := CodeType(f.Name, f.Head())
		if !f.IsText() || media == "" || media == xmlMedia {
			return format.Match{}
		}
		return format.Match{Score: format.Named, Media: media}
	},
	Read: format.Text(Code),
}

// xmlMedia is the media type of XML, which may be prose.
const xmlMedia = "text/xml"

func matchMarkdown(_ context.Context, f *format.File) format.Match {
	switch {
	case !f.IsText():
		return format.Match{}
	case f.HasEnding(markdownEndings...):
		return format.Match{Score: format.Likely}
	}
	return format.If(f.Ending() == "" && looksLikeMarkdown(f.Head()), format.Guess)
}

// looksLikeMarkdown reports whether a text without a file name, such as standard
// input, has several marks of Markdown.
func looksLikeMarkdown(head []byte) bool {
	var headings, marks int
	for line := range bytes.Lines(head) {
		switch {
		case bytes.HasPrefix(line, []byte("# ")), bytes.HasPrefix(line, []byte("## ")), bytes.HasPrefix(line, []byte("### ")):
			headings++
		case bytes.HasPrefix(line, []byte("```")), bytes.Contains(line, []byte("](")), bytes.HasPrefix(line, []byte("|-")),
			bytes.HasPrefix(line, []byte("| -")):
			marks++
		}
	}
	return headings > 1 || headings+marks > 2 || headings == 1 && bytes.HasPrefix(head, []byte("# "))
}

func matchCSV(_ context.Context, f *format.File) format.Match {
	switch {
	case !f.IsText():
		return format.Match{}
	case f.HasEnding(csvEndings...):
		return format.Match{Score: format.Likely}
	case f.Ending() != "":
		return format.Match{}
	}
	media, _, _ := strings.Cut(mimetype.Detect(f.Head()).String(), ";")
	return format.If(media == "text/csv" || media == "text/tab-separated-values", format.Guess)
}

// isJSON reports whether a text is a single object or array.
func isJSON(data []byte) bool {
	data = bytes.TrimSpace(data)
	if len(data) < 2 || data[0] != '{' && data[0] != '[' {
		return false
	}
	return json.Valid(data)
}
