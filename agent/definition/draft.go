package definition

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"docent/rag/retrieve"

	"gopkg.in/yaml.v3"

	"docent/agent"
	"docent/agent/intent"
	"docent/internal/fault"
	"docent/llm"
	"docent/rag"
)

// Bounds of a definition's values.
const (
	// maxK and maxHistory bound the passages and earlier messages of an answer.
	maxK       = retrieve.MaxK
	maxHistory = rag.MaxHistory
)

// draft is an agent that is being built. The file is read into it first. Then
// open builds the agent.
type draft struct {
	*reader
	env   Environment
	agent *agent.Agent

	greeting   template
	fallback   []action // of states without their own
	history    int
	k          int
	model      string
	location   *time.Location
	properties *Properties

	classifier string
	threshold  float64
	thresholds map[string]float64 // by intent name

	entities   map[string]*intent.Entity
	intents    map[string]*intent.Intent
	parameters map[string]bool // parameters of all intents by name; true for numbers
	tools      *toolset
	states     []*stateDraft
	above      []string             // paths of the files that lead to this one, and its own
	members    []*member            // agents of other files
	mentions   []string             // paths of the named agent files, also of those with mistakes
	agentTools []agentTool          // of the section tools
	models     map[string]llm.Model // of the section models
	omitted    bool                 // the state that is being read is left out
	loaded     int                  // bytes of the files that replies send
}

// sections are the sections of a file that depend on each other.
type sections struct {
	model, models, greeting, context, fallback, entities, intents, properties, tools, states, classifier, guards, triggers *yaml.Node
}

// root reads the root of a file.
func (d *draft) root(n *yaml.Node) {
	name := ""
	d.k, d.history, d.classifier, d.model = d.env.K, d.env.History, "examples", d.env.Model
	var s sections
	later := func(to **yaml.Node) func(*yaml.Node) { return func(n *yaml.Node) { *to = n } }
	keys := d.mapping(n, "an agent",
		field{"name", func(n *yaml.Node) { name = d.text(n, "name") }},
		field{"greeting", later(&s.greeting)},
		field{"fallback", later(&s.fallback)},
		field{"context", later(&s.context)},
		field{"history", func(n *yaml.Node) { d.history = d.integer(n, "history", 0, maxHistory) }},
		field{"k", func(n *yaml.Node) { d.k = d.integer(n, "k", 1, maxK) }},
		field{"models", later(&s.models)},
		field{"model", later(&s.model)},
		field{"timezone", d.timezone},
		field{"classifier", later(&s.classifier)},
		field{"threshold", func(n *yaml.Node) { d.threshold = d.share(n, "threshold") }},
		field{"properties", later(&s.properties)},
		field{"entities", later(&s.entities)},
		field{"intents", later(&s.intents)},
		field{"guards", later(&s.guards)},
		field{"triggers", later(&s.triggers)},
		field{"tools", later(&s.tools)},
		field{"states", later(&s.states)},
	)
	if n.Kind != yaml.MappingNode {
		return
	}
	for _, required := range []string{"name", "states"} {
		if keys[required] == nil {
			d.wrong(n, "an agent needs the key %q", required)
		}
	}
	d.agent = agent.New(name)
	if s.context != nil {
		d.agent.ModelContext(d.modelContext(s.context))
	}
	if s.properties != nil {
		d.properties = d.reader.properties(s.properties)
	}
	if s.models != nil {
		d.readModels(s.models)
	}
	if s.model != nil {
		d.model = d.modelName(s.model)
	}
	if s.classifier != nil {
		d.classifier = d.choice(s.classifier, "classifier", "examples", "llm")
		if d.classifier == "llm" && d.chat(d.model) == nil {
			d.wrong(s.classifier, "classifier llm needs a chat model and none is set up: write classifier: examples")
		}
	}
	if s.guards != nil {
		d.guards(s.guards)
	}
	d.readEntities(s.entities)
	d.readIntents(s.intents)
	if s.greeting != nil { // after the sections that it may refer to
		d.greeting = d.template(s.greeting, "greeting")
	}
	if s.tools != nil {
		d.readTools(s.tools)
	}
	if s.fallback != nil {
		d.fallback = bodies{d}.actions(s.fallback, "fallback")
	}
	if s.states != nil {
		d.readStates(s.states)
	}
	if s.triggers != nil {
		d.readTriggers(s.triggers)
	}
	if len(d.problems) > 0 {
		return
	}
	if err := d.agent.Validate(); err != nil {
		d.wrong(s.states, "%s", fault.Message(err))
	}
}

