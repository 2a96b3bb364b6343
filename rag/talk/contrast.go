package talk

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"docent/rag/text"
)

// maxContrast is the maximum number of words in the part of a question that contrasts names.
const maxContrast = 5

// continuing matches the beginning of a question such as "and on S3?".
var continuing = regexp.MustCompile(`(?i)^\W*(?:(?:and|or|but|so) )?(?:(?:what|how) about|and|or)\s+`)

// clause matches the beginning of a part that is a question or an order of its own.
var clause = regexp.MustCompile(`(?i)^(?:how|what|when|where|which|who|whom|whose|why|if|is|are|was|were|do|does|did|can|could|will|would|should|must|may|has|have|then|also|not)\b`)

// Contrasts reports whether a question only names another subject than the one before it.
func Contrasts(question string) bool { return contrast(question) != "" }

// contrast returns a part of a question that names another subject than the earlier
// question, such as "on S3" of "and on S3?". It returns "" for other questions.
func contrast(question string) string {
	at := continuing.FindStringIndex(question)
	if at == nil {
		return ""
	}
	part := strings.TrimRight(question[at[1]:], " ?!.,;:")
	words := wholeWords(part)
	if len(words) > maxContrast || clause.MatchString(part) || !slices.ContainsFunc(words, telling) ||
		slices.ContainsFunc(back, func(b reference) bool { return b.pattern.MatchString(part) }) {
		return ""
	}
	return part
}

// replaced returns the earlier question with the part of its own that the contrast takes
// the place of. It is not ok if the earlier question shows no such part.
//
//   - "restore from SFTP?", "and from S3?": the words behind the same preposition
//   - "what does git stash do?", "and git worktree?": the words behind the same name
//   - "default of bodyLimit?", "and connectionTimeout?": the only name of the same form
func replaced(earlier, part string) (string, bool) {
	if strings.Contains(earlier, "\n") {
		return "", false
	}
	old, fresh := wholeWords(earlier), wholeWords(part)
	first := slices.IndexFunc(fresh, telling)
	anchor := first - 1
	if first == 0 && len(fresh) > 1 && telling(fresh[1]) {
		anchor = 0
	}
	if from := behind(old, fresh, anchor); from >= 0 {
		to := from
		for to+1 < len(old) && telling(old[to+1]) && strings.TrimSpace(earlier[old[to].end:old[to+1].start]) == "" {
			to++
		}
		return earlier[:old[from].start] + part[fresh[anchor+1].start:] + earlier[old[to].end:], true
	}
	if only := soleOfForm(old, fresh[first:]); only >= 0 {
		return earlier[:old[only].start] + part[fresh[first].start:] + earlier[old[only].end:], true
	}
	return "", false
}

// behind returns the position in old of the telling word behind the word that fresh has at
// the position anchor, or -1.
func behind(old, fresh []word, anchor int) int {
	from := -1
	for i, w := range old {
		if anchor >= 0 && strings.EqualFold(w.text, fresh[anchor].text) && i+1 < len(old) && telling(old[i+1]) {
			from = i + 1
		}
	}
	return from
}

// soleOfForm returns the position of the only word in old that has the form of fresh, if
// fresh is one name. Otherwise it returns -1. The first word of a sentence has a capital
// anyway.
func soleOfForm(old, fresh []word) int {
	sole := -1
	for i, w := range old {
		switch {
		case i == 0 || len(fresh) != 1 || form(fresh[0].text) == plainForm || form(w.text) != form(fresh[0].text):
		case sole >= 0:
			return -1
		default:
			sole = i
		}
	}
	return sole
}

// word is a word of a question.
type word struct {
	text, stem string
	start, end int
}

func wholeWords(s string) []word {
	var out []word
	for _, w := range text.Words(s) {
		if !w.Part {
			out = append(out, word{s[w.Start:w.End], w.Stem, w.Start, w.End})
		}
	}
	return out
}

// telling reports whether a word has a meaning of its own.
func telling(w word) bool { return !text.IsStop(w.stem) }

// The forms of words.
const (
	plainForm = iota
	capitalForm
	identifierForm
)

// form returns the form of a word: an identifier such as bodyLimit or S3, a word with a
// capital, or another word.
func form(w string) int {
	switch {
	case name.MatchString(w) || strings.ContainsFunc(w, unicode.IsDigit):
		return identifierForm
	case strings.ContainsFunc(w, unicode.IsUpper):
		return capitalForm
	default:
		return plainForm
	}
}
