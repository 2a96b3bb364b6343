package extract

import (
	"bytes"
	"path"
	"strings"

	"docent/ingest/extract/latex"
	"docent/ingest/extract/markup"
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
)

// markupEndings are the markup formats by file name ending.
var markupEndings = map[string]Format{
	".rst": formatRST, ".rest": formatRST,
	".tex": formatLaTeX, ".latex": formatLaTeX, ".ltx": formatLaTeX,
	".adoc": formatAdoc, ".asciidoc": formatAdoc, ".asc": formatAdoc,
	".org": formatOrg,
	".srt": formatSRT, ".vtt": formatVTT,
}

// xmlEndings are the file name endings of XML that may be prose. XML with other
// endings, such as schemas and style sheets, is source code.
var xmlEndings = map[string]bool{
	".xml": true, ".dbk": true, ".docbook": true, ".dita": true, ".nxml": true, ".jats": true,
	".ditamap": true, "": true,
}

// detectMarkup recognizes markup languages other than HTML and Markdown.
func detectMarkup(src intake.Source, head []byte) (Format, bool) {
	ending := strings.ToLower(path.Ext(src.Name))
	if f, ok := markupEndings[ending]; ok {
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
