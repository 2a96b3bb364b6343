// Package profile keeps the prompts of users, and their preferences for answers.
package profile

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"docent/internal/fault"
)

// Limits of prompts.
const (
	// MaxPrompts limits the prompts of one owner.
	MaxPrompts = 200
	// MaxShared limits the prompts that everybody sees.
	MaxShared = 200
	// MaxName limits the name of a prompt, in characters.
	MaxName = 60
	// MaxText limits the text of a prompt, in characters.
	MaxText = 4000
)

// Prompt is a message that a user keeps to send it again.
type Prompt struct {
	// ID names it.
	ID int64
	// Owner is the principal that wrote it. It is "" without authentication, and after the owner's
	// account was deleted.
	Owner string
	// Name is the name in lists.
	Name string
	// Text is the message. Clients ask for the values of {placeholders} when they use it.
	Text string
	// Shared shows the prompt to everybody.
	Shared bool
	// UpdatedAt is the time of the last change.
	UpdatedAt time.Time
}

// Check returns the prompt without space around its name and text, or fails with fault.Invalid.
func (p Prompt) Check() (Prompt, error) {
	p.Name, p.Text = strings.Join(strings.Fields(p.Name), " "), strings.TrimSpace(p.Text)
	switch {
	case p.Name == "" || p.Text == "":
		return p, fault.New(fault.Invalid, "prompt_empty", "a prompt needs a name and a text")
	case utf8.RuneCountInString(p.Name) > MaxName:
		return p, fault.New(fault.Invalid, "prompt_name_long", "the name is longer than %d characters; shorten it", MaxName)
	case utf8.RuneCountInString(p.Text) > MaxText:
		return p, fault.New(fault.Invalid, "prompt_long", "the prompt is longer than %d characters; shorten it", MaxText)
	}
	return p, nil
}

// Editor is the principal that changes a prompt. It may change its own prompts. Shared ones need an administrator.
type Editor struct {
	// Principal is the principal.
	Principal string
	// Admin reports that it is an administrator.
	Admin bool
}

// Prompts keeps prompts. It is safe for concurrent use.
type Prompts interface {
	// Prompts returns the prompts of an owner and all shared ones, by name.
	Prompts(ctx context.Context, owner string) ([]Prompt, error)
	// AddPrompt stores a prompt and returns its id. It fails with fault.Conflict if the owner has
	// MaxPrompts prompts, or if p is shared and MaxShared others are.
	AddPrompt(ctx context.Context, p Prompt) (int64, error)
	// ChangePrompt replaces the name, the text, and the sharing of the prompt with the id of p. Its owner stays; a shared
	// prompt without an owner gets the editor. It fails with fault.NotFound if there is no such prompt that the
	// editor may change, and with fault.Conflict if MaxShared other prompts are shared.
	ChangePrompt(ctx context.Context, by Editor, p Prompt) error
	// RemovePrompt removes a prompt. It fails with fault.NotFound if there is none that the editor may change.
	RemovePrompt(ctx context.Context, by Editor, id int64) error
}

// NoPrompt is the error for a missing prompt.
func NoPrompt() error {
	return fault.New(fault.NotFound, "no_prompt", "this prompt does not exist, or you may not change it")
}

// PromptsFull is the error for a prompt too many.
func PromptsFull() error {
	return fault.New(fault.Conflict, "prompts_full", "you already have %d prompts; delete one first", MaxPrompts)
}

// SharedFull is the error for a shared prompt too many.
func SharedFull() error {
	return fault.New(fault.Conflict, "prompts_shared_full", "%d prompts are already shared; delete one first", MaxShared)
}
