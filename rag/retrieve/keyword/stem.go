package keyword

import (
	"cmp"
	"sync"

	"github.com/blevesearch/snowballstem"

	"docent/rag/text"
)

// defaultLanguage is the language of documents whose language was not detected. Most are source
// code or short English pages.
const defaultLanguage = "en"

// stopMark begins the term of a stop word. A query searches for it only if it has no other words.
const stopMark = "\x00"

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
	a := &analyzer{stem: text.Stemmer(language), stop: text.StopWords(list)}
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
