package latex

import (
	"context"

	"docent/ingest/format"
)

// Format is LaTeX.
var Format = format.Format{
	Info: format.Info{
		Name:      "LaTeX",
		Group:     format.Markup,
		Endings:   []string{".tex", ".latex", ".ltx"},
		Media:     "text/x-tex",
		NeverMail: true,
		Version:   4,
		Reads:     "title, sections and lists with their numbers, tables, captions, theorems, listings, references as numbers; formulas as their source",
		Leaves:    "preamble, comments, definitions, drawings, struck-out text; included files",
	},
	Match: func(_ context.Context, f *format.File) format.Match {
		return format.If(f.IsText() && f.HasInnerEnding(".tex", ".latex", ".ltx"), format.Named)
	},
	Read: format.Bytes(Read),
}
