package retrieve

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"docent/rag/text"
)

// maxAbsentCode is the most evidence there is for a question about a code that
// none of the best passages has. It is below rag.DefaultMinEvidence: what they say
// of the like, however alike, is not what was asked.
const maxAbsentCode = .3

// code matches what names one thing among many of its kind, such as "B77" or
// "uuidv7": letters and digits in one.
var code = regexp.MustCompile(`^(?:\pL+\d+|\d+\pL+\d+)[\pL\d]*$`)

// isCodeName reports whether a word of a question is a code that is meant. One in
// quotes, or in a path, is somebody's own, or an example.
func isCodeName(t text.Weighted, question string) bool {
	if !code.MatchString(question[t.Start:t.End]) {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(question[:t.Start])
	after, _ := utf8.DecodeRuneInString(question[t.End:])
	return !strings.ContainsRune("'\"`“„‘«/\\@=<", before) && !strings.ContainsRune("'\"`”“’»/\\@=>(", after)
}

// englishOnly matches words that only English questions have: in others a capital
// may not say that a word is a name, as German writes every noun with one.
var englishOnly = regexp.MustCompile(`(?i)\b(?:the|of|is|what|who|how|does|do|are|which|when|where|why|and|for|from|to|can)\b`)

// isProper reports whether a word of a question in English is written as a
// proper name is: with a capital that does not begin a sentence, and small
// letters behind it. Capitals alone may be a unit.
func isProper(t text.Weighted, question string) bool {
	written := question[t.Start:t.End]
	if r, _ := utf8.DecodeRuneInString(written); !unicode.IsUpper(r) || strings.ToUpper(written) == written {
		return false
	}
	if !englishOnly.MatchString(question) {
		return false
	}
	before := strings.TrimRight(question[:t.Start], " \t\"'(“„‘«*_`-")
	return before != "" && !strings.ContainsAny(before[len(before)-1:], ".?!:\n")
}
