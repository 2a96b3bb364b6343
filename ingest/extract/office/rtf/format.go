package rtf

import (
	"bytes"
	"context"

	"docent/ingest/format"
)

// Format is rich text.
var Format = format.Format{
	Info: format.Info{
		Name: "Rich text", Short: "RTF",
		Group:     format.Office,
		Endings:   []string{".rtf"},
		Media:     "application/rtf",
		NeverMail: true,
		Version:   2,
		Reads:     "paragraphs, headings and lists with their numbers, tables, footnotes, in the character sets of the fonts",
		Leaves:    "pictures, embedded files, comments, deleted and struck-out text",
	},
	Match: func(_ context.Context, f *format.File) format.Match {
		return format.If(bytes.HasPrefix(f.Trimmed(), []byte(Signature)), format.Sure)
	},
	Read: format.Bytes(Read),
}
