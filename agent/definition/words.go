package definition

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"docent/agent/intent"
	"docent/internal/fault"
)

// named lists the keys of a map for an error message.
func named[T any](m map[string]T) string {
	if len(m) == 0 {
		return "none"
	}
	return strings.Join(slices.Sorted(maps.Keys(m)), ", ")
}

// readEntities reads the section entities. n is nil without one.
func (d *draft) readEntities(n *yaml.Node) {
	d.entities = map[string]*intent.Entity{}
	if n == nil {
		return
	}
	d.entries(n, "entities", func(key *yaml.Node, name string, value *yaml.Node) {
		d.entities[name] = nil // the name exists, even if the entity is invalid
		before := len(d.problems)
		if e := d.entity(value, name); e != nil {
			if err := e.Validate(); err != nil && len(d.problems) == before {
				d.wrong(key, "%s", fault.Message(err))
			}
			d.entities[name] = d.agent.Entity(e)
		}
	})
}

// entity reads one entity. It returns nil if the entity is invalid.
func (r *reader) entity(n *yaml.Node, name string) *intent.Entity {
	kind, pattern, description := "", "", ""
	var values []intent.Value
	keys := r.mapping(n, "entity "+name,
		field{"type", func(n *yaml.Node) { kind = r.choice(n, "type", "listed", "number", "datetime", "any", "regexp") }},
		field{"pattern", func(n *yaml.Node) { pattern = r.text(n, "pattern") }},
		field{"description", func(n *yaml.Node) { description = r.text(n, "description") }},
		field{"values", func(n *yaml.Node) { values = r.entityValues(n) }},
	)
	if kind == "" && keys["type"] == nil {
		kind = "listed"
	}
	if kind == "" {
		return nil
	}
	if (kind == "listed") != (keys["values"] != nil) {
		r.wrong(n, "entity %s needs either values or another type than listed", name)
		return nil
	}
	if (kind == "regexp") != (keys["pattern"] != nil) {
		r.wrong(n, "entity %s needs type regexp and a pattern together", name)
		return nil
	}
	var e *intent.Entity
	switch kind {
	case "listed":
		e = intent.Listed(name, values...)
	case "regexp":
		e = intent.Regexp(name, pattern)
	case "number":
		e = intent.Number()
	case "datetime":
		e = intent.DateTime()
	case "any":
		e = intent.Any()
	}
	e.Name = name
	if description != "" {
		e = e.Describe(description)
	}
	return e
}

// entityValues reads values with their synonyms, as a mapping of lists. A list
// of values without synonyms is also allowed.
func (r *reader) entityValues(n *yaml.Node) []intent.Value {
	var out []intent.Value
	target := n
	for target.Kind == yaml.AliasNode {
		target = target.Alias
	}
	if target.Kind == yaml.SequenceNode {
		for _, v := range r.texts(n, "values") {
			out = append(out, intent.Value{Value: v})
		}
		return out
	}
	r.entries(n, "values", func(_ *yaml.Node, name string, synonyms *yaml.Node) {
		v := intent.Value{Value: name}
		r.list(synonyms, "the synonyms of "+name, func(item *yaml.Node) {
			v.Synonyms = append(v.Synonyms, r.text(item, "each of the synonyms of "+name))
		})
		out = append(out, v)
	})
	return out
}

// readIntents reads the section intents. n is nil without one.
func (d *draft) readIntents(n *yaml.Node) {
	d.intents, d.thresholds = map[string]*intent.Intent{}, map[string]float64{}
	if n == nil {
		return
	}
	d.entries(n, "intents", func(key *yaml.Node, name string, value *yaml.Node) {
		i := d.agent.Intent(name)
		d.intents[name] = i
		var parameters *yaml.Node
		keys := d.mapping(value, "intent "+name,
			field{"description", func(n *yaml.Node) { i.Describe(d.text(n, "description")) }},
			field{"examples", func(n *yaml.Node) { i.Sentences = d.texts(n, "examples") }},
			field{"parameters", func(n *yaml.Node) { parameters = n }},
			field{"threshold", func(n *yaml.Node) { d.thresholds[name] = d.share(n, "threshold") }},
		)
		switch {
		case keys["examples"] != nil:
		case d.classifier != "llm":
			d.wrong(key, "intent %s needs examples of what users say: without classifier: llm it is known by nothing else", name)
		case keys["description"] == nil:
			d.wrong(key, "intent %s needs examples of what users say, or a description", name)
		}
		if parameters != nil {
			d.readParameters(parameters, i)
		}
		if err := intent.Validate(i); err != nil {
			d.wrong(key, "%s", fault.Message(err))
		}
	})
}

func (d *draft) readParameters(n *yaml.Node, i *intent.Intent) {
	d.entries(n, "parameters", func(key *yaml.Node, name string, value *yaml.Node) {
		var entity *intent.Entity
		fragment := ""
		keys := d.mapping(value, "parameter "+name,
			field{"entity", func(n *yaml.Node) {
				of := d.text(n, "entity")
				var known bool
				if entity, known = d.entities[of]; !known && of != "" {
					d.wrong(n, "there is no entity %q; the entities are %s", of, named(d.entities))
				}
			}},
			field{"fragment", func(n *yaml.Node) {
				fragment = d.text(n, "fragment")
				shows := func(sentence string) bool { return hasWord(sentence, fragment) }
				if len(i.Sentences) > 0 && !slices.ContainsFunc(i.Sentences, shows) {
					d.wrong(n, "no example of intent %s has the fragment %s: it stands in the examples where users name %s", i.Name, fragment, name)
				}
			}},
		)
		if keys["entity"] == nil {
			d.wrong(key, "parameter %s needs an entity", name)
		}
		numeric := entity != nil && entity.Kind == intent.KindNumber
		if before, twice := d.parameters[name]; twice { // of several intents
			numeric = numeric && before
		}
		d.parameters[name] = numeric
		if entity != nil {
			i.Parameter(name, fragment, entity)
		}
	})
}

// hasWord reports whether a sentence has a word or several, and not only as a part of a longer word.
func hasWord(sentence, word string) bool {
	part := func(r rune) bool { return unicode.In(r, unicode.Latin, unicode.N) }
	for at := 0; word != ""; {
		i := strings.Index(sentence[at:], word)
		if i < 0 {
			return false
		}
		at += i
		before, _ := utf8.DecodeLastRuneInString(sentence[:at])
		after, size := utf8.DecodeRuneInString(sentence[at+len(word):])
		if !part(before) && (size == 0 || !part(after)) {
			return true
		}
		at += len(word)
	}
	return false
}
