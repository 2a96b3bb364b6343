package notebook

import (
	"context"

	"docent/ingest/format"
)

// Format is Jupyter notebooks.
var Format = format.Format{
	Info: format.Info{
		Name: "Jupyter notebook", Short: "IPYNB",
		Group:     format.Books,
		Endings:   []string{".ipynb"},
		Media:     "application/x-ipynb+json",
		NeverMail: true,
		Version:   2,
		Reads:     "Markdown, code, and text results of cells",
		Leaves:    "pictures",
		Limits:    "8 KiB of each result",
	},
	Match: func(_ context.Context, f *format.File) format.Match {
		return format.If(f.HasEnding(".ipynb") || f.HasEnding(".json", "") && Is(f.Name, f.Data), format.Sure)
	},
	Read: format.Bytes(Read),
}
