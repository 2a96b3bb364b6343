package config

import (
	"cmp"
	"maps"
	"slices"

	"docent/internal/fault"
)

// Stored are the settings in the database.
type Stored struct {
	// Values are values of settings by Setting.Key.
	Values map[string]string
	// Lost are the problems of secret values that cannot be decrypted, by Setting.Key.
	Lost map[string]error
	// Models are chat models in order. The first one writes answers unless another one has this use.
	Models []Model
}

// OriginKind is a source of settings.
type OriginKind string

// The sources, strongest first.
const (
	FromFlag        OriginKind = "flag"
	FromEnvironment OriginKind = "environment"
	FromFile        OriginKind = "file"
	FromProgram     OriginKind = "program"
	FromDatabase    OriginKind = "database"
	ByDefault       OriginKind = "default"
)

// Origin says where a value is from.
type Origin struct {
	// Kind is the source.
	Kind OriginKind
	// Name is the flag or the variable; "" for other sources.
	Name string
}

// Locked reports whether the value replaces one in the database.
func (o Origin) Locked() bool { return o.Kind != FromDatabase && o.Kind != ByDefault }

// String describes the origin in an error.
func (o Origin) String() string {
	switch o.Kind {
	case FromFile:
		return "the configuration file"
	case FromProgram:
		return "the program"
	case FromDatabase:
		return "the database"
	}
	return o.Name
}

// Origin returns the origin of a setting.
func (c Config) Origin(key string) Origin {
	if o, ok := c.origins[key]; ok {
		return o
	}
	return Origin{Kind: ByDefault}
}

// Value returns the value of a setting as text.
func (c Config) Value(s Setting) string { return s.get(c) }

// Ignored is a stored value that has no effect.
type Ignored struct {
	// Key is the key of the setting, or "models."NAME.
	Key string
	// Err says why.
	Err error
}

// ModelKey returns the key of a model in Ignored.
func ModelKey(name string) string { return "models." + name }

// With returns the configuration with stored values. A value from a flag, a variable, a file, or a program replaces a
// stored one. With ignores stored values that do not fit, so that they cannot keep docent from starting.
func (c Config) With(stored Stored) (Config, []Ignored) {
	var ignored []Ignored
	out := c
	out.origins = maps.Clone(c.origins)
	if out.origins == nil {
		out.origins = map[string]Origin{}
	}
	for _, s := range Settings() {
		value, ok := stored.Values[s.Key]
		if err := stored.Lost[s.Key]; err != nil && !c.Origin(s.Key).Locked() {
			ignored = append(ignored, Ignored{s.Key, err})
		}
		if !ok || s.Storage == Outside || c.Origin(s.Key).Locked() {
			continue
		}
		next, err := out.set(s, value)
		if err != nil {
			ignored = append(ignored, Ignored{s.Key, err})
			continue
		}
		out = next
		out.origins[s.Key] = Origin{Kind: FromDatabase}
	}
	more := out.addStored(stored.Models)
	return out, append(ignored, more...)
}

// set returns the configuration with another value.
func (c Config) set(s Setting, value string) (Config, error) {
	if err := s.set(&c, value); err != nil {
		return c, fault.New(fault.Invalid, "setting_problem", "setting %s: %s", s.Key, err)
	}
	return c, c.validate()
}

// addStored adds stored models after the others. It leaves unknown fallbacks out.
func (c *Config) addStored(models []Model) []Ignored {
	var ignored []Ignored
	first := len(c.ChatModels)
	fallbacks := map[string][]string{}
	for _, m := range models {
		fallbacks[m.Name], m.Fallbacks, m.stored = m.Fallbacks, nil, true
		err := m.Problem
		if err == nil {
			err = m.complete(c.variable)
		}
		next := *c
		next.ChatModels = append(slices.Clip(c.ChatModels), m)
		if err == nil {
			err = next.modelsFit()
		}
		if err == nil && m.URL == "" && m.Key == "" && c.LLM.URL == "" && c.LLM.Key == "" {
			err = m.problem("it needs url, provider, or key")
		}
		if _, entry := c.Named(m.Name); err == nil && !entry && m.Name == c.LLM.Model && (c.LLM.URL != "" || c.LLM.Key != "") {
			err = m.problem("--model with --llm-url or a key has this name; choose another name")
		}
		if err != nil {
			ignored = append(ignored, Ignored{ModelKey(m.Name), err})
			continue
		}
		*c = next
	}
	for i := range c.ChatModels[first:] {
		m := &c.ChatModels[first+i]
		for _, name := range fallbacks[m.Name] {
			if _, ok := c.Named(name); ok && name != m.Name {
				m.Fallbacks = append(m.Fallbacks, name)
			}
		}
	}
	if len(c.ChatModels) > first && c.LLM.Model == "" {
		c.LLM.Model = cmp.Or(c.UsedFor(UseAnswers), c.ChatModels[first].Name)
	}
	return ignored
}

// variable returns an environment variable. A Config that Load has not made has none.
func (c *Config) variable(name string) (string, bool) {
	if c.env == nil {
		return "", false
	}
	return c.env(name)
}