// modelContext reads the text that goes to models with every call.
func (d *draft) modelContext(n *yaml.Node) string {
	text := d.text(n, "context")
	switch {
	case len(text) > agent.MaxModelContext:
		d.wrong(n, "context has %d bytes, it may have %d", len(text), agent.MaxModelContext)
	case strings.Contains(text, "{{"):
		d.wrong(n, "context cannot have {{ in it: write placeholders in the key system of llm or reason")
	}
	return text
}

func (d *draft) timezone(n *yaml.Node) {
	name := d.text(n, "timezone")
	zone, err := time.LoadLocation(name)
	if err != nil || name == "" || name == "Local" {
		d.wrong(n, "there is no time zone %q: write one such as Europe/Madrid or UTC", name)
		return
	}
	d.location = zone
}

// modelName reads the name of an available chat model.
func (d *draft) modelName(n *yaml.Node) string {
	name := d.text(n, "model")
	if name != "" && d.chat(name) == nil {
		instead := "none is set up, so leave the key out"
		if len(d.env.Models)+len(d.models) > 0 {
			names := slices.Concat(slices.Collect(maps.Keys(d.env.Models)), slices.Collect(maps.Keys(d.models)))
			slices.Sort(names)
			instead = "there is " + strings.Join(names, ", ")
		}
		d.wrong(n, "there is no chat model %q: %s", name, instead)
	}
	return name
}

// chat returns the model with a name, or nil.
func (d *draft) chat(name string) llm.Model {
	if m := d.models[name]; m != nil {
		return m
	}
	if m := d.env.Models[name]; m != nil {
		return m
	}
	return nil
}

// open builds the agent that the file describes.
func (d *draft) open(ctx context.Context) (_ *Definition, err error) {
	out := &Definition{Agent: d.agent, History: d.mostHistory(), Location: d.location, Properties: d.properties, Models: d.models}
	defer func() {
		if err != nil {
			err = errors.Join(err, out.Close())
		}
	}()
	if err := d.openClassifier(); err != nil {
		return nil, fmt.Errorf("%s: %w", d.file, err)
	}
	if err := d.openMembers(ctx, out); err != nil {
		return nil, err
	}
	if err := d.openAgentTools(); err != nil {
		return nil, err
	}
	if err := d.tools.open(ctx, out); err != nil {
		return nil, err
	}
	if d.fallback != nil {
		fallback, err := sequence(d.fallback)
		if err != nil {
			return nil, err
		}
		d.agent.Fallback(fallback)
	}
	for _, s := range d.states {
		body, err := sequence(s.body)
		if err != nil {
			return nil, err
		}
		if s.state != nil {
			s.state.Body(s.greeted(body))
			if s.fallback != nil {
				fallback, err := sequence(s.fallback)
				if err != nil {
					return nil, err
				}
				s.state.Fallback(fallback)
			}
		}
	}
	for _, w := range d.agent.Warnings() {
		i := slices.IndexFunc(d.states, func(s *stateDraft) bool { return s.name == w.State })
		out.Warnings = append(out.Warnings, fmt.Sprintf("%s:%d: %s", d.file, d.states[i].lines[w.Transition], w.Text))
	}
	return out, nil
}

// mostHistory returns the maximum number of earlier messages that any answer
// needs.
func (d *draft) mostHistory() int {
	most := max(d.history, mostHistory(d.fallback))
	for _, s := range d.states {
		most = max(most, mostHistory(s.body), mostHistory(s.fallback))
	}
	return most
}

func (d *draft) openClassifier() error {
	var c intent.Classifier
	var err error
	if d.classifier == "llm" {
		c, err = intent.NewLLM(intent.LLMConfig{Model: d.chat(d.model), Threshold: d.threshold})
	} else if len(d.intents) > 0 {
		c, err = intent.NewExamples(intent.ExamplesConfig{Threshold: d.threshold})
	}
	if err != nil || c == nil {
		return err
	}
	if len(d.thresholds) > 0 {
		if c, err = intent.NewThresholds(c, d.thresholds); err != nil {
			return err
		}
	}
	d.agent.ClassifyWith(c)
	return nil
}
