package pipeline

import (
	"docent/internal/fault"
	"docent/rag/text"
)

// note returns a line after the text of a model, in the language of the question.
func note(question string, said fault.Text) string {
	if text.Language(question) == "de" {
		said = inGerman(said)
	}
	return "\n\n*" + said.Message + "*"
}

// stopLoop is the reason for the end of a text that repeats itself.
const stopLoop = "loop"

// CutNote returns the note to append to an answer that stopped for a reason,
// or "" if the answer is whole.
func CutNote(question, stopReason string) string {
	switch stopReason {
	case "length":
		return note(question, fault.NewText("cut_length", "The answer was cut off: the model reached its length limit."))
	case stopLoop:
		return note(question, fault.NewText("cut_loop", "The answer was cut off: the model repeated itself."))
	case "content_filter":
		return note(question, fault.NewText("cut_filter", "The answer was cut off by the model's content filter."))
	default:
		return ""
	}
}

// UncheckedNote returns the note to append to an answer of a model that did not search the documents.
func UncheckedNote(question string) string {
	return note(question, fault.NewText("unchecked", "Not checked: the model did not search the documents for this answer."))
}

// shortenedNote says how many passages fit the model, or is "".
func shortenedNote(a *answering) string {
	switch n := len(a.found.Results); {
	case a.shown == 0:
		return ""
	case n < a.shown:
		return note(a.req.Question, fault.NewText("little_room",
			"The model has little room: it has read only the best %d of %d passages.", n, a.shown))
	default:
		return note(a.req.Question, fault.NewText("little_room_for_all",
			"The model has little room: it has read only a part of the conversation and the passages."))
	}
}
