package payload

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestGUIEvent(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		`{"messageId":"f","action":"onChange","name":"city","value":"Rome"}`:                       `gui_inputs.f.city="Rome" changes`,
		`"{\"messageId\":\"f\",\"action\":\"onChange\",\"name\":\"city\",\"value\":\"Rome\"}"`:     `gui_inputs.f.city="Rome" changes`,
		`{"messageId":"f","action":"onChange","name":"city"}`:                                      `gui_inputs.f.city=null changes`,
		`{"messageId":"f","action":"onSubmit","value":{"city":"Rome","days":3}}`:                   `gui_inputs.f.city="Rome" gui_inputs.f.days=3 submits`,
		`{"messageId":"f","action":"onSubmit","value":"Rome"}`:                                     "submits",
		`{"action":"onSubmit","value":{"city":"Rome"}}`:                                            `gui_inputs.any.city="Rome" submits`,
		`{"messageId":"f","action":"onClick","elementId":"b","name":"city","value":{"city":"No"}}`: "",
		`{"messageId":7}`: "", `"clicked"`: "", `null`: "", `[1]`: "",
	} {
		e := ReadGUIEvent(json.RawMessage(message))
		inputs := e.Inputs()
		var got []string
		for _, name := range slices.Sorted(maps.Keys(inputs)) {
			got = append(got, name+"="+string(inputs[name]))
		}
		if e.Changes() {
			got = append(got, "changes")
		}
		if e.Submits() {
			got = append(got, "submits")
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, want %q", message, got, want)
		}
	}
}
