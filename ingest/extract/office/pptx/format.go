package pptx

import (
	"docent/ingest/extract/office/ooxml"
	"docent/ingest/format"
)

// Format is presentations of PowerPoint.
var Format = format.Format{
	Info: format.Info{
		Name: "PowerPoint", Short: "PPTX",
		Group:   format.Office,
		Endings: []string{".pptx", ".ppsx", ".pptm"},
		Media:   "application/vnd.openxmlformats-officedocument.presentationml.presentation",
		Version: 3,
		Unit:    format.Slide,
		Packed:  true,
		Reads:   "a page for each slide: title, text in reading order with its numbers and boxes, tables, charts, diagrams, descriptions of pictures, speaker notes",
		Leaves:  "hidden slides, struck-out text, comments, dates and footers of slides, animations",
	},
	Match: ooxml.Kind{Words: []string{"presentationml", "ms-powerpoint"}, Folder: "ppt/", Usual: "ppt/presentation.xml"}.Match,
	Read:  format.Bytes(Read),
}
