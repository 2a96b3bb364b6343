package diagram

import (
	"bytes"
	"context"

	"docent/ingest/extract/office/ooxml"
	"docent/ingest/format"
)

// DrawIOFormat is diagrams of draw.io (diagrams.net).
var DrawIOFormat = format.Format{
	Info: format.Info{
		Name: "draw.io diagrams", Short: "draw.io",
		Group:     format.Office,
		Endings:   []string{".drawio", ".dio"},
		Media:     "application/vnd.jgraph.mxfile",
		NeverMail: true,
		Reads:     "a page for each page: the texts of shapes in reading order, and the connections between them",
		Leaves:    "shapes without text, pictures",
	},
	Match: func(_ context.Context, f *format.File) format.Match {
		marked := bytes.HasPrefix(f.Trimmed(), []byte("<mxfile")) || bytes.HasPrefix(f.Trimmed(), []byte("<mxGraphModel"))
		return format.If(f.IsText() && (marked || f.HasEnding(".drawio", ".dio")), format.Sure)
	},
	Read: format.Bytes(DrawIO),
}

// VisioFormat is drawings of Visio since 2013.
var VisioFormat = format.Format{
	Info: format.Info{
		Name: "Visio", Short: "VSDX",
		Group:   format.Office,
		Endings: []string{".vsdx", ".vsdm"},
		Media:   "application/vnd.ms-visio.drawing",
		Packed:  true,
		Reads:   "a page for each page: the texts of shapes in reading order, and the connections between them",
		Leaves:  "texts of masters that no shape repeats, background pages",
	},
	Match: ooxml.Kind{Words: []string{"ms-visio"}, Folder: "visio/", Usual: "visio/document.xml"}.Match,
	Read:  format.Bytes(Visio),
}
