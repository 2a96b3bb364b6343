package text

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// plainGerman writes umlauts as their vowels, also those that a keyboard lacks. Behind a vowel or a q, the letters ue are no
// umlaut: "neue", "Quelle".
var plainGerman = strings.NewReplacer("aue", "aue", "eue", "eue", "que", "que", "ä", "a", "ö", "o", "ü", "u", "ß", "ss",
	"ae", "a", "oe", "o", "ue", "u")

// germanEndings are the endings of inflections and of nouns that have the root of a verb, with the letters that must stay. Longer
// ones come first.
var germanEndings = []struct {
	text string
	stay int
}{
	{"ungen", 4}, {"keit", 4}, {"ung", 4}, {"em", 4}, {"er", 4}, {"nd", 4}, {"e", 3}, {"s", 3}, {"n", 3}, {"t", 4},
}

// SeparablePrefixes are prefixes that stand apart from their German verbs: "schalte … ab" is a form of "abschalten".
var SeparablePrefixes = strings.Fields("ab an auf aus bei durch ein fest fort frei her hin hinzu hoch los mit nach um vor weg weiter " +
	"wieder zu zurück zurueck zusammen herunter hinunter runter herauf rauf heraus raus herein rein")

// germanRoot returns the root that a German word has in common with its inflections and with the words of one root:
// "verschlüsseln", "verschlüsselt", and "Verschlüsselung". It follows CISTEM (Weißweiler and Fraser 2017), with more endings.
// also is the root of a participle without "ge", or of an infinitive without "zu": "gelöscht", "abgeschaltet", "abzuschalten".
func germanRoot(word string) (root, also string) {
	if IsForeignStop("de", word) {
		return word, ""
	}
	word = plainGerman.Replace(word)
	if rest, ok := strings.CutPrefix(word, "ge"); ok && participle(rest) {
		return withoutEndings(word), withoutEndings(rest)
	}
	for _, prefix := range SeparablePrefixes {
		rest, ok := strings.CutPrefix(word, prefix)
		if !ok {
			continue
		}
		for _, middle := range []string{"ge", "zu"} {
			if verb, ok := strings.CutPrefix(rest, middle); ok && participle(verb) {
				return withoutEndings(word), withoutEndings(prefix + verb)
			}
		}
	}
	return withoutEndings(word), ""
}

// minParticiple is the minimum length of a participle without "ge".
const minParticiple = 5

// participle reports whether a word ends like a participle or an infinitive.
func participle(rest string) bool {
	return len(rest) >= minParticiple && (strings.HasSuffix(rest, "t") || strings.HasSuffix(rest, "n") || strings.HasSuffix(rest, "te") ||
		strings.HasSuffix(rest, "ten"))
}

func withoutEndings(word string) string {
	for {
		i := slices.IndexFunc(germanEndings, func(e struct {
			text string
			stay int
		},
		) bool {
			rest, ok := strings.CutSuffix(word, e.text)
			return ok && utf8.RuneCountInString(rest) >= e.stay
		})
		if i < 0 {
			return word
		}
		word = strings.TrimSuffix(word, germanEndings[i].text)
	}
}

// GermanRoots returns the roots of a German word, without umlauts: one, or two for a participle such as "gelöscht".
func GermanRoots(word string) []string {
	root, also := germanRoot(strings.ToLower(word))
	if also == "" {
		return []string{root}
	}
	return []string{root, also}
}

// Participles returns the regular participles of a German verb with a root.
func Participles(root string) []string {
	out := []string{"ge" + root + "t", "ge" + root + "et"}
	for _, prefix := range SeparablePrefixes {
		if verb, ok := strings.CutPrefix(root, prefix); ok && len(verb) >= minVerb-1 {
			out = append(out, prefix+"ge"+verb+"t", prefix+"ge"+verb+"et")
		}
	}
	return out
}
