// Package agent runs conversations: an agent is a state machine written in Go,
// and each session of it, a conversation with one user, is handled by a single
// goroutine, one event at a time, with everything said kept in a store.
//
// # Writing an agent
//
// An [Agent] has states. A [State] has a body, which runs when it is entered, a
// fallback for messages that lead nowhere, and transitions. A [Transition] takes
// an event (OnIntent, OnNoIntent, OnMessage, OnText, OnJSON, OnFile, OnEvent) or
// none (When, WhenVariable, After, GoTo); conditions can be added to each. A
// global state is reached from everywhere and leads back. What an agent is about
// to do with a message is decided by [Intent]s, told apart by a [Classifier]:
// by example sentences, or by a model. [Processor]s change texts on their way in
// and out. [Agent.Validate] names what is wrong.
//
// Bodies, conditions and processors see a [Session]: its event and variables,
// replies of all kinds, the history, answers from documents ([Session.RunRAG])
// and other agents ([Session.SendToPeer]). Package reason makes bodies that plan
// and call tools. Package assistant is an agent made of all this.
//
// # The path of an event
//
// A client joins a session with [Runtime.Open] and gets a [Subscription]. What
// it sends ([Subscription.Send], SendFile, SendEvent), what programs send
// ([Runtime.Dispatch]) and what other agents answer is stored first, together
// with its chat message: from then on it is neither lost nor, given the same id,
// taken twice. Then it is acknowledged and joins the session's queue.
//
// The session's goroutine takes steps. For each transition of the present state,
// in order, it looks at the events in the queue, oldest first; the first that
// the transition takes and whose conditions hold is consumed, the session moves
// and the body of the new state runs. A transition that takes no event is taken
// when its conditions hold. If there is none, the oldest message of the user
// goes to the state's fallback, provided that the state takes events at all.
// What then remains is held: it waits for a state that takes it.
//
// An event that is consumed begins a turn, which ends when the next step would
// consume another event, or is none. What the turn said, its steps of reasoning,
// the state, the changed variables and the event's end are written in one
// transaction; then clients hear it. So a message costs two trips to the store,
// and after a crash a turn either happened or did not. A reply that has waited
// RuntimeConfig.FlushAfter for a slow body is stored and sent before; a turn cut
// short after that is not run again but ends with an apology.
//
// A session without clients and work leaves memory and comes back from the store
// as it was. One whose state waits for a time or a condition is woken for it
// ([Runtime.Start]).
//
// # Who stores
//
// [Store] is what a runtime needs of a database, and [Directory] what others need
// to list and delete sessions. Package agenttest has a store in memory for tests.
package agent
