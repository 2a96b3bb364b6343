package definition

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"docent/internal/fault"
)

// Properties are the custom settings of an agent, such as an address for
// replies. Dots join nested keys. A list is a property, and so is each of its
// items. The key of an item is its only key if it is a mapping with one key,
// and otherwise its index. Properties are not safe for use during a Set.
type Properties struct {
	values map[string]any
}

// readFile reads a YAML file.
func readFile(path string) ([]byte, error) {
	if ext := strings.ToLower(filepath.Ext(path)); ext != ".yaml" && ext != ".yml" {
		return nil, fault.New(fault.Invalid, "agent_file_ending", "%s: the name of the file must end in .yaml or .yml", path)
	}
	f, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.New(fault.Invalid,
			"agent_file_missing", "%s: there is no such file; paths are relative to the folder of the call", path)
	case err != nil:
		return nil, fault.New(fault.Invalid, "other_error", "%w", err)
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err != nil {
		return nil, fault.New(fault.Invalid, "named_error", "%s: %w", path, err)
	}
	if len(raw) > MaxFile {
		return nil, fault.New(fault.Invalid, "agent_file_too_large", "%s: the file is larger than %d bytes: split the agent", path, MaxFile)
	}
	return raw, nil
}

// properties reads a mapping of properties.
func (r *reader) properties(n *yaml.Node) *Properties {
	p := &Properties{values: map[string]any{}}
	r.entries(n, "properties", func(_ *yaml.Node, name string, value *yaml.Node) {
		p.flatten(name, r.value(value, "property "+name))
	})
	return p
}

func (p *Properties) flatten(name string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			p.flatten(name+"."+key, value)
		}
	case []any:
		p.values[name] = v
		for i, item := range v {
			if one, ok := item.(map[string]any); ok && len(one) == 1 {
				p.flatten(name, item)
			} else {
				p.flatten(name+"."+strconv.Itoa(i), item)
			}
		}
	default:
		p.values[name] = v
	}
}

// Has reports whether a property has a value.
func (p *Properties) Has(name string) bool {
	if p == nil {
		return false
	}
	_, ok := p.values[name]
	return ok
}

// Property is a typed setting that a program uses.
type Property[T bool | int | float64 | string | []any] struct {
	// Name is the key of the property, with dots for nesting.
	Name string
	// Description describes the property for people; it may be "".
	Description string
	// Default is used if there is no value of the type.
	Default T
}

// Get returns the value of a property, or the default if the value is missing
// or has another type. Get converts numbers and texts to each other. It accepts
// true, 1, yes, y, and on, and false, 0, no, n, and off as Booleans in any
// case.
func (d Property[T]) Get(p *Properties) T {
	if !p.Has(d.Name) {
		return d.Default
	}
	var out any
	value := p.values[d.Name]
	text := shown(value)
	var err error
	switch any(d.Default).(type) {
	case bool:
		out, err = readBool(text)
	case int:
		out, err = readInt(value, text)
	case float64:
		out, err = strconv.ParseFloat(text, 64)
	case string:
		if out = text; value == nil {
			return d.Default
		}
	default:
		out = value
	}
	if got, ok := out.(T); ok && err == nil {
		return got
	}
	return d.Default
}

// Set sets the value of a property. It fails with fault.Invalid if the value
// does not have the property's type.
func (d Property[T]) Set(p *Properties, value any) error {
	v, ok := value.(T)
	if !ok {
		return fault.New(fault.Invalid, "property_type", "property %s is a %T, not a %T", d.Name, d.Default, value)
	}
	if p.values == nil {
		p.values = map[string]any{}
	}
	p.values[d.Name] = v
	return nil
}

func readBool(text string) (bool, error) {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "true", "1", "yes", "y", "on":
		return true, nil
	case "false", "0", "no", "n", "off":
		return false, nil
	}
	return false, fmt.Errorf("%q is neither true nor false", text)
}

// readInt parses an integer. It truncates decimals, as BAF does.
func readInt(value any, text string) (int, error) {
	if f, ok := value.(float64); ok && f > -1<<53 && f < 1<<53 {
		return int(f), nil
	}
	return strconv.Atoi(strings.TrimSpace(text))
}
