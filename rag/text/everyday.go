package text

import (
	"embed"
	"strings"
	"sync"
)

// everydayFiles are everyday words, one file per language: words of time, order, and degree, and verbs. People use them where
// documents have other words.
//
//go:embed everyday
var everydayFiles embed.FS

// everyday are the everyday words in the form of everydayForm, by ISO 639-1 code.
var everyday = sync.OnceValue(func() map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for _, code := range []string{"de", "en"} {
		data, _ := everydayFiles.ReadFile("everyday/" + code + ".txt") // embedded files can be read
		out[code] = map[string]bool{}
		for w := range strings.FieldsSeq(string(data)) {
			out[code][everydayForm(code, w)] = true
		}
	}
	return out
})

// IsEveryday reports whether a word is an everyday word of English or German. Passages that lack it can still be about the
// subject of a question.
func IsEveryday(word string) bool {
	for code, list := range everyday() {
		if list[everydayForm(code, word)] {
			return true
		}
	}
	return false
}

// minVerb is the minimum length of a German verb without its ending, in bytes.
const minVerb = 4

// everydayForm returns a word in lower case. A German word loses its umlauts, which many people do not type, and the ending of
// a verb: "benutzt" and "benutzen" are one word.
func everydayForm(code, word string) string {
	word = strings.ToLower(word)
	if code != "de" {
		return word
	}
	word = transcribed.Replace(word)
	for _, ending := range []string{"est", "en", "et", "st", "e", "t"} {
		if rest, ok := strings.CutSuffix(word, ending); ok && len(rest) >= minVerb {
			return rest
		}
	}
	return word
}

// transcribed writes German letters as people do without a German keyboard.
var transcribed = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss")
