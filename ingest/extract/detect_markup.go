package extract

import (
	"path"
	"strings"

	"docent/ingest/extract/markup"
)

// The markup formats.
var (
	formatRST      = Format{"text/x-rst", markup.RST}
	formatLaTeX    = Format{"text/x-tex", markup.LaTeX}
	formatAsciiDoc = Format{"text/asciidoc", markup.Adoc}
	formatOrg      = Format{"text/org", markup.Org}
)

// markupEndings are the markup formats by the ending of the name.
var markupEndings = map[string]Format{
	".rst": formatRST, ".rest": formatRST,
	".tex": formatLaTeX, ".latex": formatLaTeX, ".ltx": formatLaTeX,
	".adoc": formatAsciiDoc, ".asciidoc": formatAsciiDoc, ".asc": formatAsciiDoc,
	".org": formatOrg,
}

// detectMarkup recognizes markup languages other than HTML and Markdown.
func detectMarkup(src Source, _ []byte) (Format, bool) {
	f, ok := markupEndings[strings.ToLower(path.Ext(src.Name))]
	return f, ok
}
