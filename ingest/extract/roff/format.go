package roff

import (
	"context"

	"docent/ingest/format"
)

// Format is manual pages in roff.
var Format = format.Format{
	Info: format.Info{
		Name: "Manual page", Short: "man",
		Group:   format.Markup,
		Endings: []string{".man", ".1", ".2", ".3", ".4", ".5", ".6", ".7", ".8"},
		Media:   "text/troff",
		Version: 2,
		Reads:   "sections, options with their descriptions, lists, tables, examples",
		Leaves:  "fonts, macro definitions, equations, drawings; included files",
	},
	Match: func(_ context.Context, f *format.File) format.Match {
		return format.If(f.IsText() && Detect(f.Opening()), format.Named)
	},
	Read: format.Bytes(Read),
}
