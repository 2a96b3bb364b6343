package extract

import (
	"bytes"
	"path"
	"strings"

	"docent/ingest/extract/latex"
	"docent/ingest/extract/markup"
	"docent/ingest/extract/plain"
	"docent/ingest/extract/roff"
	"docent/ingest/intake"
)

// The markup formats.
var (
	formatSRT   = Format{"application/x-subrip", markup.Subtitles}
	formatVTT   = Format{"text/vtt", markup.Subtitles}
	formatRST   = Format{"text/x-rst", markup.RST}
	formatLaTeX = Format{"text/x-tex", latex.Read}
	formatAdoc  = Format{"text/asciidoc", markup.Adoc}
	formatOrg   = Format{"text/org", markup.Org}
	formatMan   = Format{"text/troff", roff.Read}
)

// markupEndings are the markup formats by file name ending.
var markupEndings = map[string]Format{
	".rst": formatRST, ".rest": formatRST,
	".tex": formatLaTeX, ".latex": formatLaTeX, ".ltx": formatLaTeX,
	".adoc": formatAdoc, ".asciidoc": formatAdoc, ".asc": formatAdoc,
	".org": formatOrg,
	".srt": formatSRT, ".vtt": formatVTT,
}

// plainEndings are the file name endings of texts that may have any markup.
var plainEndings = map[string]bool{".txt": true, ".text": true, "": true}

// markupLen is the number of bytes from which the markup of a text is detected.
const markupLen = 64 << 10

// detectMarked recognizes texts whose names do not tell their markup language: manual
// pages, and text files with reStructuredText or AsciiDoc.
func detectMarked(src intake.Source, ending string) (Format, bool) {
	switch text := string(src.Data[:min(len(src.Data), markupLen)]); {
	case roff.Detect(text):
		return formatMan, true
	case !plainEndings[ending] || plain.CodeType(src.Name, src.Data[:min(len(src.Data), sniffLen)]) != "":
	case markup.IsRST(text):
		return formatRST, true
	case markup.IsAdoc(text):
		return formatAdoc, true
	}
	return Format{}, false
}

// xmlEndings are the file name endings of XML that may be prose. XML with other
// endings, such as schemas and style sheets, is source code.
var xmlEndings = map[string]bool{
	".xml": true, ".dbk": true, ".docbook": true, ".dita": true, ".nxml": true, ".jats": true,
	".ditamap": true, "": true,
}

// detectMarkup recognizes markup languages other than HTML and Markdown.
func detectMarkup(src intake.Source, head []byte) (Format, bool) {
	name := strings.ToLower(src.Name)
	ending := path.Ext(name)
	if f, ok := markupEndings[ending]; ok {
		return f, true
	}
	if ending == ".txt" { // such as the sources that Sphinx publishes: index.rst.txt
		if f, ok := markupEndings[path.Ext(strings.TrimSuffix(name, ending))]; ok {
			return f, true
		}
	}
	if f, ok := detectMarked(src, ending); ok {
		return f, true
	}
	if !xmlEndings[ending] || isHTML(head) || bytes.Contains(head, []byte("<svg")) {
		return Format{}, false
	}
	if media, ok := markup.ProseXML(head); ok && bytes.HasPrefix(bytes.TrimLeft(head, "\ufeff \t\r\n"), []byte("<")) {
		return Format{media, markup.XML}, true
	}
	if startsXML(head) {
		return Format{"text/xml", markup.XML}, true
	}
	return Format{}, false
}
