package agent

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"

	"docent/agent/tool"
	"docent/internal/errlog"
	"docent/llm"
	"docent/rag/talk"
)

// maxWritten limits the text that a model writes for a prompt, in bytes. The rest is cut off.
const maxWritten = 256 << 10

// Models are the chat models of an agent.
type Models struct {
	// ByName are the models that AskRequest.Model may name.
	ByName map[string]llm.Model
	// Default is the name of the model for requests that name none, or "".
	Default string
}

// find returns the model with a name, or the default one.
func (m Models) find(name string) (llm.Model, error) {
	if name == "" {
		name = m.Default
	}
	switch model := m.ByName[name]; {
	case model != nil:
		return model, nil
	case len(m.ByName) == 0:
		return nil, errors.New("there is no chat model: set one up, for example with DOCENT_MODEL")
	default:
		return nil, fmt.Errorf("there is no chat model %q; there are: %s", name, strings.Join(slices.Sorted(maps.Keys(m.ByName)), ", "))
	}
}

// AskRequest is a request to a chat model without documents.
type AskRequest struct {
	// Prompt is the message for the model. Default: the text of the event.
	Prompt string
	// System instructs the model. The context of the agent and of the session follows it; see ModelContext.
	System string
	// Model is the name of the model. Default: the default model.
	Model string
	// With is the model itself, in place of Model.
	With llm.Model
	// History is the number of earlier messages that the model gets. Default: 0, none.
	History int
	// Shape is the shape of the answer. Ask then returns a JSON object that fits it, or fails after two repairs. Default: nil,
	// the answer is any text.
	Shape *tool.Shape
	// Stream shows the growing text to clients that stream. The next reply replaces it.
	Stream bool
}

// Ask asks the default model and returns its text without saying it. It corresponds to BAF's predict. The model gets the
// context of the agent and of the session, but no earlier messages. [Ask] has more options, and [Asking] says the text.
func (s *Session) Ask(ctx context.Context, prompt string) (string, error) {
	return Ask(ctx, s, AskRequest{Prompt: prompt})
}

// Ask asks a chat model and returns its text. Without a prompt and without a text of the event, it returns "". If the
// model writes no text, the error gives the reason and the setting that helps.
func Ask(ctx context.Context, s *Session, req AskRequest) (text string, err error) {
	defer func() {
		if p := recover(); p != nil { // its value may repeat the words of users
			err = errlog.Withhold(errlog.Recovered(p, debug.Stack()))
		}
	}()
	if req.Prompt == "" {
		req.Prompt = s.Message()
	}
	if strings.TrimSpace(req.Prompt) == "" {
		return "", nil
	}
	if req.With == nil {
		if req.With, err = s.turn.env.Models.find(req.Model); err != nil {
			return "", err
		}
	}
	messages, err := req.messages(ctx, s)
	if err != nil {
		return "", err
	}
	if req.Shape != nil {
		text, err = shaped(ctx, s, req.With, messages, req.Shape)
		return text, err
	}
	if text, err = writtenBy(ctx, s, req.With, llm.Request{Messages: messages}, req.Stream); err != nil {
		return "", fmt.Errorf("ask model %s: %w", req.With.Name(), err)
	}
	return text, nil
}

// Asking returns a body that says what a chat model writes. Without a prompt, the model answers the message of the user, and
// the body says nothing if no event led to the state. Clients that stream see the text grow.
func Asking(req AskRequest) Body {
	req.Stream = true
	return func(ctx context.Context, s *Session) error {
		text, err := Ask(ctx, s, req)
		if err != nil || text == "" {
			return err
		}
		return s.Reply(ctx, text)
	}
}

// messages returns the messages for the model.
func (r AskRequest) messages(ctx context.Context, s *Session) ([]llm.Message, error) {
	var out []llm.Message
	if system := strings.TrimSpace(r.System + "\n\n" + ModelContext(s)); system != "" {
		out = append(out, llm.Text(llm.System, system))
	}
	if r.History > 0 {
		turns, err := s.Turns(ctx, r.History)
		if err != nil {
			return nil, fmt.Errorf("history: %w", err)
		}
		for _, t := range turns {
			role := llm.Assistant
			if t.Role == talk.User {
				role = llm.User
			}
			out = append(out, llm.Text(role, t.Text))
		}
	}
	return append(out, llm.Text(llm.User, r.Prompt)), nil
}

// writtenBy returns the text of a model. With stream, clients see it grow. An answer without text is an error.
func writtenBy(ctx context.Context, s *Session, model llm.Model, req llm.Request, stream bool) (string, error) {
	var text strings.Builder
	for delta, err := range model.Chat(ctx, req) {
		if delta.Restart {
			text.Reset()
			DropDraft(s)
		}
		switch {
		case err != nil:
			return "", err
		case delta.Answer != nil:
			if u := delta.Answer.Usage; u != nil {
				s.AddUsage(u.Prompt, u.Completion)
			}
			if strings.TrimSpace(delta.Answer.Text) == "" {
				return "", llm.EmptyError(model.Name(), *delta.Answer)
			}
			return strings.ToValidUTF8(delta.Answer.Text[:min(len(delta.Answer.Text), maxWritten)], ""), nil
		case text.Len()+len(delta.Text) > maxWritten:
			return strings.ToValidUTF8((text.String() + delta.Text)[:maxWritten], ""), nil
		}
		text.WriteString(delta.Text)
		if stream && delta.Text != "" {
			if err := s.Stream(ctx, delta.Text); err != nil {
				return "", err
			}
		}
	}
	return text.String(), nil
}
