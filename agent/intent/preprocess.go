package intent

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/spanish"
)

// maxStemBytes bounds the length of a word that is stemmed.
const maxStemBytes = 64

// language is a language with a stemmer.
type language struct {
	code, name string
	stem       func(*snowballstem.Env) bool
}

var languages = []language{
	{"en", "english", english.Stem},
	{"de", "german", german.Stem},
	{"es", "spanish", spanish.Stem},
	{"fr", "french", french.Stem},
	{"it", "italian", italian.Stem},
	{"nl", "dutch", dutch.Stem},
	{"pt", "portuguese", portuguese.Stem},
}

// languageCode returns the ISO 639-1 code of a language. The argument is a
// code, which may have a region, or an English name. The code of "" is "",
// which means English where a language is required.
func languageCode(text string) string {
	text = strings.ToLower(strings.TrimSpace(text))
	for _, l := range languages {
		if text == l.name {
			return l.code
		}
	}
	code, _, _ := strings.Cut(strings.ReplaceAll(text, "_", "-"), "-")
	return code
}

// PreProcessing converts sentences to the form in which they are compared.
type PreProcessing struct {
	// Language is an ISO 639-1 code or an English name. Default: "", English.
	// Words of languages without a stemmer stay unchanged.
	Language string
	// Off turns off the conversion. It corresponds to BAF's nlp.pre_processing.
	// Default: false.
	Off bool
}

// Tokens returns the words of a text in lower case, without punctuation.
func (p PreProcessing) Tokens(text string) []string {
	var out []string
	for _, w := range wordsOf(text) {
		out = append(out, w.text)
	}
	return out
}

// Process returns the stems of the words of text with single spaces between
// them. If pre-processing is off, it returns text.
func (p PreProcessing) Process(text string) string {
	if p.Off {
		return text
	}
	tokens := p.Tokens(text)
	code := languageCode(p.Language)
	if code == "" {
		code = "en"
	}
	i := slices.IndexFunc(languages, func(l language) bool { return l.code == code })
	if i < 0 {
		return strings.Join(tokens, " ")
	}
	for n, t := range tokens {
		if len(t) <= maxStemBytes {
			env := snowballstem.NewEnv(t)
			languages[i].stem(env)
			tokens[n] = env.Current()
		}
	}
	return strings.Join(tokens, " ")
}

// textWord is a word of a text.
type textWord struct {
	// text is the word in lower case, with straight apostrophes.
	text string
	// start and end are byte offsets.
	start, end int
}

// wordsOf returns the words of a text. Words consist of letters, marks, digits,
// and inner apostrophes.
func wordsOf(text string) []textWord {
	var out []textWord
	start := -1
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		inside := isWordRune(r)
		if !inside && start >= 0 && (r == '\'' || r == '’') {
			next, _ := utf8.DecodeRuneInString(text[at+size:])
			inside = unicode.IsLetter(next)
		}
		switch {
		case inside && start < 0:
			start = at
		case !inside && start >= 0:
			out = append(out, newTextWord(text, start, at))
			start = -1
		}
		at += size
	}
	if start >= 0 {
		out = append(out, newTextWord(text, start, len(text)))
	}
	return out
}

func newTextWord(text string, start, end int) textWord {
	return textWord{strings.ReplaceAll(strings.ToLower(text[start:end]), "’", "'"), start, end}
}

func isWordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || unicode.Is(unicode.M, r))
}

// fullForms maps the endings of contractions to full words.
var fullForms = []struct{ ending, word string }{
	{"n't", " not"}, {"'s", " is"}, {"'m", " am"}, {"'re", " are"}, {"'ll", " will"}, {"'d", " would"}, {"'ve", " have"},
}

// spelledOut maps short spellings in chats to full words.
var spelledOut = map[string]string{
	"dont": "do not", "doesnt": "does not", "didnt": "did not", "isnt": "is not", "wont": "will not", "cant": "can not",
	"can't": "can not", "cannot": "can not", "won't": "will not", "let's": "let us",
	"nope": "no", "nah": "no", "yep": "yes", "yeah": "yes", "yup": "yes", "hiya": "hi",
	"thx": "thanks", "pls": "please", "plz": "please", "u": "you",
}

// expanded returns a word in full spelling, without contractions.
func expanded(word string) string {
	if full, ok := spelledOut[word]; ok {
		return full
	}
	for _, f := range fullForms {
		if stem, ok := strings.CutSuffix(word, f.ending); ok {
			return stem + f.word
		}
	}
	return word
}

func wordSet(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}
