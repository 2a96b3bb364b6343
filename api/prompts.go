package api

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/route"
	"docent/auth"
	"docent/auth/audit"
	"docent/internal/fault"
	"docent/profile"
)

// Prompt is a message that a user keeps to send it again.
type Prompt struct {
	// ID names it.
	ID int64 `json:"id"`
	// Name is its name in lists.
	Name string `json:"name"`
	// Text is the message.
	Text string `json:"text" doc:"The message. The page asks for the values of {placeholders}."`
	// Shared reports that everybody sees it.
	Shared bool `json:"shared" doc:"Everybody sees it."`
	// Own reports that the user wrote it.
	Own bool `json:"own" doc:"You wrote it."`
	// UpdatedAt is the time of the last change.
	UpdatedAt time.Time `json:"updated_at"`
}

type promptsOutput struct{ Body []Prompt }

// promptContent is the changeable part of a prompt.
type promptContent struct {
	Name   string `json:"name" minLength:"1" doc:"The name, with at most 60 characters."`
	Text   string `json:"text" minLength:"1" doc:"The message, with at most 4000 characters. {placeholders} consist of letters, digits, spaces, hyphens, and underscores."`
	Shared bool   `json:"shared,omitempty" doc:"Shows the prompt to everybody. Only administrators may do so."`
}

type newPromptInput struct {
	route.JSONBody
	Body promptContent `nameHint:"PromptContent"`
}

type newPromptOutput struct{ Body Prompt }

type promptInput struct {
	ID int64 `path:"prompt_id" minimum:"1"`
}

type promptChangeInput struct {
	route.JSONBody
	ID   int64         `path:"prompt_id" minimum:"1"`
	Body promptContent `nameHint:"PromptContent"`
}

// prompts handles the routes for prompts.
type prompts struct {
	store profile.Prompts
	audit AuditLog
}

func (p prompts) addRoutes(r *route.Router) {
	const list, one = "/api/prompts", "/api/prompts/{prompt_id}"
	tags, missing := []string{"prompts"}, []int{http.StatusForbidden, http.StatusNotFound, http.StatusConflict}
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: list, OperationID: "list-prompts", Tags: tags, Summary: "List your prompts and the shared ones, by name",
	}, p.list)
	route.Add(r, huma.Operation{
		Method: http.MethodPost, Path: list, OperationID: "create-prompt", Tags: tags, Summary: "Keep a prompt",
		DefaultStatus: http.StatusCreated,
		Errors:        []int{http.StatusForbidden, http.StatusConflict},
		Description:   "You can keep 200 prompts. The audit log records acts on shared ones.",
	}, p.create)
	route.Add(r, huma.Operation{
		Method: http.MethodPut, Path: one, OperationID: "change-prompt", Tags: tags, Summary: "Change a prompt", Errors: missing,
		Description: "You can change your own prompts. Administrators can change shared ones.",
	}, p.change)
	route.Add(r, huma.Operation{
		Method: http.MethodDelete, Path: one, OperationID: "delete-prompt", Tags: tags, Summary: "Delete a prompt", Errors: missing,
	}, p.delete)
}

func (p prompts) list(ctx context.Context, _ *struct{}) (*promptsOutput, error) {
	all, err := p.all(ctx)
	return &promptsOutput{Body: all}, err
}

// all returns the prompts that the principal sees.
func (p prompts) all(ctx context.Context) ([]Prompt, error) {
	who, _ := auth.FromContext(ctx)
	all, err := p.store.Prompts(ctx, who.ID)
	out := make([]Prompt, len(all))
	for i, one := range all {
		out[i] = promptShape(one, who.ID)
	}
	return out, err //nolint:wrapcheck // the store names the operation
}

// of returns the principal's own prompts.
func (p prompts) of(ctx context.Context) ([]Prompt, error) {
	all, err := p.all(ctx)
	out := []Prompt{}
	for _, one := range all {
		if one.Own {
			out = append(out, one)
		}
	}
	return out, err
}

func promptShape(p profile.Prompt, principal string) Prompt {
	return Prompt{ID: p.ID, Name: p.Name, Text: p.Text, Shared: p.Shared, Own: p.Owner == principal, UpdatedAt: p.UpdatedAt.UTC()}
}

// checked returns a prompt with new content, and its editor.
func (p prompts) checked(ctx context.Context, content promptContent) (profile.Prompt, profile.Editor, error) {
	who, _ := auth.FromContext(ctx)
	by := profile.Editor{Principal: who.ID, Admin: who.May(auth.Admin)}
	if content.Shared && !by.Admin {
		return profile.Prompt{}, by, fault.New(fault.Forbidden, "prompt_share_admin_only",
			"only administrators may share a prompt with everybody")
	}
	out, err := profile.Prompt{
		Owner: who.ID, Name: content.Name, Text: content.Text, Shared: content.Shared, UpdatedAt: time.Now().UTC().Truncate(time.Microsecond),
	}.Check()
	return out, by, err //nolint:wrapcheck // it is for users
}

// record adds an act on a shared prompt to the audit log.
func (p prompts) record(ctx context.Context, id int64) error {
	who, _ := auth.FromContext(ctx)
	return p.audit.Add(ctx, audit.Record{
		Actor: who.ID, Address: auth.RemoteOf(ctx), Action: audit.PromptShared, Object: strconv.FormatInt(id, 10),
	})
}

func (p prompts) create(ctx context.Context, in *newPromptInput) (*newPromptOutput, error) {
	prompt, by, err := p.checked(ctx, in.Body)
	if err != nil {
		return nil, err
	}
	if prompt.ID, err = p.store.AddPrompt(ctx, prompt); err != nil {
		return nil, err //nolint:wrapcheck // the store names the operation
	}
	route.Concerns(ctx, strconv.FormatInt(prompt.ID, 10))
	if prompt.Shared {
		if err := p.record(ctx, prompt.ID); err != nil {
			return nil, err
		}
	}
	return &newPromptOutput{promptShape(prompt, by.Principal)}, nil
}

func (p prompts) change(ctx context.Context, in *promptChangeInput) (*struct{}, error) {
	prompt, by, err := p.checked(ctx, in.Body)
	if err != nil {
		return nil, err
	}
	prompt.ID = in.ID
	if err := p.note(ctx, by, in.ID, prompt.Shared); err != nil {
		return nil, err
	}
	return nil, p.store.ChangePrompt(ctx, by, prompt) //nolint:wrapcheck // the store names the operation
}

func (p prompts) delete(ctx context.Context, in *promptInput) (*struct{}, error) {
	who, _ := auth.FromContext(ctx)
	by := profile.Editor{Principal: who.ID, Admin: who.May(auth.Admin)}
	if err := p.note(ctx, by, in.ID, false); err != nil {
		return nil, err
	}
	return nil, p.store.RemovePrompt(ctx, by, in.ID) //nolint:wrapcheck // the store names the operation
}

// note names the prompt in the log, and records the act before it if the prompt is shared, or will be.
func (p prompts) note(ctx context.Context, by profile.Editor, id int64, shared bool) error {
	route.Concerns(ctx, strconv.FormatInt(id, 10))
	if !by.Admin {
		return nil // only administrators act on shared prompts
	}
	all, err := p.store.Prompts(ctx, by.Principal)
	if err != nil {
		return err //nolint:wrapcheck // the store names the operation
	}
	for _, one := range all {
		if one.ID == id && (one.Shared || shared) {
			return p.record(ctx, id)
		}
	}
	return nil
}
