package definition

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"gopkg.in/yaml.v3"

	"docent/agent"
	"docent/llm"
	"docent/rag/talk"
)

// maxWritten bounds the text that a model writes for one action, in bytes. The rest
// is cut off.
const maxWritten = 256 << 10

// ModelServer is a chat model that a file names.
type ModelServer struct {
	// Model is the name of the model on its server.
	Model string
	// URL is the base URL of an OpenAI-compatible server; "" is the configured
	// server.
	URL string
	// Key is the API key for URL; it may be "".
	Key string
}

// readModels reads the section models.
func (d *draft) readModels(n *yaml.Node) {
	d.entries(n, "models", func(key *yaml.Node, name string, value *yaml.Node) {
		var m ModelServer
		keys := d.mapping(value, "model "+name,
			field{"model", func(n *yaml.Node) { m.Model = d.text(n, "model") }},
			field{"url", func(n *yaml.Node) {
				m.URL = d.expanded(n, "url")
				if u, err := url.Parse(m.URL); m.URL != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
					d.wrong(n, "url must begin with http:// or https:// and a host")
				}
			}},
			field{"key", func(n *yaml.Node) { m.Key = d.expanded(n, "key") }},
		)
		before := len(d.problems)
		d.require(value, keys, "model "+name, "model")
		switch {
		case keys["key"] != nil && keys["url"] == nil:
			d.wrong(value, "model %s has a key without url: the configured server has its own key", name)
		case d.env.Models[name] != nil || name == "extractive":
			d.wrong(key, "model %s has the name of another one: choose another name", name)
		case d.env.OpenModel == nil:
			d.wrong(key, "models cannot be named here: leave models out")
		}
		if len(d.problems) > before {
			return
		}
		model, err := d.env.OpenModel(m)
		if err != nil {
			d.wrong(key, "model %s: %v", name, err)
			return
		}
		d.models[name] = model
	})
}

// llm reads the action llm, which asks a chat model without documents.
func (d bodies) llm(n *yaml.Node) *action {
	model, into := d.model, ""
	history := 0
	var prompt, system template
	if !isTrue(n) {
		d.mapping(n, "llm",
			field{"prompt", func(n *yaml.Node) { prompt = d.template(n, "prompt") }},
			field{"system", func(n *yaml.Node) { system = d.template(n, "system") }},
			field{"model", func(n *yaml.Node) { model = d.modelName(n) }},
			field{"history", func(n *yaml.Node) { history = d.integer(n, "history", 0, maxHistory) }},
			field{"into", func(n *yaml.Node) { into = d.variableName(n, "into") }},
		)
	}
	if model == "" && !d.omitted {
		d.wrong(n, "llm needs a chat model and none is set up: write needs: model in the state")
	}
	return &action{history: history, make: func() (agent.Body, error) {
		return func(ctx context.Context, s *agent.Session) error {
			question := s.Message()
			if prompt != nil {
				question = prompt.fill(s)
			}
			if strings.TrimSpace(question) == "" {
				return nil
			}
			messages, err := conversation(ctx, s, system.fill(s), history, question)
			if err != nil {
				return err
			}
			text, err := write(ctx, s, d.chat(model), messages, into == "")
			switch {
			case err != nil:
				return fmt.Errorf("ask model %s: %w", model, err)
			case into != "":
				return s.Set(into, text)
			}
			return s.Reply(ctx, text)
		}, nil
	}}
}

// conversation returns the messages for a model. The context of the agent and of the session
// follows the system text.
func conversation(ctx context.Context, s *agent.Session, system string, history int, question string) ([]llm.Message, error) {
	var out []llm.Message
	if system = strings.TrimSpace(system + "\n\n" + agent.ModelContext(s)); system != "" {
		out = append(out, llm.Text(llm.System, system))
	}
	if history > 0 {
		turns, err := s.Turns(ctx, history)
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
	return append(out, llm.Text(llm.User, question)), nil
}

// write returns the text of a model. With stream, clients see it grow.
func write(ctx context.Context, s *agent.Session, model llm.Model, messages []llm.Message, stream bool) (string, error) {
	var text strings.Builder
	for delta, err := range model.Chat(ctx, llm.Request{Messages: messages}) {
		if delta.Restart {
			text.Reset()
			s.DropDraft()
		}
		switch {
		case err != nil:
			return "", err
		case delta.Answer != nil:
			if u := delta.Answer.Usage; u != nil {
				s.AddUsage(u.Prompt, u.Completion)
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
