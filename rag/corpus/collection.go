package corpus

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"docent/internal/fault"
)

// About describes a collection to people. The name identifies the collection and never changes, so
// that rights, sources, and stored questions keep their collection.
type About struct {
	// Title is the name that people see. "" means the name.
	Title string
	// Description says what the collection holds.
	Description string
	// Color is one of Colors, or "".
	Color string
	// Owner is a person or a team to ask about the documents. It gives no rights.
	Owner string
	// Questions are suggested to people, at most MaxQuestions.
	Questions []string
}

// Colors are the colors of collections.
var Colors = []string{"blue", "green", "orange", "purple", "red", "teal", "yellow"}

// Limits of About.
const (
	// MaxQuestions limits About.Questions.
	MaxQuestions = 6
	// maxTitle limits the title and the owner, in bytes.
	maxTitle = 200
	// maxDescription limits the description, in bytes.
	maxDescription = 2000
	// maxQuestion limits each question, in bytes.
	maxQuestion = 500
	// MaxCollections limits the collections that people create.
	MaxCollections = 10_000
)

// Check fails with fault.Invalid if the description cannot be stored.
func (a About) Check() error {
	if a.Color != "" && !slices.Contains(Colors, a.Color) {
		return fault.New(fault.Invalid, "collection_color_unknown",
			"%.64q is not a color of collections; use one of: %s", a.Color, strings.Join(Colors, ", "))
	}
	if len(a.Questions) > MaxQuestions {
		return fault.New(fault.Invalid, "collection_questions_full",
			"%d suggested questions; at most %d are allowed", len(a.Questions), MaxQuestions)
	}
	if len(a.Description) > maxDescription || !utf8.ValidString(a.Description) {
		return fault.New(fault.Invalid, "collection_description_long",
			"the description of the collection is longer than %d bytes; shorten it", maxDescription)
	}
	for _, line := range append([]string{a.Title, a.Owner}, a.Questions...) {
		if len(line) > maxQuestion || strings.ContainsFunc(line, unicode.IsControl) || !utf8.ValidString(line) {
			return fault.New(fault.Invalid, "collection_line_invalid",
				"%.64q must be one line of at most %d bytes", line, maxQuestion)
		}
	}
	if len(a.Title) > maxTitle || len(a.Owner) > maxTitle {
		return fault.New(fault.Invalid, "collection_title_long",
			"the title and the owner of a collection must not be longer than %d bytes", maxTitle)
	}
	if slices.ContainsFunc(a.Questions, func(q string) bool { return strings.TrimSpace(q) == "" }) {
		return fault.New(fault.Invalid, "collection_question_empty", "a suggested question is empty; write it or remove it")
	}
	return nil
}

// ErrFilled is the cause of the error of a removal of a collection with documents.
var ErrFilled = errors.New("the collection has documents")

// Collections changes the records of collections. It is safe for concurrent use.
type Collections interface {
	// AddCollection adds a collection without documents. It fails with fault.Conflict if the name is
	// taken or there are MaxCollections collections.
	AddCollection(ctx context.Context, name string, about About) error
	// SetCollection replaces the description of a collection. It fails with fault.NotFound if there is
	// no such collection.
	SetCollection(ctx context.Context, name string, about About) error
	// RemoveCollection removes a collection and the rights on it. It fails with fault.NotFound if there
	// is none. It fails with fault.Conflict if a source stores its documents there, and because of
	// ErrFilled if the collection has documents.
	RemoveCollection(ctx context.Context, name string) error
}
