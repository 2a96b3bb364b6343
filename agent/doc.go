// Package agent defines agents as state machines in Go. Package session runs
// their conversations.
//
// # Writing an agent
//
// An [Agent] has states. A [State] has a body, a fallback, and transitions. The
// body runs when the session enters the state. The fallback handles messages that
// no transition takes. A [Transition] takes an event (OnIntent, OnNoIntent,
// OnMessage, OnText, OnJSON, OnFile, OnEvent) or none (When, WhenVariable, After,
// GoTo). Each can have further conditions. A global state is reached from every
// state and leads back. A [Classifier] predicts the [Intent] of a message, by
// example sentences or with a model. A [Processor] changes texts on their way in
// or out. [Agent.Validate] reports mistakes.
//
// Bodies, conditions, and processors use a [Session]: its event and variables,
// replies of all kinds, the history, answers from documents ([Session.RunRAG]),
// and other agents ([Session.SendToPeer]). Package reason makes bodies that plan
// and call tools. Package assistant is an agent made of these parts.
//
// # How the machine moves
//
// A turn takes steps. For each transition of the current state, in order, it
// tries the events in the session's queue, oldest first. The first event that the
// transition takes, and whose conditions hold, is consumed. The session moves,
// and the body of the new state runs. A transition without an event is taken when
// its conditions hold. Without a possible transition, the user's oldest message
// goes to the state's fallback, provided that the state takes events at all. The
// remaining events wait for a state that takes them.
//
// A consumed event begins a turn. The turn ends when no step is left or the next
// step would consume another event.
//
// # Running an agent
//
// A runtime calls [Agent.Compile] and [Machine.Begin], and gives each turn a
// [Backend].
package agent
