package evidence

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"docent/internal/lazyregexp"
	"docent/rag/text"
)

// maxUnfit is the maximum evidence if the question contains a code that is in none of
// the best passages, or asks for a kind of answers that they do not give. It is below the
// default threshold of package pipeline.
const maxUnfit = .3

// code matches the name of one thing among many of its kind, such as "B77" or
// "uuidv7": letters and digits in one word.
var code = lazyregexp.New(`^(?:\pL+\d+|\d+\pL+\d+)[\pL\d]*$`)

// isCodeName reports whether a word of a question is a code that the user asks
// about, or ends with one after a dot. A word in a path is an example.
func (q *asked) isCodeName(t text.Weighted) bool {
	written := q.text[t.Start:t.End]
	if !code.MatchString(written[strings.LastIndexByte(written, '.')+1:]) || q.isExample(t) {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(q.text[:t.Start])
	after, _ := utf8.DecodeRuneInString(q.text[t.End:])
	return !strings.ContainsRune("/\\@=<", before) && !strings.ContainsRune("/\\@=>(", after)
}

var (
	// quoted matches a text in quotation marks.
	quoted = lazyregexp.New("(?:^|\\PL)'[^'\n]+'|\"[^\"\n]+\"|`[^`\n]+`|“[^“”\n]+”|„[^“”\n]+[“”]|‘[^‘’\n]+’|«[^«»\n]+»|»[^«»\n]+«")
	// address matches an e-mail address or an IPv4 address.
	address = lazyregexp.New(`[\w.+-]+@[\w-]+(?:\.[\w-]+)+|\b\d{1,3}(?:\.\d{1,3}){3}\b`)
)

// asked is a question with the properties that all of its words share.
type asked struct {
	// text is the question.
	text string
	// language is its language, or "".
	language string
	// foreign reports that it is not in English, and other that no passage has its language.
	foreign, other bool
	// documents is the language of the best passage, or "".
	documents string
	// analysis is that of the passages: of the language of the question, if one has it, or of the best passage.
	analysis text.Analysis
	// addresses and quotes are spans of bytes, in order and without overlaps.
	addresses, quotes [][]int
	// capitals reports that capitals mark names.
	capitals bool
}

// readQuestion reads a question once, because the work on each word must not depend on its length. A question in an unclear
// language is in that of the best passages.
func readQuestion(question string, best []Passage) *asked {
	var languages []string
	for _, p := range best {
		for _, code := range []string{text.ClearLanguage(p.Text), p.Language} { // a document can mix languages
			if code != "" && !slices.Contains(languages, code) {
				languages = append(languages, code)
			}
		}
	}
	q := &asked{
		text: question, language: text.LanguageAmong(question, languages...),
		addresses: address.FindAllStringIndex(question, -1), quotes: quoted.FindAllStringIndex(question, -1),
	}
	switch {
	case q.language == "" || q.language == text.Undetermined:
		q.foreign = len(languages) > 0 && !slices.Contains(languages, "en")
	case q.language != "en" && !englishOnly.MatchString(question):
		q.foreign = true
		q.other = len(languages) > 0 && !slices.Contains(languages, q.language)
	default:
		q.other = len(languages) > 0 && !slices.Contains(languages, "en")
	}
	if len(languages) > 0 {
		q.documents = languages[0]
	}
	if q.analysis = text.AnalysisOf(q.documents); slices.Contains(languages, q.language) {
		q.analysis = text.AnalysisOf(q.language)
	}
	q.capitals = q.marksNames() && strings.ToUpper(question) != question
	return q
}

// isExample reports whether a word of a question is a value of the user, which documents about the subject need not contain: a
// part of an address, or a word with digits in quotation marks.
func (q *asked) isExample(t text.Weighted) bool {
	return isWithin(t, q.addresses) || strings.ContainsAny(q.text[t.Start:t.End], "0123456789") && isWithin(t, q.quotes)
}

// isWithin reports whether a word is in one of the spans, which are in order and do not overlap.
func isWithin(t text.Weighted, spans [][]int) bool {
	i, _ := slices.BinarySearchFunc(spans, t.End, func(span []int, end int) int { return cmp.Compare(span[1], end) })
	return i < len(spans) && spans[i][0] <= t.Start
}

// number matches a number, such as "3.2". It is no name.
var number = lazyregexp.New(`^\d[\d.,]*$`)

// isQualified reports whether a word of a question is a qualified name, such as "Rows.Close", and all of its parts are known.
// Source code declares a method apart from its type.
func (q *asked) isQualified(t text.Weighted, known map[string]bool) bool {
	qualifier, name, ok := strings.Cut(q.text[t.Start:t.End], ".")
	return ok && !number.MatchString(qualifier) && isSubset(q.analysis.Stems(qualifier), known) && isSubset(q.analysis.Stems(name), known)
}

// hyphenated matches a word with hyphens.
var hyphenated = lazyregexp.New(`\pL+(?:-[\pL\d]+)+`)

const (
	// minSqueezed is the minimum length of a word that the passages can have as two words.
	minSqueezed = 6
	// minShort is the minimum length of a word without its end, and minLeft that of the end.
	minShort, minLeft = 4, 3
)

// addSpelling adds a word of the question to the sentences that have it in another spelling: "email" for "e-mail", "set point"
// for "setpoint", or "defibrillator" for "defi". It returns false if there are none.
func (q *asked) addSpelling(vocabulary Vocabulary, t text.Weighted, passages []readPassage) (found bool) {
	same := q.spelling(vocabulary, t)
	if same == nil {
		return false
	}
	for _, p := range passages {
		for i, s := range p.texts {
			if !same(strings.ToLower(s)) {
				continue
			}
			set := p.heading
			if i > 0 {
				set = p.sentences[i-1]
			}
			set[t.Stem], found = true, true
		}
	}
	return found
}

// addSynonyms adds a word of the question to the sentences that have a synonym. It returns false if there are none.
func (q *asked) addSynonyms(t text.Weighted, passages []readPassage) (found bool) {
	same := q.analysis.Synonyms(q.text[t.Start:t.End])
	if same == nil {
		return false
	}
	for _, p := range passages {
		for _, set := range append([]map[string]bool{p.heading}, p.sentences...) {
			if slices.ContainsFunc(same, func(stem string) bool { return set[stem] }) {
				set[t.Stem], found = true, true
			}
		}
	}
	return found
}

// spelling returns a function that reports whether a text in small letters has a word in another spelling, or nil.
func (q *asked) spelling(vocabulary Vocabulary, t text.Weighted) func(s string) bool {
	written := strings.ToLower(q.text[t.Start:t.End])
	for _, at := range hyphenated.FindAllStringIndex(q.text, -1) {
		if at[0] <= t.Start && t.End <= at[1] {
			joined := strings.ToLower(strings.ReplaceAll(q.text[at[0]:at[1]], "-", ""))
			return func(s string) bool { return slices.Contains(spaced.FindAllString(s, -1), joined) }
		}
	}
	short := !q.foreign && len(written) >= minShort && strings.Trim(written, smallLetters) == "" && len(vocabulary.Tokenize(written)) != 1
	if len(written) < minSqueezed && !short {
		return nil
	}
	return func(s string) bool {
		last := ""
		for _, w := range spaced.FindAllString(s, -1) {
			if len(written) >= minSqueezed && last+w == written || short && len(w) >= len(written)+minLeft && strings.HasPrefix(w, written) {
				return true
			}
			last = w
		}
		return false
	}
}

const smallLetters = "abcdefghijklmnopqrstuvwxyz"

// spaced matches a word.
var spaced = lazyregexp.New(`[\pL\d]+`)

// isOtherNumber reports whether a number is a part of a name, as in "Heron 42", and the passages have the name with other
// numbers only.
func (q *asked) isOtherNumber(t text.Weighted, best []Passage) bool {
	written := q.text[t.Start:t.End]
	m := beforeNumber.FindStringSubmatch(q.text[:t.Start])
	if m == nil || !number.MatchString(written) || text.IsStop(strings.ToLower(m[1])) || text.IsEveryday(m[1]) {
		return false
	}
	named := regexp.MustCompile(`(?i)(?:^|[^\pL\d])` + regexp.QuoteMeta(m[1]) + `[ -]?\d`)
	return slices.ContainsFunc(best, func(p Passage) bool { return named.MatchString(p.Heading + "\n" + p.Text) })
}

// beforeNumber matches the word before a number.
var beforeNumber = lazyregexp.New(`(\pL{2,})[ -]$`)

// isSubset reports whether all stems are known.
func isSubset(stems, known map[string]bool) bool {
	for stem := range stems {
		if !known[stem] {
			return false
		}
	}
	return true
}

// isIdentifier reports whether a word of a question is an identifier such as
// "pool_mode". It is the same in all languages.
func (q *asked) isIdentifier(t text.Weighted) bool {
	return strings.Contains(strings.Trim(q.text[t.Start:t.End], "_"), "_")
}

// englishOnly matches words of English questions.
var englishOnly = lazyregexp.New(`(?i)\b(?:the|of|is|what|who|how|does|do|are|which|when|where|why|and|for|from|to|can)\b`)

// marksNames reports whether capitals mark names in the language of a question. German capitalizes every noun, and keywords
// often have capitals.
func (q *asked) marksNames() bool {
	return englishOnly.MatchString(q.text) || q.language != "" && q.language != "de"
}

// unspaced are the scripts of pairs whose words begin and end with the script.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Katakana, unicode.Hangul}

// whole replaces pairs of characters in a script without spaces by the words that contain them: runs of one script. It
// leaves out other pairs, which are rarely words.
func (q *asked) whole(terms []text.Weighted) []text.Weighted {
	question := q.text
	out := terms[:0]
	for _, t := range terms {
		first, _ := utf8.DecodeRuneInString(question[t.Start:t.End])
		if first != 'ー' && !unicode.In(first, unicode.Han, unicode.Katakana, unicode.Hiragana, unicode.Hangul,
			unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) {
			out = append(out, t)
			continue
		}
		for _, script := range unspaced {
			other := func(r rune) bool { return !unicode.Is(script, r) && (r != 'ー' || script != unicode.Katakana) }
			if strings.ContainsFunc(question[t.Start:t.End], other) {
				continue
			}
			if i := strings.LastIndexFunc(question[:t.Start], other); i >= 0 {
				_, size := utf8.DecodeRuneInString(question[i:])
				t.Start = i + size
			} else {
				t.Start = 0
			}
			if i := strings.IndexFunc(question[t.End:], other); i >= 0 {
				t.End += i
			} else {
				t.End = len(question)
			}
			out = append(out, t)
			break
		}
	}
	return out
}

// isCounted reports whether a word follows "how", such as "often". Such a word asks for a number, and passages with the number
// rarely contain it.
func (q *asked) isCounted(t text.Weighted) bool {
	before := strings.TrimRight(q.text[:t.Start], "\t\n\f\r ")
	start := len(before) - len("how")
	return len(before) < t.Start && start >= 0 && strings.EqualFold(before[start:], "how") &&
		(start == 0 || !isASCIIWord(before[start-1]))
}

// isASCIIWord reports whether a byte belongs to a word in the sense of \b.
func isASCIIWord(b byte) bool {
	return b == '_' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

// isProper reports whether a word of a question is written like a name: with a capital, and not at the beginning of a sentence.
// A word of one or two capitals may be a unit. Questions in capitals mark no names.
func (q *asked) isProper(t text.Weighted) bool {
	written := q.text[t.Start:t.End]
	first, size := utf8.DecodeRuneInString(written)
	inner := strings.ContainsFunc(written[size:], unicode.IsUpper)
	if !unicode.IsUpper(first) && !inner || strings.ToUpper(written) == written && utf8.RuneCountInString(written) < 3 {
		return false
	}
	if !q.capitals {
		return false
	}
	before := strings.TrimRight(q.text[:t.Start], " \t\"'(“„‘«¿¡*_`-")
	return before != "" && !strings.ContainsAny(before[len(before)-1:], ".?!:\n")
}
