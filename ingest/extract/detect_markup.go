package extract

import (
	"path"
	"strings"

	"docent/ingest/extract/markup"
)

// markupEndings are the markup formats by the ending of the name.
var markupEndings = map[string]Format{
	".rst":   {"text/x-rst", markup.RST},
	".rest":  {"text/x-rst", markup.RST},
	".tex":   {"text/x-tex", markup.LaTeX},
	".latex": {"text/x-tex", markup.LaTeX},
	".ltx":   {"text/x-tex", markup.LaTeX},
}

// detectMarkup recognizes markup languages other than HTML and Markdown.
func detectMarkup(src Source, _ []byte) (Format, bool) {
	f, ok := markupEndings[strings.ToLower(path.Ext(src.Name))]
	return f, ok
}
