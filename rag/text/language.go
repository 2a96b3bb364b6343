package text

import (
	"embed"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// stopFiles are the stop word lists of the Snowball project (BSD license), one per language. en.txt is docent's own and
// contains the words of questions.
//
//go:embed stopwords
var stopFiles embed.FS

// stopLists are the stop words by ISO 639-1 code.
var stopLists = sync.OnceValue(func() map[string]map[string]bool {
	out := map[string]map[string]bool{}
	files, _ := stopFiles.ReadDir("stopwords") // embedded files can be read
	for _, f := range files {
		data, _ := stopFiles.ReadFile("stopwords/" + f.Name())
		list := map[string]bool{}
		for w := range strings.FieldsSeq(string(data)) {
			list[w], list[transcribed.Replace(w)] = true, true
		}
		out[strings.TrimSuffix(f.Name(), path.Ext(f.Name()))] = list
	}
	return out
})

// StopWords returns the stop words of a language by its ISO 639-1 code. It
// returns nil for a language without a list. The map must not change.
func StopWords(language string) map[string]bool { return stopLists()[language] }

// Undetermined is the code of a language that docent does not know by name, in
// another script than Latin.
const Undetermined = "und"

// stopWordLanguages are the languages of each stop word, as positions in stopLanguages.
var (
	stopWordLanguages = sync.OnceValue(func() map[string][]int {
		out := map[string][]int{}
		for i, code := range stopLanguages() {
			for w := range stopLists()[code] {
				out[w] = append(out[w], i)
			}
		}
		return out
	})
	// stopLanguages are the languages with stop words, in alphabetical order.
	stopLanguages = sync.OnceValue(func() []string { return slices.Sorted(maps.Keys(stopLists())) })
)

// stopWordCounts returns the number of words of a text, and the number of stop words of
// each of the stopLanguages among them.
func stopWordCounts(s string) (words int, stops []int) {
	languages := stopWordLanguages()
	stops = make([]int, len(stopLanguages()))
	for w := range strings.FieldsFuncSeq(strings.ToLower(s), func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.M, unicode.N) && r != '\''
	}) {
		words++
		for _, i := range languages[w] {
			stops[i]++
		}
	}
	return words, stops
}

// addEveryday adds the everyday words of a text to the numbers of stop words of the languages that have some: "was kostet" is
// German, although "was" is also English. Keywords alone are in no language.
func addEveryday(s string, stops []int) {
	for i, code := range stopLanguages() {
		list := everyday()[code]
		if stops[i] == 0 || list == nil {
			continue
		}
		for w := range strings.FieldsFuncSeq(s, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M) }) {
			if list[everydayForm(code, w)] && !stopLists()[code][strings.ToLower(w)] {
				stops[i]++
			}
		}
	}
}

// Language returns the ISO 639-1 code of the language of a question: the one
// with the most stop words and everyday words in it. English wins ties. It returns "" for a text in
// Latin script without stop words, such as a list of keywords, and Undetermined
// for such a text in other scripts.
func Language(question string) string { return LanguageAmong(question) }

// clearStops is the number of stop words of a question that show its language.
const clearStops = 2

// LanguageAmong is Language for documents in the given languages. These win ties with others, and another language needs
// several stop words, or one that no other language has: a question without is probably in the language of the documents.
func LanguageAmong(question string, languages ...string) string {
	if code := Script(question); code != "" {
		return code
	}
	_, stops := stopWordCounts(question)
	addEveryday(question, stops)
	best, most := "", 0
	for i, n := range stops {
		code := stopLanguages()[i]
		if n > most || n == most && n > 0 && !slices.Contains(languages, best) && (code == "en" || slices.Contains(languages, code)) {
			best, most = code, n
		}
	}
	switch {
	case best == "" && !latin(question):
		return Undetermined
	case len(languages) > 0 && most < clearStops && !slices.Contains(languages, best) && !hasOwnStop(question, best):
		return ""
	}
	return best
}

// minOwnStop is the minimum length of a stop word that shows a language alone, in bytes. Names have shorter ones.
const minOwnStop = 5

// hasOwnStop reports whether a text has a stop word that no other language has, such as "welche".
func hasOwnStop(s, language string) bool {
	for w := range strings.FieldsSeq(strings.ToLower(s)) {
		if len(w) >= minOwnStop && stopLists()[language][w] && len(stopWordLanguages()[w]) == 1 {
			return true
		}
	}
	return false
}

const (
	// clearShare is the share of stop words in clear prose.
	clearShare = .25
	// clearLead is how often clear prose has stop words of its own language for each one
	// of another language.
	clearLead = 2
)

// ClearLanguage returns the ISO 639-1 code of a text that is clearly prose in one of the
// languages with stop words, or "". It takes a tenth of the time of a language model. On
// 1,000 manual pages in 25 languages, the model contradicted it nowhere.
func ClearLanguage(s string) string {
	words, stops := stopWordCounts(s)
	most := slices.Max(stops)
	best := slices.Index(stops, most)
	stops[best] = 0
	if float64(most) < clearShare*float64(words) || most < clearLead*max(1, slices.Max(stops)) {
		return ""
	}
	return stopLanguages()[best]
}

// OtherLanguage returns the ISO 639-1 code of the most likely language of a text that is clearly in none of the known
// languages, or "". Unlike ClearLanguage, it need not tell the other languages apart, and everyday words count.
func OtherLanguage(s string, known ...string) string {
	if code := Script(s); code != "" {
		if slices.Contains(known, code) {
			return ""
		}
		return code
	}
	words, stops := stopWordCounts(s)
	addEveryday(s, stops)
	other, most, own := "", 0, 0
	for i, n := range stops {
		switch code := stopLanguages()[i]; {
		case slices.Contains(known, code):
			own = max(own, n)
		case n > most:
			other, most = code, n
		}
	}
	if most < clearStops || float64(most) < clearShare*float64(words) || most < clearLead*max(1, own) {
		return ""
	}
	return other
}

// HasLanguage reports whether docent can tell a language from others, by its ISO 639-1 code.
func HasLanguage(code string) bool {
	return stopLists()[code] != nil || slices.Contains([]string{"ja", "zh", "ko", "th", "el", "he"}, code)
}

// latin reports whether most letters of a text are Latin, or it has none.
func latin(s string) bool {
	all, other := 0, 0
	for _, r := range s {
		if unicode.IsLetter(r) {
			all++
			if !unicode.Is(unicode.Latin, r) {
				other++
			}
		}
	}
	return other*2 <= all
}

// Script returns the ISO 639-1 code of a text in a language with its own script,
// or "".
func Script(s string) string {
	var letters, han, kana, hangul, thai, greek, hebrew int
	for _, r := range s {
		if !unicode.IsLetter(r) {
			continue
		}
		letters++
		switch {
		case r < 0x370:
		case unicode.Is(unicode.Han, r):
			han++
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			kana++
		case unicode.Is(unicode.Hangul, r):
			hangul++
		case unicode.Is(unicode.Thai, r):
			thai++
		case unicode.Is(unicode.Greek, r):
			greek++
		case unicode.Is(unicode.Hebrew, r):
			hebrew++
		}
	}
	half := letters / 2
	switch {
	case letters == 0:
		return ""
	case kana*10 > letters && han+kana > half:
		return "ja"
	case han > half:
		return "zh"
	case hangul > half:
		return "ko"
	case thai > half:
		return "th"
	case greek > half:
		return "el"
	case hebrew > half:
		return "he"
	}
	return ""
}
