package replica

import "docent/agent/chat"

// Op is an operation of a client in its session.
type Op string

// The operations are methods of session.Subscription and session.Runtime.
const (
	OpSend     Op = "send"
	OpFile     Op = "file"
	OpEvent    Op = "event"
	OpRevise   Op = "revise"
	OpShow     Op = "show"
	OpSet      Op = "set"
	OpStop     Op = "stop"
	OpReset    Op = "reset"
	OpFeedback Op = "feedback"
	OpCatchUp  Op = "catch_up"
	OpBefore   Op = "before"
	OpProgress Op = "progress"
	OpDispatch Op = "dispatch"
	OpCheck    Op = "check"
)

// UserEvent are the arguments of session.Subscription.SendEvent.
type UserEvent struct {
	Name string
	Data []byte
	Wait bool
}

// Dispatched are the arguments of session.Runtime.DispatchOnce.
type Dispatched struct {
	ID    string
	Event chat.Event
}
