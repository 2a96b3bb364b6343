package keyword

import (
	"cmp"
	"sync"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/tamil"
	"github.com/blevesearch/snowballstem/turkish"

	"docent/rag/text"
)

// defaultLanguage is the language of documents whose language was not detected. Most are source
// code or short English pages.
const defaultLanguage = "en"

// stopMark begins the term of a stop word. A query searches for it only if it has no other words.
const stopMark = "\x00"

// stemmers are Snowball's stemmers by ISO 639-1 code. Words of other languages are not stemmed.
var stemmers = map[string]func(*snowballstem.Env) bool{
	"ar": arabic.Stem, "da": danish.Stem, "de": german.Stem, "en": english.Stem, "es": spanish.Stem,
	"fi": finnish.Stem, "fr": french.Stem, "hu": hungarian.Stem, "it": italian.Stem, "nb": norwegian.Stem,
	"nl": dutch.Stem, "nn": norwegian.Stem, "no": norwegian.Stem, "pt": portuguese.Stem, "ro": romanian.Stem,
	"ru": russian.Stem, "sv": swedish.Stem, "ta": tamil.Stem, "tr": turkish.Stem,
}

// analyzer turns the pieces of words of one language into terms.
type analyzer struct {
	stem  func(*snowballstem.Env) bool // nil without a stemmer
	stems text.StemCache
	stop  map[string]bool
}

// analyzers are created on first use and shared by all indexes.
var analyzers sync.Map // language -> *analyzer

// analyzerOf returns the analyzer of a language.
func analyzerOf(language string) *analyzer {
	if a, ok := analyzers.Load(language); ok {
		return a.(*analyzer)
	}
	list := language
	if language == "nb" || language == "nn" {
		list = "no"
	}
	a := &analyzer{stem: stemmers[language], stop: text.StopWords(list)}
	got, _ := analyzers.LoadOrStore(language, a)
	return got.(*analyzer)
}

// term returns the index term of a piece.
func (a *analyzer) term(p piece) string {
	switch {
	case p.whole:
		return p.text
	case a.stop[p.text]:
		return stopMark + p.text
	case a.stem == nil:
		return p.text
	default:
		return cmp.Or(a.stems.Stem(p.text, a.stem), p.text)
	}
}

// NormalLanguage returns the language whose rules apply to a document. code is the
// language of the document: an ISO 639-1 code or "".
func NormalLanguage(code string) string {
	if code == "" {
		return defaultLanguage
	}
	return code
}
