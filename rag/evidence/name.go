package evidence

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"docent/rag/text"
)

// maxUnfit is the maximum evidence if the question contains a code that is in none of
// the best passages, or asks for a kind of answers that they do not give. It is below the
// default threshold of package pipeline.
const maxUnfit = .3

// code matches the name of one thing among many of its kind, such as "B77" or
// "uuidv7": letters and digits in one word.
var code = regexp.MustCompile(`^(?:\pL+\d+|\d+\pL+\d+)[\pL\d]*$`)

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
	quoted = regexp.MustCompile("(?:^|\\PL)'[^'\n]+'|\"[^\"\n]+\"|`[^`\n]+`|“[^“”\n]+”|„[^“”\n]+[“”]|‘[^‘’\n]+’|«[^«»\n]+»|»[^«»\n]+«")
	// address matches an e-mail address or an IPv4 address.
	address = regexp.MustCompile(`[\w.+-]+@[\w-]+(?:\.[\w-]+)+|\b\d{1,3}(?:\.\d{1,3}){3}\b`)
)

// asked is a question with the properties that all of its words share.
type asked struct {
	// text is the question.
	text string
	// language is its language, or "".
	language string
	// addresses and quotes are spans of bytes, in order and without overlaps.
	addresses, quotes [][]int
	// capitals reports that capitals mark names.
	capitals bool
}

// readQuestion reads a question once, because the work on each word must not depend on its length.
func readQuestion(question string) *asked {
	q := &asked{
		text: question, language: text.Language(question),
		addresses: address.FindAllStringIndex(question, -1), quotes: quoted.FindAllStringIndex(question, -1),
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
var number = regexp.MustCompile(`^\d[\d.,]*$`)

// isQualified reports whether a word of a question is a qualified name, such as "Rows.Close", and all of its parts are known.
// Source code declares a method apart from its type.
func (q *asked) isQualified(t text.Weighted, known map[string]bool) bool {
	qualifier, name, ok := strings.Cut(q.text[t.Start:t.End], ".")
	return ok && !number.MatchString(qualifier) && isSubset(text.Stems(qualifier), known) && isSubset(text.Stems(name), known)
}

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
var englishOnly = regexp.MustCompile(`(?i)\b(?:the|of|is|what|who|how|does|do|are|which|when|where|why|and|for|from|to|can)\b`)

// isEnglish reports whether a question is in English. A text without stop words, such as a list of keywords, counts as English.
func (q *asked) isEnglish() bool {
	return q.language == "en" || q.language == "" || englishOnly.MatchString(q.text)
}

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
