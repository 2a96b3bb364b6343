package payload

import (
	"cmp"
	"encoding/json"
)

// The actions of a GUIEvent that enter values.
const (
	guiChange = "onChange"
	guiSubmit = "onSubmit"
)

// GUIEvent is the message of a user_gui_event in BAF 4.5: an action of the user in a
// user interface.
type GUIEvent struct {
	// MessageID is the id of the user interface, or "".
	MessageID string `json:"messageId"`
	// Action names the action, such as onClick.
	Action string `json:"action"`
	// Name is the name of the changed field.
	Name string `json:"name"`
	// Value is the value of the changed field. For a form, it is an object with the
	// values of all fields by name.
	Value json.RawMessage `json:"value"`
}

// ReadGUIEvent reads a message. It may be an object, or a string that contains one.
// Other messages, and fields of a wrong type, give the zero GUIEvent.
func ReadGUIEvent(message json.RawMessage) GUIEvent {
	var text string
	if json.Unmarshal(message, &text) == nil {
		message = json.RawMessage(text)
	}
	var e GUIEvent
	if json.Unmarshal(message, &e) != nil {
		return GUIEvent{}
	}
	return e
}

// Changes reports whether the user changed a field.
func (e GUIEvent) Changes() bool { return e.Action == guiChange && e.MessageID != "" && e.Name != "" }

// Submits reports whether the user submitted a form.
func (e GUIEvent) Submits() bool { return e.Action == guiSubmit }

// Inputs returns the values that the event enters, by the session variables that
// GUIVariable names.
func (e GUIEvent) Inputs() map[string]json.RawMessage {
	fields := map[string]json.RawMessage{}
	switch {
	case e.Changes():
		fields[e.Name] = e.Value
	case e.Submits():
		_ = json.Unmarshal(e.Value, &fields) // a value that is no object has no fields
	}
	inputs := make(map[string]json.RawMessage, len(fields))
	for name, value := range fields {
		if len(value) == 0 {
			value = json.RawMessage("null")
		}
		inputs[GUIVariable(e.MessageID, name)] = value
	}
	return inputs
}

// AnyForm stands for the id of a user interface in a form that a client sends without
// one, as the chat mode "gui" of BAF's React client does.
const AnyForm = "any"

// GUIVariable returns the name of the session variable with the value of a field. With
// "" as the field, it returns the beginning of these names. Without an id, the form is
// that of AnyForm.
func GUIVariable(messageID, field string) string {
	return "gui_inputs." + cmp.Or(messageID, AnyForm) + "." + field
}
