package brief

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"docent/internal/lazyregexp"
	"docent/payload"
	"docent/rag"
	"docent/rag/corpus"
	"docent/rag/text"
)

// outlinePassages is the number of passages behind an outline.
const outlinePassages = 20

// Answers answers questions. *pipeline.Pipeline implements it.
type Answers interface {
	// Run returns the whole answer.
	Run(ctx context.Context, req rag.Request) (rag.Answer, error)
}

// Outline returns headings for a brief about the question of a request, at least one. A model writes them. Without a model, they
// are the headings of the passages that a search finds. byModel reports that a model wrote them.
func Outline(ctx context.Context, answers Answers, req rag.Request) (headings []string, byModel bool, err error) {
	var b strings.Builder
	if err := prompts.ExecuteTemplate(&b, "outline.tmpl", struct{ Headings int }{payload.MaxHeadings}); err != nil {
		return nil, false, fmt.Errorf("prompt for an outline: %w", err)
	}
	task := req.Question
	req.Question, req.Prompt, req.K, req.WholeOnly = subject(task), b.String(), outlinePassages, true
	answer, err := answers.Run(ctx, req)
	if err != nil {
		return nil, false, fmt.Errorf("outline of a brief: %w", err)
	}
	if answer.Model != rag.Extractive && answer.Outcome != rag.Replied {
		headings = lines(answer.Text)
	}
	if len(headings) > 0 {
		return headings, true, nil
	}
	if headings = ofPassages(answer.Passages); len(headings) == 0 {
		headings = []string{text.Shorten(strings.Join(strings.Fields(task), " "), payload.MaxHeading)}
	}
	return headings, false, nil
}

// listed matches the beginning and the end of a line that are no part of a heading.
var listed = lazyregexp.New(`^(?:#{1,6}\s+|[-*+•]\s+|\d{1,2}[.)]\s+)+|^\*\*|\*\*:?$|:$`)

// maxHeadingWords is the number of words of the longest line of a model that is a heading and no sentence.
const maxHeadingWords = 20

// lines returns the headings in the text of a model.
func lines(body string) []string {
	var out []string
	for line := range strings.Lines(text.Unmarked(text.Clean(body))) {
		line = strings.TrimSpace(line)
		for {
			bare := strings.TrimSpace(listed.ReplaceAllString(line, ""))
			if bare == line {
				break
			}
			line = bare
		}
		if line != "" && len(strings.Fields(line)) <= maxHeadingWords {
			out = with(out, line)
		}
	}
	if len(out) == 1 && len(strings.Fields(out[0])) > maxHeadingWords/2 {
		return nil // a sentence
	}
	return out
}

// ofPassages returns the headings of passages, best first. The title of the document comes first if other documents have the
// same heading, and replaces a missing heading.
func ofPassages(found []rag.Passage) []string {
	name := func(p rag.Passage) string {
		return strings.TrimSpace(cmp.Or(p.Document.Title, corpus.ShortSource(p.Document.Source)))
	}
	last := func(p rag.Passage) string {
		if len(p.Headings) == 0 {
			return ""
		}
		return strings.TrimSpace(p.Headings[len(p.Headings)-1])
	}
	var out []string
	for _, p := range found {
		heading := last(p)
		elsewhere := slices.ContainsFunc(found, func(o rag.Passage) bool { return o.DocumentID != p.DocumentID && last(o) == heading })
		switch {
		case heading == "" || heading == name(p):
			heading = name(p)
		case elsewhere:
			heading = name(p) + ": " + heading
		}
		if heading != "" {
			out = with(out, heading)
		}
	}
	return out
}

// with adds a heading if it is new and there is room.
func with(list []string, heading string) []string {
	heading = text.Shorten(strings.Join(strings.Fields(text.Clean(heading)), " "), payload.MaxHeading)
	if len(list) >= payload.MaxHeadings || slices.ContainsFunc(list, func(s string) bool { return strings.EqualFold(s, heading) }) {
		return list
	}
	return append(list, heading)
}
