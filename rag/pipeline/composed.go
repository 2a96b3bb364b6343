package pipeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"docent/internal/fault"
	"docent/internal/lazyregexp"
	"docent/rag"
	"docent/rag/corpus"
	"docent/rag/text"
)

// composed is an answer that docent writes itself, with citations.
type composed struct {
	text      strings.Builder
	sentences []rag.Sentence
	passages  []rag.Passage
}

// say adds a line of docent's own words.
func (c *composed) say(line string) { c.open(line) }

// open adds the beginning of a line.
func (c *composed) open(s string) {
	if c.text.Len() > 0 {
		c.text.WriteString("\n")
	}
	c.text.WriteString(s)
}

// cite adds text, followed by the number of its passage.
func (c *composed) cite(s string, p corpus.Passage) { c.citePassage(s, rag.Passage{Passage: p}) }

// citePassage is cite for a passage of an answer.
func (c *composed) citePassage(s string, p rag.Passage) {
	n := slices.IndexFunc(c.passages, func(q rag.Passage) bool { return q.ID == p.ID }) + 1
	if n == 0 {
		p.Score = 1 / float64(len(c.passages)+1)
		c.passages = append(c.passages, p)
		n = len(c.passages)
	}
	start := c.text.Len()
	fmt.Fprintf(&c.text, "%s [%d]", s, n)
	c.sentences = append(c.sentences, rag.Sentence{Start: start, End: c.text.Len(), Passages: []int{n}, Support: rag.Strong})
}

// composed makes the answer from text with citations.
func (a *answering) composed(c *composed) {
	a.replied = true
	a.out.Text, a.out.Sentences, a.out.Passages = c.text.String(), c.sentences, c.passages
	a.out.Outcome = rag.Answered
	if len(c.passages) == 0 {
		a.out.Outcome = rag.Replied
		a.out.Sentences = unsupportedSentences(a.out.Text)
	}
}

// maxShownTitle limits a title in a list, in characters.
const maxShownTitle = 80

// special matches characters with a meaning in Markdown.
var special = lazyregexp.New("[\\\\`*_\\[\\]<>|]")

// shownTitle returns the title of a document as Markdown in one line.
func shownTitle(d corpus.Document) string {
	return escaped(cmp.Or(d.Title, fileName(d)))
}

// escaped returns a name as Markdown in one line, shortened.
func escaped(name string) string {
	name = strings.Join(strings.Fields(text.Clean(name)), " ")
	if r := []rune(name); len(r) > maxShownTitle {
		name = string(r[:maxShownTitle-1]) + "…"
	}
	return special.ReplaceAllString(name, `\$0`)
}

// months are the names of the months in German.
var months = []string{"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"}

// dayIn returns a day in words, such as "4 March 2026" or "4. März 2026".
func dayIn(t time.Time, german bool) string {
	if german {
		return fmt.Sprintf("%d. %s %d", t.Day(), months[t.Month()-1], t.Year())
	}
	return t.Format("2 January 2006")
}

// said returns the words of a sentence in the language of the question.
func (a *answering) said(t fault.Text) string { return a.inLanguage(t).Message }
