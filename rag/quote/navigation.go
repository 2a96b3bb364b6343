package quote

import (
	"strings"

	"docent/internal/lazyregexp"
	"docent/rag/text"
)

var (
	// contents matches the title of a table of contents.
	contents = lazyregexp.New(`(?i)^\PL*(?:(?:table of )?contents|(?:on|in) this (?:page|section|chapter)|` +
		`inhalt(?:sverzeichnis)?|auf dieser seite|in diesem (?:kapitel|abschnitt)):?$`)
	// caption matches a line that names a table, a figure, or an example.
	caption = lazyregexp.New(`^(?:Table|Figure|Example|Listing)\s+[A-Z]?\d+(?:[.-]\d+)*[.:]`)
	// entry matches an entry of a table of contents: a number or a link, and a title.
	entry = lazyregexp.New(`^(?:[-*•]\s+)?(?:(?:[A-Z]\.)?\d+(?:\.\d+)+\.?\s|(?:Section|Chapter|Abschnitt|Kapitel) \d|\[[^\]]+\]\([^)\s]*\)$)`)
	// dots matches the leader of an entry of a printed table of contents.
	dots = lazyregexp.New(`(?:\.\s?){4,}\s*\d+$`)
	// pageHead matches the first or last line of a manual page.
	pageHead = lazyregexp.New(`^[A-Z][A-Z0-9_.-]*\(\d\w?\)(?:\s+.*\b[A-Z][A-Z0-9_.-]*\(\d\w?\))?$`)
	// headingNumber matches the number in front of a heading.
	headingNumber = lazyregexp.New(`^(?:[A-Za-z]\.)?\d+(?:\.\d+)*\.?\s+`)
	// chapter matches the beginning or the end of the title of a chapter in the head of a page.
	chapter = lazyregexp.New(`^(?:APPENDIX|CHAPTER|PART|SECTION|KAPITEL|ANHANG)\s|…$`)
	// bareNumber matches the number of a section without its title.
	bareNumber = lazyregexp.New(`^(?:[A-Z]\.)?\d+(?:\.\d+)*\.$|^[A-Z](?:\.\d+)+\.?$`)
	// moves matches the links between pages.
	moves = lazyregexp.New(`(?i)^(?:[←→«»‹›<>|\s]|\b(?:prev(?:ious)?|next|up|home|top|back(?: to top)?|index|skip to (?:main )?content|edit this page)\b)+$`)
	// pageLink matches an item that is only the usual name of a link, as at the top of a page.
	pageLink = lazyregexp.New(`(?i)^[-*•]\s+(?:documentation|docs|source(?: code)?|(?:code )?repository|downloads?|home ?page|website|` +
		`(?:issue|bug) tracker|issues|bugs|change ?log|mailing lists?|wiki|github|gitlab|pypi|demo|contact|support)$`)
)

// navigation reports which sentences guide readers and tell nothing: comments,
// tables of contents, captions, running heads, and links between pages. isHeading reports whether a line is a known heading.
func navigation(body string, sentences []text.Sentence, isHeading func(line string) bool) []bool {
	skip := contentLists(body, sentences, isHeading)
	skipContentParagraphs(skip, body, sentences)
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
		case isComment(line), moves.MatchString(line), dots.MatchString(line), captionNumber.MatchString(line), isRunningHead(line):
			skip[i] = true
		case caption.MatchString(line) && (s.Kind == text.TitleSentence || strings.Count(line, " ") < 4):
			skip[i] = true
		case i > 0 && sentences[i-1].Block == s.Block && !text.Ends(line) &&
			isNumber(body[sentences[i-1].Start:sentences[i-1].End]):
			skip[i] = true // the text behind a number that reads like a sentence
		case entry.MatchString(line) && (!text.Ends(line) || strings.HasSuffix(line, "…") || strings.HasSuffix(line, "?")):
			skip[i] = true
		case listed && s.Kind == text.ItemSentence && !text.Ends(line):
			skip[i] = true
		default:
			listed = false
		}
	}
	return skip
}

// minEntries is the number of entries from which a list is a table of contents.
const minEntries = 3

// contentLists reports which sentences are items of a table of contents: of a list whose items are mostly questions or
// numbered titles, which has a known heading and few sentences, or which only has the names of links.
func contentLists(body string, sentences []text.Sentence, isHeading func(line string) bool) []bool {
	skip := make([]bool, len(sentences))
	for from := 0; from < len(sentences); {
		to, questions, headings, said, links := from, 0, 0, 0, 0
		for ; to < len(sentences) && sentences[to].Kind == text.ItemSentence; to++ {
			line := body[sentences[to].Start:sentences[to].End]
			switch {
			case strings.HasSuffix(line, "?"), entry.MatchString(line) && !text.Ends(line):
				questions++
			case isHeading(line[text.ItemMark(line):]):
				headings++
			case text.Ends(line):
				said++
			case pageLink.MatchString(line):
				links++
			}
		}
		n := to - from
		isContents := n >= minEntries && (2*questions > n || headings > 0 && 3*said <= n)
		for i := from; i < to && (isContents || links == n); i++ {
			skip[i] = true
		}
		from = max(to, from+1)
	}
	return skip
}

// skipContentParagraphs sets skip for the sentences of paragraphs that are a table of contents: they have at least minEntries
// numbered titles, and most of these end with a question mark or without a stop.
func skipContentParagraphs(skip []bool, body string, sentences []text.Sentence) {
	for from := 0; from < len(sentences); {
		to, entries, titles := from, 0, 0
		for ; to < len(sentences) && sentences[to].Block == sentences[from].Block && sentences[to].Kind != text.CodeSentence; to++ {
			line := body[sentences[to].Start:sentences[to].End]
			if entry.MatchString(line) {
				entries++
			}
			last := to+1 == len(sentences) || sentences[to+1].Block != sentences[from].Block ||
				entry.MatchString(body[sentences[to+1].Start:sentences[to+1].End])
			if last && entries > 0 && (!text.Ends(line) || strings.HasSuffix(line, "?")) {
				titles++
			}
		}
		for i := from; i < to && entries >= minEntries && 2*titles > entries; i++ {
			skip[i] = true
		}
		from = max(to, from+1)
	}
}

// isRunningHead reports whether a line is in the head of a printed page: the title of a chapter in capitals, or only a number.
func isRunningHead(line string) bool {
	return bareNumber.MatchString(line) || chapter.MatchString(line) && strings.ToUpper(line) == line
}

// isNumber reports whether a line is only the number of a caption or of a section.
func isNumber(line string) bool {
	return captionNumber.MatchString(line) || bareNumber.MatchString(line)
}

// withoutNumber returns a heading without its number.
func withoutNumber(heading string) string { return headingNumber.ReplaceAllString(heading, "") }
