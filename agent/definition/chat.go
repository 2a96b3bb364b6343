package definition

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"

	"gopkg.in/yaml.v3"

	"docent/agent"
	"docent/agent/tool"
	"docent/internal/fault"
)

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
	var shape *tool.Shape
	if !isTrue(n) {
		d.mapping(n, "llm",
			field{"prompt", func(n *yaml.Node) { prompt = d.template(n, "prompt") }},
			field{"system", func(n *yaml.Node) { system = d.template(n, "system") }},
			field{"model", func(n *yaml.Node) { model = d.modelName(n) }},
			field{"history", func(n *yaml.Node) { history = d.integer(n, "history", 0, maxHistory) }},
			field{"schema", func(n *yaml.Node) { shape = d.shape(n) }},
			field{"into", func(n *yaml.Node) { into = d.variableName(n, "into") }},
		)
	}
	if shape != nil && into == "" {
		d.wrong(n, "llm with a schema needs into, the variable that gets the object")
	}
	if model == "" && !d.omitted {
		d.wrong(n, "llm needs a chat model and none is set up: write needs: model in the state")
	}
	return &action{history: history, make: func() (agent.Body, error) {
		return func(ctx context.Context, s *agent.Session) error {
			req := agent.AskRequest{System: system.fill(s), With: d.chat(model), History: history, Shape: shape, Stream: into == ""}
			if prompt != nil {
				if req.Prompt = prompt.fill(s); strings.TrimSpace(req.Prompt) == "" {
					return nil
				}
			}
			text, err := agent.Ask(ctx, s, req)
			switch {
			case err != nil || req.Prompt == "" && strings.TrimSpace(s.Message()) == "":
				return err
			case shape != nil:
				return s.Set(into, json.RawMessage(text))
			case into != "":
				return s.Set(into, text)
			}
			return s.Reply(ctx, text)
		}, nil
	}}
}

// shape reads the JSON Schema of an answer.
func (d bodies) shape(n *yaml.Node) *tool.Shape {
	schema, err := json.Marshal(d.value(n, "schema"))
	if err != nil {
		d.wrong(n, "schema is no JSON Schema")
		return nil
	}
	shape, err := tool.NewShape(schema)
	if err != nil {
		d.wrong(n, "%s", fault.Message(err))
	}
	return shape
}
