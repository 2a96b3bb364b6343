package profile

import (
	"context"
	"strings"
	"unicode/utf8"

	"docent/internal/fault"
	"docent/rag"
)

// Preferences says how docent answers a user.
type Preferences struct {
	// Language is the language of answers: a code that rag.LanguageName knows, or "" for the language of each question.
	Language string
	// Instructions are the user's own instructions for models.
	Instructions string
}

// Check returns the preferences without space around the instructions, or fails with fault.Invalid.
func (p Preferences) Check() (Preferences, error) {
	p.Instructions = strings.TrimSpace(p.Instructions)
	switch {
	case p.Language != "" && rag.LanguageName(p.Language) == "":
		return p, fault.New(fault.Invalid, "preferences_language",
			"docent does not know the language %.20q; choose de, en, es, fr, it, nl, or pt, or none", p.Language)
	case utf8.RuneCountInString(p.Instructions) > rag.MaxInstructions:
		return p, fault.New(fault.Invalid, "instructions_long",
			"the instructions are longer than %d characters; shorten them", rag.MaxInstructions)
	}
	return p, nil
}

// Choices keeps the preferences of users. It is safe for concurrent use.
type Choices interface {
	// Preferences returns the preferences of an owner. They are zero until the owner sets them.
	Preferences(ctx context.Context, owner string) (Preferences, error)
	// SetPreferences replaces the preferences of an owner.
	SetPreferences(ctx context.Context, owner string, p Preferences) error
}
