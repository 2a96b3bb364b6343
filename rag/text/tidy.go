package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"docent/internal/lazyregexp"
)

const (
	// maxLoopUnit limits the repeated part of a loop, in bytes.
	maxLoopUnit = 300
	// minLoopCopies is the number of copies of the part at the end of a text.
	minLoopCopies = 4
	// minLoopBytes is the minimum length of all copies together. Shorter ones, such
	// as "ha ha ha ha", can be meant.
	minLoopBytes = 80
	// minRuleBytes is the minimum for parts without letters, because lines and tables
	// repeat signs.
	minRuleBytes = 500
	// minRepeatedWords is the minimum number of words in a repeated sentence.
	// Shorter ones, such as "Yes.", can be meant.
	minRepeatedWords = 3
	// maxSaid bounds the occurrences of a sentence.
	maxSaid = 2
)

// templateToken matches a mark of a chat template at the start of a text, and the role
// after the mark. Some servers do not remove these marks from the text of a model.
var templateToken = lazyregexp.New(`^(?:<\|(?:im_(?:start|end|sep)|eot_id|eom_id|start_header_id|end_header_id|endoftext|end_of_text|begin_of_text|end|user|assistant|system)\|>` +
	`|</?s>|\[/?INST\]|<(?:start|end)_of_turn>)(?:(?:system|user|assistant|model)\b)?\s*`)

// repeatedTag matches a tag of a passage in the prompt. Weak models repeat it.
var repeatedTag = lazyregexp.New(`[ \t]*</?passage\b[^>\n]{0,300}>\n?`)

var (
	// promptLabels matches the labels of a prompt at the start of an answer.
	promptLabels = lazyregexp.New(`^(?:Question:[^\n]*\n+)?Answer:[ \t]*`)
	// nextQuestion matches the label of another question.
	nextQuestion = lazyregexp.New(`\n[ \t]*Question:`)
)

// Tidy repairs the text of a weak model. It cuts the text at the first mark of a
// chat template, because another turn follows it, and at a further question without
// a cited answer. It drops the tags and labels of the prompt and repeated sentences,
// and closes an open code block. Other code does not change.
func Tidy(s string) string {
	s = cutTemplate(strings.TrimSpace(s))
	s = strings.TrimSpace(outsideCode(s, func(plain string) string { return repeatedTag.ReplaceAllString(plain, "") }))
	s = promptLabels.ReplaceAllString(s, "")
	if at := nextQuestion.FindStringIndex(s); at != nil && ResolveMarkers(s[at[0]:], 0) == s[at[0]:] {
		s = strings.TrimSpace(s[:at[0]])
	}
	if n := LoopLength(s); n > 0 {
		s = s[:len(s)-n]
	}
	s = dropRepeated(s)
	if mark := openFence(s); mark != "" {
		s = strings.TrimRight(s, "\n") + "\n" + mark
	}
	return s
}

// cutTemplate drops the marks of a chat template at the start of a text, and the
// text from the next mark on.
func cutTemplate(s string) string {
	for {
		at := templateToken.FindStringIndex(s)
		if at == nil {
			break
		}
		s = s[at[1]:]
	}
	for i := 0; i < len(s); {
		if n := codeLength(s, i); n > 0 {
			i += n
			continue
		}
		if c := s[i]; c == '<' || c == '[' {
			if templateToken.MatchString(s[i:]) {
				return strings.TrimSpace(s[:i])
			}
		}
		i++
	}
	return s
}

// LoopLength returns the length of the copies at the end of a text of a part that
// stands before them, or 0 if the text does not end in a loop.
func LoopLength(s string) int {
	for unit := 1; unit <= min(maxLoopUnit, len(s)/minLoopCopies); unit++ {
		n := 0
		for i := len(s) - 1; i >= unit && s[i] == s[i-unit]; i-- {
			n++
		}
		least := minRuleBytes
		if strings.ContainsFunc(s[len(s)-unit:], unicode.IsLetter) {
			least = minLoopBytes
		}
		if n >= (minLoopCopies-1)*unit && n+unit >= least {
			return n - restOfWord(s, len(s)-n)
		}
	}
	return 0
}

// restOfWord returns the number of letters from an offset inside a word to its
// end.
func restOfWord(s string, at int) int {
	if last, _ := utf8.DecodeLastRuneInString(s[:at]); !unicode.IsLetter(last) {
		return 0
	}
	return len(s[at:]) - len(strings.TrimLeftFunc(s[at:], unicode.IsLetter))
}

// dropRepeated drops each sentence that repeats the previous one or occurs for the
// third time, with the mark of its list item. A step of two lists may occur twice.
// Headings and table rows may repeat.
func dropRepeated(s string) string {
	seen, last := map[string]int{}, ""
	var b strings.Builder
	at := 0
	for _, sentence := range Sentences(s, false) {
		if sentence.Kind == RowSentence || sentence.Kind == TitleSentence {
			continue
		}
		said := s[sentence.Start:sentence.End]
		said = ResolveMarkers(said[ItemMark(said):], 0)
		words := strings.Fields(strings.ToLower(said))
		key := strings.Join(words, " ")
		again := key == last || seen[key] >= maxSaid
		last = key
		if seen[key]++; len(words) < minRepeatedWords || !again {
			continue
		}
		start := sentence.Start
		if line := strings.LastIndexByte(s[:start], '\n') + 1; ItemMark(strings.TrimLeft(s[line:start], " \t")) > 0 ||
			strings.TrimSpace(s[line:start]) == "" {
			start = line
		}
		b.WriteString(strings.TrimRight(s[at:max(at, start)], " \t\n"))
		at = sentence.End
	}
	if at == 0 {
		return s
	}
	b.WriteString(s[at:])
	return strings.TrimSpace(b.String())
}

// openFence returns the mark of a code block that is not closed, or "".
func openFence(s string) string {
	open := ""
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		switch mark := fenceMark(line); {
		case mark == "":
		case open == "":
			open = mark
		case line == mark && strings.HasPrefix(mark, open):
			open = ""
		}
	}
	return open
}
