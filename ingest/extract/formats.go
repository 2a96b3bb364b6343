package extract

import (
	"docent/ingest/extract/archive"
	"docent/ingest/extract/calendar"
	"docent/ingest/extract/chat"
	"docent/ingest/extract/diagram"
	"docent/ingest/extract/djvu"
	"docent/ingest/extract/ebook"
	"docent/ingest/extract/epub"
	"docent/ingest/extract/export"
	"docent/ingest/extract/html"
	"docent/ingest/extract/latex"
	"docent/ingest/extract/link"
	"docent/ingest/extract/logfile"
	"docent/ingest/extract/mail"
	"docent/ingest/extract/markup"
	"docent/ingest/extract/notebook"
	"docent/ingest/extract/notes"
	"docent/ingest/extract/office"
	"docent/ingest/extract/office/docx"
	"docent/ingest/extract/office/odf"
	"docent/ingest/extract/office/pptx"
	"docent/ingest/extract/office/rtf"
	"docent/ingest/extract/office/xlsx"
	"docent/ingest/extract/openapi"
	"docent/ingest/extract/pdf"
	"docent/ingest/extract/picture"
	"docent/ingest/extract/plain"
	"docent/ingest/extract/roff"
	"docent/ingest/format"
)

//go:generate go run docent/tools/formats ../..

// Formats are the formats that docent reads. If several match a file equally well, the
// first one reads it. Lists of formats have the same order within each group.
var Formats = format.List{
	// The content of these files has a signature.
	rtf.Format,
	epub.Format, ebook.KindleFormat, ebook.FictionFormat, djvu.Format,
	link.Format,
	notebook.Format, openapi.Format,
	mail.MessageFormat, mail.OutlookFormat, mail.MailboxFormat, mail.PageFormat,
	calendar.Format, calendar.ContactFormat,
	pdf.Format,
	picture.Format,
	odf.TextFormat, odf.SpreadsheetFormat, odf.PresentationFormat, odf.DrawingFormat,
	office.AppleFormat, office.PackedFormat,
	docx.Format, pptx.Format, xlsx.Format, diagram.VisioFormat,
	office.WordFormat, office.ExcelFormat, office.PowerPointFormat,
	archive.ZIPFormat, archive.TARFormat, archive.WARCFormat, export.Format,
	// These files are text. Their names and marks tell the format.
	notes.Format, chat.Format, logfile.Format,
	diagram.DrawIOFormat,
	latex.Format,
	markup.RSTFormat, markup.AdocFormat, markup.OrgFormat, markup.SubRipFormat, markup.WebVTTFormat, markup.CaptionsFormat,
	markup.TranslationFormat, markup.OutlineFormat,
	roff.Format,
	markup.DocBookFormat, markup.DITAFormat, markup.JATSFormat, markup.XMLFormat,
	plain.CodeFormat,
	html.Format,
	plain.MarkdownFormat,
	plain.CSVFormat,
	markup.SVGFormat, markup.XMLCode,
	plain.JSONFormat, plain.JSONLines,
	plain.TextFormat,
}
