package docx

import (
	"docent/ingest/extract/office/ooxml"
	"docent/ingest/format"
)

// Format is documents of Word.
var Format = format.Format{
	Info: format.Info{
		Name:    "Word",
		Group:   format.Office,
		Endings: []string{".docx", ".docm", ".dotx"},
		Media:   "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
		Packed:  true,
		Version: 5,
		Reads: "headings and lists with their numbers, tables, footnotes, text boxes, charts, formulas, descriptions of pictures, boxes of forms as ☑ and ☐, " +
			"addresses of links, each header and footer once",
		Leaves: "comments, deleted and struck-out text, watermarks, macros",
	},
	Match: ooxml.Kind{Words: []string{"wordprocessingml", "ms-word"}, Folder: "word/", Usual: mainPart}.Match,
	Read:  format.Bytes(Read),
}
