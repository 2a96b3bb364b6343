package talk

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"docent/internal/lazyregexp"
)

// Wanted says what a message wants to know about the documents as such.
type Wanted string

// The questions about the documents.
const (
	// List asks which documents there are, or how many.
	List Wanted = "list"
	// Topics asks what the documents are about.
	Topics Wanted = "topics"
	// Newest asks for the documents that changed last.
	Newest Wanted = "newest"
	// Added asks for the documents that were added or updated last.
	Added Wanted = "added"
	// Mentions asks which documents are about something.
	Mentions Wanted = "mentions"
	// Updated asks when one document was changed.
	Updated Wanted = "updated"
	// Summary asks what one document is about.
	Summary Wanted = "summary"
	// Within asks what one document says about something.
	Within Wanted = "within"
)

// Library is a message about the documents as such.
type Library struct {
	// Wants says what the message asks.
	Wants Wanted
	// Name names a document or a kind of documents in the words of the user. It is "" for all documents. Only a library can
	// tell whether it names one. If not, the message is a question like any other.
	Name string
	// Collection names a collection. It is "" for all of them. If there is none with this name, the message is a question.
	Collection string
	// About is the subject, for Mentions and Within.
	About string
}

// about is a pattern of messages about documents.
type about struct {
	wants    Wanted
	language string
	pattern  *regexp.Regexp
}

// abouts are the patterns, the more special ones first.
var abouts = sync.OnceValue(func() []about {
	var out []about
	for _, s := range sections("library") {
		for _, p := range s.patterns {
			out = append(out, about{Wanted(s.name), s.language, whole(p)})
		}
	}
	return out
})

// leadingArticle matches the article before a subject.
var leadingArticle = lazyregexp.New(`^(?:the|an?|any|our|your|my|der|die|das|dem|den|des|eine?[nmr]?) `)

// adding matches a question for added documents.
var adding = lazyregexp.New(`\b(?:added|uploads?|uploaded|hinzugefügt|hochgeladen)\b`)

// maxLibrary limits the length of a message about the documents in bytes.
const maxLibrary = 200

// libraries returns the readings of a message as one about the documents as such, the most special one first, and its
// language. A reading with a Name holds only if a library has a document or a collection with this name.
func libraries(message string) (out []Library, language string) {
	if len(message) > maxLibrary {
		return nil, ""
	}
	words := normal(message)
	for _, a := range abouts() {
		m := a.pattern.FindStringSubmatch(words)
		if m == nil {
			continue
		}
		l := Library{Wants: a.wants}
		if l.Wants == Newest && adding.MatchString(words) {
			l.Wants = Added
		}
		for i, group := range a.pattern.SubexpNames() {
			switch group {
			case "name":
				l.Name += m[i] // one of several groups
			case "in":
				if words := strings.Fields(m[i]); len(words) > 0 {
					l.Collection = words[len(words)-1]
				}
			case "about":
				l.About = leadingArticle.ReplaceAllString(m[i], "")
			}
		}
		if slices.Contains(out, l) {
			continue
		}
		if out = append(out, l); language == "" {
			language = a.language
		}
	}
	return out, language
}
