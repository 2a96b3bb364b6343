package journal

import (
	"encoding/json"

	"docent/agent/chat"
	"docent/payload"
)

// origin is the content of EventRecord.Origin.
type origin struct {
	From        string `json:"from,omitempty"`
	Correlation string `json:"correlation,omitempty"`
	Cause       string `json:"cause,omitempty"`
	Thread      string `json:"thread,omitempty"`
	Hops        int    `json:"hops,omitempty"`
}

// NewEvent returns the stored form of an event, without its message.
func NewEvent(e *chat.Event) EventRecord {
	r := EventRecord{Name: e.Name, Info: e.Text, Human: e.Human, Data: e.Data, Time: e.Time}
	if o := (origin{e.From, e.Correlation, e.Cause, e.Thread, e.Hops}); o != (origin{}) {
		r.Origin, _ = json.Marshal(o) // strings and a number always encode
	}
	return r
}

// Event returns the event that r stores.
func (r EventRecord) Event() chat.Event {
	var e chat.Event
	content := r.Message.Content
	if content == nil {
		content = r.Data
	}
	switch {
	case r.Name == chat.EventFile || r.Message.Type == payload.TypeFile:
		e = chat.Event{Name: chat.EventFile, Text: r.Info}
		if f, err := payload.DecodeFile(content); err == nil {
			e.File = &f
		}
	case r.Message.Type != "" && content == nil: // it was too large to read again
		e = chat.Event{Name: r.Name, Text: r.Info}
	case r.Message.Type != "":
		e = chat.MessageEvent(content)
	default:
		e = chat.Event{Name: r.Name, Text: r.Info, Data: r.Data}
	}
	if e.Name == chat.EventMessage && r.Name == chat.EventText && payload.IsAsk(content) {
		e.Name = chat.EventText
	}
	if !r.Human {
		e.Options = payload.AskOptions{}
	}
	var o origin
	_ = json.Unmarshal(r.Origin, &o) // nil, or written by NewEvent
	e.From, e.Correlation, e.Cause, e.Thread, e.Hops = o.From, o.Correlation, o.Cause, o.Thread, o.Hops
	e.ID, e.Turn, e.Human, e.Time = r.ID, r.Turn, r.Human, r.Time
	return e
}
