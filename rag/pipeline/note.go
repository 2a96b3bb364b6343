package pipeline

import (
	"cmp"

	"docent/internal/fault"
	"docent/rag"
	"docent/rag/text"
)

// NoteLanguage returns the language of notes: that of the user's wishes, or of the question.
func NoteLanguage(wishes rag.Wishes, question string) string {
	return cmp.Or(wishes.Language, text.Language(question))
}

// note returns a line after the text of a model, in a language.
func note(language string, said fault.Text) string {
	if language == "de" {
		said = inGerman(said)
	}
	return "\n\n*" + said.Message + "*"
}

// stopLoop is the reason for the end of a text that repeats itself.
const stopLoop = "loop"

// CutNote returns the note to append to an answer that stopped for a reason,
// or "" if the answer is whole.
func CutNote(language, stopReason string) string {
	switch stopReason {
	case "length":
		return note(language, fault.NewText("cut_length", "The answer was cut off: the model reached its length limit."))
	case stopLoop:
		return note(language, fault.NewText("cut_loop", "The answer was cut off: the model repeated itself."))
	case "content_filter":
		return note(language, fault.NewText("cut_filter", "The answer was cut off by the model's content filter."))
	default:
		return ""
	}
}

// UncheckedNote returns the note to append to an answer of a model that did not search the documents.
func UncheckedNote(language string) string {
	return note(language, fault.NewText("unchecked", "Not checked: the model did not search the documents for this answer."))
}

// shortenedNote says how many passages fit the model, or is "".
func shortenedNote(a *answering) string {
	switch n := len(a.found.Results); {
	case a.shown == 0:
		return ""
	case n < a.shown:
		return note(NoteLanguage(a.wishes, a.req.Question), fault.NewText("little_room",
			"The model has little room: it has read only the best %d of %d passages.", n, a.shown))
	default:
		return note(NoteLanguage(a.wishes, a.req.Question), fault.NewText("little_room_for_all",
			"The model has little room: it has read only a part of the conversation and the passages."))
	}
}
