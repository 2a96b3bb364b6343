package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"docent/internal/fault"
	"docent/rag"
	"docent/rag/corpus"
	"docent/rag/retrieve"
	"docent/rag/talk"
	"docent/rag/text"
)

const (
	// maxShownPassages is the number of passages behind an answer that are shown.
	maxShownPassages = 3
	// maxShownBytes limits each of them in bytes.
	maxShownBytes = 800
	// maxAsked is the number of earlier questions in a list.
	maxAsked = 20
)

// previous replies to a message about the last answer. A model gets the answer with its passages; without a model, docent
// shows parts of them. It is not done if there is no answer.
func (a *answering) previous(ctx context.Context) (done bool, err error) {
	if a.message.Previous == talk.Earlier && a.model == nil {
		a.earlierQuestions()
		return true, nil
	}
	last, err := a.lastAnswer(ctx)
	if err != nil || last == nil {
		return false, err
	}
	if a.model != nil {
		a.out.Passages, a.found.Results = last.Passages, passagesOf(last.Passages)
		return true, nil
	}
	recall{a, *last}.reply()
	return true, nil
}

// recall replies with parts of the last answer, without a model.
type recall struct {
	*answering
	last rag.LastAnswer
}

// lastAnswer returns the last answer with its passages, or nil. If the request has none that its reader may still read, the
// question is searched again.
func (a *answering) lastAnswer(ctx context.Context) (*rag.LastAnswer, error) {
	if last := a.req.Last; last != nil {
		readable, err := a.readable(ctx, last.Passages)
		if err != nil {
			return nil, err
		}
		if readable {
			return last, nil
		}
	}
	question, before, said := talk.LastQuestion(a.req.Turns)
	if question == "" || said == "" {
		return nil, nil //nolint:nilnil // there is no answer
	}
	found, err := a.retrieve(ctx, retrieve.Query{
		Question: question, Turns: before, K: a.req.K, Collections: a.req.Collections, Documents: a.req.Documents,
	})
	if err != nil {
		return nil, fmt.Errorf("retrieve the passages of the last answer: %w", err)
	}
	return &rag.LastAnswer{Text: said, Passages: passages(found.Results[:min(len(found.Results), a.req.K)])}, nil
}

// readable reports whether the reader may read the documents of all passages.
func (a *answering) readable(ctx context.Context, all []rag.Passage) (bool, error) {
	c, ok := a.pipeline.cfg.Shelf.(Catalog)
	if !ok {
		return true, nil
	}
	var seen []int64
	for _, p := range all {
		if p.File != 0 || slices.Contains(seen, p.DocumentID) {
			continue
		}
		seen = append(seen, p.DocumentID)
		there, err := c.Documents(ctx, corpus.DocumentFilter{ID: p.DocumentID, Limit: 1})
		if err != nil {
			return false, fmt.Errorf("look up the document of a passage: %w", err)
		}
		if len(there) == 0 {
			return false, nil
		}
	}
	return true, nil
}

// reply replies with parts of the last answer and its passages.
func (a recall) reply() {
	cited := text.Marked(a.last.Text, len(a.last.Passages))
	switch a.message.Previous {
	case talk.Rewrite:
		a.answering.reply(fault.NewText("previous_needs_model", "That needs a chat model. Without one, I can only quote the documents. "+
			"I can repeat the answer, or show its source."))
	case talk.Repeat:
		a.quote(a.last.Text)
	case talk.Shorter:
		a.quote(firstCited(a.last.Text, len(a.last.Passages)))
	case talk.Steps:
		if items := itemsOf(a.last.Text); items != "" {
			a.quote(items)
			return
		}
		if a.listBehind(cited) {
			return
		}
		a.answering.reply(fault.NewText("previous_no_steps", "The last answer has no list of steps."))
	default:
		if len(cited) == 0 {
			a.answering.reply(fault.NewText("previous_no_source", "The last answer quotes no passage, so it has no source."))
			return
		}
		a.sources(cited)
	}
}

// quote replies with a part of the last answer, and its passages.
func (a recall) quote(part string) {
	a.replied = true
	a.out.Text, a.out.Passages, a.out.Sentences = part, a.last.Passages, nil
	a.out.Outcome = rag.Answered
	for _, s := range text.Sentences(a.out.Text, false) {
		if numbers := text.Marked(a.out.Text[s.Start:s.End], len(a.last.Passages)); len(numbers) > 0 {
			a.out.Sentences = append(a.out.Sentences, rag.Sentence{Start: s.Start, End: s.End, Passages: numbers, Support: rag.Strong})
		}
	}
	if len(a.out.Sentences) == 0 {
		a.out.Outcome, a.out.Passages = rag.Replied, nil
		a.out.Sentences = unsupportedSentences(a.out.Text)
	}
}

