package pipeline

import (
	"fmt"
	"strings"

	"docent/embed"
	"docent/internal/lazyregexp"
	"docent/rag"
	"docent/rag/retrieve"
	"docent/rag/text"
)

// Written is a model's text about numbered passages.
type Written struct {
	// Model is the model's name.
	Model string
	// Prompts is the version of the prompts; "" for other prompts.
	Prompts string
	// Question is the answered question.
	Question string
	// Language is the language of notes; see NoteLanguage.
	Language string
	// Text is the model's text with citation markers.
	Text string
	// Final is the tidied beginning of the text that readers already have, or "".
	Final string
	// StopReason is the server's reason for the end of the text. Readers see a note for "length" and "content_filter".
	StopReason string
	// Note is a note after the text, or "".
	Note string
	// Results are the passages. The first has number 1.
	Results []retrieve.Result
}

// Cite makes an answer from a model's text. It tidies the text, resolves the
// citation markers, drops invented ones, and checks each sentence against its passages. A
// sentence without citations gets the number of the passage that supports it, if there is
// one. An empty text becomes the CutNote alone.
func Cite(static *embed.Static, w Written) rag.Answer {
	m := cite(static, w)
	number(&m, len(w.Final))
	return m
}

// number puts the numbers of found passages behind their sentences. It leaves the beginning as it is that readers already have,
// and rows of tables and code.
func number(m *rag.Answer, from int) {
	by := 0
	for i := range m.Sentences {
		s := &m.Sentences[i]
		s.Start, s.End = s.Start+by, s.End+by
		sentence := m.Text[s.Start:s.End]
		if !s.Found || s.End < from+by || rowCells(sentence) != nil || strings.Contains(sentence, "```") {
			continue
		}
		marker := fmt.Sprintf(" [%d]", s.Passages[0])
		m.Text = m.Text[:s.End] + marker + m.Text[s.End:]
		s.End, by = s.End+len(marker), by+len(marker)
	}
}

// cite is Cite without the numbers of passages that docent found itself.
func cite(static *embed.Static, w Written) rag.Answer {
	body := beginWith(w.Final, tidied(w.Text, len(w.Results), namesOf(w.Results)))
	m := rag.Answer{
		Model: w.Model, Prompts: w.Prompts, Question: w.Question, Passages: passages(w.Results),
		Text: body + CutNote(w.Language, w.StopReason) + w.Note,
	}
	c := newChecker(static, w.Results)
	for _, s := range text.Sentences(body, false) {
		mark := rag.Sentence{Start: s.Start, End: s.End, Passages: text.Marked(body[s.Start:s.End], len(w.Results))}
		claim := text.ResolveMarkers(body[s.Start:s.End], 0)
		mark.Support = c.support(claim, mark.Passages)
		if len(mark.Passages) == 0 {
			if n := c.find(claim); n > 0 {
				mark.Passages, mark.Support, mark.Found = []int{n}, rag.Strong, true
			}
		}
		m.Sentences = append(m.Sentences, mark)
	}
	m.Outcome = outcomeOf(body, m.Sentences)
	return m
}

// outcomeOf returns the outcome of a model's text. It is Answered if a passage supports a sentence at least in part.
func outcomeOf(body string, sentences []rag.Sentence) rag.Outcome {
	if Admits(body) && !cites(sentences) {
		return rag.NotFound
	}
	for _, s := range sentences {
		if s.Support != rag.None {
			return rag.Answered
		}
	}
	return rag.Unsure
}

// admission matches the beginning of an answer that admits not to know.
var admission = lazyregexp.New(`(?i)^\W{0,3}(?:the answer (?:to (?:the|this|your) question )?is\W{1,3}(?:1\. )?)?(?:(?:i'?m )?sorry\W{1,3}(?:but )?)?(?:unfortunately\W{1,3})?(?:i (?:do not|don['’]?t|am not sure i) know|i(?: a|['’])m not sure\.?$|i (?:can(?:not|['’]t)|could ?n(?:ot|['’]t)) (?:answer|find|determine|tell)|(?:based on )?the (?:provided |given )?(?:passages|documents|context|sources)[^.]{0,40} (?:do(?:es)? not|don['’]t|doesn['’]t)|there is no information)`)

// Admits reports whether an answer begins with a statement such as "I don't
// know".
func Admits(text string) bool { return admission.MatchString(text) }

func cites(sentences []rag.Sentence) bool {
	for _, s := range sentences {
		if len(s.Passages) > 0 && !s.Found {
			return true
		}
	}
	return false
}
