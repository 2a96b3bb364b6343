package text

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// asking are words of questions in several languages that the lists of the Snowball project lack.
var asking = wordSet(askingWords)

//go:embed asking.txt
var askingWords string

// askingPhrases are the phrases of questions in languages without a list of stop words, one per line. In scripts without
// spaces, they stand in the middle of other characters.
//
//go:embed asking_phrases.txt
var askingPhrases string

// vague are words of questions that name nothing. They are no stop words, because they change what a statement says.
var vague = wordSet(`
	someone somebody anyone anybody something anything stuff couple bunch vs versus trying foo foobar baz argument arguments
	pls plz thanks thank thx hi hello hey dear sir madam regards btw asap gonna wanna gotta
	bitte danke hallo moin geehrte geehrter damen herren nen ne nem nix mal halt eh jetz jetze pls gibts gehts hats kanns isses fürs`)

// commands are words that begin a question and say what to do with its subject.
var commands = wordSet("list compare explain describe name enumerate show define summarize summarise")

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

// phrase matches a phrase of a question. The longest phrases come first.
var phrase = func() *regexp.Regexp {
	var all []string
	for line := range strings.Lines(askingPhrases) {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, regexp.QuoteMeta(line))
		}
	}
	slices.SortStableFunc(all, func(a, b string) int { return len(b) - len(a) })
	return regexp.MustCompile("(?i)" + strings.Join(all, "|"))
}()

// askingSpans returns the byte offsets of the phrases in a question that only ask.
func askingSpans(question string) [][]int {
	if isASCII(question) {
		return nil
	}
	return slices.DeleteFunc(phrase.FindAllStringIndex(question, -1), func(at []int) bool {
		first, _ := utf8.DecodeRuneInString(question[at[0]:])
		before, _ := utf8.DecodeLastRuneInString(question[:at[0]])
		after, _ := utf8.DecodeRuneInString(question[at[1]:])
		return !isUnspaced(first) && (unicode.IsLetter(before) || unicode.IsLetter(after))
	})
}

// overlaps reports whether a word shares a byte with one of the spans, which are in order.
func overlaps(w Word, spans [][]int) bool {
	return slices.ContainsFunc(spans, func(s []int) bool { return w.Start < s[1] && s[0] < w.End })
}

// isMeaningless reports whether a word of a question in a language says nothing about its subject.
func isMeaningless(language, written, stem string) bool {
	small := strings.ToLower(written)
	foreign := language != "en" && (StopWords(language) != nil || !isASCII(small))
	return stopWords[stem] || vague[small] || IsForeignStop(language, written) || foreign && asking[small]
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

// IsForeignStop reports whether a word, as it is written, is a stop word of a language other than English.
func IsForeignStop(language, written string) bool {
	return language != "en" && StopWords(language)[strings.ToLower(written)]
}
