package rag

import (
	"regexp"
	"slices"
	"strings"

	"docent/embed"
	"docent/rag/retrieve"
	"docent/rag/text"
)

// Notes after an incomplete answer.
const (
	noteLength = "*The answer was cut off: the model reached its length limit.*"
	noteFilter = "*The answer was cut off by the model's content filter.*"
)

// Written is a model's text about numbered passages.
type Written struct {
	// Model is the model's name.
	Model string
	// Question is the answered question.
	Question string
	// Text is the model's text with citation markers.
	Text string
	// StopReason is the server's reason for the end of the text. Readers see a note for "length" and "content_filter".
	StopReason string
	// Results are the passages. The first has number 1.
	Results []retrieve.Result
}

// Cite makes an answer from a model's text. It resolves the citation markers,
// drops invented ones, and checks each sentence against its passages. If a
// sentence cites nothing, Cite looks for a passage that supports it. If the text
// is empty, the answer is only the CutNote.
func Cite(static *embed.Static, w Written) Answer {
	body := strings.TrimSpace(text.ResolveMarkers(Clean(w.Text), len(w.Results)))
	m := Answer{Model: w.Model, Question: w.Question, Text: body + CutNote(w.StopReason), Passages: slices.Clone(w.Results)}
	c := newChecker(static, w.Results)
	for _, s := range text.Sentences(body, false) {
		mark := Sentence{Start: s.Start, End: s.End, Passages: text.Marked(body[s.Start:s.End], len(w.Results))}
		claim := text.ResolveMarkers(body[s.Start:s.End], 0)
		mark.Support = c.support(claim, mark.Passages)
		if len(mark.Passages) == 0 {
			if n := c.find(claim); n > 0 {
				mark.Passages, mark.Support, mark.Found = []int{n}, Strong, true
			}
		}
		m.Sentences = append(m.Sentences, mark)
	}
	m.Abstained = Admits(body) && !cites(m.Sentences)
	return m
}

// Clean prepares a model's text for display. It removes invisible characters and
// replaces images with their alternative texts. Displaying an image would fetch
// an address that may come from a document.
func Clean(s string) string {
	return strings.TrimSpace(text.DropImages(strings.TrimSpace(text.Visible(s))))
}

// Unmarked returns an answer without citation markers. Use it where the numbers
// would have no meaning or refer to other passages.
func Unmarked(s string) string { return strings.TrimSpace(text.ResolveMarkers(s, 0)) }

// CutNote returns the note for an answer that ended early for the given reason.
// It returns "" for a complete answer.
func CutNote(stopReason string) string {
	switch stopReason {
	case "length":
		return "\n\n" + noteLength
	case "content_filter":
		return "\n\n" + noteFilter
	default:
		return ""
	}
}

// admission matches the beginning of an answer that admits not to know.
var admission = regexp.MustCompile(`(?i)^\W{0,3}(?:(?:i'?m )?sorry\W{1,3}(?:but )?)?(?:unfortunately\W{1,3})?(?:i (?:do not|don['’]?t|am not sure i) know|i (?:can(?:not|['’]t)|could ?n(?:ot|['’]t)) (?:answer|find|determine|tell)|(?:based on )?the (?:provided |given )?(?:passages|documents|context|sources)[^.]{0,40} (?:do(?:es)? not|don['’]t|doesn['’]t)|there is no information)`)

// Admits reports whether an answer begins with a statement such as "I don't
// know".
func Admits(text string) bool { return admission.MatchString(text) }

func cites(sentences []Sentence) bool {
	for _, s := range sentences {
		if len(s.Passages) > 0 && !s.Found {
			return true
		}
	}
	return false
}
