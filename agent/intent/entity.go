package intent

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"

	"docent/internal/fault"
)

// Kind determines how the values of an entity are recognized.
type Kind string

// The kinds of entities.
const (
	// KindListed entities have named values with synonyms.
	KindListed Kind = "listed"
	// KindRegexp entities are matches of a regular expression.
	KindRegexp Kind = "regexp"
	// KindNumber entities are numbers, in digits or words.
	KindNumber Kind = "number"
	// KindDateTime entities are dates and times, in numbers or in words.
	KindDateTime Kind = "date-time"
	// KindAny entities are any text that a model selects.
	KindAny Kind = "any"
)

// Names of the built-in entities, as BAF names them.
const (
	// NumberName is the name of the entity that Number returns.
	NumberName = "base.number"
	// DateTimeName is the name of the entity that DateTime returns.
	DateTimeName = "base.date-time"
	// AnyName is the name of the entity that Any returns.
	AnyName = "base.any"
)

// Entity is a kind of value that messages contain, such as a city. Its name
// identifies it. It must not change after a classifier has used it.
type Entity struct {
	// Name is the name of the entity; not empty.
	Name string
	// Description describes the entity for models and people; it may be "".
	Description string
	// Kind determines how values are recognized.
	Kind Kind
	// Values are the values of a listed entity; empty for other kinds.
	Values []Value
	// Pattern is the regular expression of a regexp entity, in Go's syntax; ""
	// for other kinds.
	Pattern string

	expression *regexp.Regexp
	err        error // error of the pattern
	once       sync.Once
	names      *phrases // set by once
}

// Value is one value of a listed entity.
type Value struct {
	// Value is the value of the parameter. Synonyms have the same value.
	Value string `json:"value"`
	// Synonyms are other names of the value.
	Synonyms []string `json:"synonyms"`
}

// Listed returns an entity with the given values. It finds values and synonyms
// as whole words in any case, and prefers longer ones.
func Listed(name string, values ...Value) *Entity {
	return &Entity{Name: name, Kind: KindListed, Values: values}
}

// Regexp returns an entity with a regular expression. The value is the first
// group of a match, or the whole match without groups. [Validate] reports an
// invalid pattern.
func Regexp(name, pattern string) *Entity {
	e := &Entity{Name: name, Kind: KindRegexp, Pattern: pattern}
	e.expression, e.err = regexp.Compile(pattern)
	return e
}

// Number returns the built-in entity for numbers. It finds numbers in digits
// and in English or German words. The value has digits, without thousands
// separators and with a point before decimals.
func Number() *Entity { return &Entity{Name: NumberName, Kind: KindNumber} }

// DateTime returns the built-in entity for dates and times. It finds phrases such
// as 2026-11-21 14:00, tomorrow at 5pm, next Friday, and in two weeks, in English
// or German. The value is in RFC 3339, in the zone of Request.Now. A date without
// a time is its midnight. A time without a date is its next occurrence. Next
// Friday is the Friday of next week. The info of a match lists the parts that the
// user gave:
//
//	{"fragment": "tomorrow at 5pm", "given": ["day", "hour"]}
//
// The parts are year, month, week, day, weekday, period (of the day), hour,
// minute, second, and zone.
func DateTime() *Entity { return &Entity{Name: DateTimeName, Kind: KindDateTime} }

// Any returns the built-in entity for arbitrary text. Only a model can find it.
func Any() *Entity { return &Entity{Name: AnyName, Kind: KindAny} }

// Describe sets the description and returns the entity.
func (e *Entity) Describe(text string) *Entity {
	e.Description = text
	return e
}

// builtIn reports whether the entity is one of BAF's base entities.
func (e *Entity) builtIn() bool {
	return e.Kind == KindNumber || e.Kind == KindDateTime || e.Kind == KindAny
}

// Validate checks the entity. The error is of kind fault.Invalid.
func (e *Entity) Validate() error {
	switch {
	case strings.TrimSpace(e.Name) == "":
		return fault.New(fault.Invalid, "entity_without_name", "an entity of kind %s has no name", e.Kind)
	case !e.builtIn() && e.Kind != KindListed && e.Kind != KindRegexp:
		return fault.New(fault.Invalid, "entity_kind_unknown", "entity %q: unknown kind %q", e.Name, e.Kind)
	case e.err != nil:
		return fault.New(fault.Invalid, "entity_invalid", "entity %q: %w", e.Name, e.err)
	case e.Kind == KindRegexp && e.expression == nil:
		return fault.New(fault.Invalid, "entity_without_pattern", "entity %q has no pattern; make it with intent.Regexp", e.Name)
	case e.Kind == KindListed && len(e.Values) == 0:
		return fault.New(fault.Invalid, "entity_without_values", "entity %q has no values", e.Name)
	}
	seen := map[string]bool{}
	for n, v := range e.Values {
		switch {
		case strings.TrimSpace(v.Value) == "":
			return fault.New(fault.Invalid, "entity_value_empty", "entity %q: value %d is empty", e.Name, n+1)
		case seen[v.Value]:
			return fault.New(fault.Invalid, "entity_value_twice", "entity %q has the value %q twice", e.Name, v.Value)
		}
		seen[v.Value] = true
		for _, s := range v.Synonyms {
			if strings.TrimSpace(s) == "" {
				return fault.New(fault.Invalid, "entity_synonym_empty", "entity %q: value %q has an empty synonym", e.Name, v.Value)
			}
		}
	}
	return nil
}

// MarshalJSON writes the entity in BAF's format without its name. A pattern is
// an additional key that BAF does not have.
func (e *Entity) MarshalJSON() ([]byte, error) {
	out := struct {
		Base        bool    `json:"base_entity"`
		Description *string `json:"description"`
		Entries     []Value `json:"entries"`
		Pattern     string  `json:"pattern,omitempty"`
	}{e.builtIn(), described(e.Description), []Value{}, e.Pattern}
	for _, v := range e.Values {
		out.Entries = append(out.Entries, Value{v.Value, append([]string{}, v.Synonyms...)})
	}
	return json.Marshal(out)
}
