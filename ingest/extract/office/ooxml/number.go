package ooxml

import (
	"encoding/xml"
	"strconv"
	"strings"

	"docent/ingest/extract/zipxml"
)

// autoFormats are the beginnings of the types of automatic numbers, with the formats of content.Numeral.
var autoFormats = []struct{ prefix, format string }{
	{"alphaLc", "lowerLetter"},
	{"alphaUc", "upperLetter"},
	{"romanLc", "lowerRoman"},
	{"romanUc", "upperRoman"},
	{"circleNum", "decimalEnclosedCircle"},
	{"ea1", "chineseCounting"},
	{"hebrew2", "hebrew2"},
	{"arabic1", "arabicAlpha"},
	{"arabic2", "arabicAlpha"},
	{"", "decimal"},
}

// autoNumber returns the format of an automatic number as content.Line has it, and the number before
// the first one.
func autoNumber(e xml.StartElement) (format string, before int) {
	if e.Name.Local != "buAutoNum" {
		return "", 0
	}
	kind := zipxml.Attr(e, "type")
	form := "%s."
	switch {
	case strings.HasSuffix(kind, "ParenBoth"):
		form = "(%s)"
	case strings.HasSuffix(kind, "ParenR"):
		form = "%s)"
	case strings.HasSuffix(kind, "Minus"):
		form = "%s-"
	case strings.HasSuffix(kind, "Plain"), strings.HasPrefix(kind, "circle"):
		form = "%s"
	}
	if kind == "arabicPlain" || kind == "" {
		form = "%s."
	}
	if n, err := strconv.Atoi(zipxml.Attr(e, "startAt")); err == nil && n > 0 && n < 1<<15 {
		before = n - 1
	}
	for _, f := range autoFormats {
		if strings.HasPrefix(kind, f.prefix) {
			return f.format + ":" + form, before
		}
	}
	return "", before
}
