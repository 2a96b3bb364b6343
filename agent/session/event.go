package session

import (
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
