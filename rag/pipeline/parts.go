package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"docent/internal/fault"
	"docent/rag"
	"docent/rag/retrieve"
	"docent/rag/talk"
	"docent/rag/text"
)

// searchParts searches for each question of a message with several of them. It is not done for other messages, and if docent
// finds nothing for any part.
func (a *answering) searchParts(ctx context.Context) (done bool, err error) {
	questions := talk.Parts(a.question)
	turns := slices.Clone(a.req.Turns)
	found := false
	var parts []*answering
	for _, q := range questions {
		part := &answering{
			pipeline: a.pipeline, req: a.req, chosen: a.chosen, question: q, thresholds: a.thresholds, wishes: a.wishes,
			message: talk.Message{Kind: talk.Question, Language: a.message.Language},
		}
		part.req.Question, part.req.Turns = q, slices.Clone(turns)
		if err := part.searchQuestion(ctx); err != nil {
			return false, err
		}
		turns = append(turns, talk.Turn{Role: talk.User, Text: q})
		parts = append(parts, part)
		found = found || part.quotable() != rag.NotFound
	}
	if !found {
		return false, nil
	}
	a.parts = parts
	if a.model != nil {
		a.found.Results = mergedResults(parts)
		a.out.Passages = passages(a.found.Results)
	}
	return true, nil
}

// mergedResults returns the results of all parts without duplicates, the best ones of each part first.
func mergedResults(parts []*answering) []retrieve.Result {
	var out []retrieve.Result
	for rank := range retrieve.MaxK {
		for _, p := range parts {
			if rank >= len(p.found.Results) {
				continue
			}
			r := p.found.Results[rank]
			if !slices.ContainsFunc(out, func(o retrieve.Result) bool { return o.Passage.ID == r.Passage.ID }) && len(out) < retrieve.MaxK {
				r.Rank = len(out) + 1
				out = append(out, r)
			}
		}
	}
	return out
}

// joinParts makes one answer from the answers to all parts. It says for which part docent found nothing. Parts whose answers begin
// with the same sentence share one answer.
func (a *answering) joinParts(ctx context.Context) {
	var b strings.Builder
	a.out.Outcome = rag.Unsure
	answered := make([]bool, len(a.parts))
	for i, p := range a.parts {
		answered[i] = (tableAnswer{p}).ask(ctx) || answerQuotes(ctx, p)
	}
	for i, p := range a.parts {
		same := func(other *answering) bool {
			return answered[i] && other.firstQuoted() == p.firstQuoted() && p.firstQuoted() != ""
		}
		if slices.ContainsFunc(a.parts[:i], same) {
			continue
		}
		if i > 0 {
			b.WriteString("\n\n")
		}
		fmt.Fprintf(&b, "**%s**\n\n", escaped(p.question))
		for at, other := range a.parts[i+1:] {
			if answered[i+1+at] && same(other) {
				fmt.Fprintf(&b, "**%s**\n\n", escaped(other.question))
			}
		}
		if !answered[i] {
			b.WriteString(a.said(fault.NewText("part_not_found", "I found nothing that answers this part.")))
			continue
		}
		if p.out.Outcome == rag.Answered {
			a.out.Outcome = rag.Answered
		}
		numbers := a.adopt(p.out.Passages)
		body, at := text.Renumber(p.out.Text, numbers)
		for _, s := range p.out.Sentences {
			moved := rag.Sentence{Start: b.Len() + at(s.Start), End: b.Len() + at(s.End), Support: s.Support}
			for _, n := range s.Passages {
				moved.Passages = append(moved.Passages, numbers[n-1])
			}
			a.out.Sentences = append(a.out.Sentences, moved)
		}
		b.WriteString(body)
	}
	a.out.Text = b.String()
}

// firstQuoted returns the first quoted sentence of an answer without its markers, or "".
func (a *answering) firstQuoted() string {
	if len(a.out.Sentences) == 0 {
		return ""
	}
	s := a.out.Sentences[0]
	return strings.TrimSpace(text.ResolveMarkers(a.out.Text[s.Start:s.End], 0))
}

// adopt adds the passages of a part and returns their numbers in the whole answer.
func (a *answering) adopt(all []rag.Passage) []int {
	numbers := make([]int, len(all))
	for i, p := range all {
		at := slices.IndexFunc(a.out.Passages, func(o rag.Passage) bool { return o.ID == p.ID })
		if at < 0 {
			at = len(a.out.Passages)
			a.out.Passages = append(a.out.Passages, p)
		}
		numbers[i] = at + 1
	}
	return numbers
}
