// Package ebook reads electronic books in FictionBook (FB2), and in the formats of
// Mobipocket and Kindle (MOBI, AZW3).
package ebook

import (
	"bytes"
	"context"

	"docent/ingest/format"
)

// FictionFormat is FictionBook.
var FictionFormat = format.Format{
	Info: format.Info{
		Name: "FictionBook", Short: "FB2",
		Group:     format.Books,
		Endings:   []string{".fb2"},
		Media:     "application/x-fictionbook+xml",
		NeverMail: true,
		Reads:     "authors, sections, poems, quotations, tables, notes",
		Leaves:    "pictures, other metadata",
	},
	Match: func(_ context.Context, f *format.File) format.Match {
		return format.If(f.IsText() && bytes.Contains(f.Trimmed(), []byte("<FictionBook")), format.Sure)
	},
	Read: format.Bytes(Fiction),
}

// KindleFormat is books of Mobipocket and Kindle.
var KindleFormat = format.Format{
	Info: format.Info{
		Name: "Mobipocket and Kindle", Short: "MOBI",
		Group:   format.Books,
		Endings: []string{".mobi", ".azw3", ".azw", ".prc"},
		Media:   "application/x-mobipocket-ebook",
		Reads:   "authors, and the text, as HTML",
		Leaves:  "pictures, other metadata",
		Limits:  "protected books are not read",
	},
	Match: func(_ context.Context, f *format.File) format.Match { return format.If(isMobi(f.Data), format.Sure) },
	Read:  format.Bytes(Mobi),
}
