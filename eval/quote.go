package eval

import (
	"slices"
	"strings"

	"docent/rag"
)

const (
	// heldShare is the minimum share of a quote's words in a passage. A chunk border may cut a quote.
	heldShare = .8
	// tellingWords is the minimum number of words in a quote that identifies a place. A shorter quote counts only in its own
	// document.
	tellingWords = 8
)

// quote is an expected passage, split into words.
type quote struct {
	file  string
	words []string
	text  string // the words with single spaces between them
}

func newQuote(e Evidence) quote {
	words := strings.Fields(e.Quote)
	return quote{file: e.File, words: words, text: strings.Join(words, " ")}
}

// passage is a retrieved passage, split into words.
type passage struct {
	source string
	words  []string
	text   string // the words with single spaces between them
}

func newPassage(source, text string) passage {
	words := strings.Fields(text)
	return passage{source: source, words: words, text: strings.Join(words, " ")}
}

// has reports whether the passage contains the quote.
func (p passage) has(q quote) bool {
	if len(q.words) < tellingWords && !sameFile(p.source, q.file) {
		return false
	}
	return p.holds(q.words, q.text)
}

// holds reports whether the passage contains a text, or at least heldShare of its words in order.
func (p passage) holds(words []string, text string) bool {
	return strings.Contains(p.text, text) || float64(inOrder(words, p.words)) >= heldShare*float64(len(words))
}

// inOrder returns the length of the longest common subsequence of words.
func inOrder(words, passage []string) int {
	row := make([]int, len(words)+1)
	for _, p := range passage {
		if !slices.Contains(words, p) {
			continue
		}
		diagonal := 0
		for i, w := range words {
			above := row[i+1]
			if w == p {
				row[i+1] = diagonal + 1
			} else {
				row[i+1] = max(above, row[i])
			}
			diagonal = above
		}
	}
	return row[len(words)]
}

// sameFile reports whether file identifies the document of a source: by the end of its path, or by the id after "#".
func sameFile(source, file string) bool {
	if endsPath(source, file) || strings.HasSuffix(source, "#"+file) {
		return true
	}
	i := strings.LastIndexByte(source, '#')
	return i >= 0 && endsPath(source[:i], file)
}

func endsPath(source, file string) bool {
	rest, ok := strings.CutSuffix(source, file)
	return ok && (rest == "" || strings.HasSuffix(rest, "/") || strings.HasSuffix(rest, ":"))
}

// RankOf returns the place of the first passage of an answer that has the evidence, from 1, or 0.
func RankOf(answer rag.Answer, e Evidence) int {
	q := newQuote(e)
	return 1 + slices.IndexFunc(answer.Passages, func(p rag.Passage) bool {
		return newPassage(p.Document.Source, p.Text).has(q)
	})
}
