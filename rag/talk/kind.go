package talk

import (
	"strings"

	"docent/rag/text"
)

// Kind is the kind of a message.
type Kind string

// The kinds of messages. They are recognized in English and German. A message in another language is a Question.
const (
	// Question asks something that documents may answer.
	Question Kind = "question"
	// SmallTalk greets, thanks, or asks about docent itself.
	SmallTalk Kind = "small_talk"
	// OfLibrary asks about the documents as such, such as how many there are, or what one of them is about.
	OfLibrary Kind = "library"
	// OfPrevious is about the last answer.
	OfPrevious Kind = "previous"
	// Task orders something that docent does not do, such as booking a room.
	Task Kind = "task"
)

// Message is a message with its kind.
type Message struct {
	// Kind is the kind.
	Kind Kind
	// Language is the language of docent's own words in the reply, as an ISO 639-1 code, or "" if it is unknown.
	Language string
	// Talk is the kind of small talk of SmallTalk.
	Talk *Talk
	// Library are the readings of OfLibrary, the most special one first. The message is a Question if no reading holds.
	Library []Library
	// Previous says how OfPrevious uses the last answer.
	Previous Previous
}

// Read returns the kind of a message behind earlier turns.
func Read(message string, turns []Turn) Message {
	wants, ofLanguage := ofPrevious(message)
	if LastAnswer(turns) == "" {
		wants = ""
	}
	kind, smallLanguage := small(message)
	if wants != "" && (kind == nil || strings.HasSuffix(strings.TrimSpace(message), "?")) { // "sure." agrees
		return Message{Kind: OfPrevious, Language: ofLanguage, Previous: wants}
	}
	if kind != nil {
		return Message{Kind: SmallTalk, Language: smallLanguage, Talk: kind}
	}
	if readings, language := libraries(message); len(readings) > 0 {
		return Message{Kind: OfLibrary, Language: language, Library: readings}
	}
	if language := task(message); language != "" {
		return Message{Kind: Task, Language: language}
	}
	if kind, language := vague(message, turns); kind != nil {
		return Message{Kind: SmallTalk, Language: language, Talk: kind}
	}
	return Message{Kind: Question, Language: language(message, turns)}
}

// language returns the language of a question. Keywords have the language of the questions before them.
func language(message string, turns []Turn) string {
	if code := text.Language(message); code != "" {
		return code
	}
	for i := len(turns) - 1; i >= 0; i-- {
		if turns[i].Role == User {
			if code := text.Language(turns[i].Text); code != "" {
				return code
			}
		}
	}
	return ""
}
