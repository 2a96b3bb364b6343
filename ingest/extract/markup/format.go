package markup

import (
	"bytes"
	"context"

	"docent/ingest/extract/html"
	"docent/ingest/extract/plain"
	"docent/ingest/format"
)

// RSTFormat is reStructuredText.
var RSTFormat = format.Format{
	Info: format.Info{
		Name:      "reStructuredText",
		Group:     format.Markup,
		Endings:   []string{".rst", ".rest"},
		Media:     "text/x-rst",
		NeverMail: true,
		Version:   2,
		Reads:     "sections, lists, tables, code, text of directives",
		Leaves:    "comments, tables of contents; included files",
	},
	Match: func(_ context.Context, f *format.File) format.Match {
		return matchMarks(f, IsRST, ".rst", ".rest")
	},
	Read: format.Bytes(RST),
}

// AdocFormat is AsciiDoc.
var AdocFormat = format.Format{
	Info: format.Info{
		Name:      "AsciiDoc",
		Group:     format.Markup,
		Endings:   []string{".adoc", ".asciidoc", ".asc"},
		Media:     "text/asciidoc",
		NeverMail: true,
		Version:   4,
		Reads:     "sections, lists, tables, listings, admonitions",
		Leaves:    "comments, attributes, struck-out text; included files",
	},
	Match: func(_ context.Context, f *format.File) format.Match {
		return matchMarks(f, IsAdoc, ".adoc", ".asciidoc", ".asc")
	},
	Read: format.Bytes(Adoc),
}

// matchMarks matches files with an ending, and texts with marks whose names do not tell their markup language.
func matchMarks(f *format.File, marked func(text string) bool, endings ...string) format.Match {
	switch {
	case !f.IsText():
		return format.Match{}
	case f.HasInnerEnding(endings...):
		return format.Match{Score: format.Named}
	}
	return format.If(f.Unmarked() && plain.CodeType(f.Name, f.Head()) == "" && marked(f.Opening()), format.Likely)
}

// OrgFormat is Org.
var OrgFormat = format.Format{
	Info: format.Info{
		Name:      "Org",
		Group:     format.Markup,
		Endings:   []string{".org"},
		Media:     "text/org",
		NeverMail: true,
		Version:   2,
		Reads:     "headings with their keywords, lists, tables, source blocks",
		Leaves:    "drawers, comments, struck-out text; included files",
	},
	Match: func(_ context.Context, f *format.File) format.Match {
		return format.If(f.IsText() && f.HasInnerEnding(".org"), format.Named)
	},
	Read: format.Bytes(Org),
}

// SubRipFormat is subtitles in SubRip.
var SubRipFormat = format.Format{
	Info: format.Info{
		Name: "SubRip subtitles", Short: "SRT",
		Group:     format.Markup,
		Endings:   []string{".srt"},
		Media:     "application/x-subrip",
		NeverMail: true,
		Reads:     "the spoken text, with a heading for each minute",
		Leaves:    "styles",
	},
	Match: func(_ context.Context, f *format.File) format.Match {
		return format.If(f.IsText() && f.HasInnerEnding(".srt"), format.Named)
	},
	Read: format.Bytes(Subtitles),
}

// WebVTTFormat is subtitles in WebVTT.
var WebVTTFormat = format.Format{
	Info: format.Info{
		Name: "WebVTT subtitles", Short: "VTT",
		Group:     format.Markup,
		Endings:   []string{".vtt"},
		Media:     "text/vtt",
		Version:   2,
		NeverMail: true,
		Reads:     "the spoken text and its speakers, with a heading for each minute",
		Leaves:    "styles",
	},
	Match: func(_ context.Context, f *format.File) format.Match {
		return format.If(f.IsText() && f.HasInnerEnding(".vtt"), format.Named)
	},
	Read: format.Bytes(Subtitles),
}

// SVGFormat is vector graphics in SVG.
var SVGFormat = format.Format{
	Info: format.Info{
		Name:      "SVG",
		Group:     format.Web,
		Endings:   []string{".svg"},
		Media:     "image/svg+xml",
		NeverMail: true,
		Reads:     "its texts, title, and description",
		Leaves:    "shapes",
	},
	Match: func(_ context.Context, f *format.File) format.Match {
		return format.If(f.IsText() && (f.HasEnding(".svg") || hasSVG(f) && startsXML(f)), format.Likely)
	},
	Read: format.Bytes(SVG),
}

// DocBookFormat, DITAFormat, and JATSFormat describe kinds of XML that XMLFormat matches and reads.
var (
	DocBookFormat = format.Format{Info: format.Info{
		Name:    "DocBook",
		Group:   format.Markup,
		Endings: []string{".dbk", ".docbook"},
		Media:   "application/docbook+xml",
		Reads:   "its structure: sections, lists, tables, listings, notes",
		Leaves:  "processing instructions",
	}}
	DITAFormat = format.Format{Info: format.Info{
		Name:    "DITA",
		Group:   format.Markup,
		Endings: []string{".dita", ".ditamap"},
		Media:   "application/dita+xml",
		Reads:   "as DocBook",
		Leaves:  "processing instructions; topics that a map refers to",
	}}
	JATSFormat = format.Format{Info: format.Info{
		Name:    "JATS",
		Group:   format.Markup,
		Endings: []string{".nxml", ".jats"},
		Media:   "application/jats+xml",
		Reads:   "as DocBook",
		Leaves:  "processing instructions",
	}}
)

// XMLFormat is XML that may be prose.
var XMLFormat = format.Format{
	Info: format.Info{
		Name: "Other XML", Short: "XML",
		Group:     format.Markup,
		Endings:   []string{".xml"},
		Media:     "text/xml",
		NeverMail: true,
		Reads:     "prose by its structure; all else as source code",
	},
	Match: matchProse,
	Read:  format.Bytes(XML),
}

// XMLCode is XML that is source code, such as schemas and style sheets.
var XMLCode = format.Format{
	Info: format.Info{Media: "text/xml"},
	Match: func(_ context.Context, f *format.File) format.Match {
		return format.If(f.IsText() && (f.HasEnding(".xml") || startsXML(f)), format.Likely)
	},
	Read: format.Text(plain.Code),
}

// proseEndings are the file name endings of XML that may be prose.
var proseEndings = []string{".xml", ".dbk", ".docbook", ".dita", ".nxml", ".jats", ".ditamap", ""}

func matchProse(_ context.Context, f *format.File) format.Match {
	if !f.IsText() || !f.HasEnding(proseEndings...) || html.BeginsLikePage(f.Head()) || hasSVG(f) {
		return format.Match{}
	}
	if media, ok := ProseXML(f.Head()); ok && bytes.HasPrefix(bytes.TrimLeft(f.Head(), "\ufeff \t\r\n"), []byte("<")) {
		return format.Match{Score: format.Likely, Media: media}
	}
	return format.If(startsXML(f), format.Likely)
}

func hasSVG(f *format.File) bool { return bytes.Contains(f.Head(), []byte("<svg")) }

// startsXML reports whether a text begins like XML.
func startsXML(f *format.File) bool {
	return bytes.HasPrefix(f.Trimmed(), []byte("<?xml")) || bytes.HasPrefix(f.Trimmed(), []byte("<svg"))
}
