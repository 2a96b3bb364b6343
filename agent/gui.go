package agent

import (
	"context"
	"encoding/json"
	"strings"

	"docent/internal/fault"
	"docent/payload"
)

// ReplyGUI shows a user interface to BAF 4.5's React client. The actions of the user in it repeat id, which must not be
// empty. gui is a GUI model of BAF, or its JSON as a json.RawMessage. The same id may be shown again.
func (s *Session) ReplyGUI(ctx context.Context, id string, gui payload.UI) error {
	if id == "" || len(id) > payload.MaxIDBytes {
		return fault.New(fault.Invalid, "gui_id_invalid", "the id of a user interface must have 1 to %d bytes", payload.MaxIDBytes)
	}
	return s.say(ctx, ChatMessage{Type: payload.TypeGUI, ClientID: id}, gui, false)
}

// formSubmitted begins the description of a submitted form, as in BAF.
const formSubmitted = "Form Submit Matching"

// OnForm adds a transition for a submitted form. id is that of the user interface, see ReplyGUI; "" takes the forms of all.
// [GUIInputs] has the values of the form.
func (s *State) OnForm(id string) *Transition {
	text := formSubmitted
	if id != "" {
		text += " - " + id
	}
	return s.OnEvent(EventUI).and(condition{text: text, holds: func(_ context.Context, s *Session) (bool, error) {
		e := payload.ReadGUIEvent(s.Event().Data)
		return e.Submits() && (id == "" || e.MessageID == id), nil
	}})
}

// GUIInputs returns the values that the user entered in the user interface with an id, by the names of the fields. They are
// JSON values. They stay in the session until it is reset. With "", it returns those of the forms that clients sent without
// an id.
func GUIInputs(s *Session, id string) map[string]any {
	out := map[string]any{}
	for name, value := range s.Variables() {
		field, ok := strings.CutPrefix(name, payload.GUIVariable(id, ""))
		var v any
		if ok && json.Unmarshal(value, &v) == nil {
			out[field] = v
		}
	}
	return out
}
