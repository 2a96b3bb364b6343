package intent

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"

	"docent/internal/fault"
)

// Kind says how the values of an entity are recognised.
type Kind string

// The kinds of entities.
const (
	// KindListed entities have named values with synonyms.
	KindListed Kind = "listed"
	// KindRegexp entities are what a regular expression matches.
	KindRegexp Kind = "regexp"
	// KindNumber entities are numbers, in digits or words.
	KindNumber Kind = "number"
	// KindDateTime entities are dates and times, as calendars or people say them.
	KindDateTime Kind = "date-time"
	// KindAny entities are whatever a model takes for the parameter's value.
	KindAny Kind = "any"
)

// Names of the built-in entities, as BAF names them.
const (
	// NumberName is what Number's entity is called.
	NumberName = "base.number"
	// DateTimeName is what DateTime's entity is called.
	DateTimeName = "base.date-time"
	// AnyName is what Any's entity is called.
	AnyName = "base.any"
)

// Entity is a kind of value that messages hold, such as cities. Its name is its
// identity. It must not change once a classifier has seen it.
type Entity struct {
	// Name is the entity's, not empty.
	Name string
	// Description tells a model and people what it is; "" if nothing.
	Description string
	// Kind says how values are recognised.
	Kind Kind
	// Values are what a listed entity can be, empty for all others.
	Values []Value
	// Pattern is a regexp entity's expression in Go's syntax, "" for all others.
	Pattern string

	expression *regexp.Regexp
	err        error // of the pattern
	once       sync.Once
	names      *phrases // set by once
}

// Value is one value of a listed entity.
type Value struct {
	// Value is what a parameter is set to, whichever name a user says.
	Value string `json:"value"`
	// Synonyms are other names of the value.
	Synonyms []string `json:"synonyms"`
}

// Listed makes an entity of values. They and their synonyms are found as whole
// words, whatever their case, the longest first.
func Listed(name string, values ...Value) *Entity {
	return &Entity{Name: name, Kind: KindListed, Values: values}
}

// Regexp makes an entity of what a regular expression matches: its first group
// if it has one, else the whole match. [Validate] reports a pattern that does
// not compile.
func Regexp(name, pattern string) *Entity {
	e := &Entity{Name: name, Kind: KindRegexp, Pattern: pattern}
	e.expression, e.err = regexp.Compile(pattern)
	return e
}

// Number makes the built-in entity of numbers in digits and in words, English
// or German. Its value is written in digits, without separators of thousands
// and with a point before decimals.
func Number() *Entity { return &Entity{Name: NumberName, Kind: KindNumber} }

// DateTime makes the built-in entity of dates and times, as in 2026-11-21 14:00,
// tomorrow at 5pm, next Friday or in two weeks, English or German. Its value is
// written as in RFC 3339, in the zone of Request.Now. A date without a time is
// its midnight, a time without a date the next there is; next Friday is that of
// next week. A match's info says what the user gave:
//
//	{"fragment": "tomorrow at 5pm", "given": ["day", "hour"]}
//
// Given are year, month, week, day, weekday, period (of the day), hour, minute,
// second and zone.
func DateTime() *Entity { return &Entity{Name: DateTimeName, Kind: KindDateTime} }

// Any makes the built-in entity of arbitrary text. Only a model finds it.
func Any() *Entity { return &Entity{Name: AnyName, Kind: KindAny} }

// Describe sets the description and returns the entity.
func (e *Entity) Describe(text string) *Entity {
	e.Description = text
	return e
}

// builtIn reports the entities that BAF calls base entities.
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

// MarshalJSON writes the entity in BAF's form, without its name; a pattern,
// which BAF does not know, is a further key.
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
