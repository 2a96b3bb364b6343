// Package agent is what authors write agents with: an agent is a state machine
// written in Go. Package session runs its conversations.
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
// # How the machine moves
//
// A turn takes steps. For each transition of the present state, in order, it
// looks at the events in the session's queue, oldest first. The first event that
// the transition takes, and whose conditions hold, is consumed: the session moves
// and the body of the new state runs. A transition that takes no event is taken
// when its conditions hold. Without a transition, the oldest message of the user
// goes to the state's fallback, provided that the state takes events at all. The
// remaining events are held for a state that takes them.
//
// A consumed event begins a turn. The turn ends when the next step would consume
// another event, or is none.
//
// # Running an agent
//
// A runtime runs an agent by [Agent.Compile], [Machine.Begin], and the [Backend]
// that it gives each turn.
package agent
