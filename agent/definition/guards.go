package definition

import (
	"context"
	"fmt"
	"regexp"

	"gopkg.in/yaml.v3"

	"docent/agent"
	words "docent/rag/text"
)

// guards reads the section guards.
func (d *draft) guards(n *yaml.Node) {
	side := func(key string, add func(agent.Guard)) field {
		return field{key, func(n *yaml.Node) {
			d.list(n, key, func(item *yaml.Node) {
				if g, ok := d.guard(item); ok {
					add(g)
				}
			})
		}}
	}
	d.mapping(n, "guards", side("user", d.agent.GuardUser), side("agent", d.agent.GuardAgent))
}

// maxGuardLength limits the key longer_than, in characters.
const maxGuardLength = 1 << 20

// guard reads one guard.
func (d *draft) guard(n *yaml.Node) (g agent.Guard, ok bool) {
	kind, question, model := "", "", d.model
	var atModel *yaml.Node
	refuses := func(name string, read func(n *yaml.Node) func(context.Context, *agent.Session, string) (string, error)) field {
		return field{name, func(n *yaml.Node) {
			if kind != "" {
				d.wrong(n, "a guard checks one thing: write one for %s and another for %s", kind, name)
			}
			kind, g.Refuses = name, read(n)
		}}
	}
	type check = func(context.Context, *agent.Session, string) (string, error)
	keys := d.mapping(n, "a guard",
		field{"name", func(n *yaml.Node) { g.Name = d.text(n, "name") }},
		refuses("matches", func(n *yaml.Node) check {
			expression, err := regexp.Compile(d.text(n, "matches"))
			if err != nil {
				d.wrong(n, "matches is no regular expression of Go: %v", err)
				return nil
			}
			return agent.RefuseMatches(expression)
		}),
		refuses("longer_than", func(n *yaml.Node) check {
			return agent.RefuseLonger(d.integer(n, "longer_than", 1, maxGuardLength))
		}),
		refuses("languages", func(n *yaml.Node) check {
			codes := d.texts(n, "languages")
			for _, code := range codes {
				if !words.HasLanguage(code) {
					d.wrong(n, "languages has %q, which docent cannot tell: write ISO 639-1 codes such as en and de", code)
				}
			}
			return agent.RefuseOtherLanguages(codes...)
		}),
		refuses("ask", func(n *yaml.Node) check { question = d.text(n, "ask"); return nil }),
		field{"model", func(n *yaml.Node) { atModel, model = n, d.modelName(n) }},
		field{"reply", func(n *yaml.Node) { g.Reply = d.text(n, "reply") }},
	)
	switch {
	case kind == "":
		d.wrong(n, "a guard needs one of matches, longer_than, languages, and ask")
		return g, false
	case kind != "ask" && keys["model"] != nil:
		d.wrong(atModel, "model belongs to ask: leave it out")
	case kind == "ask" && d.chat(model) == nil:
		d.wrong(n, "ask needs a chat model, and none is set up")
	case kind == "ask":
		g.Refuses = agent.RefuseIf(question, d.chat(model))
	}
	if g.Name == "" {
		g.Name = fmt.Sprintf("%s in line %d", kind, n.Line)
	}
	return g, g.Refuses != nil
}
