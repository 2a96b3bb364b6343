package text

import (
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
)

// stemmers are Snowball's stemmers by ISO 639-1 code.
var stemmers = map[string]func(*snowballstem.Env) bool{
	"ar": arabic.Stem, "da": danish.Stem, "de": german.Stem, "en": english.Stem, "es": spanish.Stem,
	"fi": finnish.Stem, "fr": french.Stem, "hu": hungarian.Stem, "it": italian.Stem, "nb": norwegian.Stem,
	"nl": dutch.Stem, "nn": norwegian.Stem, "no": norwegian.Stem, "pt": portuguese.Stem, "ro": romanian.Stem,
	"ru": russian.Stem, "sv": swedish.Stem, "ta": tamil.Stem, "tr": turkish.Stem,
}

// Stemmer returns the stemmer of a language by its ISO 639-1 code. It returns nil for a language without one.
func Stemmer(language string) func(*snowballstem.Env) bool { return stemmers[language] }

// Analysis turns the words of one language into stems. The zero value is the analysis of English. Stems of different
// languages must not be compared, so a question is read with the analysis of its passages.
type Analysis struct {
	language string
	cache    *StemCache
}

// caches are the stems of the latest words, by language.
var (
	caches       sync.Map // language -> *StemCache
	englishStems StemCache
)

// AnalysisOf returns the analysis of a language by its ISO 639-1 code. Languages without a stemmer have that of English, which
// changes their words little.
func AnalysisOf(language string) Analysis {
	if language == "en" || stemmers[language] == nil {
		return Analysis{}
	}
	cache, ok := caches.Load(language)
	if !ok {
		cache, _ = caches.LoadOrStore(language, &StemCache{})
	}
	return Analysis{language, cache.(*StemCache)}
}

// stem returns the stem of a word in lower case, and another one or "".
func (a Analysis) stem(w string) (stem, also string) {
	switch {
	case len(w) < 3 || len(w) > maxStemBytes:
		return w, ""
	case a.language == "de":
		return germanRoot(w)
	case a.language == "":
		return englishStems.Stem(w, english.Stem), ""
	case IsForeignStop(a.language, w):
		return w, ""
	}
	return a.cache.Stem(w, stemmers[a.language]), ""
}

// Stems returns the stems of the words of a text.
func (a Analysis) Stems(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range a.Words(text) {
		w.AddTo(set)
	}
	return set
}

// AddTo adds the stems of a word to a set.
func (w Word) AddTo(set map[string]bool) {
	set[w.Stem] = true
	if w.Also != "" {
		set[w.Also] = true
	}
}
