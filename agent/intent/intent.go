package intent

import (
	"encoding/json"
	"strings"

	"docent/internal/fault"
)

// Intent is a goal that a user may have. Its name identifies it within an
// agent. It must not change after a classifier has used it.
type Intent struct {
	// Name is the name of the intent. It must not be empty or Fallback.
	Name string
	// Description describes the intent for models and people; it may be "".
	Description string
	// Sentences are example messages, with fragments in the place of parameter
	// values.
	Sentences []string
	// Parameters are the values that a message with this intent may contain.
	Parameters []Parameter
}

// Parameter is a value that a message with an intent may contain.
type Parameter struct {
	// Name is the name of the parameter. It is unique within its intent.
	Name string
	// Fragment represents the value in the example sentences, such as CITY. It
	// is "" if no sentence contains the parameter.
	Fragment string
	// Entity is the kind of the value.
	Entity *Entity
}

// New returns an intent with example sentences. [Validate] checks it.
func New(name string, sentences ...string) *Intent {
	return &Intent{Name: name, Sentences: sentences}
}

// Describe sets the description and returns the intent.
func (i *Intent) Describe(text string) *Intent {
	i.Description = text
	return i
}

// Parameter adds a parameter and returns the intent.
func (i *Intent) Parameter(name, fragment string, entity *Entity) *Intent {
	i.Parameters = append(i.Parameters, Parameter{Name: name, Fragment: fragment, Entity: entity})
	return i
}

// MarshalJSON writes the intent in BAF's format, without its name and with the
// names of its entities.
func (i *Intent) MarshalJSON() ([]byte, error) {
	out := struct {
		Sentences   []string    `json:"training_sentences"`
		Description *string     `json:"description"`
		Parameters  []Parameter `json:"parameters"`
	}{append([]string{}, i.Sentences...), described(i.Description), append([]Parameter{}, i.Parameters...)}
	return json.Marshal(out)
}

// MarshalJSON writes the parameter in BAF's format.
func (p Parameter) MarshalJSON() ([]byte, error) {
	out := struct {
		Name     string `json:"name"`
		Fragment string `json:"fragment"`
		Entity   string `json:"entity"`
	}{p.Name, p.Fragment, ""}
	if p.Entity != nil {
		out.Entity = p.Entity.Name
	}
	return json.Marshal(out)
}

// described returns a description as BAF writes it, which is null for "".
func described(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// Validate checks intents that are used together, and the entities of their
// parameters. Names must be unique and not empty. Sentences and entities must
// be present, and patterns must compile. The error is of kind fault.Invalid and
// says what is wrong where.
func Validate(intents ...*Intent) error {
	seen := map[string]bool{}
	entities := map[string]*Entity{}
	for n, i := range intents {
		switch {
		case i == nil:
			return fault.New(fault.Invalid, "intent_nil", "intent %d is nil", n+1)
		case strings.TrimSpace(i.Name) == "":
			return fault.New(fault.Invalid, "intent_without_name", "intent %d has no name", n+1)
		case i.Name == Fallback:
			return fault.New(fault.Invalid, "intent_name_reserved", "an intent cannot be named %s; this name means \"no intent\"", Fallback)
		case seen[i.Name]:
			return fault.New(fault.Invalid, "intent_name_twice", "there are two intents named %q", i.Name)
		}
		seen[i.Name] = true
		if err := i.validate(entities); err != nil {
			return err
		}
	}
	return nil
}

// validate checks one intent. It adds the intent's entities to entities and
// checks them against those of other intents.
func (i *Intent) validate(entities map[string]*Entity) error {
	for n, s := range i.Sentences {
		if strings.TrimSpace(s) == "" {
			return fault.New(fault.Invalid, "intent_sentence_empty", "intent %q: sentence %d is empty", i.Name, n+1)
		}
	}
	seen := map[string]bool{}
	for n, p := range i.Parameters {
		switch {
		case strings.TrimSpace(p.Name) == "":
			return fault.New(fault.Invalid, "intent_parameter_without_name", "intent %q: parameter %d has no name", i.Name, n+1)
		case seen[p.Name]:
			return fault.New(fault.Invalid, "intent_parameter_twice", "intent %q has two parameters named %q", i.Name, p.Name)
		case p.Entity == nil:
			return fault.New(fault.Invalid, "intent_parameter_without_entity", "intent %q: parameter %q has no entity", i.Name, p.Name)
		}
		seen[p.Name] = true
		if err := p.Entity.Validate(); err != nil {
			return err
		}
		if other := entities[p.Entity.Name]; other != nil && other != p.Entity && !p.Entity.builtIn() {
			return fault.New(fault.Invalid, "entity_name_twice", "there are two entities named %q", p.Entity.Name)
		}
		entities[p.Entity.Name] = p.Entity
	}
	return nil
}
