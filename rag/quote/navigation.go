package quote

import (
	"regexp"
	"strings"

	"docent/rag/text"
)

var (
	// contents matches the title of a table of contents.
	contents = regexp.MustCompile(`(?i)^#*\s*(?:table of )?contents:?$|^#*\s*(?:on|in) this (?:page|section|chapter):?$`)
	// caption matches a line that names a table, a figure, or an example.
	caption = regexp.MustCompile(`^(?:Table|Figure|Example|Listing)\s+[A-Z]?\d+(?:[.-]\d+)*[.:]`)
	// entry matches an entry of a table of contents: a number or a link, and a title.
	entry = regexp.MustCompile(`^(?:[-*•]\s+)?(?:(?:[A-Z]\.)?\d+(?:\.\d+)+\.?\s|\[[^\]]+\]\([^)\s]*\)$)`)
	// dots matches the leader of an entry of a printed table of contents.
	dots = regexp.MustCompile(`(?:\.\s?){4,}\s*\d+$`)
	// pageHead matches the first or last line of a manual page.
	pageHead = regexp.MustCompile(`^[A-Z][A-Z0-9_.-]*\(\d\w?\)(?:\s+.*\b[A-Z][A-Z0-9_.-]*\(\d\w?\))?$`)
	// moves matches the links between pages.
	moves = regexp.MustCompile(`(?i)^(?:[←→«»‹›<>|\s]|\b(?:prev(?:ious)?|next|up|home|top|back(?: to top)?|index|skip to (?:main )?content|edit this page)\b)+$`)
)

// navigation reports which sentences guide readers and tell nothing: comments,
// tables of contents, captions, and links between pages.
func navigation(body string, sentences []text.Sentence) []bool {
	skip := questionLists(body, sentences)
	listed := false // inside a table of contents
	for i, s := range sentences {
		line := body[s.Start:s.End]
		switch {
		case pageHead.MatchString(line):
			skip[i] = true
		case s.Kind == text.CodeSentence:
			listed = false
		case contents.MatchString(line):
			listed, skip[i] = true, true
		case isComment(line), moves.MatchString(line), dots.MatchString(line), captionNumber.MatchString(line):
			skip[i] = true
		case caption.MatchString(line) && (s.Kind == text.TitleSentence || strings.Count(line, " ") < 4):
			skip[i] = true
		case i > 0 && sentences[i-1].Block == s.Block && !text.Ends(line) &&
			captionNumber.MatchString(body[sentences[i-1].Start:sentences[i-1].End]):
			skip[i] = true // the text of a caption whose number reads like a sentence
		case entry.MatchString(line) && !text.Ends(line):
			skip[i] = true
		case listed && s.Kind == text.ItemSentence && !text.Ends(line):
			skip[i] = true
		default:
			listed = false
		}
	}
	return skip
}

// minQuestions is the number of questions from which a list of nothing else is a table of contents.
const minQuestions = 3

// questionLists reports which sentences are items of a list of questions.
func questionLists(body string, sentences []text.Sentence) []bool {
	skip := make([]bool, len(sentences))
	for from := 0; from < len(sentences); {
		to := from
		for to < len(sentences) && sentences[to].Kind == text.ItemSentence && body[sentences[to].End-1] == '?' {
			to++
		}
		for i := from; i < to && to-from >= minQuestions; i++ {
			skip[i] = true
		}
		from = max(to, from+1)
	}
	return skip
}
