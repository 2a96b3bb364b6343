package payload

import (
	"encoding/json"
	"fmt"
	"strconv"

	"docent/internal/fault"
)

// Options are labels to choose from. In JSON they are a string that contains an
// object. The object maps positions to labels, with BAF's spacing.
type Options []string

// MarshalJSON writes a string such as "{\"0\": \"Yes\", \"1\": \"No\"}".
func (o Options) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, label := range o {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(strconv.AppendInt(append(b, '"'), int64(i), 10), `": `...)
		b = appendString(b, label)
	}
	return appendString(nil, string(append(b, '}'))), nil
}

// UnmarshalJSON reads such a string, or the object itself.
func (o *Options) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		data = []byte(text)
	}
	var labels map[string]string
	if err := json.Unmarshal(data, &labels); err != nil {
		return fault.Wrap(fault.Invalid, err, "options_invalid", "options must be an object of labels by position")
	}
	read := make(Options, len(labels))
	for i := range read {
		label, ok := labels[strconv.Itoa(i)]
		if !ok {
			return fault.New(fault.Invalid, "options_without_label", "options have no label at position %d", i)
		}
		read[i] = label
	}
	*o = read
	return nil
}

// Figure is a plotly figure. In JSON it is a string that contains the JSON of the
// figure.
type Figure struct {
	// Value is any value whose JSON is {"data": […], "layout": {…}}. Decoding makes
	// it a json.RawMessage.
	Value any
}

// MarshalJSON writes the JSON of the figure into a string.
func (f Figure) MarshalJSON() ([]byte, error) {
	data, err := Marshal(f.Value)
	if err != nil {
		return nil, fmt.Errorf("figure: %w", err)
	}
	if len(data) == 0 || data[0] != '{' {
		return nil, fault.New(fault.Invalid, "figure_invalid", "a figure must be an object of data and layout")
	}
	return appendString(nil, string(data)), nil
}

// UnmarshalJSON reads such a string, or the figure itself.
func (f *Figure) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		data = []byte(text)
	}
	var keys map[string]json.RawMessage
	if err := unmarshal(data, &keys); err != nil || keys == nil {
		return fault.New(fault.Invalid, "figure_invalid", "a figure must be an object of data and layout")
	}
	value, err := Marshal(keys)
	f.Value = value
	return err
}
