package retrieve

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/blevesearch/snowballstem/german"

	"docent/internal/lazyregexp"
	"docent/rag/text"
)

// germanWords are common English words with German words for them, one English word per line.
//
//go:embed german.txt
var germanWords string

// englishWords are the English words by the stem of a German word. A word with several meanings has several.
var englishWords = sync.OnceValue(func() map[string][]string {
	out := map[string][]string{}
	for line := range strings.Lines(germanWords) {
		english, words, _ := strings.Cut(strings.TrimSpace(line), ": ")
		for w := range strings.FieldsSeq(words) {
			if stem := germanStem(w); !slices.Contains(out[stem], english) {
				out[stem] = append(out[stem], english)
			}
		}
	}
	return out
})

var germanStems text.StemCache

func germanStem(word string) string { return germanStems.Stem(strings.ToLower(word), german.Stem) }

// umlauts writes umlauts that a keyboard lacks.
var umlauts = strings.NewReplacer("ae", "ä", "oe", "ö", "ue", "ü")

// minGermanPart is the minimum length of a part of a German compound, in bytes.
const minGermanPart = 4

// inEnglish writes the known words of a German question in English, for a search in English documents. It returns "" if it knows
// less than half of the words that say something about the subject.
func inEnglish(question string) string {
	var b strings.Builder
	at, known, all := 0, 0, 0
	list := slices.DeleteFunc(text.Words(question), func(w text.Word) bool { return w.Part })
	if len(list) == 0 {
		return ""
	}
	last := list[len(list)-1]
	prefix := strings.ToLower(question[last.Start:last.End])
	separated := false
	for i, w := range list {
		if w.Start < at {
			continue
		}
		typed := question[w.Start:w.End]
		words := translated(typed)
		if verb := englishWords()[germanStem(prefix+strings.ToLower(typed))]; verb != nil && i+1 < len(list) {
			words, separated = verb, true // "lege … an"
		}
		if separated && i+1 == len(list) {
			words = []string{""}
		}
		if !text.IsForeignStop("de", typed) {
			all++
			if len(words) > 0 {
				known++
			}
		}
		if len(words) == 0 {
			words = []string{typed}
		}
		b.WriteString(question[at:w.Start])
		b.WriteString(strings.Join(words, " "))
		at = w.End
	}
	if known == 0 || 2*known < all {
		return ""
	}
	if asksLimit.MatchString(question) {
		b.WriteString(" maximum")
	}
	return b.String() + question[at:]
}

// asksLimit matches a question for a maximum, such as "wie groß darf …".
var asksLimit = lazyregexp.New(`(?i)^\W*wie ?(?:groß|gross|lang|viele?|hoch|schwer|oft)(?: \pL+)? (?:darf|dürfen|duerfen|kann|können|koennen)(?:\PL|$)`)

// translated returns the English words for a German word: for itself, as a form of a verb, or for both parts of a compound.
func translated(word string) []string {
	small := strings.ToLower(word)
	for _, spelled := range []string{small, umlauts.Replace(small)} {
		for _, form := range []string{spelled, infinitive(spelled), infinitive(strings.TrimPrefix(spelled, "ge"))} {
			if out := englishWords()[germanStem(form)]; out != nil {
				return out
			}
		}
		for i := minGermanPart; i+minGermanPart <= len(spelled); i++ {
			first := englishWords()[germanStem(spelled[:i])]
			if first == nil {
				first = englishWords()[germanStem(strings.TrimSuffix(spelled[:i], "s"))]
			}
			if second := englishWords()[germanStem(spelled[i:])]; first != nil && second != nil {
				return append(first[:1:1], second[0])
			}
		}
	}
	return nil
}

// infinitive returns the infinitive of a regular German verb in the first or third person, such as "lösche" or "kostet".
func infinitive(verb string) string {
	for _, ending := range []string{"et", "t", "e"} {
		if stem, ok := strings.CutSuffix(verb, ending); ok {
			return stem + "en"
		}
	}
	return verb
}
