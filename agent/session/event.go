package session

import (
	"encoding/json"

	"docent/agent"
	"docent/payload"
)

// chatType is the type under which an event's message is stored; "" if it is
// none.
func chatType(e *agent.Event) string {
	switch e.Name {
	case agent.EventText:
		if asksSo(e) {
			return payload.TypeJSON
		}
		return payload.TypeStr
	case agent.EventMessage:
		return payload.TypeJSON
	case agent.EventFile:
		return payload.TypeFile
	default:
		return ""
	}
}

// asksSo reports whether a text came as an object, for the options beside it.
func asksSo(e *agent.Event) bool { return e.Name == agent.EventText && e.JSON != nil }

// origin is what EventRecord.Origin holds.
type origin struct {
	From        string `json:"from,omitempty"`
	Correlation string `json:"correlation,omitempty"`
	Cause       string `json:"cause,omitempty"`
	Thread      string `json:"thread,omitempty"`
	Hops        int    `json:"hops,omitempty"`
}

// recordOf is the event as it is stored, without its message.
func recordOf(e *agent.Event) EventRecord {
	r := EventRecord{Name: e.Name, Info: e.Text, Human: e.Human, Data: e.Data, Time: e.Time}
	if o := (origin{e.From, e.Correlation, e.Cause, e.Thread, e.Hops}); o != (origin{}) {
		r.Origin, _ = json.Marshal(o) // strings and a number always encode
	}
	return r
}

// storedEvent is the event that was stored so.
func storedEvent(r EventRecord) agent.Event {
	var e agent.Event
	content := r.Message.Content
	if content == nil {
		content = r.Data
	}
	switch {
	case r.Name == agent.EventFile || r.Message.Type == payload.TypeFile:
		e = agent.Event{Name: agent.EventFile, Text: r.Info}
		if f, err := payload.DecodeFile(content); err == nil {
			e.File = &f
		}
	case r.Message.Type != "" && content == nil: // it was too large to be read again
		e = agent.Event{Name: r.Name, Text: r.Info}
	case r.Message.Type != "":
		e = agent.MessageEvent(content)
	default:
		e = agent.Event{Name: r.Name, Text: r.Info, Data: r.Data}
	}
	if e.Name == agent.EventMessage && r.Name == agent.EventText && payload.IsAsk(content) {
		e.Name = agent.EventText
	}
	if !r.Human {
		e.Options = payload.AskOptions{}
	}
	var o origin
	_ = json.Unmarshal(r.Origin, &o) // nil, or written by record
	e.From, e.Correlation, e.Cause, e.Thread, e.Hops = o.From, o.Correlation, o.Cause, o.Thread, o.Hops
	e.ID, e.Turn, e.Human, e.Time = r.ID, r.Turn, r.Human, r.Time
	return e
}
