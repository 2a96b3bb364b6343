// Package session runs the conversations of an agent.
//
// # The path of an event
//
// A client joins a session with [Runtime.Open] and gets a [Subscription]. Clients
// send by [Subscription.Send], SendFile, and SendEvent; programs send by
// [Runtime.Dispatch]; other agents answer. Each event is stored first, together
// with its chat message. From then on it is not lost, and the same id is not
// taken twice. Then the event is acknowledged and joins the session's queue.
//
// A turn of the agent's machine takes events from the queue; see package agent.
// Its messages, its steps of reasoning, the state, the changed variables, and the
// end of its events are written in one transaction. Then clients get the frames.
// So a message costs two trips to the store, and after a crash a turn either
// happened or did not. A reply that waits for a slow body is stored and sent
// before; a turn that is cut short after that is not run again but ends with an
// apology.
//
// A session without clients and work leaves memory and comes back from the store
// as it was. If its state waits for a time or a condition, the runtime wakes it
// ([Runtime.Start]).
//
// # Storage
//
// Package journal defines the stored records and the interfaces that a database
// implements. Package agenttest has a store in memory for tests.
package session
