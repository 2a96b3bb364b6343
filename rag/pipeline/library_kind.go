package pipeline

import (
	"path"
	"slices"
	"strings"

	"docent/internal/lazyregexp"
	"docent/rag/corpus"
)

// endings are the endings of the files of a kind, by the words for it.
var endings = []struct {
	names   *lazyregexp.Regexp
	endings []string
	media   string
}{
	{lazyregexp.New(`^(?:pdf|pdfs|pdf[ -](?:files?|dateien))$`), []string{".pdf"}, "application/pdf"},
	{
		lazyregexp.New(`^(?:spreadsheets?|tables?|csv.*|excel.*|tabellen|exceltabellen)$`),
		[]string{".csv", ".tsv", ".xlsx", ".xls", ".ods"},
		"text/csv",
	},
	{lazyregexp.New(`^word.*$`), []string{".docx", ".doc", ".odt"}, ""},
	{lazyregexp.New(`^(?:presentations?|slides?|powerpoints?|präsentationen|folien)$`), []string{".pptx", ".ppt", ".odp"}, ""},
	{lazyregexp.New(`^(?:images?|pictures?|bilder)$`), []string{".png", ".jpg", ".jpeg", ".tif", ".tiff", ".gif"}, ""},
	{lazyregexp.New(`^markdown.*$`), []string{".md"}, ""},
	{lazyregexp.New(`^(?:html.*|web pages?)$`), []string{".html", ".htm"}, "text/html"},
	{lazyregexp.New(`^e?mails?$`), []string{".eml", ".msg", ".mbox"}, "message/rfc822"},
}

// languages are the codes of languages by their names.
var languages = map[string]string{
	"english": "en", "german": "de", "french": "fr", "spanish": "es", "italian": "it", "dutch": "nl",
	"englisch": "en", "deutsch": "de", "französisch": "fr", "spanisch": "es", "italienisch": "it", //nolint:misspell // it is German
}

// isFormat reports whether a kind of documents is a format.
func isFormat(kind string) bool {
	for _, e := range endings {
		if e.names.MatchString(kind) {
			return true
		}
	}
	return false
}

// ofKind returns the documents of a kind: of a format, in a language, or with the words in their title or file name.
func ofKind(documents []corpus.Document, kind string) []corpus.Document {
	fits := func(d corpus.Document) bool {
		own := append(nameTokens(d.Title), nameTokens(fileName(d))...)
		for _, w := range nameTokens(kind) {
			if !nameStops[w] && !slices.ContainsFunc(own, func(o string) bool { return sameWord(w, o) }) {
				return false
			}
		}
		return true
	}
	if code := languages[kind]; code != "" {
		fits = func(d corpus.Document) bool { return d.Language == code }
	}
	for _, e := range endings {
		if e.names.MatchString(kind) {
			named := fits
			fits = func(d corpus.Document) bool {
				return slices.Contains(e.endings, strings.ToLower(path.Ext(fileName(d)))) || d.MediaType == e.media || named(d)
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(documents), func(d corpus.Document) bool { return !fits(d) })
}