// listBehind replies with the items of the first list in a cited passage, or returns false.
func (a recall) listBehind(cited []int) bool {
	for _, n := range cited {
		p := a.last.Passages[n-1]
		items := itemsOf(text.ResolveMarkers(text.Clean(p.Text), 0))
		if items == "" {
			continue
		}
		out := &composed{}
		for item := range strings.Lines(items) {
			out.open("")
			out.citePassage(strings.TrimRight(item, "\n"), p)
		}
		a.composed(out)
		return true
	}
	return false
}

// firstCited returns the first sentence of the first part of an answer that cites a passage, with its markers. A sentence that
// introduces a list keeps the list. Without markers, it is the first sentence of the answer.
func firstCited(answer string, passages int) string {
	lines := strings.Split(answer, "\n")
	for i, line := range lines {
		numbers := text.Marked(line, passages)
		if len(numbers) == 0 {
			continue
		}
		if strings.HasPrefix(line, "|") {
			return answer[:len(strings.Join(lines[:i+1], "\n"))] // the row with its header
		}
		first := firstSentence(line)
		if len(text.Marked(first, passages)) == 0 {
			for _, n := range numbers {
				first += " [" + strconv.Itoa(n) + "]"
			}
		}
		if strings.HasSuffix(text.ResolveMarkers(first, 0), ":") {
			if items := itemsOf(strings.Join(lines[i+1:], "\n")); items != "" {
				first += "\n\n" + items
			}
		}
		return first
	}
	return firstSentence(answer)
}

// firstSentence returns the first sentence of a text.
func firstSentence(s string) string {
	all := text.Sentences(s, false)
	if len(all) == 0 {
		return s
	}
	return s[all[0].Start:all[0].End]
}

// itemsOf returns the items of lists and the code in an answer, or "".
func itemsOf(answer string) string {
	var out []string
	code := false
	for line := range strings.Lines(answer) {
		line = strings.TrimRight(line, "\r\n")
		fence := text.OpensFence(strings.TrimSpace(line))
		if code || fence || text.ItemMark(strings.TrimSpace(line)) > 0 {
			out = append(out, line)
		}
		code = code != fence
	}
	return strings.Join(out, "\n")
}

// sources shows the passages behind the last answer. Asked whether it is sure, docent shows the whole passages.
func (a recall) sources(cited []int) {
	out := &composed{}
	if a.message.Previous == talk.Sure {
		out.say(a.said(fault.NewText("previous_sure", "I only quote the documents. The last answer is from this text:")))
	} else {
		out.say(a.said(fault.NewText("previous_source", "The last answer is from:")))
	}
	out.text.WriteString("\n")
	if a.message.Previous == talk.Sure {
		cited = cited[:min(len(cited), maxShownPassages)]
	}
	for _, n := range cited {
		p := a.last.Passages[n-1]
		out.open("- ")
		out.citePassage(a.place(p.Passage), p)
		if a.message.Previous == talk.Sure {
			quoted := strings.TrimSpace(text.Cut(text.Clean(p.Text), maxShownBytes))
			out.text.WriteString("\n\n  > " + strings.ReplaceAll(text.ResolveMarkers(quoted, 0), "\n", "\n  > ") + "\n")
		}
	}
	a.composed(out)
}

// place returns the title, the headings, the file name, and the page of a passage.
func (a *answering) place(p corpus.Passage) string {
	line := shownTitle(p.Document)
	for _, h := range p.Headings {
		line += corpus.HeadingSeparator + escaped(h)
	}
	var notes []string
	if name := escaped(fileName(p.Document)); name != shownTitle(p.Document) {
		notes = append(notes, name)
	}
	switch {
	case p.PageLabel != "":
		notes = append(notes, a.said(fault.NewText("page_label", "page %s", escaped(p.PageLabel))))
	case p.Page != nil:
		notes = append(notes, a.said(fault.NewText("page_number", "page %d", *p.Page+1)))
	}
	if p.Document.Dated() {
		notes = append(notes, dayIn(p.Document.Date, a.german()))
	}
	if len(notes) > 0 {
		line += " (" + strings.Join(notes, ", ") + ")"
	}
	return line
}

// earlierQuestions lists the earlier questions of the conversation.
func (a *answering) earlierQuestions() {
	out := &composed{}
	out.say(a.said(fault.NewText("previous_questions", "Your last questions:")))
	out.text.WriteString("\n")
	n := 0
	for _, t := range a.req.Turns {
		if t.Role == talk.User && n < maxAsked && strings.TrimSpace(t.Text) != "" {
			n++
			out.say(fmt.Sprintf("%d. %s", n, escaped(t.Text)))
		}
	}
	a.composed(out)
}
